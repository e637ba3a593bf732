// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Remedies and suggestions for services: what they promise is what an estimate of the changed scenario says.
#include "data/catalog/catalog_reader.h"
#include "model/advice/serving_fixes.h"
#include "model/advice/serving_machines.h"
#include "model/advice/serving_plans.h"
#include "model/advice/serving_suggest.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"
#include "model/scenario/rented_machines.h"

#include <QtTest>

#include <cmath>
#include <set>

namespace tst_serving_advice {

using namespace alidade;
using namespace alidade::data;

namespace {

const Catalog& catalog() {
    static const auto shipped = loadShippedCatalog().catalog;
    return *shipped;
}

Estimate run(const ScenarioSpec& spec, bool fixes = true) {
    const auto answer = estimate(spec, catalog(), catalog().defaultProfile, {.fixes = fixes});
    if (!answer)
        qFatal("%s", answer.error().c_str());
    return *answer;
}

ScenarioSpec service(const char* model, const char* instance, int instances, double requestsPerSecond) {
    ScenarioSpec s;
    s.workload.kind = WorkloadKind::serving;
    s.workload.model = model;
    s.workload.inputTokens = 2000;
    s.workload.outputTokens = 400;
    s.workload.requestRatePerS = requestsPerSecond;
    s.cluster.instance = instance;
    s.cluster.instances = instances;
    s.cluster.region = "us-east-2";
    s.cluster.purchase = "on_demand";
    return s;
}

ScenarioSpec applied(const ScenarioSpec& spec, const Fix& fix) {
    ScenarioSpec out = spec;
    for (const auto& [path, text] : fix.set) {
        const auto next = withField(out, path, text);
        if (!next)
            qFatal("%s", next.error().c_str());
        out = *next;
    }
    return out;
}

const Fix* firstFix(const Estimate& e) {
    for (const Problem& p : e.problems)
        if (p.fix)
            return &*p.fix;
    return nullptr;
}

bool good(const Estimate& e) {
    return e.runs && e.fits && e.serving && std::isfinite(e.serving->ttft) &&
           e.serving->meetsTargets.value_or(true);
}

QByteArray told(const std::vector<Suggestion>& suggestions) {
    QByteArray out;
    for (const Suggestion& s : suggestions)
        out += QByteArray::fromStdString(s.change.text + " (" + s.reason + ")\n");
    return out;
}

} // namespace

class TestServingAdvice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRemedyHelps_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("instance");
        QTest::addColumn<int>("instances");
        QTest::addColumn<double>("rate");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("ttft");
        QTest::addColumn<double>("itl");
        const auto row = [](const char* name, const char* model, const char* instance, int instances,
                            double rate, int tensor, double ttft, double itl) {
            QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(instance) << instances
                                << rate << tensor << ttft << itl;
        };
        row("weights too large for a GPU", "llama-3.1-70b", "p5.48xlarge", 1, 1, 1, 0, 0);
        row("no divisor of the heads", "llama-3.1-70b", "p5.48xlarge", 1, 1, 3, 0, 0);
        row("too large for the machine", "llama-3.1-405b", "p5.48xlarge", 1, 0.5, 8, 0, 0);
        row("overloaded", "llama-3.1-70b", "p5en.48xlarge", 1, 60, 4, 0, 0);
        row("overloaded, with targets", "llama-3.1-70b", "p5en.48xlarge", 1, 60, 4, 2, 0.05);
        row("first token too late", "llama-3.1-70b", "p5en.48xlarge", 1, 4, 2, 0.4, 0);
        row("tokens too slow", "llama-3.1-70b", "p5en.48xlarge", 1, 1, 2, 0, 0.02);
        row("experts", "gpt-oss-120b", "p5.48xlarge", 1, 400, 1, 0, 0.05);
        row("latent attention", "deepseek-v3", "p5en.48xlarge", 1, 1, 4, 0, 0.05);
    }
    void aRemedyHelps() {
        QFETCH(QString, model);
        QFETCH(QString, instance);
        QFETCH(int, instances);
        QFETCH(double, rate);
        QFETCH(int, tensor);
        QFETCH(double, ttft);
        QFETCH(double, itl);
        ScenarioSpec spec = service(model.toUtf8(), instance.toUtf8(), instances, rate);
        spec.plan.tensorParallel = tensor;
        if (ttft > 0)
            spec.workload.ttftSloS = ttft;
        if (itl > 0)
            spec.workload.itlSloS = itl;
        const Estimate before = run(spec);
        QVERIFY2(!good(before),
                 before.serving ? qPrintable(QString::number(before.serving->ttftPercentiles.p90)) : "");
        const Fix* fix = firstFix(before);
        QVERIFY2(fix,
                 before.problems.empty() ? "no problem is told" : before.problems.front().message.c_str());
        const Estimate after = run(applied(spec, *fix), false);
        QVERIFY2(good(after), fix->text.c_str());
        ServingEvaluator evaluator(catalog(), catalog().defaultProfile);
        QVERIFY(nearestServingFix(spec, evaluator));
        QVERIFY2(evaluator.tried() <= 100, qPrintable(QString::number(evaluator.tried())));
    }

    void whatHoldsNeedsNoRemedy() {
        ScenarioSpec spec = service("llama-3.1-70b", "p5en.48xlarge", 1, 2);
        spec.plan.tensorParallel = 4;
        spec.workload.itlSloS = 0.2;
        const Estimate e = run(spec);
        QVERIFY(good(e));
        QVERIFY(!firstFix(e));
    }

    void aTargetThatNothingMeetsIsSaid() {
        ScenarioSpec spec = service("llama-3.1-70b", "p5en.48xlarge", 1, 2);
        spec.plan.tensorParallel = 4;
        spec.workload.itlSloS = 1e-6;
        const Estimate e = run(spec);
        QVERIFY(!firstFix(e));
        const bool said = std::ranges::any_of(e.problems, [](const Problem& p) {
            return p.message.find("No single change") != std::string::npos;
        });
        QVERIFY(said);
    }

    void theFewestMachines_data() {
        QTest::addColumn<double>("rate");
        QTest::addColumn<double>("itl");
        QTest::newRow("small load") << 3.0 << 0.0;
        QTest::newRow("large load") << 150.0 << 0.0;
        QTest::newRow("with a target") << 150.0 << 0.04;
    }
    void theFewestMachines() {
        QFETCH(double, rate);
        QFETCH(double, itl);
        ScenarioSpec spec = service("llama-3.1-70b", "p5en.48xlarge", 1, rate);
        spec.plan.tensorParallel = 4;
        if (itl > 0)
            spec.workload.itlSloS = itl;
        ServingEvaluator evaluator(catalog(), catalog().defaultProfile);
        const auto count = fewestMachines(spec, ServiceLevel::meets, 64, evaluator);
        QVERIFY(count);
        QVERIFY2(evaluator.tried() <= 16, qPrintable(QString::number(evaluator.tried())));
        const auto does = [&](std::int64_t n) {
            return evaluator.tryOut(*applyEdit(spec, machineCountEdit(spec, n))) == ServiceLevel::meets &&
                   evaluator.load() <= mostAdvisedLoad;
        };
        QVERIFY(does(*count));
        QVERIFY(*count == 1 || !does(*count - 1));
        QVERIFY(!fewestMachines(spec, ServiceLevel::meets, 64, evaluator, 1.0)); // dollars an hour
    }

    void suggestionsBringWhatTheySay_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("instance");
        QTest::addColumn<int>("instances");
        QTest::addColumn<double>("rate");
        QTest::addColumn<double>("concurrency");
        QTest::addColumn<double>("itl");
        QTest::newRow("more than is needed")
            << QStringLiteral("llama-3.1-70b") << QStringLiteral("p5en.48xlarge") << 6 << 10.0 << 0.0 << 0.2;
        QTest::newRow("no targets") << QStringLiteral("llama-3.1-70b") << QStringLiteral("p5.48xlarge") << 2
                                    << 10.0 << 0.0 << 0.0;
        QTest::newRow("closed loop") << QStringLiteral("llama-3.1-70b") << QStringLiteral("p5en.48xlarge")
                                     << 1 << 0.0 << 64.0 << 0.0;
        QTest::newRow("experts") << QStringLiteral("gpt-oss-120b") << QStringLiteral("p5.48xlarge") << 1
                                 << 5.0 << 0.0 << 0.03;
    }
    void suggestionsBringWhatTheySay() {
        QFETCH(QString, model);
        QFETCH(QString, instance);
        QFETCH(int, instances);
        QFETCH(double, rate);
        QFETCH(double, concurrency);
        QFETCH(double, itl);
        ScenarioSpec spec = service(model.toUtf8(), instance.toUtf8(), instances, rate);
        spec.plan.tensorParallel = 8;
        if (concurrency > 0) {
            spec.workload.requestRatePerS.reset();
            spec.workload.concurrency = concurrency;
        }
        if (itl > 0)
            spec.workload.itlSloS = itl;
        const Estimate before = run(spec);
        QVERIFY2(good(before), before.problems.empty() ? "" : before.problems.front().message.c_str());
        ServingEvaluator evaluator(catalog(), catalog().defaultProfile);
        const auto suggestions = suggestForService(evaluator, spec, 3);
        QVERIFY(!suggestions.empty() && suggestions.size() <= 3);
        QVERIFY2(evaluator.tried() <= 150, told(suggestions).constData());
        for (const Suggestion& s : suggestions) {
            QVERIFY2(s.service && !s.reason.empty() && !s.change.set.empty(), s.change.text.c_str());
            const Estimate after = run(applied(spec, s.change), false);
            QVERIFY2(good(after), s.change.text.c_str());
            const double perToken =
                *after.cost->dollarsPerMillionTokens / *before.cost->dollarsPerMillionTokens;
            QVERIFY2(perToken < 0.9995 || (perToken < 1.0005 && after.serving->e2e < before.serving->e2e),
                     s.change.text.c_str());
            QVERIFY2(concurrency > 0 || rate <= 0.9 * after.serving->maxRequestRate, s.change.text.c_str());
            QCOMPARE(*s.service->dollarsPerHour, after.cost->dollarsPerHour);
            QCOMPARE(*s.service->dollarsPerHourDifference,
                     after.cost->dollarsPerHour - before.cost->dollarsPerHour);
            if (!after.serving->simulated) {
                QCOMPARE(s.service->itl, after.serving->itlPercentiles.p90);
                QCOMPARE(s.service->ttft, after.serving->ttftPercentiles.p90);
            }
        }
    }

    /// Of six machines for 16 users one is enough for a loose target: the same machine in a smaller number is
    /// among the suggestions. Without a target nothing says how few are enough, of this or another instance.
    void fewerMachinesForUsersWithATarget() {
        ScenarioSpec spec = service("llama-3.1-70b", "p5en.48xlarge", 6, 0);
        spec.workload.requestRatePerS.reset();
        spec.workload.concurrency = 16;
        spec.plan.tensorParallel = 8;
        const auto saves = [&spec](bool sameInstance) {
            ServingEvaluator evaluator(catalog(), catalog().defaultProfile);
            const auto suggestions = suggestForService(evaluator, spec, 10);
            return std::ranges::any_of(suggestions, [&](const Suggestion& s) {
                const ScenarioSpec changed = applied(spec, s.change);
                return machineCount(changed) < 6 &&
                       (!sameInstance || changed.cluster.instance == spec.cluster.instance);
            });
        };
        spec.workload.itlSloS = 0.2;
        QVERIFY(saves(true));
        spec.workload.itlSloS.reset();
        QVERIFY(!saves(false));
    }

    void noSuggestionForWhatDoesNotCarryItsLoad() {
        ScenarioSpec spec = service("llama-3.1-70b", "p5en.48xlarge", 1, 1000);
        spec.plan.tensorParallel = 4;
        QVERIFY(suggest(spec, catalog(), catalog().defaultProfile).empty());
    }

    void formatsAreThoseOfTheGpu() {
        const auto words = [](const char* instance) {
            const ScenarioSpec spec = service("llama-3.1-70b", instance, 1, 1);
            const auto plain = plainService(spec, catalog(), catalog().defaultProfile);
            std::set<std::string> out;
            for (const Edit& edit : narrowerFormats(spec, *plain, catalog()))
                for (const auto& [path, text] : edit)
                    out.insert(path + "=" + text);
            return out;
        };
        QVERIFY(words("p4d.24xlarge").empty()); // A100: 16 bits
        QVERIFY(words("p5.48xlarge").contains("plan.weights=fp8"));
        QVERIFY(!words("p5.48xlarge").contains("plan.weights=nvfp4"));
        QVERIFY(words("p6-b200.48xlarge").contains("plan.weights=nvfp4"));
    }

    void layoutsAreLegal() {
        for (const char* model : {"llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "mixtral-8x7b"}) {
            const ScenarioSpec spec = service(model, "p5en.48xlarge", 2, 1);
            const auto plain = plainService(spec, catalog(), catalog().defaultProfile);
            QVERIFY(plain);
            const auto layouts = servingLayouts(*plain);
            QVERIFY2(!layouts.empty(), model);
            for (const ServingLayout& layout : layouts) {
                const auto changed = applyEdit(spec, editOf(layout, *plain));
                QVERIFY(changed);
                const auto resolved = resolve(*changed, catalog(), catalog().defaultProfile);
                QVERIFY2(resolved && resolved->runs(), resolved && !resolved->problems.empty()
                                                           ? resolved->problems.front().message.c_str()
                                                           : model);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestServingAdvice)

} // namespace tst_serving_advice

#include "tst_serving_advice.moc"
