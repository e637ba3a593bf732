// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/nccl_log.h"

#include "data/import/nccl_lines.h"
#include "data/json/reader.h"
#include "model/collectives/collective_op.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace alidade::data {

namespace {

constexpr double micro = 1e-6, giga = 1e9;
constexpr std::size_t mostWarnings = 5; // of NCCL itself, per table

std::optional<double> decimal(std::string_view word) {
    double value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = read.ec == std::errc() && read.ptr == word.data() + word.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::ranges::transform(
        out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// Returns the collective whose test program a line names ("all_reduce_perf"); empty if it names none.
std::string testOf(std::string_view line) {
    constexpr std::array<std::string_view, 3> others{"gather", "scatter", "hypercube"};
    const std::size_t end = line.find("_perf");
    if (end == std::string_view::npos)
        return {};
    const std::size_t before = line.find_last_of(" \t/'\"=", end);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view name = line.substr(start, end - start);
    const bool known = std::ranges::find(allCollectives, name, ncclTestsName) != allCollectives.end() ||
                       std::ranges::find(others, name) != others.end();
    return known ? std::string(name) : std::string();
}

/// The positions of a table's columns.
struct Columns {
    std::vector<std::string> names;
    struct Place {
        std::size_t time = 0, algorithm = 0, bus = 0, wrong = 0; ///< wrong 0: no such column
    };
    std::vector<Place> places; ///< out of place, then in place

    bool read(const std::vector<std::string_view>& words) {
        if (words.size() < 6 || words[0] != "size" || words[1] != "count" || words[2] != "type")
            return false;
        names.assign(words.begin(), words.end());
        places.clear();
        for (std::size_t i = 3; i + 2 < words.size(); ++i) {
            if (words[i] == "time" && words[i + 1] == "algbw" && words[i + 2] == "busbw") {
                const bool checked = i + 3 < words.size() && words[i + 3] != "time";
                places.push_back({i, i + 1, i + 2, checked ? i + 3 : 0});
            }
        }
        return !places.empty();
    }
    std::size_t column(std::string_view name) const {
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    }
};

struct DeviceLine {
    std::string host, device;
    int local = 0;
};

class LogReader {
public:
    LogReader(std::string_view text, const std::string& fileName, const NcclMachine& known)
        : text_(text)
        , file_(fileName)
        , known_(known) {}

    NcclReading run() {
        std::size_t at = 0;
        while (at < text_.size()) {
            const std::size_t end = std::min(text_.find('\n', at), text_.size());
            ++line_;
            last_ = text_.find_first_not_of(" \t\r\n", end) == std::string_view::npos;
            one(plainNcclLine(text_.substr(at, end - at)));
            at = end + 1;
        }
        finishTable();
        if (out_.tables.empty() && out_.faults.empty()) {
            addFault(out_.faults, file_ +
                                      ": no nccl-tests table found; the header line \"size count type ... "
                                      "time algbw busbw\" must precede the data");
        }
        if (!out_.faults.empty())
            out_.tables.clear();
        return std::move(out_);
    }

private:
    void fault(std::size_t line, const std::string& what) {
        addFault(out_.faults, file_ + ":" + std::to_string(line) + ": " + what);
    }

    void one(std::string_view line) {
        const auto words = wordsOfLine(line);
        if (words.empty())
            return;
        if (Columns columns; columns.read(words)) {
            finishTable();
            columns_ = std::move(columns);
            return startTable();
        }
        if (words.front() == "out-of-place" || words.front() == "in-place") { // above the columns
            startsInPlace_ = words.front() == "in-place";
            return;
        }
        if (table_ && words.front() == "(B)" && std::ranges::find(words, "(us)") == words.end())
            return fault(line_, "the times are not in microseconds; use a table with (us)");
        if (table_ && allDigits(words.front()) && (words.size() == 1 || allDigits(words[1])))
            return row(words);
        remark(line, words);
    }

    void startTable() {
        table_.emplace();
        table_->line = line_;
        counts_.clear();
    }

    /// Reads everything outside tables: versions, devices, summaries.
    void remark(std::string_view line, const std::vector<std::string_view>& words) {
        if (words.size() > 8 && words[0] == "Rank" && words[2] == "Group")
            return device(words);
        if (line.find("NCCL WARN") != std::string_view::npos) {
            if (ncclWarnings_.size() < mostWarnings)
                ncclWarnings_.insert(std::string(line.substr(line.find("NCCL WARN"), 200)));
            return;
        }
        if (const std::size_t at = line.find("NCCL version "); at != std::string_view::npos) {
            const std::string_view rest = line.substr(at + 13);
            const std::string_view version = rest.substr(0, rest.find(' '));
            setVersion(std::string(version.substr(0, version.find('+'))));
        } else if (line.starts_with("nccl-tests version ")) {
            startRun();
            testsVersion_ = words.size() > 2 ? std::string(words[2]) : std::string();
            for (const std::string_view word : words)
                if (word.starts_with("nccl-library="))
                    setVersion(versionOfNcclCode(word.substr(13)));
        } else if (words.front() == "nThread") {
            startRun();
        } else if (line.starts_with("Avg bus bandwidth") || line.starts_with("Out of bounds values")) {
            summary(line, words);
        } else if (const std::string test = testOf(line); !test.empty()) {
            if (line.find("concluded") == std::string_view::npos) {
                startRun();
                op_ = test;
            }
        }
    }

    void summary(std::string_view line, const std::vector<std::string_view>& words) {
        if (!table_)
            return;
        if (line.starts_with("Avg")) {
            if (const auto value = decimal(words.back()))
                table_->averageBusBandwidth = *value * giga;
        } else if (line.find("OK") == std::string_view::npos) {
            table_->warnings.push_back(std::string(line));
        }
    }

    void setVersion(std::string version) {
        if (table_ && table_->ncclVersion.empty())
            table_->ncclVersion = version;
        version_ = std::move(version);
    }

    /// Resets what was read before a table, which does not apply to the next run.
    void startRun() {
        startsInPlace_ = false;
        if (table_ && !table_->points.empty())
            finishTable();
    }

    /// "Rank  0 Group  0 Pid 1942267 on h100-14 device  0 [0x0f] NVIDIA H100 80GB HBM3"
    void device(const std::vector<std::string_view>& words) {
        startRun();
        const auto on = std::ranges::find(words, "on");
        const auto device = std::ranges::find(words, "device");
        if (!allDigits(words[1]) || words[1].size() > 8 || words.end() - on < 2 || words.end() - device < 3 ||
            !allDigits(device[1]) || device[1].size() > 4) {
            return;
        }
        std::string name;
        for (auto at = device + 2; at != words.end(); ++at)
            if (!at->starts_with('['))
                name += (name.empty() ? "" : " ") + std::string(*at);
        devices_[std::stoi(std::string(words[1]))] = {std::string(on[1]), name,
                                                      std::stoi(std::string(device[1]))};
    }

    void row(const std::vector<std::string_view>& words) {
        if (words.size() != columns_.names.size()) {
            if (last_) {
                table_->warnings.push_back("The last line is truncated and ignored.");
                return;
            }
            return fault(line_, std::to_string(words.size()) + " columns under a header of " +
                                    std::to_string(columns_.names.size()) + "; do not truncate lines");
        }
        const auto bytes = decimal(words[0]), count = decimal(words[1]);
        if (*bytes == 0) {
            zeroSizes_ = true;
            return;
        }
        const std::size_t column = columns_.column("redop");
        const std::string_view redop = column < words.size() ? words[column] : std::string_view();
        if (!table_->points.empty() && (words[2] != table_->dtype || redop != redop_)) {
            keepTable(); // one run of several types or reductions
            startTable();
        }
        table_->dtype = std::string(words[2]);
        redop_ = std::string(redop);
        bool inPlace = startsInPlace_;
        for (const Columns::Place& place : columns_.places) {
            point(words, place, *bytes, inPlace);
            inPlace = true;
        }
        counts_.push_back({*bytes, *count});
    }

    void point(const std::vector<std::string_view>& words, const Columns::Place& place, double bytes,
               bool inPlace) {
        if (words[place.time] == "N/A")
            return;
        const auto time = decimal(words[place.time]), algorithm = decimal(words[place.algorithm]),
                   bus = decimal(words[place.bus]);
        if (!time || !algorithm || !bus || *time <= 0 || *algorithm < 0 || *bus < 0) {
            return fault(line_, "'" + std::string(words[place.time]) + " " +
                                    std::string(words[place.algorithm]) + " " +
                                    std::string(words[place.bus]) +
                                    "' is not a time with its bandwidths; expected positive numbers");
        }
        table_->points.push_back({bytes, inPlace, *time * micro, *algorithm * giga, *bus * giga,
                                  place.wrong == 0 ? std::string() : std::string(words[place.wrong])});
    }

    void keepTable() {
        complete(*table_);
        out_.tables.push_back(*std::move(table_));
    }

    void finishTable() {
        if (!table_)
            return;
        if (table_->points.empty())
            fault(table_->line, "the table is empty; wait for the test to finish");
        else
            keepTable();
        devices_.clear();
        ncclWarnings_.clear();
        op_.clear();
        zeroSizes_ = false;
        table_.reset();
    }

    void complete(NcclTable& table) {
        if (table.ncclVersion.empty())
            table.ncclVersion = version_;
        table.testsVersion = testsVersion_;
        nameOp(table);
        countRanks(table);
        nameMachine(table);
        for (const std::string& warning : ncclWarnings_)
            table.warnings.push_back(warning);
        if (zeroSizes_)
            table.warnings.emplace_back("The line of 0 bytes is ignored.");
        const auto wrong = std::ranges::count_if(table.points, &NcclPoint::isWrong);
        if (wrong > 0)
            table.warnings.push_back(std::to_string(wrong) + " measurements have wrong results.");
    }

    bool countIsSize(const NcclTable& table) const {
        return counts_.back().second * bytesOfNcclType(table.dtype) == counts_.back().first;
    }

    /// Takes the name from the log, the caller, the reduction and the counts, or else from the file name.
    void nameOp(NcclTable& table) {
        table.op = op_.empty() ? known_.op : op_;
        if (!op_.empty() && !known_.op.empty() && op_ != known_.op)
            fault(table.line, "the log measures " + op_ + ", not " + known_.op);
        if (table.op.empty() && !redop_.empty() && redop_ != "none")
            table.op = countIsSize(table) ? ncclTestsName(CollectiveOp::allReduce)
                                          : ncclTestsName(CollectiveOp::reduceScatter);
        if (table.op.empty()) {
            const std::string name = lowerCase(file_.substr(file_.find_last_of('/') + 1));
            const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
            if (has("allgather") || has("all_gather") || has("all-gather"))
                table.op = ncclTestsName(CollectiveOp::allGather);
            else if (has("alltoall") || has("all_to_all") || has("all-to-all") || has("all2all"))
                table.op = ncclTestsName(CollectiveOp::allToAll);
            if (!table.op.empty()) {
                table.warnings.push_back("The log does not name its collective; " + table.op +
                                         " is taken from the file name.");
            }
        }
        if (table.op.empty()) {
            fault(table.line, "the log does not name its collective; specify all_gather or alltoall");
        } else if (std::ranges::find(measuredCollectives, table.op) == measuredCollectives.end()) {
            fault(table.line,
                  "measurements of " + table.op + " are not supported; use " + measuredCollectivesText());
        }
    }

    /// Returns the ranks that the bandwidths imply, if their printed digits suffice; else 0.
    int impliedRanks(const NcclTable& table) const {
        const int element = bytesOfNcclType(table.dtype);
        if (table.op != "all_reduce") {
            const double ranks =
                element == 0 ? 0 : counts_.back().first / std::max(1.0, counts_.back().second * element);
            return ranks == std::floor(ranks) && ranks < 1e6 ? static_cast<int>(ranks) : 0;
        }
        const auto best = std::ranges::max_element(table.points, {}, &NcclPoint::algBandwidth);
        const double algorithm = best->algBandwidth / giga, bus = best->busBandwidth / giga;
        constexpr double halfDigit = 0.005;
        const double factor = algorithm > 0 ? bus / algorithm : 0;
        if (factor <= 0 || factor >= 2)
            return 0;
        const double ranks = 2 / (2 - factor); // bus factor 2 (n - 1)/n
        const double doubt =
            ranks * ranks / 2 * factor * (halfDigit / algorithm + halfDigit / std::max(bus, halfDigit));
        return doubt < 0.4 && std::abs(ranks - std::round(ranks)) <= doubt + 0.02
                   ? static_cast<int>(std::round(ranks))
                   : 0;
    }

    void countRanks(NcclTable& table) {
        const int listed = devices_.empty() ? 0 : devices_.rbegin()->first + 1;
        const int implied = impliedRanks(table);
        table.ranks = listed;
        if (implied > 0 && implied != listed) {
            if (listed > 0) {
                table.warnings.push_back("The log lists " + std::to_string(listed) +
                                         " ranks, but its bandwidths imply " + std::to_string(implied) +
                                         ", which is used.");
            }
            table.ranks = implied;
            table.ranksDerived = true;
        }
        if (table.ranks == 0) {
            fault(table.line, "the number of GPUs is unknown; keep the lines \"Rank 0 ... on HOST device 0\" "
                              "of the log");
        }
    }

    void nameMachine(NcclTable& table) {
        std::set<std::string> hosts, parts;
        int local = 0;
        for (const auto& [rank, device] : devices_) {
            hosts.insert(device.host);
            parts.insert(partOfDevice(device.device));
            local = std::max(local, device.local + 1);
        }
        const std::string said = parts.empty() ? std::string() : *parts.begin();
        if (parts.size() > 1)
            table.warnings.emplace_back("The devices differ; the first is shown.");
        if (!said.empty() && !known_.gpu.empty() && lowerCase(said) != lowerCase(known_.gpu))
            fault(table.line, "the log was made on " + said + ", not on " + known_.gpu);
        table.gpu = said.empty() ? known_.gpu : said;
        if (!devices_.empty() && static_cast<int>(devices_.size()) == table.ranks) {
            table.nodes = static_cast<int>(hosts.size());
        } else if (local > 0 && known_.nodes == 0 && table.ranks % local == 0) {
            table.nodes = table.ranks / local;
            table.nodesDerived = true;
            table.warnings.push_back("Not every rank is listed; " + std::to_string(table.nodes) +
                                     " nodes of " + std::to_string(local) + " GPUs are assumed.");
        }
        if (known_.nodes > 0 && table.nodes > 0 && table.nodes != known_.nodes) {
            fault(table.line, "the log was made on " + std::to_string(table.nodes) + " nodes, not on " +
                                  std::to_string(known_.nodes));
        }
        table.nodes = table.nodes == 0 ? known_.nodes : table.nodes;
        if (table.gpu.empty())
            table.warnings.emplace_back("The log does not name the GPU.");
    }

    std::string_view text_;
    const std::string& file_;
    const NcclMachine& known_;
    NcclReading out_;
    std::size_t line_ = 0;
    bool last_ = false; ///< only whitespace follows
    Columns columns_;
    std::optional<NcclTable> table_;
    std::vector<std::pair<double, double>> counts_; ///< size and count columns
    std::map<int, DeviceLine> devices_;             ///< by rank
    std::set<std::string> ncclWarnings_;
    std::string op_, redop_, version_, testsVersion_;
    bool zeroSizes_ = false;
    bool startsInPlace_ = false; ///< the first times of a row are those in place
};

} // namespace

std::string measuredCollectivesText() {
    std::string out;
    for (const std::string_view each : measuredCollectives)
        out += (out.empty() ? "" : each == measuredCollectives.back() ? " or " : ", ") + std::string(each);
    return out;
}

NcclReading readNcclLog(std::string_view text, const std::string& fileName, const NcclMachine& known) {
    if (text.find('\x1b') == std::string_view::npos)
        return LogReader(text, fileName, known).run();
    const std::string plain = withoutEscapes(text);
    return LogReader(plain, fileName, known).run();
}

} // namespace alidade::data
