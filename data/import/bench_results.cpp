// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/bench_results.h"

#include "data/import/bench_logs.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "model/units/text.h"

#include <cmath>
#include <optional>

namespace alidade::data {

namespace {

using Json = nlohmann::json;

/// A number, or a text that is one ("inf"); NaN: neither.
double benchNumberIn(const Json& value) {
    if (value.is_number())
        return value.get<double>();
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        return text == "inf" || text == "Infinity" ? std::numeric_limits<double>::infinity()
                                                   : parseBenchNumber(text).value_or(ServedRun::untold);
    }
    return ServedRun::untold;
}

double memberOf(const Json& object, const char* key, double scale = 1) {
    const auto found = object.find(key);
    return found == object.end() ? ServedRun::untold : benchNumberIn(*found) * scale;
}

std::string wordOf(const Json& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
        if (const auto found = object.find(key); found != object.end() && found->is_string())
            return found->get<std::string>();
    return {};
}

/// vLLM and SGLang: flat, milliseconds, totals of tokens.
ServedRun flatRun(const Json& object) {
    ServedRun out;
    out.model = wordOf(object, {"model_id", "model"});
    out.requestRate = memberOf(object, "request_rate");
    out.concurrency = memberOf(object, "max_concurrency");
    if (!(out.concurrency > 0))
        out.concurrency = memberOf(object, "concurrency"); // SGLang: the mean in flight
    out.requests = memberOf(object, "completed");
    out.failed = memberOf(object, "failed");
    out.promptTokens = memberOf(object, "total_input_tokens") / out.requests;
    out.outputTokens = memberOf(object, "total_output_tokens") / out.requests;
    out.requestsPerSecond = memberOf(object, "request_throughput");
    out.outputTokensPerSecond = memberOf(object, "output_throughput");
    out.ttft = memberOf(object, "mean_ttft_ms", 1e-3);
    out.itl = memberOf(object, "mean_itl_ms", 1e-3);
    if (!(out.itl > 0))
        out.itl = memberOf(object, "mean_tpot_ms", 1e-3);
    out.e2e = memberOf(object, "mean_e2el_ms", 1e-3);
    if (!(out.e2e > 0))
        out.e2e = memberOf(object, "mean_e2e_latency_ms", 1e-3);
    out.acceptLength = memberOf(object, "accept_length");
    return out;
}

/// Seconds of a unit as AIPerf writes it; 1 for those that are not time.
double timeScale(const std::string& unit) {
    return unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : 1;
}

/// The mean of a metric of AIPerf or GenAI-Perf, in SI.
double metricOf(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_object())
        return ServedRun::untold;
    return memberOf(*found, "avg", timeScale(wordOf(*found, {"unit"})));
}

/// The first number under this name anywhere below: where the load stands has moved from release to release.
double anywhere(const Json& value, const std::string& name, int depth = 0) {
    constexpr int deepest = 8;
    if (depth > deepest || !(value.is_object() || value.is_array()))
        return ServedRun::untold;
    if (value.is_object()) {
        if (const auto found = value.find(name); found != value.end() && benchNumberIn(*found) > 0)
            return benchNumberIn(*found);
    }
    for (const Json& each : value)
        if (const double found = anywhere(each, name, depth + 1); found > 0)
            return found;
    return ServedRun::untold;
}

std::string modelOf(const Json& config) {
    for (const char* at : {"/endpoint/model_names/0", "/model_names/0", "/model/0", "/formatted_model_name",
                           "/endpoint/model_name"}) {
        const Json::json_pointer place(at);
        if (config.is_object() && config.contains(place) && config.at(place).is_string())
            return config.at(place).get<std::string>();
    }
    return {};
}

ServedRun profiledRun(const Json& document) {
    // The first releases of AIPerf keep the metrics in a separate object.
    const auto records = document.find("records");
    const Json& metrics = records != document.end() && records->is_object() ? *records : document;
    ServedRun out;
    const auto config = document.find("input_config");
    if (config != document.end()) {
        out.model = modelOf(*config);
        out.concurrency = anywhere(*config, "concurrency");
        out.requestRate = anywhere(*config, "request_rate");
    }
    out.promptTokens = metricOf(metrics, "input_sequence_length");
    out.outputTokens = metricOf(metrics, "output_sequence_length");
    out.requestsPerSecond = metricOf(metrics, "request_throughput");
    out.outputTokensPerSecond = metricOf(metrics, "output_token_throughput");
    out.ttft = metricOf(metrics, "time_to_first_token");
    out.itl = metricOf(metrics, "inter_token_latency");
    out.e2e = metricOf(metrics, "request_latency");
    out.requests = metricOf(metrics, "request_count");
    out.failed = metricOf(metrics, "error_request_count");
    return out;
}

