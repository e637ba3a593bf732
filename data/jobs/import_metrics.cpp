// SPDX-License-Identifier: GPL-3.0-or-later
// A running job by the series that it has on a Prometheus-compatible server.
#include "data/jobs/import_metrics.h"

#include "data/jobs/job_reader.h"
#include "data/observation/discover.h"
#include "data/observation/signal_rows.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace alidade::data {

using namespace handoff;

namespace {

/// Where discovery puts the instance type: relabeled EC2 metadata, or labels of the Kubernetes node.
constexpr std::string_view typeLabels = "instance_type|ec2_instance_type|node_kubernetes_io_instance_type|"
                                        "label_node_kubernetes_io_instance_type|"
                                        "beta_kubernetes_io_instance_type|node_instance_type|InstanceType";

/// A make of engine by the beginning of its metrics.
struct Make {
    std::string_view prefix, engine;
};
constexpr std::array makes{Make{"vllm:", "vllm"}, Make{"sglang:", "sglang"}, Make{"trtllm", "tensorrt-llm"}};

/// A framework by the beginning of its metrics.
constexpr std::array frameworks{Make{"torchtitan_", "torchtitan"}, Make{"megatron_", "megatron-core"},
                                Make{"nemo_", "nemo-24"}};

std::string firstOf(const std::vector<Labels>& series, std::string_view labels) {
    for (const Labels& each : series)
        if (std::string value = labelValue(each, labels); !value.empty())
            return value;
    return {};
}

/// Letters and digits in words: "NVIDIA H100 80GB HBM3" is nvidia, h100, 80gb, hbm3.
std::set<std::string> wordsOf(std::string_view text) {
    std::set<std::string> out;
    std::string word;
    for (const char c : std::string(text) + ' ') {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!word.empty()) {
            out.insert(word);
            word.clear();
        }
    }
    return out;
}

/// Instances with so many GPUs of the name that the driver gives them. "H100 SXM5 80 GB" is a
/// "NVIDIA H100 80GB HBM3": the first word is the chip; the memory tells chips of one name apart.
std::vector<const Instance*> instancesWith(const Catalog& catalog, const std::string& driverName,
                                           std::int64_t gpus) {
    const std::set<std::string> words = wordsOf(driverName);
    const auto memoryNamed = [&words](const Gpu& gpu) {
        return words.contains(std::to_string(std::llround(gpu.memory.si() / 1e9)) + "gb");
    };
    std::vector<const Instance*> out, sameMemory;
    for (const Instance& each : catalog.instances) {
        const Gpu* gpu = catalog.gpu(each.gpu);
        if (gpu == nullptr || each.gpus != gpus)
            continue;
        const std::set<std::string> name = wordsOf(gpu->name.substr(0, gpu->name.find(' ')));
        if (name.empty() || !words.contains(*name.begin()))
            continue;
        out.push_back(&each);
        if (memoryNamed(*gpu))
            sameMemory.push_back(&each);
    }
    return sameMemory.empty() ? out : sameMemory;
}

double meanOf(std::span<const double> values) {
    double sum = 0;
    std::size_t found = 0;
    for (const double value : values)
        if (std::isfinite(value)) {
            sum += value;
            ++found;
        }
    return found == 0 ? std::nan("") : sum / static_cast<double>(found);
}

/// Of all rows together: rates add up.
double total(const Observation& observation, const SignalTable& table) {
    double sum = std::nan("");
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        if (const double mean = meanOf(table.row(i, observation.grid.points)); std::isfinite(mean))
            sum = (std::isfinite(sum) ? sum : 0) + mean;
    return sum;
}

std::string digits(double value, int significant) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", significant, value);
    return text;
}

class MetricsReader {
public:
    MetricsReader(const JobMetrics& metrics, JobReader& reader)
        : metrics_(metrics)
        , seen_(metrics.observation)
        , reader_(reader) {}

    void read() {
        reader_.out.tool = "prometheus";
        reader_.set("workload.kind",
                    std::string(wordOf(metrics_.serving ? WorkloadKind::serving : WorkloadKind::training)),
                    "the series of the job", 0);
        readHosts();
        metrics_.serving ? readServing() : readTraining();
        for (const std::string& each : seen_.warnings)
            reader_.warn(each);
    }

private:
    std::string gpuMetric() const {
        for (const SignalTable& table : seen_.tables)
            if (signalInfo(table.signal).scope == SignalScope::gpu)
                return table.metric;
        return "the GPU exporter";
    }

