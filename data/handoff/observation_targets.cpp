// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/observation_targets.h"

#include "data/handoff/text_writers.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "model/estimate/error_band.h"
#include "model/estimate/reinforcement.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

/// A figure that the plan predicts, how it is measured, and the band it should stay in.
struct Watched {
    std::string id, title, record, expression, unit;
    std::string cause;        ///< what it usually means when it leaves the band
    double low = 0, high = 0; ///< 0: no bound on that side
};

std::string rounded(double value) {
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double step = std::pow(10.0, 3 - std::floor(std::log10(value)));
    return numberText(std::round(value * step) / step);
}

/// Where the metrics of a program come from: labels of the job.
std::string of(const std::string& metric, const std::string& job) { return metric + "{" + job + "}"; }

Watched stepTime(double step, const ErrorBand& band, const std::string& job) {
    return {"StepTime",
            "Step time",
            "alidade:step_time_seconds",
            "avg(" + of("training_step_time_seconds", job) + ") or avg(" +
                of("megatron_iteration_time_seconds", job) + ") or avg(" +
                of("torchtitan_time_metrics_end_to_end_s", job) + ") or avg(" +
                of("train_step_timing_in_s", job) + ")",
            "s",
            "a slow node or link, data that come late, or another program on the nodes",
            step * band.low,
            step * band.high};
}

/// \param job label matchers of the job's series
std::vector<Watched> watched(const HandoffSource& source, const std::string& job) {
    const Estimate& estimate = source.estimate;
    std::vector<Watched> out;
    const std::optional<ErrorBand> band = timeErrorBand(estimate);
    if (estimate.training && band) {
        out.push_back(stepTime(estimate.training->stepTime, *band, job));
        const double tokens = estimate.training->tokensPerSecond;
        out.push_back({"Throughput", "Throughput", "alidade:tokens_per_second",
                       "sum(rate(" + of("training_tokens_total", job) + "[5m])) or avg(" +
                           of("training_tokens_per_second", job) + ")",
                       "tokens/s", "longer steps, or pauses between them such as checkpoints and restarts",
                       tokens / band->high, tokens / band->low});
        out.push_back({"Mfu", "MFU", "alidade:mfu",
                       "avg(" + of("training_mfu", job) + ") or avg(" + of("training_mfu_ratio", job) +
                           ") or avg(" + of("torchtitan_mfu_percent", job) + ") / 100",
                       "percentunit", "longer steps than planned", estimate.training->mfu / band->high, 0});
    }
    if (estimate.reinforcement && band)
        out.push_back(stepTime(estimate.reinforcement->stepTime, *band, job));
    if (estimate.serving) {
        const Serving& serving = *estimate.serving;
        const WorkloadSpec& load = estimate.scenario.workload;
        const auto quantile = [&job](const std::string& names, double percentile) {
            return "histogram_quantile(" + rounded(percentile / 100) + ", sum by (le) (rate({__name__=~\"" +
                   names + "\"," + job + "}[5m])))";
        };
        const double percentile = load.sloPercentile.value_or(90);
        out.push_back({"Ttft", "TTFT", "alidade:ttft_seconds",
                       quantile("(vllm|sglang|trtllm):time_to_first_token_seconds_bucket", percentile), "s",
                       "more requests or longer prompts than planned, or a worker that is gone", 0,
                       load.ttftSloS.value_or(serving.ttftPercentiles.p90)});
        out.push_back({"Itl", "ITL", "alidade:itl_seconds",
                       quantile("(vllm|sglang):inter_token_latency_seconds_bucket", percentile), "s",
                       "larger batches than planned, prefills between the tokens, or a slow worker", 0,
                       load.itlSloS.value_or(serving.itlPercentiles.p90)});
        out.push_back({"OutputTokens", "Output throughput", "alidade:output_tokens_per_second",
                       "sum(rate({__name__=~\"(vllm|sglang):generation_tokens_total\"," + job + "}[5m]))",
                       "tokens/s", "", 0, 0});
        out.push_back({"KvCache", "KV cache", "alidade:kv_cache_use",
                       "max({__name__=~\"vllm:(kv|gpu)_cache_usage_perc|sglang:token_usage\"," + job + "})",
                       "percentunit", "longer or more requests at once than planned", 0, 0.95});
    }
    return out;
}

