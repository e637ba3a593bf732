// SPDX-License-Identifier: GPL-3.0-or-later
// Faster hardware never makes a training step slower, and a little faster hardware changes it a little: the
// step time is continuous and monotonic in every bandwidth and in the peak.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"

#include <QTest>

#include <array>
#include <cmath>
#include <memory>
#include <random>

using namespace alidade;

namespace {

struct Rate {
    const char* name;
    std::vector<Input> inputs; ///< raised together
};

const std::array rates{Rate{"HBM", {Input::memoryBandwidth}}, Rate{"NVLink", {Input::nvlinkBandwidth}},
                       Rate{"network", {Input::networkBandwidth}}, Rate{"host link", {Input::hostBandwidth}},
                       Rate{"peak", {Input::peak, Input::reportingPeak}}};

constexpr double slowest = 0.1, fastest = 10; ///< of what the catalog says
constexpr int points = 240;

class Steps {
public:
    /// s of a step with the rate at `factor` times its value
    double at(const Scenario& scenario, const Rate& rate, double factor) {
        Inputs inputs = scenario.inputs;
        for (const Input each : rate.inputs)
            inputs[each] *= factor;
        return at(scenario, inputs);
    }
    double at(const Scenario& scenario, const Inputs& inputs) {
        evaluate(scenario, inputs, *totals_);
        return totals_->stepTime;
    }
    const TotalsT<double>& totals() const { return *totals_; }

private:
    std::unique_ptr<TotalsT<double>> totals_ = std::make_unique<TotalsT<double>>();
};

/// What is wrong with the curve over one rate; empty: nothing. Where the step time is that of one resource it
/// changes as much as the rate does, and a little more where what is left of a transfer behind compute gets
/// shorter; a jump would be more than that.
QString faultOver(const Scenario& scenario, const Rate& rate, Steps& steps) {
    const double ratio = std::pow(fastest / slowest, 1.0 / points);
    double before = steps.at(scenario, rate, slowest);
    for (int i = 1; i <= points; ++i) {
        const double factor = slowest * std::pow(ratio, i);
        const double now = steps.at(scenario, rate, factor);
        if (!std::isfinite(now) || now > before * (1 + 1e-12))
            return QStringLiteral("%1 x%2: %3 s after %4 s")
                .arg(QLatin1String(rate.name))
                .arg(factor)
                .arg(now)
                .arg(before);
        if (now * std::pow(ratio, 1.25) < before)
            return QStringLiteral("%1 x%2: a step from %3 s to %4 s")
                .arg(QLatin1String(rate.name))
                .arg(factor)
                .arg(before)
                .arg(now);
        before = now;
    }
    return {};
}

QString faultOf(const Scenario& scenario, Steps& steps) {
    for (const Rate& rate : rates)
        if (const QString fault = faultOver(scenario, rate, steps); !fault.isEmpty())
            return fault;
    return {};
}

/// A training plan that runs, or none of those that were drawn.
class Plans {
public:
    Plans(const Catalog& catalog, unsigned seed)
        : catalog_(catalog)
        , random_(seed) {}

    Scenario next() {
        for (;;) {
            auto scenario = resolve(draw(), catalog_, catalog_.defaultProfile);
            if (scenario && scenario->runs() && canEvaluate(*scenario))
                return *std::move(scenario);
        }
    }

private:
    template <class T>
    T of(std::initializer_list<T> choices) {
        return *(choices.begin() + random_() % choices.size());
    }

    ScenarioSpec draw() {
        ScenarioSpec spec;
        spec.workload.kind = "training";
        spec.workload.model = catalog_.models[random_() % catalog_.models.size()].id;
        spec.workload.globalBatch = of<std::int64_t>({64, 256, 1024});
        spec.workload.sequenceLength = of<std::int64_t>({2048, 8192, 32768});
        spec.cluster.instance =
            of<std::string>({"p4d.24xlarge", "p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"});
        spec.cluster.instances = of<std::int64_t>({1, 4, 16, 64});
        PlanSpec& plan = spec.plan;
        plan.tensorParallel = of<std::int64_t>({1, 2, 8, 16});
        plan.pipelineParallel = of<std::int64_t>({1, 2, 4});
        plan.contextParallel = of<std::int64_t>({1, 1, 2});
        if (random_() % 2 == 0)
            plan.expertParallel = of<std::int64_t>({2, 8, 16, 32});
        plan.sharding = of<std::string>({"zero1", "zero2", "zero3", "none"});
        plan.overlap.gradient = of({0.0, 0.5, 0.9});
        plan.overlap.expert = of({0.0, 0.5});
        return spec;
    }

    const Catalog& catalog_;
    std::mt19937 random_;
};

} // namespace

class TestFasterHardware : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { catalog_ = data::loadShippedCatalog().catalog; }

    void samples_data() {
        QTest::addColumn<QString>("sample");
        for (const data::ShippedScenario& each : data::shippedScenarios())
            if (!each.id.starts_with("serve-"))
                QTest::newRow(each.id.c_str()) << QString::fromStdString(each.id);
    }
    void samples() {
        QFETCH(QString, sample);
        const auto reading = data::readScenario(*data::shippedScenario(sample.toStdString()));
        const auto scenario = resolve(*reading.spec, *catalog_, catalog_->defaultProfile);
        QVERIFY(scenario);
        Steps steps;
        QCOMPARE(faultOf(*scenario, steps), QString());
    }

    void drawnPlans() {
        Plans plans(*catalog_, 20261123);
        Steps steps;
        for (int i = 0; i < 400; ++i) {
            const Scenario scenario = plans.next();
            QVERIFY2(faultOf(scenario, steps).isEmpty(),
                     qPrintable(QStringLiteral("plan %1: ").arg(i) + faultOf(scenario, steps) +
                                QLatin1Char('\n') +
                                QString::fromStdString(data::writeScenario(scenario.spec))));
        }
    }

    /// What compute hides of the gradients' traffic is no longer exposed.
    void moreOverlapNeverCosts() {
        Plans plans(*catalog_, 7);
        Steps steps;
        for (int i = 0; i < 300; ++i) {
            const Scenario scenario = plans.next();
            Inputs inputs = scenario.inputs;
            double before = 0;
            for (const double overlap : {0.0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1.0}) {
                inputs[Input::overlapGradient] = overlap;
                const double now = steps.at(scenario, inputs);
                QVERIFY2(overlap == 0 || now <= before * (1 + 1e-12),
                         qPrintable(QStringLiteral("plan %1, overlap %2: %3 after %4")
                                        .arg(i)
                                        .arg(overlap)
                                        .arg(now)
                                        .arg(before)));
                QVERIFY(overlap != 1e-6 || now > before * (1 - 1e-4));
                before = now;
            }
        }
    }

private:
    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestFasterHardware)
#include "tst_faster_hardware.moc"
