// SPDX-License-Identifier: GPL-3.0-or-later
// What estimate() adds to its figures (memory, fixes, utilization beyond the peak, the timeline), where a
// number comes from (explainFigure) and suggestions, for the machines of resolving_catalog.h.
#include "model/engine/engine.h"
#include "model/estimate/error_band.h"
#include "model/units/format.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace tst_engine_answers {

using namespace alidade;
using namespace alidade::test;

namespace {

Estimate run(const ScenarioSpec& spec, const EstimateOptions& options = {.fixes = false},
             const Catalog& catalog = sharedCatalog()) {
    auto out = estimate(spec, catalog, catalog.defaultProfile, options);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

ScenarioSpec training(const char* edit) { return edited(smallTraining(), editOf(edit)); }

QByteArray problemsIn(const Estimate& estimate) {
    Scenario scenario;
    scenario.problems = estimate.problems;
    return problemsOf(scenario);
}

std::string bytes(double value) { return formatQuantity(value, Dimension::bytes); }

/// Instances "h8" with so many bytes for each GPU.
Catalog withMemory(double bytesPerGpu) {
    Catalog out = resolvingCatalog();
    out.instances[0].gpuMemory = Bytes::si(8 * bytesPerGpu);
    return out;
}

Explanation explained(const ScenarioSpec& spec, const char* path) {
    auto out = explainFigure(spec, sharedCatalog(), sharedCatalog().defaultProfile, path);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

QByteArray refused(const ScenarioSpec& spec, const char* path) {
    const auto out = explainFigure(spec, sharedCatalog(), sharedCatalog().defaultProfile, path);
    return out ? QByteArray() : QByteArray::fromStdString(out.error());
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

} // namespace

class TestEngineAnswers : public QObject {
    Q_OBJECT

private slots:
    void requestsThatMeanNothing() {
        const auto out = estimate(training("workload.model=dance"), sharedCatalog(), {});
        QVERIFY(!out);
        QCOMPARE(out.error(), std::string("/workload/model: there is no model 'dance' in the catalog; the "
                                          "nearest is 'dense'"));
        QCOMPARE(refused(training("workload.model=dance"), "training.mfu"),
                 QByteArray::fromStdString(out.error()));
    }

    /// The capacity decides alone; what a plan needs is known from a machine with room.
    void memoryIsReported() {
        const Estimate roomy = run(smallTraining());
        const double total = roomy.memory->totalBytes, low = roomy.memory->lowBytes;
        const double share = roomy.memory->reserveBytes / roomy.memory->capacityBytes; // kept free
        QVERIFY(low < total && share >= 0 && share < 1);
        QCOMPARE(problemsIn(run(smallTraining(), {.fixes = false}, withMemory(1.001 * total / (1 - share)))),
                 QByteArray());
        // Between the low end of the band and the estimate it is tight.
        const Catalog tight = withMemory((low + total) / 2 / (1 - share));
        const Estimate narrow = run(smallTraining(), {.fixes = false}, tight);
        QVERIFY(narrow.fits && narrow.runs);
        QCOMPARE(problemsIn(narrow),
                 QByteArray::fromStdString(
                     "warning /plan: Memory is tight: " + bytes(total) + " per GPU, " +
                     bytes((low + total) / 2) + " usable; runs out of memory with a probability of " +
                     formatQuantity(outOfMemoryProbability(*narrow.memory), Dimension::ratio)));
        const Catalog less = withMemory(0.9 * low / (1 - share));
        const Estimate full = run(smallTraining(), {.fixes = false}, less);
        QVERIFY(!full.fits);
        const auto largest = std::ranges::max_element(full.memory->parts, {}, &MemoryPartT<double>::bytes);
        std::string part = largest->name;
        part[0] = static_cast<char>(part[0] - 'A' + 'a');
        const std::string usable = bytes(0.9 * low) + " usable; ";
        QCOMPARE(problemsIn(full),
                 QByteArray::fromStdString("error /plan: Does not fit: " + bytes(total) + " per GPU, " +
                                           usable + part + " take " + bytes(largest->bytes)));
        // With stages the fullest one is named.
        const Estimate staged =
            run(training("plan.pipeline_parallel=2; plan.sharding=none"), {.fixes = false}, withMemory(1e9));
        QVERIFY(!staged.fits);
        QVERIFY2(problemsIn(staged).startsWith(QByteArray::fromStdString(
                     "error /plan: Does not fit: " + bytes(staged.memory->totalBytes) + " per GPU on stage " +
                     std::to_string(staged.memory->worstStage) + ", ")),
                 problemsIn(staged).constData());
    }

    /// A queue that grows without end misses its targets anyway, which is not said as well.
    void overloadIsReported() {
        const ScenarioSpec spec = edited(
            smallServing(),
            editOf("workload.request_rate_per_s=1e6; workload.ttft_slo_s=0.001; workload.itl_slo_s=1e-6"));
        const Estimate out = run(spec);
        QVERIFY(out.serving);
        const auto number = [](double value) { return formatQuantity(value, Dimension::number); };
        QCOMPARE(problemsIn(out), QByteArray::fromStdString(
                                      "error /workload/request_rate_per_s: Overloaded: " + number(1e6) +
                                      " requests/s arrive, the plan carries " +
                                      number(out.serving->maxRequestRate) + "; the queue grows without end"));
        QVERIFY(out.serving->maxRequestRate > 0 && out.serving->maxRequestRate < 1e6);
    }

    void distributionsAscend() {
        const Estimate out = run(smallServing(), {.distribution = true, .fixes = false});
        QVERIFY(out.serving && out.serving->distribution);
        const Distribution& played = *out.serving->distribution;
        for (const std::vector<double>* each : {&played.ttft, &played.itl, &played.tpot, &played.e2e}) {
            QCOMPARE(each->size(), std::size_t{200});
            QVERIFY(std::ranges::is_sorted(*each) && each->front() > 0 && std::isfinite(each->back()));
        }
        QVERIFY(played.requests > 200 && played.seed == 1);
        QVERIFY(played.e2e.front() > played.ttft.front() && played.e2e.back() > played.ttft.back());
    }

    void fixesAreOfferedForErrors() {
        const ScenarioSpec three = training("plan.tensor_parallel=3");
        const Estimate out = run(three, {});
        bool any = false;
        for (const Problem& each : out.problems) {
            if (each.severity != Severity::error)
                continue;
            any = true;
            QVERIFY(each.fix);
            const Estimate mended = run(edited(three, each.fix->set));
            QVERIFY(mended.runs && mended.fits);
            QVERIFY(each.message.find("No single change") == std::string::npos);
        }
        QVERIFY(any);
        // What runs has no fixes, and warnings get none.
        for (const Problem& each : run(training("cluster.purchase=custom"), {}).problems)
            QVERIFY(!each.fix);
    }

    void whereNoChangeHelpsItIsSaid() {
        Catalog tiny = resolvingCatalog();
        for (Instance& each : tiny.instances)
            each.gpuMemory = Bytes::si(1e6 * each.gpus); // a megabyte for each GPU
        const Estimate out = run(smallTraining(), {}, tiny);
        QVERIFY(out.runs && !out.fits);
        QVERIFY2(
            problemsIn(out).endsWith(". No single change, no other layout and no larger or other machine "
                                     "makes it run and fit"),
            problemsIn(out).constData());
        QVERIFY(!problemsIn(run(smallTraining(), {.fixes = false}, tiny)).contains("No single change"));
        // Of several errors the first one says so.
        const Estimate several = run(training("plan.tensor_parallel=3; plan.context_parallel=3"), {}, tiny);
        std::vector<bool> said;
        for (const Problem& each : several.problems)
            if (each.severity == Severity::error)
                said.push_back(each.message.find("No single change") != std::string::npos);
        QVERIFY2(said.size() > 1, problemsIn(several).constData());
        QVERIFY(said[0] && std::ranges::count(said, true) == 1);
        // A machine that is not modeled has no estimate, so nothing is looked for.
        const Estimate other = run(training("cluster.instance=x8"), {}, tiny);
        QVERIFY(!other.runs && !problemsIn(other).contains("No single change"));
    }

    void utilizationBeyondThePeak() {
        Catalog catalog = resolvingCatalog();
        QVERIFY(run(training("plan.precision=fp8")).training->mfu < 1);
        QVERIFY(!problemsIn(run(training("plan.precision=fp8"))).contains("MFU"));
        catalog.gpus[0].bf16 = catalog.gpus[0].fp16 = FlopPerSecond::si(1e12); // a thousandth
        // Next to nothing is left to the head and to attention, which stay in 16 bits.
        catalog.models[0].vocabSize = 128;
        catalog.models[0].ffnIntermediateSize = 65'536;
        const Estimate out = run(training("plan.precision=fp8"), {.fixes = false}, catalog);
        QVERIFY(out.training->mfu > 1);
        QCOMPARE(problemsIn(out),
                 QByteArray::fromStdString("info /plan/precision: MFU is " +
                                           formatQuantity(out.training->mfu, Dimension::ratio) +
                                           ": it counts against the dense 16-bit peak of " +
                                           formatQuantity(1e12, Dimension::flopPerSecond) +
                                           ", and matrix products in FP8 run faster than that"));
    }

    void timelines_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("counts"); // of forwards, backwards, weight gradients; stages; chunks
        const auto row = [](const char* edit, const char* counts) {
            QTest::newRow(edit) << QByteArray(edit) << QByteArray(counts);
        };
        // 32 sequences; 8 GPUs are left for each stage's replicas: 4 micro-batches.
        row("plan.tensor_parallel=8", "F8 B8 stages 1 chunks 1"); // 4 replicas
        row("plan.pipeline_parallel=2; plan.tensor_parallel=4", "F16 B16 stages 2 chunks 1");
        row("plan.pipeline_parallel=2; plan.tensor_parallel=4; plan.schedule=gpipe",
            "F16 B16 stages 2 chunks 1");
        row("plan.pipeline_parallel=2; plan.tensor_parallel=4; plan.schedule=interleaved; "
            "plan.virtual_pipeline=2",
            "F32 B32 stages 2 chunks 2");
        row("plan.pipeline_parallel=2; plan.tensor_parallel=4; plan.schedule=zb-h1",
            "F16 B16 W16 stages 2 chunks 1");
    }
    void timelines() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, counts);
        const Estimate out = run(training(edit.constData()), {.timeline = true, .fixes = false});
        QVERIFY2(out.training, problemsIn(out).constData());
        const Training& t = *out.training;
        std::map<char, int> kinds;
        int stages = 0, chunks = 0, microbatches = 0;
        double end = 0;
        for (const TimelineEvent& each : t.timeline) {
            ++kinds[each.kind];
            stages = std::max(stages, each.stage + 1);
            chunks = std::max(chunks, each.chunk + 1);
            microbatches = std::max(microbatches, each.microbatch + 1);
            QVERIFY(each.start >= 0 && each.end > each.start);
            end = std::max(end, each.end);
        }
        QByteArray found;
        for (const char kind : {'F', 'B', 'W'})
            if (kinds[kind] > 0)
                found += QByteArray(1, kind) + QByteArray::number(kinds[kind]) + ' ';
        found += "stages " + QByteArray::number(stages) + " chunks " + QByteArray::number(chunks);
        QCOMPARE(found, counts);
        QCOMPARE(microbatches, 8);
        QVERIFY(near(t.timelineMakespan, end));
        QVERIFY2(
            near(t.timelineMakespan, t.timelineClosedForm),
            qPrintable(QStringLiteral("%1 against %2").arg(t.timelineMakespan).arg(t.timelineClosedForm)));
        // Without a pipeline a forward and a backward follow each other, 8 times.
        if (stages == 1) {
            double busy = 0;
            for (const TimelineEvent& each : t.timeline)
                busy += each.end - each.start;
            QVERIFY(near(busy, t.timelineMakespan));
        }
        QVERIFY(run(training(edit.constData())).training->timeline.empty());
        QVERIFY(!run(training("plan.tensor_parallel=3"), {.timeline = true, .fixes = false}).training);
    }

