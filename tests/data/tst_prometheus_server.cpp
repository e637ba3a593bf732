// SPDX-License-Identifier: GPL-3.0-or-later
// The client against a real Prometheus with the history of a simulated cluster.
#include "data/prometheus/prometheus_api.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tst_prometheus_server {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

Connection to(const PrometheusServer& server) {
    Connection connection;
    connection.url = server.url();
    return connection;
}

bool sameValues(const Matrix& a, const Matrix& b) {
    return a.series == b.series && std::ranges::equal(a.values, b.values, [](double x, double y) {
               return x == y || (std::isnan(x) && std::isnan(y));
           });
}

} // namespace

class PrometheusServerTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SimulatedCluster> cluster_;
    std::unique_ptr<PrometheusServer> server_;
    std::unique_ptr<HttpExchange> exchange_;

    TimeGrid grid(double step = 15) const {
        return alignedGrid(cluster_->start(), cluster_->end() - 15, step);
    }

private Q_SLOTS:
    void initTestCase() {
        for (const QString& missing : {PrometheusServer::missing(), SimulatedCluster::missing()})
            if (!missing.isEmpty())
                QFAIL(qPrintable(missing));
        cluster_ = std::make_unique<SimulatedCluster>();
        QVERIFY2(cluster_->error().isEmpty(), qPrintable(cluster_->error()));
        server_ = std::make_unique<PrometheusServer>(PrometheusOptions{.blocks = cluster_->blocks()});
        QVERIFY2(server_->error().isEmpty(), qPrintable(server_->error()));
        exchange_ = std::make_unique<HttpExchange>(to(*server_), Credentials{});
    }
    void cleanupTestCase() {
        exchange_.reset();
        server_.reset();
    }

    void itSaysWhoItIs() {
        PrometheusApi api(*exchange_);
        const auto info = api.buildInfo();
        QVERIFY2(bool(info), info.error().c_str());
        QCOMPARE(info->application, "Prometheus");
        QVERIFY(info->version.find('.') != std::string::npos);
        QVERIFY(api.metadata() && api.metadata()->empty()); // blocks have none
    }

    void itsListsAreThere() {
        PrometheusApi api(*exchange_);
        const auto names = api.labelValues("__name__", {}, cluster_->start(), cluster_->end());
        QVERIFY2(bool(names), names.error().c_str());
        QVERIFY(std::ranges::find(*names, "DCGM_FI_DEV_POWER_USAGE") != names->end());
        const auto hosts =
            api.labelValues("Hostname", {"DCGM_FI_DEV_POWER_USAGE"}, cluster_->start(), cluster_->end());
        QCOMPARE(hosts->size(), 4U);
        QVERIFY(api.labelValues("Hostname", {"DCGM_FI_DEV_POWER_USAGE"}, 1000, 2000)->empty());
        QCOMPARE(api.series({"up{job=\"dcgm_exporter\"}"}, cluster_->start(), cluster_->end())->size(), 4U);
        QVERIFY(!api.labelNames(cluster_->start(), cluster_->end())->empty());
    }

    void aRangeInPartsIsTheRangeInOne() {
        PrometheusApi whole(*exchange_);
        PrometheusApi parts(*exchange_, {.pointsPerRequest = 7});
        const std::vector<RangeQuery> queries{
            {"DCGM_FI_DEV_POWER_USAGE", grid()},
            {"rate(node_amazonefa_tx_bytes[1m])", grid(30)},
            {"DCGM_FI_DEV_SM_CLOCK > 1750", grid()}, // each series in some of the parts only
            {"no_such_metric", grid()}};
        const auto one = whole.ranges(queries);
        const auto many = parts.ranges(queries);
        for (std::size_t i = 0; i < queries.size(); ++i) {
            QVERIFY2(one[i] && many[i], (one[i].error() + many[i].error()).c_str());
            QCOMPARE(many[i]->series.size(), one[i]->series.size());
            QVERIFY(many[i]->warnings.empty() && one[i]->warnings.empty());
            // The order may differ where a series begins later in the range.
            for (std::size_t row = 0; row < one[i]->series.size(); ++row) {
                const auto at =
                    std::ranges::find(many[i]->series, one[i]->series[row]) - many[i]->series.begin();
                QVERIFY(std::ranges::equal(
                    one[i]->row(row), many[i]->row(static_cast<std::size_t>(at)),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }));
            }
        }
        QCOMPARE(one[0]->series.size(), 32U);
        QVERIFY(one[3]->series.empty());
    }

    void moreThanElevenThousandPointsAreRead() {
        PrometheusApi api(*exchange_);
        const TimeGrid seconds{cluster_->start(), 1, 25'000};
        const auto results = api.ranges({{"time()", seconds}});
        QVERIFY2(bool(results[0]), results[0].error().c_str());
        for (std::size_t i = 0; i < seconds.points; ++i)
            QCOMPARE(results[0]->values[i], seconds.at(i));
    }

    void whatIsTooMuchForTheServerIsAskedInHalves() {
        PrometheusServer small(
            {.blocks = cluster_->blocks(), .flags = {QStringLiteral("--query.max-samples=1500")}});
        QVERIFY2(small.error().isEmpty(), qPrintable(small.error()));
        HttpExchange exchange(to(small), {});
        PrometheusApi api(exchange);
        const RangeQuery query{"DCGM_FI_DEV_POWER_USAGE", grid()};
        const auto halved = api.ranges({query});
        QVERIFY2(bool(halved[0]), halved[0].error().c_str());
        QVERIFY(sameValues(*halved[0], *PrometheusApi(*exchange_).ranges({query})[0]));
        // An instant alone is too much: the error says what helps.
        const auto hopeless = api.ranges({{"count({__name__=~\".+\"})", grid(300)}});
        QVERIFY(!hopeless[0]);
        QVERIFY2(hopeless[0].error().find("choose one job") != std::string::npos,
                 hopeless[0].error().c_str());
    }

    void errorsAndInstantsGoTogether() {
        PrometheusApi api(*exchange_);
        const auto results =
            api.instants({"sum(up)", "sum(", "\"text\"", "up[5m]", "vector(1) / 0"}, cluster_->start() + 600);
        QVERIFY(results[0] && results[0]->values.at(0) > 0);
        QVERIFY(!results[1] && results[1].error().find("parse error") != std::string::npos);
        QVERIFY(results[2] && results[2]->text == "text");
        QVERIFY(!results[3] && results[3].error().find("last_over_time") != std::string::npos);
        QVERIFY(results[4] && results[4]->infinite == 1);
    }

    void aCanceledQueryIsAnError() {
        std::stop_source stop;
        stop.request_stop();
        const auto results =
            PrometheusApi(*exchange_).ranges({{"up", grid()}, {"up", grid()}}, stop.get_token());
        QVERIFY(!results[0] && !results[1]);
    }
};

QTEST_GUILESS_MAIN(PrometheusServerTest)

} // namespace tst_prometheus_server

#include "tst_prometheus_server.moc"
