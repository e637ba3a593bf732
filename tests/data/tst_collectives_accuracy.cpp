// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// The laws of collectives and expert exchanges on the shipped measurements, with the shipped constants.
#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/validation/predict_collective.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace tst_collectives_accuracy {

using namespace alidade;

namespace {

constexpr double mebibyte = 1024.0 * 1024;

struct Point {
    const PublishedCollective* row;
    CollectivePrediction prediction;
    double error() const { return prediction.seconds / prediction.measured - 1; }
};

enum class Class : std::uint8_t { inside, across, exchange, other };

/// NCCL rows of at least 1 MiB by whether the group leaves its NVLink domain; expert exchanges.
Class classOf(const PublishedCollective& row) {
    if (row.ep)
        return Class::exchange;
    const bool nccl = row.library.starts_with("nccl") || row.library.starts_with("torch");
    if (!nccl || !row.bytes || *row.bytes < mebibyte)
        return Class::other;
    const bool oneDomain = row.nodes == 1 || row.fabric.find("NVL72") != std::string::npos;
    return oneDomain ? Class::inside : Class::across;
}

struct Figures {
    double median = 0, mean = 0, bias = 0, covered = 0;
    std::size_t rows = 0;
};

/// Each series counts once.
Figures figures(const std::vector<Point>& points) {
    std::map<std::string, double> sizes;
    for (const Point& p : points)
        sizes[p.row->series] += 1;
    std::vector<std::pair<double, double>> size, sign; // error, weight
    Figures out;
    double total = 0;
    for (const Point& p : points) {
        const double weight = 1 / sizes[p.row->series];
        size.emplace_back(std::abs(p.error()), weight);
        sign.emplace_back(p.error(), weight);
        out.mean += weight * std::abs(p.error());
        const bool hit =
            p.prediction.measured >= p.prediction.low && p.prediction.measured <= p.prediction.high;
        out.covered += hit ? weight : 0;
        total += weight;
    }
    const auto middle = [total](std::vector<std::pair<double, double>> values) {
        std::sort(values.begin(), values.end());
        double sum = 0;
        for (const auto& [value, weight] : values) {
            sum += weight;
            if (2 * sum >= total)
                return value;
        }
        return 0.0;
    };
    out.median = middle(size);
    out.bias = middle(sign);
    out.mean /= total;
    out.covered /= total;
    out.rows = points.size();
    return out;
}

} // namespace

class TestCollectivesAccuracy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void bars_data();
    void bars();
    void everySeriesIsPredicted();
    void whatIsNoCollectiveSaysSo();
    void aConstantOfTheUserCounts();

private:
    std::shared_ptr<const Catalog> catalog_;
    PublishedRows rows_;
    std::map<Class, std::vector<Point>> points_;
    std::map<std::string, std::string> refused_; ///< id, why
};

void TestCollectivesAccuracy::initTestCase() {
    catalog_ = data::loadShippedCatalog().catalog;
    rows_ = data::shippedPublished();
    QVERIFY(rows_.collectives.size() > 700);
    for (const PublishedCollective& row : rows_.collectives) {
        std::string why;
        const auto prediction = predictCollective(row, *catalog_, catalog_->defaultProfile, &why);
        if (!prediction) {
            refused_[row.id] = why;
            continue;
        }
        QVERIFY2(prediction->low < prediction->seconds && prediction->seconds < prediction->high,
                 row.id.c_str());
        points_[classOf(row)].push_back({&row, *prediction});
    }
    std::map<std::string, std::vector<Point>> series;
    for (const auto& [kind, points] : points_)
        for (const Point& p : points)
            series[(kind == Class::other ? "small " : "") + p.row->series].push_back(p);
    for (const auto& [name, points] : series) {
        const Figures f = figures(points);
        qInfo("%-44s %2zu rows  median %5.1f %%  mean %5.1f %%  bias %+5.1f %%", name.c_str(), f.rows,
              100 * f.median, 100 * f.mean, 100 * f.bias);
    }
}

