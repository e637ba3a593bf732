// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/bench_logs.h"

#include "data/json/reader.h"
#include "model/units/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace alidade::data {

namespace {

/// A line without the colors that loggers set.
std::string plainLine(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            while (i < line.size() && !std::isalpha(static_cast<unsigned char>(line[i])))
                ++i;
            continue;
        }
        out += line[i] == '\t' ? ' ' : line[i];
    }
    return out;
}

/// The number behind a key: "tps: 7,161", "| elapsed time per iteration (ms): 6310.5 |".
std::optional<double> numberBehind(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = trimmed(line.substr(at + key.size()));
    std::size_t end = 0;
    while (end < rest.size() &&
           (std::isdigit(static_cast<unsigned char>(rest[end])) || rest[end] == ',' || rest[end] == '.' ||
            rest[end] == 'e' || rest[end] == 'E' || rest[end] == '+' || rest[end] == '-')) {
        ++end;
    }
    return parseBenchNumber(rest.substr(0, end));
}

/// Figures of an MLPerf summary by their names in lower case, without the spaces before the colon.
std::map<std::string, std::string> summaryOf(std::string_view text) {
    std::map<std::string, std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            continue;
        std::string key(trimmed(line.substr(0, colon)));
        std::ranges::transform(key, key.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        out.try_emplace(std::move(key), trimmed(line.substr(colon + 1)));
    }
    return out;
}

double figureOf(const std::map<std::string, std::string>& summary, std::initializer_list<const char*> names,
                double scale = 1) {
    for (const char* name : names)
        if (const auto found = summary.find(name); found != summary.end())
            return parseBenchNumber(found->second).value_or(ServedRun::untold) * scale;
    return ServedRun::untold;
}

void readLoadGen(std::string_view text, const std::string& file, BenchReading& out) {
    const std::map<std::string, std::string> summary = summaryOf(text);
    const auto word = [&](const char* name) {
        const auto found = summary.find(name);
        return found == summary.end() ? std::string() : found->second;
    };
    const std::string scenario = word("scenario");
    if (word("mode").starts_with("Accuracy")) {
        addFault(out.faults, file + ": belongs to an accuracy run; give the summary of a performance run");
        return;
    }
    ServedRun run;
    out.tool = run.tool = "MLPerf LoadGen, " + scenario;
    run.requestsPerSecond = figureOf(summary, {"completed samples per second", "samples per second"});
    run.outputTokensPerSecond = figureOf(summary, {"completed tokens per second", "tokens per second"});
    run.outputTokens = run.outputTokensPerSecond / run.requestsPerSecond;
    run.ttft = figureOf(summary, {"mean first token latency (ns)"}, 1e-9);
    run.itl = figureOf(summary, {"mean time to output token (ns)", "mean time per output token (ns)"}, 1e-9);
    run.e2e = figureOf(summary, {"mean latency (ns)"}, 1e-9);
    if (scenario == "Server") {
        run.requestRate = figureOf(summary, {"scheduled samples per second", "target_qps"});
    } else if (scenario == "Offline") {
        run.ttft = run.itl = run.e2e =
            ServedRun::untold; // all requests wait at once: their latencies are the queue's
        run.concurrency = std::numeric_limits<double>::infinity();
    } else {
        addFault(out.faults, file + ": scenario '" + scenario + "' is not supported; use Server or Offline");
        return;
    }
    if (!(run.outputTokensPerSecond > 0) && !(run.ttft > 0)) {
        addFault(out.faults,
                 file + ": reports neither tokens per second nor token latencies; give the summary of a "
                        "language model, logged with use_token_latencies");
        return;
    }
    out.runs.push_back(std::move(run));
}

void readTraining(std::string_view text, const std::string& file, BenchReading& out) {
    constexpr std::string_view elapsed = "elapsed time per iteration (ms):", titan = "tps:",
                               nemo = "train_step_timing in s:";
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string line = plainLine(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        const auto take = [&](std::string_view key, double scale, std::vector<double>& into,
                              const char* tool) {
            if (line.find(key) == std::string::npos || (!out.tool.empty() && out.tool != tool))
                return;
            const std::optional<double> value = numberBehind(line, key);
            if (!value || !(*value > 0)) {
                addFault(out.faults, file + ":" + std::to_string(number) + ": no number above 0 behind '" +
                                         std::string(key) + "'; expected a line such as \"" +
                                         std::string(key) + " 6310.5\"");
                return;
            }
            out.tool = tool;
            into.push_back(*value * scale);
        };
        take(elapsed, 1e-3, out.steps.seconds, "Megatron-LM log");
        take(nemo, 1, out.steps.seconds, "NeMo log");
        if (line.find("step:") != std::string::npos)
            take(titan, 1, out.steps.tokensPerSecondPerGpu, "torchtitan log");
        if (const auto batch = numberBehind(line, "global batch size:"); batch && *batch > 0)
            out.steps.globalBatch = *batch;
    }
    out.steps.areMeans = true;
    if (!out.isTraining() && out.faults.empty()) {
        addFault(out.faults, file +
                                 ": is neither a result of a benchmark nor a log that is known; looked for "
                                 "\"elapsed time per iteration (ms):\" (Megatron-LM), \"tps:\" (torchtitan), "
                                 "\"train_step_timing in s:\" (NeMo) and \"MLPerf Results Summary\"");
    }
}

} // namespace

std::optional<double> parseBenchNumber(std::string_view text) {
    std::string digits;
    for (const char c : trimmed(text))
        if (c != ',')
            digits += c;
    double value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return end.ec == std::errc{} && end.ptr == digits.data() + digits.size() && std::isfinite(value)
               ? std::optional(value)
               : std::nullopt;
}

void readBenchLog(std::string_view text, const std::string& file, BenchReading& out) {
    if (text.find("MLPerf Results Summary") != std::string_view::npos)
        readLoadGen(text, file, out);
    else
        readTraining(text, file, out);
}

} // namespace alidade::data
