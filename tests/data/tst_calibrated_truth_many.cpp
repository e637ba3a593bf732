// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// More drawn clusters: estimates under the profile that a calibration wrote agree with the clusters that it
// was measured on.
#include "tests/data/drawn_truth.h"

namespace tst_calibrated_truth_many {

using namespace alidade;

class TestCalibratedTruthMany : public QObject {
    Q_OBJECT

private slots:
    void serving_data() { test::addSeeds(5, 14); }
    void serving() {
        QFETCH(unsigned, seed);
        test::servingIsReproduced(seed);
    }

    void training_data() { test::addSeeds(5, 14); }
    void training() {
        QFETCH(unsigned, seed);
        test::trainingIsReproduced(seed);
    }
};

QTEST_GUILESS_MAIN(TestCalibratedTruthMany)

} // namespace tst_calibrated_truth_many

#include "tst_calibrated_truth_many.moc"