    void readHosts() {
        JobReading& out = reader_.out;
        for (const std::string& host : seen_.hosts)
            reader_.addHost(host);
        if (!out.hosts.empty())
            reader_.set("cluster.instances", std::to_string(out.hosts.size()), seen_.hostsHow, 0);
        std::set<std::pair<std::string, std::string>> gpus;
        std::map<std::string, std::int64_t> perHost;
        for (const Labels& each : metrics_.gpus) {
            const std::string host = labelValue(each, metrics_.mapping.labels.host);
            if (gpus.emplace(host, labelValue(each, metrics_.mapping.labels.gpu)).second)
                ++perHost[host];
        }
        const std::string metric = gpuMetric();
        std::int64_t most = 0;
        for (const auto& [host, count] : perHost)
            most = std::max(most, count);
        if (most == 0) {
            reader_.warn("no series of GPUs on the hosts of the job: their number is not known");
        } else {
            gpus_ = most;
            out.gpus = static_cast<std::int64_t>(gpus.size());
            reader_.known.gpusPerNode = most;
            for (const auto& [host, count] : perHost)
                if (count != most)
                    reader_.warn(host + " has " + std::to_string(count) + " GPUs with series, others have " +
                                 std::to_string(most));
        }
        readMachine(metric);
    }

    void readMachine(const std::string& metric) {
        if (const std::string type = firstOf(metrics_.gpus, typeLabels); !type.empty())
            reader_.readInstance(type, "the instance type label of " + metric, 0);
        const std::string name = firstOf(metrics_.gpus, "modelName|model_name|name");
        if (name.empty() || gpus_ == 0)
            return;
        reader_.out.noField.push_back({"modelName", name, 0, metric});
        const std::vector<const Instance*> fit = instancesWith(reader_.catalog, name, gpus_);
        if (const Instance* machine =
                reader_.catalog.instance(reader_.out.spec.cluster.instance.value_or(""))) {
            if (!fit.empty() && std::ranges::find(fit, machine) == fit.end())
                reader_.contradict("cluster.instance: the label says " + machine->id + ", but the GPUs are " +
                                   name);
        } else if (fit.size() == 1) {
            reader_.assume("cluster.instance", fit.front()->id,
                           std::to_string(gpus_) + " x " + name + " is that instance");
        } else if (!fit.empty()) {
            std::string all;
            for (const Instance* each : fit)
                all += (all.empty() ? "" : ", ") + each->id;
            reader_.warn(std::to_string(gpus_) + " x " + name + " could be " + all);
        }
    }

    /// The first alternative that the server has; its value over the time, or not a number.
    double figure(Signal signal, std::string& metric, Statistic statistic = Statistic::value) const {
        const SignalTable* table = seen_.table(signal, statistic);
        if (table == nullptr)
            return std::nan("");
        metric = table->metric;
        return total(seen_, *table);
    }

    /// A measurement that no field takes.
    void tell(Signal signal, Statistic statistic = Statistic::value) {
        const SignalTable* table = seen_.table(signal, statistic);
        const double value = table == nullptr ? std::nan("") : meanOf(table->values);
        const std::string unit(signalInfo(signal).unit);
        if (std::isfinite(value))
            reader_.out.noField.push_back({std::string(signalInfo(signal).id),
                                           digits(value, 4) + (unit == "1" ? "" : " " + unit), 0,
                                           "measured, " + table->metric});
    }

    void readTraining() {
        JobReading& out = reader_.out;
        const SignalTable* steps = seen_.table(Signal::stepTime);
        if (steps == nullptr)
            steps = seen_.table(Signal::stepTime, Statistic::mean);
        for (const SignalTable& table : seen_.tables)
            for (const Make& each : frameworks)
                if (table.metric.starts_with(each.prefix) && !reader_.has("plan.framework"))
                    reader_.set("plan.framework", std::string(each.engine), table.metric, 0);
        const double time = steps == nullptr ? std::nan("") : meanOf(steps->values);
        if (std::isfinite(time) && time > 0)
            out.noField.push_back({"step_time", digits(time, 4) + " s", 0, "measured, " + steps->metric});
        // Both rates count checkpoints and restarts, so that their quotient does not. A step time is the
        // nearest where nothing counts steps.
        std::string metric, counted;
        const double rate = figure(Signal::tokensPerSecond, metric);
        const double frequency = figure(Signal::stepsPerSecond, counted);
        const double tokens = std::isfinite(frequency) ? rate / frequency : rate * time;
        if (std::isfinite(tokens) && tokens > 0)
            out.noField.push_back({"tokens of a step", digits(tokens, 4), 0,
                                   "global batch x sequence length, by " + metric +
                                       (std::isfinite(frequency) ? " / " + counted : " x " + steps->metric)});
        tell(Signal::modelFlopsUtilization);
        tell(Signal::checkpointShare);
        if (!out.hosts.empty() && gpus_ > 0 && !reader_.has("cluster.instance"))
            reader_.askFor("cluster.instance");
        for (const char* path :
             {"plan.tensor_parallel", "plan.pipeline_parallel", "plan.micro_batch", "plan.precision"})
            reader_.askFor(path);
    }