void TestCollectivesAccuracy::bars_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("median");
    QTest::newRow("NCCL inside one NVLink domain") << static_cast<int>(Class::inside) << 0.08;
    QTest::newRow("NCCL across nodes") << static_cast<int>(Class::across) << 0.15;
    QTest::newRow("expert dispatch and combine") << static_cast<int>(Class::exchange) << 0.25;
}

void TestCollectivesAccuracy::bars() {
    QFETCH(int, kind);
    QFETCH(double, median);
    const std::vector<Point>& points = points_[static_cast<Class>(kind)];
    const Figures f = figures(points);
    qInfo("%zu rows: median %.1f %%, mean %.1f %%, bias %+.1f %%, inside the band %.0f %%", f.rows,
          100 * f.median, 100 * f.mean, 100 * f.bias, 100 * f.covered);
    QVERIFY(f.rows >= 60);
    QVERIFY(f.median <= median);
    QVERIFY(std::abs(f.bias) <= 0.05);
    QVERIFY(f.covered >= 0.7 && f.covered <= 0.92);
    std::vector<double> plain;
    for (const Point& p : points)
        plain.push_back(std::abs(p.error()));
    std::nth_element(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(plain.size() / 2),
                     plain.end());
    QVERIFY(plain[plain.size() / 2] <= median); // each row counting once, too
}

void TestCollectivesAccuracy::everySeriesIsPredicted() {
    for (const PublishedCollective& row : rows_.collectives) {
        const bool collective = row.bytes.has_value() || row.ep.has_value();
        QVERIFY2(refused_.contains(row.id) != collective,
                 (row.id + ": " + (refused_.contains(row.id) ? refused_[row.id] : "")).c_str());
    }
}

void TestCollectivesAccuracy::whatIsNoCollectiveSaysSo() {
    int links = 0, sizeless = 0;
    for (const auto& [id, why] : refused_) {
        links += why.find("one link") != std::string::npos;
        sizeless += why.find("how many bytes") != std::string::npos;
    }
    QCOMPARE(links, 6);
    QCOMPARE(static_cast<std::size_t>(links + sizeless), refused_.size());
    PublishedCollective odd = rows_.collectives.front();
    odd.gpu = "MI300X";
    std::string why;
    QVERIFY(!predictCollective(odd, *catalog_, catalog_->defaultProfile, &why));
    QVERIFY(why.find("MI300X") != std::string::npos);
    QVERIFY(!predictCollective(odd, *catalog_, catalog_->defaultProfile, nullptr));
    PublishedCollective nowhere = rows_.collectives.front();
    nowhere.instance.clear();
    nowhere.fabric = "NVLink4; a network";
    QVERIFY(!predictCollective(nowhere, *catalog_, catalog_->defaultProfile, &why));
    QVERIFY(why.find("how fast the network") != std::string::npos);
}

/// A profile that knows better is believed; what it leaves out comes from the catalog's own.
void TestCollectivesAccuracy::aConstantOfTheUserCounts() {
    const PublishedCollective& row = rows_.collectives.front(); // 8 bytes over two p5: latency alone
    Profile own;
    own.parameters.push_back({.name = "network_latency",
                              .gpu = "*",
                              .precision = "*",
                              .stack = "efa2",
                              .value = 1e-3,
                              .unit = "s"});
    const auto shipped = predictCollective(row, *catalog_, catalog_->defaultProfile, nullptr);
    const auto slow = predictCollective(row, *catalog_, own, nullptr);
    QVERIFY(shipped && slow);
    QVERIFY(shipped->seconds < 1e-4);
    QVERIFY(slow->seconds > 2e-3 && slow->seconds < 2.2e-3);
    QCOMPARE(slow->measured, 69.12e-6);
}

QTEST_APPLESS_MAIN(TestCollectivesAccuracy)

} // namespace tst_collectives_accuracy

#include "tst_collectives_accuracy.moc"
