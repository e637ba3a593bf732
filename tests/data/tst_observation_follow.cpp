// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/follow.h"
#include "tests/data/observation_rig.h"

#include <QElapsedTimer>
#include <QTest>

namespace tst_observation_follow {

using namespace alidade;
using namespace alidade::tests;

namespace {

TimeGrid hourUntil(const Rig& rig, double end) { return {rig.cluster.start() + end - 1200, 30, 41}; }

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

} // namespace

/// A poll asks for what is new; what it shows is what a reading of all of the time shows.
class TestObservationFollow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const QString& why : {PrometheusServer::missing(), SimulatedCluster::missing()}) {
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
        }
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
};

QTEST_GUILESS_MAIN(TestObservationFollow)

} // namespace tst_observation_follow

#include "tst_observation_follow.moc"
