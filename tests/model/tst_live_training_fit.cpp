// SPDX-License-Identifier: GPL-3.0-or-later
// How certain the metrics of a training job make a constant: windows of its steps count once together, its
// compute once more.
#include "model/calibration/live_kinds.h"
#include "tests/model/fitted_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_live_training_fit {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr std::size_t points = 120;

bool near(double a, double b, double to) { return std::abs(a - b) <= to * std::abs(b); }

const CalibratedParameter& figure(const LiveCalibration& found, std::string_view name) {
    return *std::ranges::find(found.parameters, name, &CalibratedParameter::name);
}

/// An hour of one host, an instant every 30 s: twelve windows of ten instants.
struct Rig {
    Catalog catalog = fittedCatalog();
    Observation o;

    Rig() {
        makeExact(catalog.defaultProfile, {});
        // Constants enter in the spread between GPUs too, and the profile's overhead is a small part.
        constant("straggler_spread").value = 0;
        o.server = "server";
        o.grid = {1000, 30, points};
        o.hosts = {"a"};
        add(Signal::stepTime, {});
        add(Signal::nodeComputeTime, {"a", -1, {}});
        steps(20);
    }
    Parameter& constant(const char* name) { return constantIn(catalog.defaultProfile, name); }
    void add(Signal signal, const Entity& row) {
        SignalTable& table = o.tables.emplace_back();
        table.signal = signal;
        table.rows = {row};
        table.values.assign(points, 1);
    }
    void steps(double seconds) { o.tables[0].values.assign(points, seconds); }
    void compute(double seconds) { o.tables[1].values.assign(points, seconds); }
    LiveCalibration found() const {
        return *calibrateLive(smallTraining(), catalog, catalog.defaultProfile, o, {});
    }
    double plannedStep() const { return figure(found(), "step_time").before; }
    double plannedCompute() const { return plannedStep() - figure(found(), "exposed_time").before; }
    /// d ln(figure) / d ln(constant).
    double slope(const char* name, double (Rig::*figure)() const) {
        const double value = constant(name).value, now = (this->*figure)();
        constant(name).value = 1.001 * value;
        const double out = std::log((this->*figure)() / now) / std::log(1.001);
        constant(name).value = value;
        return out;
    }
};

/// Of so much data, of a constant known to hypot(0.24, 0.1) before.
double posterior(double precision) { return 1 / std::sqrt(precision + 1 / (0.26 * 0.26)); }

} // namespace

class TestLiveTrainingFit : public QObject {
    Q_OBJECT

private slots:
    /// Steps that do not vary are known to 0.5 %, in however many windows.
    void steadySteps() {
        Rig rig;
        rig.constant("step_overhead").value = 10;
        const double f = rig.slope("step_overhead", &Rig::plannedStep);
        QVERIFY(near(f, 10 / rig.plannedStep(), 0.01));
        rig.steps(rig.plannedStep());
        rig.constant("step_overhead").logSd = 0.24;
        const LiveCalibration out = rig.found();
        QVERIFY(near(figure(out, "step_overhead").logSd, posterior(f * f / (0.005 * 0.005)), 0.01));
        QVERIFY(!figure(out, "step_overhead").changed);
    }

    /// Steps that scatter by s are known to s over the root of 12. Of windows that are a quarter 2 % below
    /// and a quarter 2 % above, the quartiles are 1 % apart: s is half of that.
    void stepsThatVary() {
        Rig rig;
        rig.constant("step_overhead").value = 10;
        const double planned = rig.plannedStep(), f = 10 / planned;
        for (const double by : {0.02, 0.2}) {
            rig.steps(planned);
            std::vector<double>& steps = rig.o.tables[0].values;
            std::fill(steps.begin(), steps.begin() + 30, planned * (1 - by));
            std::fill(steps.end() - 30, steps.end(), planned * (1 + by));
            rig.constant("step_overhead").logSd = 0.24;
            const LiveCalibration out = rig.found();
            QVERIFY(near(out.spread, by / 4, 1e-6));
            const double sd = std::max(0.005, by / 4 / std::sqrt(12));
            QVERIFY2(near(figure(out, "step_overhead").logSd, posterior(f * f / (sd * sd)), 0.03),
                     qPrintable(QString::number(by)));
            rig.constant("step_overhead").logSd = 0;
        }
    }

    /// A node's own compute is known to 15 %; of a long step the launches of kernels are a small part, of the
    /// compute a larger one.
    void ownCompute() {
        Rig rig;
        rig.constant("step_overhead").value = 40;
        rig.constant("gemm_launch").value = 5e-4;
        const double ofStep = rig.slope("gemm_launch", &Rig::plannedStep),
                     ofCompute = rig.slope("gemm_launch", &Rig::plannedCompute);
        QVERIFY(ofCompute > 0.3 && ofCompute < 1 && ofStep < ofCompute);
        const double step = rig.plannedStep(), compute = rig.plannedCompute();
        rig.steps(step);
        rig.compute(compute);
        rig.constant("gemm_launch").logSd = 0.24;
        const double ofSteps = ofStep * ofStep / (0.005 * 0.005),
                     ofBoth = ofSteps + ofCompute * ofCompute / (0.15 * 0.15);
        QVERIFY(near(figure(rig.found(), "gemm_launch").logSd, posterior(ofBoth), 0.01));
        rig.compute(1.01 * step); // more than the step cannot be its part
        QVERIFY(near(figure(rig.found(), "gemm_launch").logSd, posterior(ofSteps), 0.01));
        rig.compute(0);
        QVERIFY(near(figure(rig.found(), "gemm_launch").logSd, posterior(ofSteps), 0.01));
    }
};

QTEST_APPLESS_MAIN(TestLiveTrainingFit)

} // namespace tst_live_training_fit

#include "tst_live_training_fit.moc"