/// Adds the run of a document; why not, else.
std::optional<std::string> addRun(const Json& document, BenchReading& out) {
    if (!document.is_object())
        return "holds no object; give the result file of the benchmark";
    ServedRun run;
    if (document.contains("request_throughput") && document["request_throughput"].is_object()) {
        run = profiledRun(document);
        out.tool = document.contains("benchmark_duration") || document.contains("schema_version")
                       ? "AIPerf"
                       : "GenAI-Perf";
    } else if (document.contains("records") && document["records"].is_object()) {
        run = profiledRun(document);
        out.tool = "AIPerf";
    } else if (document.contains("mean_ttft_ms") || document.contains("output_throughput")) {
        run = flatRun(document);
        out.tool = document.contains("mean_e2e_latency_ms") || document.contains("dataset_name")
                       ? "SGLang bench_serving"
                       : "vllm bench serve";
    } else {
        return "is not a result of vllm bench serve, SGLang bench_serving, AIPerf or GenAI-Perf: it has no "
               "request_throughput and no mean_ttft_ms; give the file that --save-result, --output-file or "
               "profile_export wrote";
    }
    const bool any = run.ttft > 0 || run.itl > 0 || run.outputTokensPerSecond > 0;
    if (!any) {
        return run.requests == 0 ? "no request was completed; run the benchmark again"
                                 : "has neither latencies nor throughput; run the benchmark with streaming";
    }
    run.tool = out.tool;
    out.runs.push_back(std::move(run));
    return std::nullopt;
}

/// Python writes Infinity and NaN, which JSON does not have; null says as much here.
std::string withoutInfinity(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\' && i + 1 < text.size()) {
            out += c;
            out += text[++i];
            continue;
        }
        quoted = quoted != (c == '"');
        bool replaced = false;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
            if (!quoted && text.substr(i, word.size()) == word) {
                out += "null";
                i += word.size() - 1;
                replaced = true;
                break;
            }
        }
        if (!replaced)
            out += c;
    }
    return out;
}

void readJson(std::string_view given, const std::string& file, BenchReading& out) {
    const std::string sane = withoutInfinity(given);
    std::string_view text = sane;
    // Per-request lists of a detailed result may be long; only the figures are of interest.
    constexpr JsonLimits limits{
        .bytes = 256u << 20, .depth = 64, .values = 20'000'000, .stringBytes = 1u << 20};
    const Result<Json> whole = parseJson(text, limits);
    if (whole) {
        if (const auto wrong = addRun(*whole, out))
            addFault(out.faults, file + ": " + *wrong);
        return;
    }
    // One document a line.
    std::size_t number = 0, documents = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty())
            continue;
        const Result<Json> document = parseJson(line, limits);
        if (!document) {
            addFault(out.faults, documents == 0
                                     ? file + ": " + whole.error()
                                     : file + ":" + std::to_string(number) + ": " + document.error());
            return;
        }
        ++documents;
        if (const auto wrong = addRun(*document, out))
            addFault(out.faults, file + ":" + std::to_string(number) + ": " + *wrong);
    }
}

} // namespace

BenchReading readBenchResults(std::string_view text, const std::string& fileName) {
    BenchReading out;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    const std::string_view content = trimmed(text);
    if (content.starts_with('{') || content.starts_with('['))
        if (!content.starts_with("[20") && !content.starts_with("[titan")) // a log that begins with a date
            readJson(content, fileName, out);
        else
            readBenchLog(text, fileName, out);
    else
        readBenchLog(text, fileName, out);
    if (!out.faults.empty()) {
        out.runs.clear();
        out.steps = {};
    }
    for (ServedRun& run : out.runs)
        run.file = fileName;
    out.steps.file = fileName;
    return out;
}

} // namespace alidade::data
