// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever service is asked of the shipped catalog, an estimate ends, has only numbers that say something,
// and agrees with itself. Advice is part of it: it tries machines and plans that were not named. Not drawn:
// pools apart, speculation, weights and caches in host memory, clusters of one's own.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/scenario/test_time_plan.h"
#include "tests/data/shipped_catalog.h"
#include "tests/sanitized.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

namespace tst_random_scenarios {

using namespace alidade;

namespace {

class Draw {
public:
    explicit Draw(unsigned seed)
        : random_(seed) {}

    bool chance(double share) { return static_cast<double>(random_()) < share * 4294967296.0; }
    template <class T>
    T of(std::initializer_list<T> choices) {
        return *(choices.begin() + random_() % choices.size());
    }
    template <class Entries>
    std::string id(const Entries& entries) {
        return entries[random_() % entries.size()].id;
    }

private:
    std::mt19937 random_;
};

ScenarioSpec serving(Draw& draw, const Catalog& catalog) {
    ScenarioSpec s;
    WorkloadSpec& w = s.workload;
    w.kind = WorkloadKind::serving;
    w.model = draw.id(catalog.models);
    w.inputTokens = draw.of({1.0, 128.0, 1000.0, 4000.0, 30000.0});
    w.outputTokens = draw.of({1.0, 2.0, 100.0, 1000.0, 4000.0});
    w.inputTokensCv = draw.of({0.0, 0.5, 1.0, 2.0});
    w.outputTokensCv = draw.of({0.0, 0.5, 1.0, 1.5});
    if (draw.chance(0.5)) {
        w.concurrency = draw.of({1.0, 2.0, 8.0, 64.0, 500.0, 5000.0});
    } else {
        w.requestRatePerS = draw.of({0.01, 0.1, 1.0, 10.0, 100.0, 10'000.0});
        w.arrivalCv = draw.of({0.0, 0.05, 0.2, 1.0, 4.0});
    }
    if (draw.chance(0.2))
        w.prefixCacheHit = draw.of({0.5, 0.99, 1.0});
    if (draw.chance(0.15))
        w.phase = draw.of<std::string>({"prefill", "decode"});
    if (draw.chance(0.5)) {
        w.ttftSloS = draw.of({0.1, 1.0, 10.0});
        w.itlSloS = draw.of({0.01, 0.05, 0.2});
    }
    if (draw.chance(0.5)) {
        s.cluster.instance = draw.of<std::string>({"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge",
                                                   "p4de.24xlarge", "g6e.8xlarge", "p5.4xlarge"});
        s.cluster.instances = draw.of<std::int64_t>({1, 1, 2, 4});
    } else if (draw.chance(0.6)) {
        s.cluster.instance = draw.id(catalog.instances);
        s.cluster.instances = draw.of<std::int64_t>({1, 2, 8});
    } else {
        s.cluster.ultraserver = draw.id(catalog.ultraservers);
        s.cluster.ultraservers = draw.of<std::int64_t>({1, 2});
    }
    PlanSpec& plan = s.plan;
    plan.engine = draw.id(catalog.engines);
    plan.tensorParallel = draw.of<std::int64_t>({1, 2, 4, 8});
    if (draw.chance(0.2))
        plan.pipelineParallel = draw.of<std::int64_t>({2, 4});
    if (draw.chance(0.3))
        plan.expertParallel = draw.of<std::int64_t>({2, 4, 8});
    if (draw.chance(0.2))
        plan.attentionDataParallel = draw.of<std::int64_t>({2, 8});
    if (draw.chance(0.5))
        plan.weights = draw.of<std::string>({"bf16", "fp8", "fp8_block", "nvfp4", "mxfp4", "int4"});
    if (draw.chance(0.1))
        plan.maxBatch = draw.of<std::int64_t>({1, 16});
    if (draw.chance(0.1))
        plan.chunkTokens = draw.of<std::int64_t>({256, 100'000});
    return s;
}

double sumOf(const std::vector<ShareT<double>>& parts) {
    double sum = 0;
    for (const auto& part : parts)
        sum += part.seconds;
    return sum;
}

/// The curve of latency against load; empty if nothing is wrong with it.
std::string faultOfCurve(const Estimate& e) {
    const LoadPoint* before = nullptr;
    for (const LoadPoint& point : e.serving->loadCurve) {
        for (const double each : {point.ttft, point.itl, point.ttftPercentile, point.itlPercentile})
            if (!std::isfinite(each) || each < 0)
                return "a point without a latency";
        if (e.cost && e.serving->answers && !(point.dollarsPerMillionOutputTokens > 0))
            return "a point without a price";
        if (before && (point.ttft < before->ttft || point.itlPercentile < before->itlPercentile))
            return "a point that is faster with more load";
        before = &point;
    }
    return "";
}

/// What contradicts itself; empty if nothing does.
std::string faultOf(const Estimate& e) {
    const bool refused =
        std::ranges::any_of(e.problems, [](const Problem& p) { return p.severity == Severity::error; });
    if (!e.runs || !e.fits)
        return !refused ? "refused without a word" : e.serving || e.cost ? "refused, but priced" : "";
    if (!e.serving)
        return "no figures";
    const Serving& s = *e.serving;
    const WorkloadSpec& w = e.scenario.workload;
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    if (!std::isfinite(s.e2e)) {
        return !w.requestRatePerS                          ? "a closed loop without an end"
               : !refused                                  ? "overloaded without a word"
               : s.answers && std::isfinite(s.itl)         ? "a time between tokens of an overload"
               : e.cost && e.cost->dollarsPerMillionTokens ? "tokens of an overload have a price"
                                                           : "";
    }
    if (s.prompts && (!positive(s.ttft) || !positive(s.ttftPercentiles.p50) || !positive(s.prefillStepTime)))
        return "TTFT";
    if (s.answers && (!positive(s.itl) || !positive(s.tpot) || !positive(s.itlPercentiles.p50)))
        return "ITL";
    for (const auto* p : {s.prompts ? &s.ttftPercentiles : nullptr, s.answers ? &s.itlPercentiles : nullptr})
        if (p && !(p->p50 <= p->p90 && p->p90 <= p->p95 && p->p95 <= p->p99))
            return "quantiles do not rise";
    if (s.prompts && s.answers && !s.simulated &&
        std::abs(s.e2e / (s.ttft + s.tpot * (*w.outputTokens - 1)) - 1) > 1e-6) {
        return "E2E is not TTFT + TPOT (n - 1)";
    }
    if (!(s.prefillShare >= 0 && s.prefillShare <= 1))
        return "prefill takes more than all of the time";
    if (!(s.requestsPerSecond > 0 && s.requestsPerSecond <= s.maxRequestRate * (1 + 1e-9)))
        return "more is served than can be";
    if (e.cost) {
        for (const auto& price : {e.cost->dollarsPerMillionTokens, e.cost->dollarsPerMillionInputTokens,
                                  e.cost->dollarsPerMillionOutputTokens}) {
            if (price && !positive(*price))
                return "a price of nothing";
        }
        if (!e.cost->dollarsPerMillionTokens || (s.answers && !e.cost->dollarsPerMillionOutputTokens))
            return "tokens without a price";
    }
    // The prompts of a prefill side alone come in a batch; what a request spends outside it is not in its
    // rate. Of a sample the edges of its window are not whole.
    if (w.concurrency && s.answers && std::abs(s.concurrency / *w.concurrency - 1) > 0.05)
        return "users are lost";
    if (const std::string fault = faultOfCurve(e); !fault.empty())
        return fault;
    const double decode = sumOf(s.breakdown), prefill = sumOf(s.prefillBreakdown);
    if (std::abs(decode - s.stepTime) > 1e-6 * decode ||
        std::abs(prefill - s.prefillStepTime) > 1e-6 * prefill) {
        return "parts of a step do not sum to it";
    }
    const bool says = std::ranges::any_of(e.problems, [](const Problem& p) {
        return p.place == "/workload/ttft_slo_s" || p.place == "/workload/itl_slo_s";
    });
    return s.meetsTargets == false && !says ? "misses a target without a word" : "";
}

/// Questions against the sequences that the engine works on; empty if nothing is wrong.
std::string faultOfQuestion(const Estimate& e) {
    const Serving& s = *e.serving;
    const WorkloadSpec& w = e.scenario.workload;
    if (!s.testTime || !s.testTime->asked)
        return "no word of questions";
    const TestTime& t = *s.testTime;
    const auto samples = static_cast<double>(t.samples);
    const double budget = w.testTime.thinkingBudget.value_or(1e12);
    if (!(t.latency >= s.e2e * (1 - 0.2)) || !(t.latencyMedian > 0 && t.latencyMedian <= t.latencyP90))
        return "a question is answered before its samples";
    if (!(t.longestSample <= budget * (1 + 1e-9)) ||
        !(t.tokensPerQuestion <= samples * t.longestSample * (1 + 1e-6))) {
        return "the longest sample is shorter than the mean";
    }
    if (std::abs(t.maxQuestionsPerSecond * samples / s.maxRequestRate - 1) > 1e-9 ||
        std::abs(t.questionsPerSecond * samples / s.requestsPerSecond - 1) > 1e-9) {
        return "questions are not samples / n";
    }
    if (!(t.verifierShare >= 0 && t.verifierShare < 1) || !(t.selectionTime >= 0))
        return "scoring";
    if (e.cost && t.dollarsPer1000Questions &&
        !(*t.dollarsPer1000Questions >= *t.leastDollarsPer1000Questions * (1 - 1e-9))) {
        return "a question costs less than the least";
    }
    if (w.concurrency && s.answers &&
        std::abs(s.concurrency / (*w.concurrency * sequencesPerQuestion(w)) - 1) > 0.05) {
        return "samples are lost";
    }
    return {};
}

} // namespace

class TestRandomScenarios : public QObject {
    Q_OBJECT

private slots:
    void servingAgreesWithItself() {
        const auto& catalog = test::shippedCatalog();
        QVERIFY(catalog);
        Draw draw(20'261'122);
        // Half of them under a sanitizer too: of a fifth, one or two are overloads.
        const int draws = std::max(test::draws(120), 60);
        int served = 0, refused = 0, overloaded = 0;
        for (int i = 0; i < draws; ++i) {
            const ScenarioSpec spec = serving(draw, *catalog);
            const EstimateOptions options{.loadCurve = i % 10 == 0};
            const auto e = estimate(spec, *catalog, catalog->defaultProfile, options);
            const auto text = [&] { return QString::fromStdString(data::writeScenario(spec)); };
            if (!e && spec.cluster.ultraserver &&
                e.error().find("does not list the instances of") != e.error().npos) {
                continue; // announced, without an API name
            }
            QVERIFY2(e, qPrintable(text() + QString::fromStdString(e ? "" : e.error())));
            const std::string fault = faultOf(*e);
            QVERIFY2(fault.empty(), qPrintable(QString::fromStdString(fault) + u'\n' + text()));
            (!e->serving ? refused : std::isfinite(e->serving->e2e) ? served : overloaded) += 1;
        }
        QVERIFY2(served > draws / 6 && refused > draws / 6 && overloaded > draws / 60,
                 qPrintable(QStringLiteral("%1 %2 %3").arg(served).arg(refused).arg(overloaded)));
    }

    void questionsAgreeWithTheirSamples() {
        const auto& catalog = test::shippedCatalog();
        QVERIFY(catalog);
        Draw draw(20'261'126);
        int answered = 0, scored = 0;
        for (int i = 0; i < 200; ++i) {
            ScenarioSpec spec = serving(draw, *catalog);
            TestTimeSpec& t = spec.workload.testTime;
            spec.workload.phase.reset();
            t.samples = draw.of<std::int64_t>({2, 3, 8, 64});
            t.selection = draw.of<std::string>({"none", "majority", "best_of_n", "beam_search"});
            if (draw.chance(0.3) && t.selection != "none")
                t.verifier = draw.id(catalog->models);
            if (draw.chance(0.3))
                t.thinkingBudget = draw.of({1.0, 50.0, 2000.0, 1e6});
            const auto e =
                estimate(spec, *catalog, catalog->defaultProfile, {.loadLimit = false, .fixes = false});
            if (!e || !e->serving || !std::isfinite(e->serving->e2e))
                continue; // no machine, no room, or too much load: said elsewhere
            const std::string fault = faultOfQuestion(*e);
            QVERIFY2(fault.empty(),
                     qPrintable(QString::fromStdString(fault + '\n' + data::writeScenario(spec))));
            ++answered;
            scored += e->serving->testTime->verifierShare > 0 ? 1 : 0;
        }
        QVERIFY2(answered > 20 && scored > 3, qPrintable(QStringLiteral("%1 %2").arg(answered).arg(scored)));
    }
};

QTEST_APPLESS_MAIN(TestRandomScenarios)

} // namespace tst_random_scenarios

#include "tst_random_scenarios.moc"
