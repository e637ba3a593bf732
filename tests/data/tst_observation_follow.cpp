// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/follow.h"
#include "tests/data/observation_rig.h"

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <map>

namespace tst_observation_follow {

using namespace alidade;
using namespace alidade::tests;

namespace {

TimeGrid hourUntil(const Rig& rig, double end) { return {rig.cluster.start() + end - 1200, 30, 41}; }

/// All jobs and signals.
ObservationRequest wholeOf(const TimeGrid& grid) { return {grid, {}, {}, 0}; }

/// The first difference of two observations; empty: there is none.
QByteArray difference(const Observation& a, const Observation& b) {
    if (a.tables.size() != b.tables.size())
        return QByteArray::number(static_cast<qulonglong>(a.tables.size())) + " tables, " +
               QByteArray::number(static_cast<qulonglong>(b.tables.size()));
    for (std::size_t t = 0; t < a.tables.size(); ++t) {
        const QByteArray name(signalInfo(a.tables[t].signal).id.data());
        if (a.tables[t].rows != b.tables[t].rows)
            return name + ": other rows";
        if (a.tables[t].bucketWidth != b.tables[t].bucketWidth)
            return name + ": other buckets";
        for (std::size_t i = 0; i < a.tables[t].values.size(); ++i) {
            const double x = a.tables[t].values[i], y = b.tables[t].values[i];
            const bool same = std::isnan(x) ? std::isnan(y) : std::abs(x - y) <= 1e-9 * std::abs(y);
            if (!same)
                return name + " at " + QByteArray::number(static_cast<qulonglong>(i)) + ": " +
                       QByteArray::number(x) + ", " + QByteArray::number(y);
        }
    }
    return {};
}

/// A server that gets its samples late, or not: what it answers ends at a time.
struct LateServer {
    explicit LateServer(const Rig& rig)
        : api(
              [this, &rig](const std::vector<HttpRequest>& sent, std::stop_token stop,
                           const std::function<void(std::size_t, HttpReply&)>& arrived) {
                  std::vector<HttpRequest> requests = sent;
                  for (HttpRequest& request : requests)
                      cut(request);
                  return rig.exchange->exchange(requests, std::move(stop), arrived);
              },
              rig.server->url()) {}

    double until = HUGE_VAL; ///< Unix s of the last sample that has arrived
    std::size_t longest = 0; ///< points of the longest range that was asked for
    PrometheusApi api;

private:
    void cut(HttpRequest& request) {
        std::map<std::string, double> numbers;
        for (const auto& [name, value] : request.parameters)
            numbers[name] = QByteArray(value.c_str()).toDouble();
        if (!numbers.contains("step"))
            return;
        longest = std::max(longest, static_cast<std::size_t>(std::lround(
                                        (numbers["end"] - numbers["start"]) / numbers["step"] + 1)));
        if (numbers["end"] <= until)
            return;
        for (auto& [name, value] : request.parameters)
            if (name == "query")
                value = "(" + value + ") and on () (vector(time()) <= " + std::to_string(until) + ")";
    }
};

/// What is known of the instants up to a time, as text that tells the difference from another.
QByteArray differenceUntil(double end, const Observation& a, const Observation& b) {
    for (const SignalTable& table : b.tables) {
        const SignalTable* other = a.table(table.signal, table.statistic);
        const QByteArray name(signalInfo(table.signal).id.data());
        if (other == nullptr || other->rows != table.rows)
            return name + ": other rows";
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            for (std::size_t i = 0; i < b.grid.points && b.grid.at(i) <= end; ++i) {
                const double x = other->row(row, a.grid.points)[i], y = table.row(row, b.grid.points)[i];
                if (x != y && !(std::isnan(x) && std::isnan(y)))
                    return name + " at " + QByteArray::number(b.grid.at(i) - b.grid.end()) +
                           " s: " + QByteArray::number(x) + ", " + QByteArray::number(y);
            }
        }
    }
    return {};
}

} // namespace