Json alert(const std::string& name, const std::string& expression, const std::string& wait,
           const std::string& severity, const std::string& summary, const std::string& cost) {
    return {{"alert", name},
            {"expr", expression},
            {"for", wait},
            {"labels", {{"severity", severity}}},
            {"annotations", {{"summary", summary}, {"cost", cost}}}};
}

struct XidRule {
    int code;
    const char *severity, *meaning;
};

/// Codes as NVIDIA's XID catalog describes them.
constexpr XidRule xidRules[] = {{48, "critical", "double-bit ECC error"},
                                {63, "warning", "a row was remapped"},
                                {64, "critical", "a row could not be remapped"},
                                {79, "critical", "the GPU has fallen off the bus"},
                                {94, "critical", "contained ECC error: the process on it has ended"},
                                {95, "critical", "uncontained ECC error: the GPU needs a reset"}};

/// All series of programs. In a cluster of many jobs a person names the one of the plan.
constexpr const char* anyJob = "job=~\".+\"";

/// The largest use of a host's GPUs in the last ten minutes, as long as there is one.
constexpr const char* gpuUse = "alidade:gpu_use_10m";

/// A host that is gone is gone from service discovery too, and has no `up` at all. One that was taken away on
/// purpose was idle or cordoned before, which its last series tell: a scale-down is not reported.
std::string missingTargets() {
    // Exporters of one host have its address and a port each.
    const auto withHost = [](const std::string& vector, const char* label) {
        return "label_replace(" + vector + R"(, "host", "$1", ")" + label + R"(", "([^:]+).*"))";
    };
    const std::string cordoned = "max_over_time(kube_node_spec_unschedulable[1h]) == 1";
    return withHost("up == 0", "instance") + " or (" + withHost("(up offset 1h unless up)", "instance") +
           " unless on (host) " +
           withHost("(last_over_time(" + std::string(gpuUse) + "[1h]) == 0)", "instance") +
           " unless on (host) " + withHost("(" + cordoned + ")", "node") + " unless on (node) (" + cordoned +
           ") unless on (namespace, pod) max_over_time(kube_pod_deletion_timestamp[1h]))";
}