    void readServing() {
        std::string metric;
        for (const SignalTable& table : seen_.tables)
            for (const Make& each : makes)
                if (table.metric.starts_with(each.prefix) && !reader_.has("plan.engine"))
                    reader_.set("plan.engine", std::string(each.engine), table.metric, 0);
        if (!reader_.has("plan.engine"))
            reader_.askFor("plan.engine");
        const std::string name = firstOf(metrics_.engines, "model_name|model|name");
        if (!name.empty())
            reader_.readModelName(name, reader_.said("model_name"));
        readEngines();
        readCacheConfig();
        readLoad();
    }

    /// Engines are replicas; the GPUs of their hosts are shared out among them.
    void readEngines() {
        std::set<std::string> engines;
        std::set<std::string> tensorRanks, pipelineRanks;
        for (const Labels& each : metrics_.engines) {
            engines.insert(labelValue(each, metrics_.mapping.labels.engine) + ' ' +
                           labelValue(each, "engine|dp_rank"));
            if (const std::string rank = labelValue(each, "tp_rank"); !rank.empty())
                tensorRanks.insert(rank);
            if (const std::string rank = labelValue(each, "pp_rank"); !rank.empty())
                pipelineRanks.insert(rank);
        }
        if (engines.empty())
            return;
        const auto count = static_cast<std::int64_t>(engines.size());
        reader_.set("plan.data_parallel", count, "the engines with series", 0);
        if (pipelineRanks.size() > 1)
            reader_.set("plan.pipeline_parallel", static_cast<std::int64_t>(pipelineRanks.size()), "pp_rank",
                        0);
        if (tensorRanks.size() > 1) {
            reader_.set("plan.tensor_parallel", static_cast<std::int64_t>(tensorRanks.size()), "tp_rank", 0);
        } else if (reader_.out.gpus && *reader_.out.gpus % count == 0) {
            const std::int64_t each =
                *reader_.out.gpus / count / std::max<std::int64_t>(1, std::ssize(pipelineRanks));
            reader_.assume("plan.tensor_parallel", std::to_string(each),
                           std::to_string(*reader_.out.gpus) + " GPUs on the hosts of " +
                               std::to_string(count) + (count == 1 ? " engine" : " engines"));
        }
        if (!reader_.has("plan.tensor_parallel"))
            reader_.askFor("plan.tensor_parallel");
        reader_.servers = reader_.out.gpus.value_or(0);
    }

    /// Labels that are named as the options are.
    void readCacheConfig() {
        if (metrics_.cacheConfig.empty())
            return;
        const std::string metric = "vllm:cache_config_info";
        Settings settings;
        for (const auto& [label, value] : metrics_.cacheConfig.front()) {
            std::string option = "--" + label;
            std::ranges::replace(option, '_', '-');
            if (label == "cache_dtype")
                option = "--kv-cache-dtype";
            if (label == "num_gpu_blocks")
                reader_.out.noField.push_back({label, value, 0, metric});
            else if (value != "None" && tool("vllm").options.contains(option))
                settings.set(option, value);
        }
        const std::size_t before = reader_.out.understood.size();
        reader_.readFields(tool("vllm"), settings);
        for (std::size_t i = std::min(before, reader_.out.understood.size());
             i < reader_.out.understood.size(); ++i)
            if (std::string& from = reader_.out.understood[i].from; from.starts_with("--")) {
                std::ranges::replace(from, '-', '_');
                from = metric + "{" + (from == "__kv_cache_dtype" ? "cache_dtype" : from.substr(2)) + "}";
            }
        for (const Setting& each : settings.all)
            if (!each.used) {
                std::string label = each.name.substr(2);
                std::ranges::replace(label, '-', '_');
                reader_.out.noField.push_back({label, each.value(), 0, metric});
            }
    }