/// A poll asks for what is new; what it shows is what a reading of all of the time shows.
class TestObservationFollow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const QString& why : {PrometheusServer::missing(), SimulatedCluster::missing()})
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
    }

    void showsTheSameAndAsksForLittle_data() {
        QTest::addColumn<QString>("job");
        QTest::newRow("training") << QString::fromLatin1(training);
        QTest::newRow("everything") << QString();
    }
    void showsTheSameAndAsksForLittle() {
        QFETCH(const QString, job);
        const Rig rig(quiet());
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const MetricMapping mapping = rig.mapping();
        std::size_t requests = 0;
        PrometheusApi api(
            [&](const std::vector<HttpRequest>& sent, std::stop_token stop,
                const std::function<void(std::size_t, HttpReply&)>& arrived) {
                requests += sent.size();
                return rig.exchange->exchange(sent, std::move(stop), arrived);
            },
            rig.server->url());
        ObservationFollower follower;
        const std::size_t none = api.wireBytes();
        ObservationRequest request{hourUntil(rig, 1500), job.toStdString(), {}, 0};
        const auto first = follower.observe(api, mapping, request);
        QVERIFY2(first, first.error().c_str());
        const std::size_t all = api.wireBytes() - none;
        const std::size_t requestsOfAll = requests;
        for (const double end : {1530.0, 1590.0, 1650.0}) {
            request.grid = hourUntil(rig, end);
            const std::size_t before = api.wireBytes();
            requests = 0;
            const auto next = follower.observe(api, mapping, request);
            QVERIFY2(next, next.error().c_str());
            const std::size_t asked = api.wireBytes() - before;
            QVERIFY2(asked < all / 4, QByteArray(QByteArray::number(static_cast<qulonglong>(asked)) + " of " +
                                                 QByteArray::number(static_cast<qulonglong>(all))));
            QVERIFY2(requests < requestsOfAll / 2, QByteArray::number(static_cast<qulonglong>(requests)));
            const auto whole = collectObservation(*rig.api, mapping, request);
            QVERIFY2(whole, whole.error().c_str());
            const QByteArray differs = difference(*next, *whole);
            QVERIFY2(differs.isEmpty(), differs);
        }
        // Another job, and a jump, are read as a whole.
        request.job = serving;
        QVERIFY(follower.observe(*rig.api, mapping, request)->table(Signal::requestsRunning) != nullptr);
        request.grid = hourUntil(rig, 1200);
        const auto back = follower.observe(*rig.api, mapping, request);
        QVERIFY(back && back->grid == request.grid);
    }

    /// Where no sample comes late, a poll asks for the new instant and the last one known; now and then for
    /// the one before, too.
    void asksForOneStepBackWhereNothingIsLate() {
        const Rig rig(quiet());
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const MetricMapping mapping = rig.mapping();
        LateServer server(rig);
        ObservationFollower follower;
        std::vector<std::size_t> points;
        for (int poll = 0; poll < 10; ++poll) {
            server.longest = 0;
            const auto seen =
                follower.observe(server.api, mapping, wholeOf(hourUntil(rig, 1350 + 30 * poll)));
            QVERIFY2(seen, seen.error().c_str());
            points.push_back(server.longest);
        }
        QCOMPARE(points, (std::vector<std::size_t>{41, 3, 3, 3, 2, 2, 3, 2, 2, 2}));
    }

    /// Of one node, each device's bytes are asked for: of all nodes they would be too many.
    void devicesOfANodeAreReadOnDemand_data() {
        QTest::addColumn<bool>("addresses");
        QTest::newRow("host names") << false;
        QTest::newRow("addresses") << true;
    }
    void devicesOfANodeAreReadOnDemand() {
        QFETCH(const bool, addresses);
        ClusterOptions options = quiet();
        options.config = {{"exporters", {{"instance_addresses", addresses}}}};
        const Rig rig(options);
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const MetricMapping mapping = rig.mapping();
        ObservationFollower follower;
        const TimeGrid grid = hourUntil(rig, 1530);
        QVERIFY(!follower.deviceTraffic(*rig.api, "gpu-0002", grid));
        const auto seen = follower.observe(*rig.api, mapping, wholeOf(grid));
        QVERIFY2(seen, seen.error().c_str());
        const SignalTable* nodes = seen->table(Signal::efaTransmit);
        QVERIFY(nodes != nullptr);
        const auto traffic = follower.deviceTraffic(*rig.api, "gpu-0002", grid);
        QVERIFY2(traffic, traffic.error().c_str());
        QCOMPARE(traffic->size(), std::size_t{2});
        QCOMPARE(traffic->front().signal, Signal::efaTransmit);
        QCOMPARE(traffic->front().rows.size(), std::size_t{32});
        double devices = 0, node = 0;
        for (const double value : traffic->front().values)
            devices += value;
        const auto row = std::ranges::find(nodes->rows, "gpu-0002", &Entity::host);
        QVERIFY(row != nodes->rows.end());
        for (const double value :
             nodes->row(static_cast<std::size_t>(row - nodes->rows.begin()), grid.points))
            node += value / static_cast<double>(grid.points);
        QVERIFY2(std::abs(devices / node - 1) < 0.05, QByteArray::number(devices / node));
        for (const Entity& each : traffic->front().rows)
            QVERIFY2(each.host == "gpu-0002" && each.part.starts_with("rdmap"), each.part.c_str());
    }

    /// Samples that take up to a minute are shown as soon as they are there, however many polls they have
    /// been so late.
    void lateSamplesAreSeen_data() {
        QTest::addColumn<int>("late");
        QTest::newRow("half a minute") << 30;
        QTest::newRow("a minute") << 60;
    }
    void lateSamplesAreSeen() {
        QFETCH(const int, late);
        const Rig rig(quiet());
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const MetricMapping mapping = rig.mapping();
        LateServer server(rig);
        ObservationFollower follower;
        for (int poll = 0; poll < 10; ++poll) {
            const ObservationRequest request = wholeOf(hourUntil(rig, 1350 + 30 * poll));
            server.until = request.grid.end() - late;
            const auto seen = follower.observe(server.api, mapping, request);
            QVERIFY2(seen, seen.error().c_str());
            const auto whole = collectObservation(*rig.api, mapping, request);
            QVERIFY2(whole, whole.error().c_str());
            const QByteArray differs = differenceUntil(server.until, *seen, *whole);
            QVERIFY2(differs.isEmpty(), QByteArray("poll " + QByteArray::number(poll) + ", " + differs));
        }
    }
};

QTEST_GUILESS_MAIN(TestObservationFollow)

} // namespace tst_observation_follow

#include "tst_observation_follow.moc"
