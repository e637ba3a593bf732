// SPDX-License-Identifier: GPL-3.0-or-later
// How much a series of measurements of a collective counts when the constants are fitted.
#include "model/calibration/collective_fit.h"
#include "model/plan/inputs.h"
#include "model/validation/predict_collective.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <cmath>
#include <string>
#include <vector>

namespace tst_collectives_weights {

using namespace alidade;

namespace {

const Catalog& catalog() { return *test::shippedCatalog(); }

/// An all-gather on the 8 GPUs of an H100 machine that takes a tenth longer than the shipped law says.
PublishedCollective row(const std::string& series, double bytes) {
    PublishedCollective out;
    out.series = series;
    out.gpu = "H100";
    out.nodes = 1;
    out.gpus = 8;
    out.fabric = "NVLink4";
    out.library = "nccl-tests";
    out.op = "all_gather";
    out.bytes = bytes;
    out.timeS = 1;
    const auto law = predictCollective(out, catalog(), catalog().defaultProfile, nullptr);
    if (!law)
        qFatal("the law says nothing");
    out.timeS = 1.1 * law->seconds;
    return out;
}

/// Eight sizes from 8 GiB to 1 TiB, of which hardly anything but the bandwidth is seen, each so many times in
/// each of so many series.
std::vector<PublishedCollective> rows(int series, int times) {
    std::vector<PublishedCollective> out;
    for (int s = 0; s < series; ++s)
        for (int time = 0; time < times; ++time)
            for (int size = 33; size < 41; ++size)
                out.push_back(row("series " + std::to_string(s), std::ldexp(1.0, size)));
    return out;
}

double efficiencyIn(const Profile& profile, const CollectiveFit& fit) {
    for (const std::size_t i : fit.fitted)
        if (profile.parameters[i].name == inputInfo(Input::allGatherEfficiency).name)
            return profile.parameters[i].value;
    return 0;
}
double fittedEfficiency(const CollectiveFit& fit) { return efficiencyIn(fit.profile, fit); }
double shippedEfficiency(const CollectiveFit& fit) { return efficiencyIn(catalog().defaultProfile, fit); }

} // namespace

class TestCollectivesWeights : public QObject {
    Q_OBJECT

private slots:
    /// A row of a series of n weighs 8 / (8 + n): three series of 8 rows, which is 3 x 8 x 8/16 = 12 rows,
    /// say as much as two of 24 rows, 2 x 24 x 8/32 = 12 rows. What is known of all parts is an efficiency of
    /// 0.88 with an sd of 5 %; the rows have one of 8 % each. So the fit goes 12 / 0.08^2 : 1 / 0.05^2 of the
    /// way, in ln, to the shipped efficiency over 1.1.
    void longSeriesCountForLess() {
        const CollectiveFit brief = fitCollectives(rows(3, 1), catalog(), catalog().defaultProfile);
        const CollectiveFit lengthy = fitCollectives(rows(2, 3), catalog(), catalog().defaultProfile);
        QVERIFY(brief.converged && lengthy.converged);
        QCOMPARE(brief.rows, 3 * 8);
        QCOMPARE(brief.series, 3);
        QCOMPARE(lengthy.rows, 2 * 24);
        QCOMPARE(lengthy.series, 2);
        const double shipped = shippedEfficiency(brief);
        const auto expected = [shipped](double weight) {
            const double data = weight / (0.08 * 0.08), known = 1 / (0.05 * 0.05);
            return 0.88 * std::pow(shipped / 1.1 / 0.88, data / (data + known));
        };
        const double efficiency = fittedEfficiency(brief);
        QVERIFY2(std::abs(efficiency / expected(12) - 1) < 5e-3, qPrintable(QString::number(efficiency)));
        QVERIFY(std::abs(fittedEfficiency(lengthy) / efficiency - 1) < 5e-4); // values have four digits
        // Twice as many series say more: 24 rows.
        const double surer =
            fittedEfficiency(fitCollectives(rows(6, 1), catalog(), catalog().defaultProfile));
        QVERIFY2(std::abs(surer / expected(24) - 1) < 5e-3, qPrintable(QString::number(surer)));
        QVERIFY(surer < efficiency - 3e-3);
    }
};

QTEST_APPLESS_MAIN(TestCollectivesWeights)

} // namespace tst_collectives_weights

#include "tst_collectives_weights.moc"
