// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates under the profile that a calibration wrote agree with the clusters that it was measured on.
#include "tests/data/drawn_truth.h"

using namespace alidade;

class TestCalibratedTruth : public QObject {
    Q_OBJECT

private slots:
    void serving_data() { seeds(); }
    void serving() {
        QFETCH(unsigned, seed);
        test::servingIsReproduced(seed);
    }

    void training_data() { seeds(); }
    void training() {
        QFETCH(unsigned, seed);
        test::trainingIsReproduced(seed);
    }

private:
    static void seeds() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 4; ++seed) {
            QTest::addRow("%u", seed) << seed;
        }
    }
};

QTEST_GUILESS_MAIN(TestCalibratedTruth)
#include "tst_calibrated_truth.moc"
