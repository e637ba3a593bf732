// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/power.h"

#include <QTest>

#include <cmath>

namespace tst_power {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

/// A GPU of 700 W and round constants, so that every value below can be worked out on paper.
Inputs roundInputs() {
    Inputs in;
    in[Input::gpus] = 16;
    in[Input::gpuPower] = 700;
    in[Input::powerUtilization] = 0.8;
    in[Input::idlePower] = 0.1;
    in[Input::waitingPower] = 0.4;
    in[Input::fanPower] = 0.1;
    in[Input::hostPowerPerGpu] = 100;
    in[Input::pue] = 1.2;
    in[Input::servingPowerCompute] = 2;
    in[Input::servingPowerMemory] = 1;
    in[Input::servingPowerFloor] = 0.3;
    return in;
}

} // namespace

/// Power of GPUs and of a run against values worked out by hand from the definitions in power.h: what a GPU
/// draws, fans as a share of that, the host as a floor, and PUE on top (ISO/IEC 30134-2: energy of the
/// building / energy of the machines).
class TestPower : public QObject {
    Q_OBJECT

private slots:
    void gpuByWhatItDoes() {
        const GpuPower<double> power = gpuPower(roundInputs());
        QVERIFY(near(power.busy, 560));    // 700 x 0.8
        QVERIFY(near(power.idle, 70));     // 700 x 0.1
        QVERIFY(near(power.waiting, 266)); // 70 + 0.4 x (560 - 70)
    }

    void runByItsParts() {
        const RunPower<double> power = runPower(roundInputs(), 0.75, 0.9);
        // A GPU in a step: 0.75 x 560 + 0.25 x 266 = 486.5 W; (486.5 x 1.1 + 100) x 1.2 = 762.18 W.
        QVERIFY(near(power.stepping, 16 * 762.18));
        QVERIFY(near(power.stopped, 16 * 212.4)); // (70 x 1.1 + 100) x 1.2
        QVERIFY(near(power.peak, 16 * 859.2));    // (560 x 1.1 + 100) x 1.2
        QVERIFY(near(power.mean, 16 * (0.9 * 762.18 + 0.1 * 212.4)));
        QVERIFY(near(kilowattHours(power.mean, 10.0), 113.15232));
    }

    /// Serving: from idle toward the TDP, 1 - e^-(use) of the way that a loaded engine leaves.
    void servingByUse() {
        const Inputs in = roundInputs();
        QVERIFY(
            near(servingGpuPower(in, 0.0, 0.0), 70 + 630 * 0.3)); // an engine without work, not an idle GPU
        // 2 x 0.5 + 1 x 0.25 = 1.25; 70 + 630 x (1 - 0.7 e^-1.25)
        QVERIFY(near(servingGpuPower(in, 0.5, 0.25), 70 + 630 * (1 - 0.7 * 0.28650479686019009)));
        QVERIFY(near(servingGpuPower(in, 50.0, 0.0), 700)); // never above the TDP
        QVERIFY(servingGpuPower(in, 0.5, 0.0) > servingGpuPower(in, 0.0, 0.5));
    }
};

QTEST_APPLESS_MAIN(TestPower)

} // namespace tst_power

#include "tst_power.moc"
