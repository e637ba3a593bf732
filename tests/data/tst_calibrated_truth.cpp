// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Estimates under the profile that a calibration wrote agree with the clusters that it was measured on.
#include "tests/data/drawn_truth.h"

namespace tst_calibrated_truth {

using namespace alidade;

class TestCalibratedTruth : public QObject {
    Q_OBJECT

private slots:
    void serving_data() { test::addSeeds(1, 4); }
    void serving() {
        QFETCH(unsigned, seed);
        test::servingIsReproduced(seed);
    }

    void training_data() { test::addSeeds(1, 4); }
    void training() {
        QFETCH(unsigned, seed);
        test::trainingIsReproduced(seed);
    }
};

QTEST_GUILESS_MAIN(TestCalibratedTruth)

} // namespace tst_calibrated_truth

#include "tst_calibrated_truth.moc"
