// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/traces/trace_reader.h"

#include "data/json/file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "model/base/calendar.h"
#include "model/units/constants.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <unordered_map>
#include <vector>

namespace alidade::data {

namespace {

constexpr std::size_t longestLine = 1U << 20; // bytes
constexpr double mostTokens = 1e8;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<double> numberOf(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value)
               ? std::optional(value)
               : std::nullopt;
}

/// Fields of a CSV line; quotes around a field are taken off.
std::vector<std::string_view> fieldsOf(std::string_view line) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t comma = line.find(',');
        std::string_view field = trimmed(line.substr(0, comma));
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
            field = field.substr(1, field.size() - 2);
        out.push_back(field);
        if (comma == std::string_view::npos)
            return out;
        line.remove_prefix(comma + 1);
    }
}

/// Unix s of "2023-11-16 18:17:03.9799600", with T for the space, and with Z or an offset after it.
std::optional<double> instantOf(std::string_view text) {
    const auto day = text.size() > 18 ? dayOfDate(text.substr(0, 10)) : std::nullopt;
    if (!day || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' || text[16] != ':')
        return std::nullopt;
    std::string_view seconds = text.substr(17);
    double offset = 0;
    if (seconds.ends_with('Z')) {
        seconds.remove_suffix(1);
    } else if (const std::size_t sign = seconds.find_first_of("+-"); sign != std::string_view::npos) {
        const std::string_view zone = seconds.substr(sign);
        const auto hours = numberOf(zone.substr(1, 2));
        const auto minutes = zone.size() == 6 && zone[3] == ':' ? numberOf(zone.substr(4)) : std::nullopt;
        if (!hours || !minutes)
            return std::nullopt;
        offset = (zone.front() == '-' ? -1 : 1) * (*hours * secondsPerHour + *minutes * 60);
        seconds = seconds.substr(0, sign);
    }
    const auto hour = numberOf(text.substr(11, 2)), minute = numberOf(text.substr(14, 2)),
               second = numberOf(seconds);
    if (!hour || !minute || !second || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59 ||
        *second < 0 || *second >= 61) {
        return std::nullopt;
    }
    return *day * secondsPerDay + *hour * secondsPerHour + *minute * 60 + *second - offset;
}

class TraceReader {
public:
    TraceReader(std::istream& in, std::string file, const std::stop_token& stop,
                const std::function<void(std::uint64_t)>& progress)
        : in_(in)
        , file_(std::move(file))
        , stop_(stop)
        , progress_(progress) {}

    Result<TraceReading> read() {
        std::string line;
        while (next(line)) {
            const std::string_view text = trimmed(line);
            if (text.empty())
                continue;
            const std::string wrong = columns_.empty() && !isJson_ ? takeFirst(text) : takeLine(text);
            if (!wrong.empty())
                return Error{file_ + ":" + std::to_string(number_) + ": " + wrong};
        }
        if (stop_.stop_requested())
            return Error{file_ + ": stopped"};
        if (!fault_.empty())
            return Error{file_ + ":" + std::to_string(number_) + ": " + fault_};
        if (in_.bad())
            return Error{file_ + ": cannot be read; check the disk"};
        if (out_.trace.requests.empty()) {
            return Error{file_ + ": holds no request with an answer; name a trace in Mooncake JSON Lines, "
                                 "BurstGPT CSV or Azure LLM inference CSV"};
        }
        finish();
        constexpr double longest = 366 * secondsPerDay;
        if (!(out_.trace.seconds() <= longest)) {
            return Error{file_ +
                         ": its requests are more than a year apart; check the times, or use a part of "
                         "the file"};
        }
        return std::move(out_);
    }

private:
    /// Reads a line; nothing where the file ends, or where a line is too long to be one of a trace.
    bool next(std::string& line) {
        constexpr std::uint64_t often = 4096; // lines between two looks
        if (number_ % often == 0) {
            if (stop_.stop_requested())
                return false;
            if (progress_)
                progress_(bytes_);
        }
        line.clear();
        std::streambuf* buffer = in_.rdbuf();
        for (int c = buffer->sbumpc(); c != '\n'; c = buffer->sbumpc()) {
            if (c == std::char_traits<char>::eof()) {
                ++number_;
                return !line.empty();
            }
            line += static_cast<char>(c);
            if (line.size() > longestLine) {
                ++number_;
                fault_ = "the line is longer than 1 MiB; a trace has one request per line";
                return false;
            }
        }
        ++number_;
        bytes_ += line.size() + 1;
        return true;
    }

    std::string takeFirst(std::string_view line) {
        if (line.front() == '{') {
            isJson_ = true;
            out_.format = TraceFormat::mooncake;
            return takeLine(line);
        }
        constexpr std::string_view mark = "\xEF\xBB\xBF";
        if (line.starts_with(mark))
            line.remove_prefix(mark.size());
        for (const std::string_view field : fieldsOf(line))
            columns_.emplace_back(field);
        const auto at = [&](std::string_view name) {
            return static_cast<int>(std::ranges::find(columns_, name) - columns_.begin());
        };
        const auto size = static_cast<int>(columns_.size());
        const auto use = [&](TraceFormat format, const char* time, const char* input, const char* output) {
            time_ = at(time);
            input_ = at(input);
            output_ = at(output);
            out_.format = format;
            return time_ < size && input_ < size && output_ < size;
        };
        if (use(TraceFormat::azure, "TIMESTAMP", "ContextTokens", "GeneratedTokens") ||
            use(TraceFormat::burstGpt, "Timestamp", "Request tokens", "Response tokens")) {
            return {};
        }
        return "is not the first line of a known trace format; use Mooncake JSON Lines (timestamp, "
               "input_length, output_length), BurstGPT CSV (Timestamp,Model,Request tokens,Response "
               "tokens,...) or Azure CSV (TIMESTAMP,ContextTokens,GeneratedTokens)";
    }

    std::string takeLine(std::string_view line) { return isJson_ ? takeJson(line) : takeCsv(line); }

    std::string takeCsv(std::string_view line) {
        const std::vector<std::string_view> fields = fieldsOf(line);
        if (fields.size() != columns_.size()) {
            return "has " + std::to_string(fields.size()) + " fields; the first line names " +
                   std::to_string(columns_.size());
        }
        const auto field = [&](int at) { return fields[static_cast<std::size_t>(at)]; };
        const bool azure = out_.format == TraceFormat::azure;
        const auto time = azure ? instantOf(field(time_)) : numberOf(field(time_));
        if (!time) {
            return std::string(columns_[static_cast<std::size_t>(time_)]) + " is '" +
                   std::string(field(time_).substr(0, 40)) + "'; use " +
                   (azure ? "a date and time such as 2023-11-16 18:17:03.9799600" : "seconds");
        }
        for (const int at : {input_, output_}) {
            const auto tokens = numberOf(field(at));
            if (!tokens || *tokens < 0 || *tokens > mostTokens || *tokens != std::floor(*tokens)) {
                return columns_[static_cast<std::size_t>(at)] + " is '" +
                       std::string(field(at).substr(0, 40)) + "'; use a whole number of tokens";
            }
        }
        return add(*time, *numberOf(field(input_)), *numberOf(field(output_)), {});
    }

    std::string takeJson(std::string_view line) {
        const Result<nlohmann::json> json = parseJson(line);
        if (!json)
            return "is not a JSON object (" + json.error() + "); write one request a line";
        std::vector<JsonFault> faults;
        ObjectReader in(*json, {}, faults);
        in.require({"timestamp", "input_length", "output_length"});
        const auto time = in.number("timestamp", {0, 1e15, "ms"});
        const auto input = in.integer("input_length", 0, static_cast<int>(mostTokens), "tokens");
        const auto output = in.integer("output_length", 0, static_cast<int>(mostTokens), "tokens");
        std::vector<std::int64_t> ids;
        if (const nlohmann::json* list = in.value("hash_ids")) {
            if (!list->is_array() ||
                !std::ranges::all_of(*list, [](const auto& id) { return id.is_number_integer(); })) {
                in.fault("hash_ids", "is " + describe(*list) + "; use a list of whole numbers");
            } else {
                ids = list->get<std::vector<std::int64_t>>();
            }
        }
        if (!faults.empty())
            return faults.front().pointer + ": " + faults.front().message;
        return add(*time / 1000, *input, *output, ids);
    }

    std::string add(double time, double input, double output, const std::vector<std::int64_t>& ids) {
        constexpr std::size_t mostBlocks = 0xFFFFFFFFU;
        RequestTrace& trace = out_.trace;
        if (input < 1 || output < 1) {
            ++trace.failed;
            return {};
        }
        const auto blocks = static_cast<std::size_t>(std::ceil(input / trace.blockTokens));
        if (ids.size() > blocks) {
            return "/hash_ids: has " + std::to_string(ids.size()) + " entries for " +
                   std::to_string(static_cast<std::int64_t>(input)) + " tokens; a block has " +
                   std::to_string(trace.blockTokens) + " tokens, which makes " + std::to_string(blocks);
        }
        if (trace.requests.size() == mostTraceRequests || trace.blocks.size() + ids.size() > mostBlocks)
            return "holds more requests than can be read; use a part of the file";
        trace.requests.push_back({.time = time,
                                  .input = static_cast<int>(input),
                                  .output = static_cast<int>(output),
                                  .firstBlock = static_cast<std::uint32_t>(trace.blocks.size()),
                                  .blocks = static_cast<std::uint32_t>(ids.size())});
        for (const std::int64_t id : ids) { // numbers from 0 on
            trace.blocks.push_back(
                known_.try_emplace(id, static_cast<std::uint32_t>(known_.size())).first->second);
        }
        return {};
    }

    void finish() {
        RequestTrace& trace = out_.trace;
        std::ranges::stable_sort(trace.requests, {}, &TraceRequest::time);
        const double first = trace.requests.front().time;
        if (out_.format == TraceFormat::azure)
            trace.start = first;
        for (TraceRequest& each : trace.requests)
            each.time -= first;
    }

    std::istream& in_;
    std::string file_, fault_;
    const std::stop_token& stop_;
    const std::function<void(std::uint64_t)>& progress_;
    bool isJson_ = false;
    std::vector<std::string> columns_;
    int time_ = 0, input_ = 0, output_ = 0; // columns
    std::uint64_t number_ = 0, bytes_ = 0;  // of lines that were read
    std::unordered_map<std::int64_t, std::uint32_t> known_;
    TraceReading out_;
};

} // namespace

std::string_view traceFormatName(TraceFormat format) {
    switch (format) {
    case TraceFormat::mooncake:
        return "Mooncake JSON Lines";
    case TraceFormat::burstGpt:
        return "BurstGPT CSV";
    case TraceFormat::azure:
        return "Azure LLM inference CSV";
    }
    return {};
}

Result<TraceReading> readTrace(std::istream& in, const std::string& file, const std::stop_token& stop,
                               const std::function<void(std::uint64_t)>& progress) {
    return TraceReader(in, file, stop, progress).read();
}

Result<TraceReading> readTraceFile(const std::string& file, const std::stop_token& stop,
                                   const std::function<void(double)>& progress) {
    if (const std::string why = whyNoFile(file); !why.empty())
        return Error{file + ": " + why + "; name a trace file"};
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return Error{file + ": cannot be read; check its permissions"};
    std::error_code unknown;
    const auto size = static_cast<double>(std::filesystem::file_size(file, unknown));
    return readTrace(in, file, stop, [&](std::uint64_t bytes) {
        if (progress && size > 0)
            progress(std::min(1.0, static_cast<double>(bytes) / size));
    });
}

} // namespace alidade::data