Json rulesOf(const HandoffSource& source) {
    const bool training = source.estimate.training || source.estimate.reinforcement;
    const double dollars = source.estimate.cost ? source.estimate.cost->dollarsPerHour : 0;
    const auto money = [](double value) {
        return "$" + std::to_string(static_cast<long long>(std::llround(value)));
    };
    const std::string idle = dollars > 0 ? "an hour that the job stands still costs " + money(dollars)
                                         : "the whole job stands still";
    const std::string slow =
        dollars > 0 ? "each percent of lost throughput costs " + money(dollars * 24 / 100) + " a day"
                    : "lost throughput of the whole job";
    Json records = Json::array(), alerts = Json::array(), health = Json::array();
    const std::string late = "people wait longer than the plan promises, and requests over the target do not "
                             "count";
    for (const Watched& each : watched(source, anyJob)) {
        const bool latency = each.id == "Ttft" || each.id == "Itl";
        const std::string cost = latency ? late
                                 : each.id == "KvCache"
                                     ? "requests wait, or lose their cache and are computed again"
                                     : slow;
        const std::string cause = each.cause.empty() ? std::string() : "; it may be " + each.cause;
        records.push_back({{"record", each.record}, {"expr", each.expression}});
        if (each.high > 0)
            alerts.push_back(
                alert(each.id + "AbovePlan", each.record + " > " + rounded(each.high), "10m", "warning",
                      each.title + " is above the band of the plan (" + rounded(each.high) + " " + each.unit +
                          ")" + (each.id == "Throughput" ? std::string() : cause),
                      each.id == "Throughput" ? "the plan is too careful: calibrate it" : cost));
        if (each.low > 0)
            alerts.push_back(alert(each.id + "BelowPlan", each.record + " < " + rounded(each.low), "10m",
                                   each.id == "StepTime" ? "info" : "warning",
                                   each.title + " is below the band of the plan (" + rounded(each.low) + " " +
                                       each.unit + ")" + (each.id == "StepTime" ? std::string() : cause),
                                   each.id == "StepTime" ? "the plan is too careful: calibrate it" : slow));
    }
    if (training) {
        alerts.push_back(
            alert("Straggler",
                  "max by (node) (" + of("training_rank_compute_seconds", anyJob) +
                      ") > 1.1 * scalar(quantile(0.5, " + of("training_rank_compute_seconds", anyJob) + "))",
                  "10m", "warning", "{{ $labels.node }} computes 10 % longer than the median", slow));
        alerts.push_back(
            alert("JobStandsStill",
                  "time() - max(" + of("training_last_step_timestamp_seconds", anyJob) + ") > 600", "0m",
                  "critical", "no step has ended for ten minutes", idle));
        // Twice the time that the plan has between two of them.
        const double interval =
            source.estimate.run && source.estimate.run->checkpoint.interval > 0
                ? source.estimate.run->checkpoint.interval
                : source.estimate.scenario.run.checkpointIntervalS.value_or(secondsPerHour);
        const auto minutes = static_cast<long long>(std::ceil(interval * 2 / 60));
        alerts.push_back(alert("CheckpointOverdue",
                               "sum(increase(" + of("training_checkpoint_duration_seconds_count", anyJob) +
                                   "[" + std::to_string(minutes) + "m])) == 0",
                               "10m", "warning", "no checkpoint in " + std::to_string(minutes) + " minutes",
                               dollars > 0
                                   ? "a failure now loses up to " +
                                         money(dollars * static_cast<double>(minutes) / 60) + " of work"
                                   : "a failure now loses the work since then"));
    }
    for (const XidRule& each : xidRules)
        health.push_back(alert("GpuXid" + std::to_string(each.code),
                               "DCGM_FI_DEV_XID_ERRORS == " + std::to_string(each.code), "0m", each.severity,
                               "XID " + std::to_string(each.code) +
                                   " on GPU {{ $labels.gpu }} of {{ $labels.Hostname }}: " + each.meaning,
                               idle));
    health.push_back(alert("GpuDoubleBitErrors", "increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m]) > 0", "0m",
                           "critical",
                           "double-bit ECC errors on GPU {{ $labels.gpu }} of {{ $labels.Hostname }}", idle));
    health.push_back(alert(
        "GpuSingleBitErrorsGrow",
        "increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[1h]) > 10 and increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[1h]) "
        "> 2 * increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[1h] offset 1h)",
        "10m", "warning",
        "single-bit ECC errors on GPU {{ $labels.gpu }} of {{ $labels.Hostname }} accelerate",
        "the GPU may fail within days: " + idle));
    health.push_back(alert("GpuRowRemapPending", "DCGM_FI_DEV_ROW_REMAP_PENDING > 0", "0m", "warning",
                           "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} needs a reset to remap a row",
                           idle));
    health.push_back(alert("GpuRowRemapFailed", "DCGM_FI_DEV_ROW_REMAP_FAILURE > 0", "0m", "critical",
                           "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} has no spare rows left", idle));
    for (const char* kind : {"THERMAL", "POWER"})
        health.push_back(alert(std::string("Gpu") + (kind[0] == 'T' ? "Thermal" : "Power") + "Violation",
                               std::string("increase(DCGM_FI_DEV_") + kind + "_VIOLATION[10m]) > 0", "10m",
                               "warning", "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is throttled",
                               slow));
    health.push_back(
        alert("EfaRetransmits",
              "rate(node_amazonefa_retrans_bytes[5m]) > 0.001 * rate(node_amazonefa_tx_bytes[5m])", "10m",
              "warning", "EFA of {{ $labels.instance }} sends more than 0.1 % again", slow));
    health.push_back({{"record", gpuUse},
                      {"expr", "max by (instance) (max_over_time(DCGM_FI_DEV_GPU_UTIL[10m])) and max by "
                               "(instance) (DCGM_FI_DEV_GPU_UTIL)"}});
    health.push_back(alert("TargetMissing", missingTargets(), "5m", "warning",
                           "{{ $labels.job }} of {{ $labels.instance }} is not answering, or is gone",
                           "faults there are not detected, and if the host is gone, " + idle));
    health.back()["annotations"]["description"] =
        "Fires while a target does not answer, and for an hour after it has left service discovery. Quiet "
        "for what leaves on purpose: a host whose GPUs did nothing in their last ten minutes, a node of "
        "Kubernetes that was cordoned first (as by a drain or a scale-down), and a pod that was deleted; the "
        "latter two need kube-state-metrics. Hosts without these series are always reported.";
    Json groups = Json::array();
    groups.push_back({{"name", "alidade-plan"}, {"interval", "30s"}, {"rules", records}});
    if (!alerts.empty())
        groups.push_back({{"name", "alidade-plan-alerts"}, {"rules", alerts}});
    groups.push_back({{"name", "alidade-health"}, {"rules", health}});
    return {{"groups", groups}};
}