    /// The chunks of a stage take the same time.
    void chunksAreEven() {
        const Estimate out = run(training("plan.pipeline_parallel=2; plan.tensor_parallel=4; "
                                          "plan.schedule=interleaved; plan.virtual_pipeline=2"),
                                 {.timeline = true, .fixes = false});
        std::map<int, double> first; // of the second stage, by chunk
        for (const TimelineEvent& each : out.training->timeline)
            if (each.stage == 0 && each.kind == 'F')
                first.emplace(each.chunk, each.end - each.start);
        QCOMPARE(first.size(), std::size_t{2});
        QVERIFY(first[0] > 0 && first[1] > 0);
    }

    void formulasAreExplained() {
        const ScenarioSpec spec = smallTraining();
        const Estimate plain = run(spec);
        const Explanation step = explained(spec, "training.step_time_s");
        QCOMPARE(step.path, std::string("training.step_time_s"));
        QCOMPARE(step.value, plain.training->stepTime);
        QVERIFY(step.dimension == Dimension::seconds);
        QVERIFY(!step.formula.empty() && !step.terms.empty());
        // A plain number of a formula takes the dimension of the figure.
        const Explanation rate = explained(spec, "training.tokens_per_s");
        QVERIFY(rate.dimension != Dimension::number);
        QCOMPARE(rate.value, plain.training->tokensPerSecond);
    }

