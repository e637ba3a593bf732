// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// More drawn clusters: estimates under the profile that a calibration wrote agree with the clusters that it
// was measured on.
#include "tests/data/drawn_truth.h"

using namespace alidade;

class TestCalibratedTruthMany : public QObject {
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
        for (unsigned seed = 5; seed <= 14; ++seed) {
            QTest::addRow("%u", seed) << seed;
        }
    }
};

QTEST_GUILESS_MAIN(TestCalibratedTruthMany)
#include "tst_calibrated_truth_many.moc"
