// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped constants of collectives are what the shipped measurements say, and hold on series left out.
// ctest: slow
#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/calibration/collective_fit.h"
#include "model/collectives/one_shot.h"
#include "model/plan/fabric_inputs.h"
#include "model/validation/collective_case.h"
#include "model/validation/predict_collective.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace tst_collectives_fit {

using namespace alidade;

class TestCollectivesFit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        rows_ = data::shippedPublished().collectives;
    }
    void theShippedConstantsAreItsResult();
    void itStartsAnywhere();
    void protocolConstants_data();
    void protocolConstants();
    void startOfOneShotKernels();
    void seriesLeftOut();

private:
    std::shared_ptr<const Catalog> catalog_;
    std::vector<PublishedCollective> rows_;
};

void TestCollectivesFit::theShippedConstantsAreItsResult() {
    const Profile& shipped = catalog_->defaultProfile;
    const CollectiveFit fit = fitCollectives(rows_, *catalog_, shipped);
    QVERIFY(fit.converged);
    QVERIFY(fit.rows > 700 && fit.series > 50);
    int differences = 0;
    for (const std::size_t i : fit.fitted) {
        const Parameter& is = shipped.parameters[i];
        const Parameter& wanted = fit.profile.parameters[i];
        // Which residuals count as outliers, and with that an sd, hangs on the last bit of a machine's libm.
        if (std::abs(is.value / wanted.value - 1) > 2e-3 || std::abs(is.logSd / wanted.logSd - 1) > 0.03) {
            qWarning("%s %s %s: %g +- %g is shipped, %g +- %g is the fit", is.name.c_str(), is.gpu.c_str(),
                     is.stack.c_str(), is.value, is.logSd, wanted.value, wanted.logSd);
            ++differences;
        }
    }
    QCOMPARE(differences, 0);
}

/// The values that a profile had before do not matter.
void TestCollectivesFit::itStartsAnywhere() {
    Profile other = catalog_->defaultProfile;
    const CollectiveFit fit = fitCollectives(rows_, *catalog_, other);
    for (const std::size_t i : fit.fitted)
        other.parameters[i].value *= 1.7;
    const CollectiveFit again = fitCollectives(rows_, *catalog_, other);
    QVERIFY(again.fitted == fit.fitted);
    for (const std::size_t i : fit.fitted)
        QCOMPARE(again.profile.parameters[i].value, fit.profile.parameters[i].value);
}

namespace {

/// A row with the inputs of its law.
struct Case {
    CollectiveCase which;
    Inputs inputs;
    double weight = 0; ///< of long series less
};

/// As in fitCollectives(): nearly least absolute deviations of ln(measured / law), those of messages below
/// 1 MiB over three times the deviation.
double lossOf(const Case& each, double seconds, double sd) {
    constexpr double huber = 0.5;
    const double off = std::abs(std::log(each.which.measured / seconds)) / sd;
    return each.weight * (off < huber ? off * off / 2 : huber * (off - huber / 2));
}

std::vector<Case> casesOf(const std::vector<PublishedCollective>& rows, const Catalog& catalog,
                          bool oneShot) {
    std::map<std::string, int> sizes;
    std::vector<std::string> series;
    std::vector<Case> out;
    std::string why;
    for (const PublishedCollective& row : rows) {
        const auto which = collectiveCase(row, catalog, why);
        if (which && which->op && which->oneShot == oneShot) {
            out.push_back({*which, collectiveInputs(*which, catalog, catalog.defaultProfile)});
            series.push_back(row.series);
            ++sizes[row.series];
        }
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].weight = 8.0 / (8 + sizes[series[i]]);
    return out;
}

/// The value of the least loss from a third to three times the shipped one, in steps of 4 %.
template <class Loss>
double bestValue(double shipped, const Loss& lossAt) {
    double best = shipped, least = lossAt(shipped);
    for (int i = -28; i <= 28; ++i) {
        const double value = shipped * std::pow(1.04, i), loss = lossAt(value);
        if (loss < least) {
            least = loss;
            best = value;
        }
    }
    qInfo("%g is shipped, %.3g fits best", shipped, best);
    return best;
}

} // namespace