    void stepsOfFormulasAreExplained() {
        const ScenarioSpec spec = smallTraining();
        const Explanation step = explained(spec, "training.step_time_s");
        const auto derived = std::ranges::find(step.terms, SourceKind::derived, &ExplainedTerm::kind);
        QVERIFY(derived != step.terms.end());
        const std::string path = "training.step_time_s>" + derived->name;
        const Explanation below = explained(spec, path.c_str());
        QCOMPARE(below.path, path);
        QCOMPARE(below.name, derived->name);
        QCOMPARE(below.value, derived->value);
        QCOMPARE(refused(spec, "training.step_time_s>nothing"),
                 QByteArray("'nothing' has no formula in 'training.step_time_s>nothing'"));
        const auto next = std::ranges::find(below.terms, SourceKind::derived, &ExplainedTerm::kind);
        QVERIFY(next != below.terms.end());
        const Explanation second = explained(spec, (path + ">" + next->name).c_str());
        QCOMPARE(second.name, next->name);
        QCOMPARE(second.value, next->value);
        const std::string further = path + ">nothing";
        QCOMPARE(refused(spec, further.c_str()),
                 QByteArray::fromStdString("'nothing' has no formula in '" + further + "'"));
    }

    /// Numbers that no formula makes: counts, and what the scenario states or leaves to a default.
    void numbersWithoutAFormula() {
        const ScenarioSpec spec = training("plan.tensor_parallel=2");
        const Explanation written = explained(spec, "scenario.plan.tensor_parallel");
        QCOMPARE(written.path, std::string("scenario.plan.tensor_parallel"));
        QCOMPARE(written.value, 2.0);
        QVERIFY2(written.source.ends_with("; written in the scenario"), written.source.c_str());
        QVERIFY(!written.name.empty() && written.source.starts_with(written.name));
        const Explanation filled = explained(spec, "scenario.plan.pipeline_parallel");
        QCOMPARE(filled.value, 1.0);
        QVERIFY2(filled.source.find("; filled in, default: ") != std::string::npos, filled.source.c_str());
        const Explanation count = explained(spec, "gpus");
        QCOMPARE(count.value, 32.0);
        QCOMPARE(count.source, count.name);
    }