    void readLoad() {
        std::string rateMetric, metric;
        const double rate = figure(Signal::requestsPerSecond, rateMetric);
        if (!(rate > 0)) {
            reader_.warn("the engines served no requests in this time: their load is not known");
            return;
        }
        reader_.set("workload.request_rate_per_s", digits(rate, 4), rateMetric, 0);
        const auto lengths = [&](Signal signal, Signal histogram, const char* path) {
            // The histograms count requests that ended, as the rate does; the counters are what is left.
            const SignalTable* table = seen_.table(histogram, Statistic::mean);
            double mean = table == nullptr ? std::nan("") : meanOf(table->values);
            std::string from = table == nullptr ? std::string() : table->metric;
            if (!std::isfinite(mean)) {
                mean = figure(signal, metric) / rate;
                from = metric + " / " + rateMetric;
            }
            if (std::isfinite(mean) && mean >= 1)
                reader_.set(path, std::to_string(std::llround(mean)), from, 0);
        };
        lengths(Signal::promptTokensPerSecond, Signal::promptTokens, "workload.input_tokens");
        lengths(Signal::generationTokensPerSecond, Signal::outputTokens, "workload.output_tokens");
        const SignalTable* hits = seen_.table(Signal::prefixHitShare);
        if (const double share = hits == nullptr ? std::nan("") : meanOf(hits->values);
            std::isfinite(share) && share >= 0 && share < 1)
            reader_.set("workload.prefix_cache_hit", digits(share, 3), hits->metric, 0);
        tell(Signal::requestsRunning);
        tell(Signal::requestsWaiting);
        tell(Signal::kvCacheUse);
        tell(Signal::timeToFirstToken, Statistic::p90);
        tell(Signal::interTokenLatency, Statistic::p90);
    }

    const JobMetrics& metrics_;
    const Observation& seen_;
    JobReader& reader_;
    std::int64_t gpus_ = 0; ///< of a host
};

/// Series on the hosts of the job.
/// \param rename whether the label of the host is made the host's name
std::vector<Labels> onHosts(std::vector<Labels> series, const std::string& label, const HostAliases& aliases,
                            const std::vector<std::string>& hosts, bool rename) {
    std::vector<Labels> out;
    for (Labels& each : series) {
        const std::string name = hostName(labelValue(each, label), aliases);
        if (!hosts.empty() && !std::ranges::binary_search(hosts, name))
            continue;
        for (const std::string& key : alternatives(label))
            for (auto& [own, value] : each)
                if (own == key && rename)
                    value = name;
        out.push_back(std::move(each));
    }
    return out;
}

} // namespace

Result<JobMetrics> collectJobMetrics(PrometheusApi& api, const MetricMapping& mapping,
                                     Observation observation, bool serving, std::stop_token stop) {
    const double start = observation.grid.start, end = observation.grid.end();
    JobMetrics out{mapping, std::move(observation), serving, {}, {}, {}};
    const Result<std::vector<std::string>> names = metricsOf(api, start, end, stop);
    if (!names)
        return Error{names.error()};
    const Result<ClusterMap> map = discoverCluster(api, mapping, *names, start, end, stop);
    if (!map)
        return Error{map.error()};
    const MapRules rules = mapRules(mapping, *names);
    const std::vector<std::string>& hosts = out.observation.hosts;
    const std::string& engineLabel = mapping.labels.engine;
    const auto read = [&](const std::string& matcher, const std::string& label, std::vector<Labels>& into) {
        Result<std::vector<Labels>> series = api.series({matcher}, start, end, stop);
        if (!series)
            return series.error();
        std::vector<Labels> here =
            onHosts(*std::move(series), label, map->aliases, hosts, label != engineLabel);
        into.insert(into.end(), std::make_move_iterator(here.begin()), std::make_move_iterator(here.end()));
        return std::string();
    };
    std::string fault;
    if (rules.gpu != nullptr)
        fault = read(metricNames(*rules.gpu).back(),
                     rules.gpu->host.empty() ? mapping.labels.host : rules.gpu->host, out.gpus);
    for (const MetricRule* rule : rules.serving)
        if (serving && fault.empty())
            fault = read(metricNames(*rule).back(), engineLabel, out.engines);
    if (serving && fault.empty() && std::ranges::binary_search(*names, "vllm:cache_config_info"))
        fault = read("vllm:cache_config_info", engineLabel, out.cacheConfig);
    if (!fault.empty())
        return Error{fault};
    if (serving) // other models that run on the same hosts are other jobs
        std::erase_if(out.engines, [&](const Labels& each) {
            return labelValue(each, mapping.labels.model) != out.observation.job;
        });
    return out;
}

JobReading readJobMetrics(const JobMetrics& metrics, const Catalog& catalog) {
    JobReading out;
    const JobFiles noFiles;
    JobReader reader(out, catalog, noFiles);
    MetricsReader(metrics, reader).read();
    reader.conclude();
    return out;
}

} // namespace alidade::data