/// Constants that all parts and networks share: shipped near the value that fits best, the others as shipped.
void TestCollectivesFit::protocolConstants_data() {
    QTest::addColumn<Input>("input");
    QTest::addColumn<double>("factor");
    QTest::newRow("own part") << Input::ownPartShare << 1.3;
    QTest::newRow("hops of the bulk protocol") << Input::networkBulkSync << 1.5;
    QTest::newRow("low-latency protocol") << Input::networkLowLatencyShare << 2.0;
}

void TestCollectivesFit::protocolConstants() {
    QFETCH(Input, input);
    QFETCH(double, factor);
    std::vector<Case> cases = casesOf(rows_, *catalog_, false);
    QVERIFY(cases.size() > 600);
    const double shipped = cases.front().inputs[input];
    const double best = bestValue(shipped, [&](double value) {
        double sum = 0;
        for (Case& each : cases) {
            each.inputs[input] = value;
            const double sd =
                (each.which.group.insideOneDomain() ? 0.08 : 0.15) * (each.which.bytes < 1 << 20 ? 3 : 1);
            sum += lossOf(each, collectiveSeconds(each.which, each.inputs), sd);
        }
        return sum;
    });
    QVERIFY(std::max(best / shipped, shipped / best) <= factor);
}

void TestCollectivesFit::startOfOneShotKernels() {
    const std::vector<Case> cases = casesOf(rows_, *catalog_, true);
    QVERIFY(cases.size() > 20);
    const double best = bestValue(oneShotStart, [&](double start) {
        double sum = 0;
        for (const Case& each : cases) {
            const CollectiveCase& which = each.which;
            CollectiveCase library = which;
            library.oneShot = false;
            const auto rates = fabricRates<double>(each.inputs, Bound::network);
            const double own =
                oneShotAllReduceTime<double>(which.bytes, which.group.ranks, rates.nvlink, start) +
                which.launch;
            sum += lossOf(each, std::min(own, collectiveSeconds(library, each.inputs)), 0.08);
        }
        return sum;
    });
    QVERIFY(std::max(best / oneShotStart, oneShotStart / best) <= 1.2);
}

/// Median error of each class over rows that the fit did not see, in eight parts: NCCL inside a domain and
/// across nodes (from 1 MiB on), expert exchanges.
void TestCollectivesFit::seriesLeftOut() {
    std::set<std::string> names;
    for (const PublishedCollective& row : rows_)
        names.insert(row.series);
    constexpr std::size_t parts = 8;
    std::map<std::string, std::vector<double>> errors;
    for (std::size_t part = 0; part < parts; ++part) {
        std::set<std::string> left;
        for (std::size_t i = 0; const std::string& name : names)
            if (i++ % parts == part)
                left.insert(name);
        const CollectiveFit fit = fitCollectives(rows_, *catalog_, catalog_->defaultProfile, left);
        QVERIFY(fit.converged);
        for (const PublishedCollective& row : rows_) {
            const bool large =
                row.bytes && *row.bytes >= 1 << 20 && row.algo.find("one-shot") == std::string::npos;
            const auto prediction = predictCollective(row, *catalog_, fit.profile, nullptr);
            if (left.contains(row.series) && prediction && (large || row.ep)) {
                const bool oneDomain = row.nodes == 1 || row.fabric.find("NVL72") != std::string::npos;
                errors[row.ep      ? "exchange"
                       : oneDomain ? "inside"
                                   : "across"]
                    .push_back(std::abs(prediction->seconds / prediction->measured - 1));
            }
        }
    }
    const std::map<std::string, double> bars{{"inside", 0.08}, {"across", 0.15}, {"exchange", 0.25}};
    QCOMPARE(errors.size(), bars.size());
    for (auto& [kind, values] : errors) {
        std::sort(values.begin(), values.end());
        const double sum = std::accumulate(values.begin(), values.end(), 0.0);
        const double median = values[values.size() / 2];
        qInfo("%s: %zu rows, median %.1f %%, mean %.1f %%", kind.c_str(), values.size(), 100 * median,
              100 * sum / static_cast<double>(values.size()));
        QVERIFY(median <= bars.at(kind));
    }
}

QTEST_APPLESS_MAIN(TestCollectivesFit)

} // namespace tst_collectives_fit

#include "tst_collectives_fit.moc"