    /// What is played or drawn has no formula either.
    void outcomesAreExplained_data() {
        QTest::addColumn<bool>("serving");
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("dotted"); // empty: refused
        QTest::newRow("a point of the curve") << true << QByteArray("serving.load_curve[2].utilization")
                                              << QByteArray("serving.load_curve.2.utilization");
        QTest::newRow("requests that were played") << true << QByteArray("serving.distribution.requests")
                                                   << QByteArray("serving.distribution.requests");
        QTest::newRow("an event") << false << QByteArray("training.timeline.1.end_s")
                                  << QByteArray("training.timeline.1.end_s");
        QTest::newRow("no such event") << false << QByteArray("training.timeline.1.ends") << QByteArray();
    }
    void outcomesAreExplained() {
        QFETCH(bool, serving);
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, dotted);
        const ScenarioSpec spec = serving ? smallServing() : training("plan.pipeline_parallel=2");
        if (dotted.isEmpty()) {
            QVERIFY(refused(spec, path.constData())
                        .startsWith(QByteArray("'" + path + "' is not a figure of this estimate")));
            return;
        }
        const Explanation out = explained(spec, path.constData());
        QCOMPARE(QByteArray::fromStdString(out.path), dotted);
        QVERIFY(out.formula.empty() || out.terms.empty());
        QVERIFY(std::isfinite(out.value) && out.value > 0);
        QVERIFY(!out.name.empty());
        QCOMPARE(out.source, out.name);
    }

    void elementsAreCalledByTheirNames() {
        const ScenarioSpec spec = smallTraining();
        const Estimate plain = run(spec);
        const auto& parts = plain.memory->parts;
        QVERIFY(parts.size() > 1);
        const std::string path = "memory.parts[" + parts[1].name + "].bytes";
        const Explanation out = explained(spec, path.c_str());
        QCOMPARE(out.path, std::string("memory.parts.1.bytes"));
        QCOMPARE(out.value, parts[1].bytes);
    }

    void figuresThatAreNotThere() {
        const ScenarioSpec spec = smallTraining();
        QCOMPARE(refused(spec, "training.step_time"),
                 QByteArray("'training.step_time' is not a figure of this estimate; the nearest is "
                            "'training.step_time_s'"));
        QCOMPARE(
            refused(spec, "entirely.something.else.than.a.figure.of.it"),
            QByteArray("'entirely.something.else.than.a.figure.of.it' is not a figure of this estimate"));
        QVERIFY(
            refused(spec, "serving.ttft_s").startsWith("'serving.ttft_s' is not a figure of this estimate"));
    }

    void suggestionsAreWhatTheyPromise() {
        const Catalog& catalog = sharedCatalog();
        const ScenarioSpec spec = training("plan.tensor_parallel=8; plan.sharding=zero3");
        const auto all = suggest(spec, catalog, catalog.defaultProfile, 3);
        QVERIFY(!all.empty() && all.size() <= 3);
        const Estimate before = run(spec);
        for (const Suggestion& each : all) {
            const Estimate after = run(edited(spec, each.change.set));
            QVERIFY(after.runs && after.fits);
            QVERIFY(after.training->tokensPerSecond / after.cost->dollarsPerHour >
                    before.training->tokensPerSecond / before.cost->dollarsPerHour);
        }
        QCOMPARE(suggest(spec, catalog, catalog.defaultProfile, 1).size(), std::size_t{1});
        QVERIFY(suggest(spec, catalog, catalog.defaultProfile).size() <= 3);
        QVERIFY(suggest(smallReinforcement(), catalog, catalog.defaultProfile, 3).empty());
    }
};

QTEST_APPLESS_MAIN(TestEngineAnswers)

} // namespace tst_engine_answers

#include "tst_engine_answers.moc"
