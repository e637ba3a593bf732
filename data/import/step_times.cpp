// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/step_times.h"

#include "data/json/reader.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace alidade::data {

namespace {

constexpr double longestStep = 1e5; ///< s

/// Returns the cells of a line; a quoted one may contain separators, and "" for a quote.
std::vector<std::string> cellsOf(std::string_view line, char separator) {
    std::vector<std::string> out(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
                out.back() += '"';
                ++i;
            } else {
                quoted = !quoted;
            }
        } else if (c == separator && !quoted) {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
    for (std::string& cell : out)
        cell = std::string(trimmed(cell));
    return out;
}

std::optional<double> numberIn(std::string_view cell) {
    double value = 0;
    const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return end.ec == std::errc{} && end.ptr == cell.data() + cell.size() ? std::optional(value)
                                                                         : std::nullopt;
}

/// Returns the words of a header in lower case.
std::vector<std::string> wordsIn(std::string_view header) {
    std::vector<std::string> out(1);
    for (const char c : header)
        if (std::isalnum(static_cast<unsigned char>(c)))
            out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!out.back().empty())
            out.emplace_back();
    if (out.back().empty())
        out.pop_back();
    return out;
}

struct Unit {
    std::string_view word, name;
    double seconds;
};
constexpr std::array<Unit, 12> units{{{"s", "s", 1},
                                      {"sec", "s", 1},
                                      {"secs", "s", 1},
                                      {"second", "s", 1},
                                      {"seconds", "s", 1},
                                      {"ms", "ms", 1e-3},
                                      {"msec", "ms", 1e-3},
                                      {"millis", "ms", 1e-3},
                                      {"milliseconds", "ms", 1e-3},
                                      {"us", "us", 1e-6},
                                      {"microseconds", "us", 1e-6},
                                      {"min", "min", 60}}};

Unit unitOf(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        for (const Unit& unit : units)
            if (word == unit.word)
                return unit;
    }
    return units.front();
}

/// Returns whether there is a word for a step and one for time, or a word for both.
bool isStepTime(const std::vector<std::string>& words) {
    bool step = false, time = false;
    for (const std::string& word : words) {
        step = step || word == "step" || word == "steps" || word == "iteration" || word == "iter" ||
               word == "batch";
        time = time || word == "time" || word == "times" || word == "duration" || word == "elapsed" ||
               word == "seconds" || word == "sec" || word == "s" || word == "ms";
        if (word == "steptime" || word == "itertime")
            return true;
    }
    return step && time;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Reads line by line: first the format of the table, then its numbers.
class Reader {
public:
    Reader(const std::string& fileName, const std::string& column)
        : file_(fileName)
        , wanted_(column) {}

    void line(std::string_view text, std::size_t number) {
        if (!began_)
            begin(text, number);
        else if (stopped_)
            return;
        else
            value(cellsOf(text, separator_), number);
    }

    StepTimesReading take() {
        if (out_.faults.empty() && out_.seconds.empty())
            fault(0, "no step times found; add a column step_time_s with one number per line");
        if (!out_.faults.empty())
            out_.seconds.clear();
        return std::move(out_);
    }

private:
    void fault(std::size_t number, const std::string& message) {
        addFault(out_.faults, file_ + (number > 0 ? ":" + std::to_string(number) : "") + ": " + message);
    }

    void begin(std::string_view text, std::size_t number) {
        began_ = true;
        for (const char c : {'\t', ';', ','}) {
            if (text.find(c) != std::string_view::npos) {
                separator_ = c;
                break;
            }
        }
        const std::vector<std::string> cells = cellsOf(text, separator_);
        const bool named =
            std::ranges::none_of(cells, [](const std::string& c) { return numberIn(c).has_value(); });
        if (!named) {
            if (cells.size() != 1 || !wanted_.empty()) {
                fault(number, "the header line is missing; add one such as \"step,step_time_s\"");
                stopped_ = true;
                return;
            }
            out_.unit = "s";
            value(cells, number);
            return;
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const bool is =
                wanted_.empty() ? isStepTime(wordsIn(cells[i])) : lower(cells[i]) == lower(wanted_);
            if (!is)
                continue;
            if (!out_.column.empty()) {
                fault(number, "both '" + out_.column + "' and '" + cells[i] +
                                  "' could be the step time; remove one, or rename it to step_time_s");
                stopped_ = true;
                return;
            }
            column_ = i;
            out_.column = cells[i];
        }
        if (out_.column.empty()) {
            std::string names;
            for (const std::string& cell : cells)
                names += (names.empty() ? "'" : ", '") + cell + "'";
            fault(number, (wanted_.empty() ? "none of the columns " + names + " is the step time"
                                           : "there is no column '" + wanted_ + "' among " + names) +
                              "; add a column step_time_s");
            stopped_ = true;
            return;
        }
        const Unit unit = unitOf(wordsIn(out_.column));
        scale_ = unit.seconds;
        out_.unit = unit.name;
    }

    void value(const std::vector<std::string>& cells, std::size_t number) {
        if (cells.size() <= column_) {
            fault(number, "has " + std::to_string(cells.size()) +
                              " columns, and the step time is in column " + std::to_string(column_ + 1) +
                              "; use as many columns as in the first line");
            return;
        }
        const std::string& cell = cells[column_];
        const std::optional<double> value = numberIn(cell);
        if (!value)
            fault(number, "'" + cell + "' is not a number; use a step time such as 8.37");
        else if (!(*value > 0) || !(*value * scale_ < longestStep))
            fault(number, "'" + cell + "' is not a step time; expected a value above 0 and below 100,000 s");
        else
            out_.seconds.push_back(*value * scale_);
    }

    std::string file_, wanted_;
    StepTimesReading out_;
    char separator_ = ',';
    std::size_t column_ = 0;
    double scale_ = 1;
    bool began_ = false, stopped_ = false;
};

} // namespace

StepTimesReading readStepTimes(std::string_view text, const std::string& fileName,
                               const std::string& column) {
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    Reader reader(fileName, column);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && line.front() != '#')
            reader.line(line, number);
    }
    return reader.take();
}

} // namespace alidade::data