Json panel(int id, const std::string& title, const std::string& expression, const std::string& unit, int x,
           int y) {
    Json out = {{"id", id}, {"type", "timeseries"}, {"title", title}};
    out["datasource"] = {{"type", "prometheus"}, {"uid", "${datasource}"}};
    out["gridPos"] = {{"h", 8}, {"w", 8}, {"x", x}, {"y", y}};
    out["fieldConfig"] = {{"defaults", {{"unit", unit}}}, {"overrides", Json::array()}};
    out["targets"] = Json::array({{{"refId", "A"}, {"expr", expression}, {"legendFormat", "__auto"}}});
    out["options"] = {{"legend", {{"displayMode", "list"}, {"placement", "bottom"}}}};
    return out;
}

void addBand(Json& panel, const Watched& figure) {
    Json steps = Json::array({{{"color", figure.low > 0 ? "orange" : "green"}, {"value", nullptr}}});
    if (figure.low > 0)
        steps.push_back({{"color", "green"}, {"value", std::stod(rounded(figure.low))}});
    if (figure.high > 0)
        steps.push_back({{"color", "orange"}, {"value", std::stod(rounded(figure.high))}});
    panel["fieldConfig"]["defaults"]["thresholds"] = {{"mode", "absolute"}, {"steps", steps}};
    panel["fieldConfig"]["defaults"]["custom"] = {{"thresholdsStyle", {{"mode", "line+area"}}}};
}

