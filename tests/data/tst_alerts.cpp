// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs slow
// Each alert of each kind of plan fires on the series that it is for, and not on those of a healthy cluster.
// The series have the names and labels of the simulated cluster.
#include "tests/data/handed_over.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace tst_alerts {

using namespace alidade;
using namespace tests;

namespace {

struct Series {
    std::string name, values; ///< in the notation of promtool, one value in half a minute
};

struct Case {
    std::vector<Series> fires, stays;
};

const std::string gpu =
    "{gpu=\"3\",UUID=\"GPU-1\",pci_bus_id=\"00000000:86:00.0\",device=\"nvidia3\",modelName=\"NVIDIA "
    "H100 80GB HBM3\",Hostname=\"gpu-0001\",hpc_job=\"4711\",cluster=\"research\",instance=\"gpu-0001\","
    "instance_type=\"p5.48xlarge\",job=\"dcgm_exporter\"}";
const std::string efa = "{device=\"rdmap79s0\",port=\"1\",instance=\"gpu-0001\",job=\"efa_exporter\"}";
const std::string program = "instance=\"gpu-0001\",job=\"training\",job_name=\"llama70b-pretrain\"";
const std::string engine =
    "instance=\"gpu-0004:8000\",job=\"vllm\",model_name=\"meta-llama/Llama-3.3-70B-Instruct\"";

/// For 200 minutes.
std::string constant(double value) { return std::to_string(value) + "x400"; }
std::string rising(double perSecond) { return "0+" + std::to_string(perSecond * 30) + "x400"; }
/// 100 minutes without change, then rising.
std::string late(double each) {
    return "0x200 " + std::to_string(each) + "+" + std::to_string(each) + "x200";
}

Series trained(const std::string& name, const std::string& values, const std::string& more = {}) {
    return {name + "{" + program + more + "}", values};
}

/// A histogram of latencies, nearly all of them in the bucket that ends at `most`.
std::vector<Series> latencies(const std::string& name, double most) {
    const auto bucket = [&](const std::string& le, double rate) {
        return Series{name + "_bucket{" + engine + ",le=\"" + le + "\"}", rising(rate)};
    };
    return {bucket(std::to_string(most / 2), 0.01), bucket(std::to_string(most), 10), bucket("+Inf", 10)};
}

Case caseOf(const std::string& alert, double limit) {
    const auto gauge = [](const std::string& name, double bad, double good) {
        return Case{{{name, constant(bad)}}, {{name, constant(good)}}};
    };
    if (alert.starts_with("StepTime") || alert.starts_with("Mfu")) {
        const std::string name = alert.starts_with("Mfu") ? "training_mfu" : "training_step_time_seconds";
        const double bad = alert.ends_with("AbovePlan") ? 1.05 : 0.95;
        return {{trained(name, constant(limit * bad))}, {trained(name, constant(limit / bad))}};
    }
    if (alert.starts_with("Throughput")) {
        const double bad = alert.ends_with("AbovePlan") ? 1.05 : 0.95;
        return {{trained("training_tokens_total", rising(limit * bad))},
                {trained("training_tokens_total", rising(limit / bad))}};
    }
    if (alert == "TtftAbovePlan" || alert == "ItlAbovePlan") {
        const std::string name =
            alert[0] == 'T' ? "vllm:time_to_first_token_seconds" : "vllm:inter_token_latency_seconds";
        return {latencies(name, 2 * limit), latencies(name, limit)};
    }
    if (alert == "KvCacheAbovePlan")
        return gauge("vllm:kv_cache_usage_perc{" + engine + "}", 0.98, 0.9);
    if (alert == "Straggler") {
        Case out;
        for (int node = 1; node <= 4; ++node) {
            const std::string label = ",node=\"gpu-000" + std::to_string(node) + "\"";
            out.fires.push_back(
                trained("training_rank_compute_seconds", constant(node == 3 ? 6.5 : 5 + 0.01 * node), label));
            out.stays.push_back(trained("training_rank_compute_seconds", constant(5 + 0.1 * node), label));
        }
        return out;
    }
    if (alert == "JobStandsStill")
        return {{trained("training_last_step_timestamp_seconds", "0+30x100 3000x300")},
                {trained("training_last_step_timestamp_seconds", rising(1))}};
    if (alert == "CheckpointOverdue")
        return {{trained("training_checkpoint_duration_seconds_count", constant(7))},
                {trained("training_checkpoint_duration_seconds_count", rising(1.0 / 600))}};
    if (alert.starts_with("GpuXid"))
        return gauge("DCGM_FI_DEV_XID_ERRORS" + gpu, std::stod(alert.substr(6)), 31);
    if (alert == "GpuDoubleBitErrors") // once, five minutes before
        return {{{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL" + gpu, "0x290 1x110"}},
                {{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL" + gpu, constant(1)}}};
    if (alert == "GpuSingleBitErrorsGrow") // as many in each hour are not growth
        return {{{"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL" + gpu, late(1)}},
                {{"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL" + gpu, rising(0.05)}}};
    if (alert == "GpuRowRemapPending" || alert == "GpuRowRemapFailed")
        return gauge(
            (alert.ends_with("Failed") ? "DCGM_FI_DEV_ROW_REMAP_FAILURE" : "DCGM_FI_DEV_ROW_REMAP_PENDING") +
                gpu,
            1, 0);
    if (alert == "GpuThermalViolation" || alert == "GpuPowerViolation") {
        const std::string name =
            alert.starts_with("GpuT") ? "DCGM_FI_DEV_THERMAL_VIOLATION" : "DCGM_FI_DEV_POWER_VIOLATION";
        return {{{name + gpu, late(5e8)}}, {{name + gpu, constant(3e9)}}};
    }
    if (alert == "EfaRetransmits") {
        const Series sent{"node_amazonefa_tx_bytes" + efa, rising(1e9)};
        return {{sent, {"node_amazonefa_retrans_bytes" + efa, rising(8e6)}},
                {sent, {"node_amazonefa_retrans_bytes" + efa, rising(1e5)}}};
    }
    if (alert == "TargetMissing")
        return gauge("up{instance=\"gpu-0001\",job=\"dcgm_exporter\"}", 0, 1);
    return {};
}

json testOf(const std::string& alert, const std::vector<Series>& series, bool fires) {
    json input = json::array();
    for (const Series& each : series)
        input.push_back({{"series", each.name}, {"values", each.values}});
    const std::string expression =
        "(count(ALERTS{alertname=\"" + alert + "\",alertstate=\"firing\"}) > bool 0) or vector(0)";
    return {{"name", alert + (fires ? " fires" : " stays")},
            {"interval", "30s"},
            {"input_series", input},
            {"promql_expr_test",
             json::array({{{"expr", expression},
                           {"eval_time", "150m"},
                           {"exp_samples", json::array({{{"labels", "{}"}, {"value", fires ? 1 : 0}}})}}})}};
}

} // namespace

class TestAlerts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachFiresOnItsOwnSeries_data() {
        QTest::addColumn<std::string>("id");
        for (const char* id : {"llama-3.1-70b-64xp5.48xlarge", "serve-llama-3.1-70b-1xp5en.48xlarge",
                               "grpo-qwen3-32b-8xp5en.48xlarge"})
            QTest::newRow(id) << std::string(id);
    }
    void eachFiresOnItsOwnSeries() {
        QFETCH(std::string, id);
        const auto handoff = handedOff(shipped().at(id), {"prometheus-rules"});
        QVERIFY2(handoff, handoff.error().c_str());
        const QTemporaryDir place;
        const auto write = [&place](const char* name, const std::string& text) {
            std::ofstream(place.filePath(QString::fromLatin1(name)).toStdString()) << text;
        };
        json tests = json::array();
        const json groups = toJson(YAML::Load(handoff->files.front().text))["groups"];
        for (const json& group : groups)
            for (const json& rule : group["rules"]) {
                if (!rule.contains("alert"))
                    continue;
                const std::string alert = rule["alert"], expression = rule["expr"];
                const std::size_t sign = expression.find_first_of("<>");
                const bool plan = expression.starts_with("alidade:");
                const Case series = caseOf(alert, plan ? std::stod(expression.substr(sign + 1)) : 0);
                QVERIFY2(!series.fires.empty(), alert.c_str()); // a new alert needs a case
                tests.push_back(testOf(alert, series.fires, true));
                tests.push_back(testOf(alert, series.stays, false));
            }
        // A host that was there until twenty minutes ago.
        const std::string host = "{instance=\"gpu-0001:9400\",job=\"dcgm_exporter\",node=\"gpu-0001\"}";
        const Series up{"up" + host, "1x260 stale"}, other{"up{instance=\"gpu-0001:9100\"}", "1x260 stale"};
        const auto uses = [](const std::string& values) {
            return Series{"DCGM_FI_DEV_GPU_UTIL{gpu=\"3\",instance=\"gpu-0001:9400\"}", values + " stale"};
        };
        const auto cordon = [](const std::string& node, const std::string& values) {
            return Series{"kube_node_spec_unschedulable{node=\"" + node + "\"}", values};
        };
        const auto missing = [&tests](const std::vector<Series>& series, bool fires) {
            tests.push_back(testOf("TargetMissing", series, fires));
        };
        missing({up}, true);
        missing({up, other, uses("95x260"), cordon("gpu-0001", "0x260 stale")}, true);
        // Taken away on purpose: idle for its last ten minutes, or cordoned, by either name of the node.
        missing({up, other, uses("95x238 0x21")}, false);
        missing({up, uses("95x250 0x9")}, true);
        missing({up, other, uses("95x260"), cordon("gpu-0001", "0x250 1x9 stale")}, false);
        missing({{"up{instance=\"10.0.0.1:9400\",node=\"ip-10-0-0-1\"}", "1x260 stale"},
                 cordon("ip-10-0-0-1", "0x250 1x9 stale")},
                false);
        missing({up, cordon("gpu-0002", "1x400")}, true); // another node
        missing({{"up" + host, "1x260 0x140"}, uses("0x260"), cordon("gpu-0001", "1x400")}, true);
        const Series replica{"up{instance=\"10.0.1.7:8000\",namespace=\"llm\",pod=\"vllm-1\"}",
                             "1x260 stale"};
        missing({replica}, true);
        missing({replica,
                 {"kube_pod_deletion_timestamp{namespace=\"llm\",pod=\"vllm-1\"}", "_x258 7000x2 stale"}},
                false);
        QVERIFY(tests.size() > 30);
        write("rules.yml", handoff->files.front().text);
        write(
            "test.yml",
            json{{"rule_files", json::array({"rules.yml"})}, {"evaluation_interval", "30s"}, {"tests", tests}}
                .dump());
        QProcess promtool;
        promtool.setProcessChannelMode(QProcess::MergedChannels);
        promtool.start(QStringLiteral("promtool"), {QStringLiteral("test"), QStringLiteral("rules"),
                                                    place.filePath(QStringLiteral("test.yml"))});
        QVERIFY2(promtool.waitForFinished(120'000), "needs promtool: packaging/install-dependencies test");
        const QByteArray said = promtool.readAll();
        QVERIFY2(promtool.exitCode() == 0, said.constData());
    }
};

QTEST_GUILESS_MAIN(TestAlerts)

} // namespace tst_alerts

#include "tst_alerts.moc"
