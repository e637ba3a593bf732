// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/import/nccl_log.h"
#include "data/observation/collect.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/data/drawn_truth.h"

#include <QFile>

#include <cstdio>
#include <map>
#include <memory>
#include <random>

namespace tst_calibrate_cluster {

using namespace alidade;

namespace {

/// A history behind a real server, and what is true of it.
struct Cluster {
    std::string instance;
    std::unique_ptr<tests::SimulatedCluster> history;
    std::unique_ptr<tests::PrometheusServer> server;
    double seconds = 0;

    double truth(const char* part, const char* name) const {
        return history->truth().at(part).at("parameters").at(name).get<double>();
    }
    /// The truth of the served model.
    test::ClusterTruth serving() const {
        const nlohmann::json& hardware = history->truth().at("hardware");
        const auto of = [this](const char* name) { return truth("serving", name); };
        test::ClusterTruth t;
        t.peak = hardware.at("peak_flops");
        t.hbm = hardware.at("hbm_Bps");
        t.parameters = of("params");
        t.weightBytes = of("weight_bytes");
        t.kvBytes = of("kv_bytes_per_token");
        t.decodeEfficiency = of("decode_hbm_eff");
        t.decodeOverhead = of("decode_overhead_s");
        t.prefillEfficiency = of("prefill_eff");
        t.prefillOverhead = of("prefill_overhead_s");
        t.rate = of("rate_rps");
        t.prompt = of("prompt_mean");
        t.output = of("output_mean");
        t.hits = of("prefix_hit");
        return t;
    }
};

nlohmann::json configOf(const QString& name) {
    if (name == QStringLiteral("default"))
        return nlohmann::json::object();
    QFile file(QStringLiteral(ALIDADE_TEST_DATA "/data/clusters/") + name + QStringLiteral(".json"));
    return file.open(QIODevice::ReadOnly) ? nlohmann::json::parse(file.readAll().toStdString())
                                          : nlohmann::json::object();
}

const Cluster& clusterOf(const QString& name) {
    static std::map<QString, Cluster> clusters;
    const auto [place, isNew] = clusters.try_emplace(name);
    Cluster& out = place->second;
    if (isNew) {
        tests::ClusterOptions options;
        options.config = configOf(name);
        options.seed = options.config.value("seed", 7);
        options.instanceType = out.instance = options.config.value("instance_type", "p5.48xlarge");
        options.hours = 1;
        out.seconds = 3600;
        options.faults = name == QStringLiteral("default");
        out.history = std::make_unique<tests::SimulatedCluster>(options);
        if (out.history->error().isEmpty()) {
            out.server = std::make_unique<tests::PrometheusServer>(
                tests::PrometheusOptions{.blocks = out.history->blocks(), .config = {}, .flags = {}});
        }
    }
    return out;
}

Observation observed(const Cluster& cluster, const char* kind) {
    data::Connection connection;
    connection.url = cluster.server->url();
    data::HttpExchange exchange(connection, {});
    data::PrometheusApi api(exchange);
    const double start = cluster.history->start(), end = start + cluster.seconds;
    const auto mapping = data::detectMapping(api, data::metricPresets(), start, end);
    if (!mapping)
        qFatal("%s", mapping.error().c_str());
    data::ObservationRequest request;
    request.grid = data::alignedGrid(start + 30, end - 15, 15);
    const auto jobs = data::findJobs(api, *mapping, start, end);
    if (!jobs)
        qFatal("%s", jobs.error().c_str());
    for (const data::JobChoice& job : *jobs)
        if (job.kind == kind)
            request.job = job.job;
    const auto out = data::collectObservation(api, *mapping, request);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *out;
}

LiveCalibration calibratedOn(const Cluster& cluster, const ScenarioSpec& spec, const char* kind) {
    const Observation observation = observed(cluster, kind);
    const auto& policies = data::shippedHealthPolicies();
    return test::calibrated(spec, observation, judgeHealth(observation, policies.front(), policies));
}

} // namespace

class TestCalibrateCluster : public QObject {
    Q_OBJECT

private:
    static void clusters() {
        QTest::addColumn<QString>("cluster");
        for (const char* name : {"default", "p5-slow-memory", "p5en-fast", "p6-b200"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

private slots:
    void initTestCase() {
        for (const QString& why : {tests::PrometheusServer::missing(), tests::SimulatedCluster::missing()})
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
    }

    void findsTheDecodeConstants_data() { clusters(); }
    void findsTheDecodeConstants() {
        QFETCH(QString, cluster);
        const Cluster& on = clusterOf(cluster);
        QVERIFY2(on.server && on.server->error().isEmpty(), qPrintable(on.history->error()));
        const LiveCalibration c = calibratedOn(
            on, test::servingOn(on.instance, on.history->truth().at("serving").at("parameters")), "serving");
        const double efficiency = on.truth("serving", "decode_hbm_eff"),
                     overhead = on.truth("serving", "decode_overhead_s");
        const double found = test::parameter(c, "decode_hbm_efficiency").after;
        const double cost = test::parameter(c, "decode_step_overhead").after;
        qInfo("efficiency %.4f of %.4f, overhead %.5f of %.5f", found, efficiency, cost, overhead);
        QVERIFY(std::abs(found / efficiency - 1) < 0.03);
        QVERIFY(std::abs(cost / overhead - 1) < 0.10);
        test::servingAgrees(test::servingOn(on.instance, on.history->truth().at("serving").at("parameters")),
                            c, on.serving());
    }

    void boundsTheGemmEfficiency_data() { clusters(); }
    void boundsTheGemmEfficiency() {
        QFETCH(QString, cluster);
        const Cluster& on = clusterOf(cluster);
        QVERIFY2(on.server && on.server->error().isEmpty(), qPrintable(on.history->error()));
        const LiveCalibration c = calibratedOn(on, test::trainingOn(on.instance, 3), "training");
        const CalibratedParameter& gemm = test::parameter(c, "gemm_efficiency");
        QVERIFY(gemm.interval);
        const double truth = on.truth("training", "gemm_eff");
        qInfo("gemm %.3f in [%.3f, %.3f]", truth, gemm.low, gemm.high);
        QVERIFY(gemm.low <= truth && truth <= gemm.high);
        QVERIFY(std::abs(test::parameter(c, "step_time").after /
                             on.history->truth().at("training").at("step_s").get<double>() -
                         1) < 0.01);
        QVERIFY(c.after.mean < c.before.mean);
        test::trainingAgrees(test::trainingOn(on.instance, 3), c,
                             on.history->truth().at("training").at("step_s").get<double>());
    }
};

QTEST_GUILESS_MAIN(TestCalibrateCluster)

} // namespace tst_calibrate_cluster

#include "tst_calibrate_cluster.moc"