Json dashboardOf(const HandoffSource& source) {
    Json panels = Json::array();
    int id = 1;
    const auto add = [&](const std::string& title, const std::string& expression, const std::string& unit,
                         const Watched* figure) {
        const int place = id - 1;
        panels.push_back(panel(id++, title, expression, unit, place % 3 * 8, place / 3 * 8));
        if (figure != nullptr)
            addBand(panels.back(), *figure);
    };
    for (const Watched& each : watched(source, "cluster=~\"$cluster\",job=~\"$job\""))
        add(each.title + " against the plan", each.expression, each.unit == "tokens/s" ? "short" : each.unit,
            &each);
    const std::string node = "{cluster=~\"$cluster\",Hostname=~\"$node\"}";
    add("GPU temperature", "max by (Hostname) (DCGM_FI_DEV_GPU_TEMP" + node + ")", "celsius", nullptr);
    add("Power", "sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE" + node + ")", "watt", nullptr);
    add("SM activity", "avg by (Hostname) (DCGM_FI_PROF_SM_ACTIVE" + node + ")", "percentunit", nullptr);
    add("Tensor core activity", "avg by (Hostname) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE" + node + ")",
        "percentunit", nullptr);
    add("GPU memory", "max by (Hostname) (DCGM_FI_DEV_FB_USED" + node + ") * 1048576", "bytes", nullptr);
    add("XID errors", "max by (Hostname, gpu, err_code) (DCGM_FI_DEV_XID_ERRORS" + node + ") > 0", "short",
        nullptr);
    // As dashboard 21645, GPU Health - Cluster, has them: https://grafana.com/grafana/dashboards/21645.
    const Watched rows{.high = 4};
    add("Uncorrectable remapped rows",
        "sum by (Hostname) (DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS" + node + ")", "short", &rows);
    add("Correctable remapped rows", "sum by (Hostname) (DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS" + node + ")",
        "short", &rows);
    add("Row remap failures", "max by (Hostname, gpu) (DCGM_FI_DEV_ROW_REMAP_FAILURE" + node + ") > 0",
        "short", nullptr);
    add("Thermal violations",
        "max by (Hostname) (increase(DCGM_FI_DEV_THERMAL_VIOLATION" + node + "[10m])) > 0", "short", nullptr);
    add("Missing GPUs",
        std::to_string(std::max(1, source.scenario.gpusPerNode)) +
            " - count by (Hostname) (DCGM_FI_DEV_GPU_TEMP" + node + ")",
        "short", nullptr);
    panels.back()["type"] = "state-timeline";
    add("Instances reporting",
        "count by (instance_type) (count by (Hostname, instance_type) (DCGM_FI_DEV_GPU_TEMP" + node + "))",
        "short", nullptr);
    panels.back()["type"] = "stat";
    add("NVLink transmitted", "sum by (Hostname) (DCGM_FI_PROF_NVLINK_TX_BYTES" + node + ")", "Bps", nullptr);
    add("EFA transmitted", "sum by (instance) (rate(node_amazonefa_tx_bytes{cluster=~\"$cluster\"}[5m]))",
        "Bps", nullptr);
    add("EFA retransmitted",
        "sum by (instance) (rate(node_amazonefa_retrans_bytes{cluster=~\"$cluster\"}[5m]))", "Bps", nullptr);
    const auto variable = [](const std::string& name, const std::string& query) {
        return Json{{"name", name},
                    {"type", "query"},
                    {"datasource", {{"type", "prometheus"}, {"uid", "${datasource}"}}},
                    {"query", query},
                    {"refresh", 2},
                    {"includeAll", true},
                    {"multi", true},
                    {"allValue", ".*"},
                    {"current", {{"text", "All"}, {"value", "$__all"}}}};
    };
    Json variables = Json::array({{{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}}});
    variables.push_back(variable("cluster", "label_values(cluster)"));
    variables.push_back(variable("node", "label_values(DCGM_FI_DEV_GPU_TEMP, Hostname)"));
    variables.push_back(variable("job", "label_values(up, job)"));
    return {{"title", source.estimate.scenario.name.value_or(source.estimate.modelName)},
            {"uid", slugOf(source)},
            {"tags", Json::array({"alidade"})},
            {"schemaVersion", 39},
            {"version", 1},
            {"editable", true},
            {"refresh", "30s"},
            {"time", {{"from", "now-6h"}, {"to", "now"}}},
            {"templating", {{"list", variables}}},
            {"annotations", {{"list", Json::array()}}},
            {"panels", panels}};
}

} // namespace

void writeObservation(const HandoffSource& source, const std::string& id, Handoff& out) {
    if (id == "prometheus-rules") {
        std::vector<std::string> head{
            source.estimate.scenario.name.value_or(source.estimate.modelName),
            "Written by " + source.program + "; check with: promtool check rules rules.yml",
            "Where several jobs run, put the name of this one in place of .+ in job"};
        for (const std::string& line : predictionLines(source.estimate))
            head.push_back("predicted: " + line);
        out.files.push_back({"rules.yml", commentOf(head) + yamlText(rulesOf(source))});
    } else if (id == "grafana-dashboard") {
        out.files.push_back({"dashboard.json", jsonText(dashboardOf(source))});
    } else {
        out.files.push_back({"nccl-tests.sh", ncclTestsText(source), true});
    }
}

} // namespace alidade::data::handoff
