// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/time_text.h"

#include "model/units/constants.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

namespace alidade::cli {

namespace {

constexpr double latest = 253'402'300'799; ///< end of the year 9999

struct NamedSpan {
    std::string_view name;
    double seconds;
};
/// As Prometheus writes durations, the longest first.
constexpr std::array namedSpans{NamedSpan{"w", 7 * secondsPerDay},
                                NamedSpan{"d", secondsPerDay},
                                NamedSpan{"h", secondsPerHour},
                                NamedSpan{"m", 60},
                                NamedSpan{"s", 1},
                                NamedSpan{"ms", 0.001}};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A plain decimal at the beginning of the text, which loses it. No sign, no exponent.
std::optional<double> takeDecimal(std::string_view& text) {
    const std::size_t length = std::min(text.find_first_not_of("0123456789."), text.size());
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + length, value, std::chars_format::fixed);
    if (length == 0 || error != std::errc() || end != text.data() + length || !isDigit(text.front()) ||
        !isDigit(text[length - 1])) {
        return std::nullopt;
    }
    text.remove_prefix(length);
    return value;
}

/// Units that follow each other from long to short: "1h30m".
std::optional<double> spanOf(std::string_view text) {
    double sum = 0;
    std::size_t next = 0;
    while (!text.empty()) {
        const auto amount = takeDecimal(text);
        const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
        const auto* const unit =
            std::find_if(namedSpans.begin() + next, namedSpans.end(),
                         [&](const auto& each) { return each.name == text.substr(0, letters); });
        if (!amount || unit == namedSpans.end())
            return std::nullopt;
        sum += *amount * unit->seconds;
        next = static_cast<std::size_t>(unit - namedSpans.begin()) + 1;
        text.remove_prefix(letters);
    }
    return next == 0 ? std::nullopt : std::optional(sum);
}

/// Reads fixed numbers of digits and separators, and remembers whether one was not there.
class DigitReader {
public:
    explicit DigitReader(std::string_view text)
        : rest_(text) {}

    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            good_ = good_ && i < rest_.size() && isDigit(rest_[i]);
            value = good_ ? 10 * value + (rest_[i] - '0') : 0;
        }
        rest_.remove_prefix(good_ ? digits : 0);
        return value;
    }
    void one(std::string_view of) {
        good_ = good_ && !rest_.empty() && of.find(rest_.front()) != std::string_view::npos;
        rest_.remove_prefix(good_ ? 1 : 0);
    }
    bool next(char c) const { return good_ && !rest_.empty() && rest_.front() == c; }
    bool good() const { return good_; }
    bool done() const { return good_ && rest_.empty(); }
    std::string_view& rest() { return rest_; }

private:
    std::string_view rest_;
    bool good_ = true;
};

/// RFC 3339, section 5.6; a date alone is its midnight.
std::optional<double> calendarTime(std::string_view text) {
    namespace chrono = std::chrono;
    DigitReader in(text);
    const int year = in.number(4);
    in.one("-");
    const int month = in.number(2);
    in.one("-");
    const int day = in.number(2);
    const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                      chrono::day(static_cast<unsigned>(day))};
    if (!in.good() || !date.ok())
        return std::nullopt;
    const double midnight =
        static_cast<double>(chrono::sys_days(date).time_since_epoch().count()) * secondsPerDay;
    if (in.done())
        return midnight;
    in.one("Tt ");
    const int hour = in.number(2);
    in.one(":");
    const int minute = in.number(2);
    in.one(":");
    const int second = in.number(2);
    double fraction = 0;
    if (in.next('.')) {
        in.one(".");
        double unit = 0.1;
        if (in.rest().empty() || !isDigit(in.rest().front()))
            return std::nullopt;
        for (; !in.rest().empty() && isDigit(in.rest().front()); unit /= 10)
            fraction += unit * in.number(1);
    }
    double offset = 0;
    if (in.next('Z') || in.next('z')) {
        in.one("Zz");
    } else {
        const bool east = in.next('+');
        in.one("+-");
        const int hours = in.number(2);
        in.one(":");
        const int minutes = in.number(2);
        if (hours > 23 || minutes > 59)
            return std::nullopt;
        offset = (east ? -1 : 1) * (hours * secondsPerHour + minutes * 60.0);
    }
    // 60: a leap second, which Unix time does not have.
    if (!in.done() || hour > 23 || minute > 59 || second > 60)
        return std::nullopt;
    return midnight + hour * secondsPerHour + minute * 60.0 + second + fraction + offset;
}

Error notATime(std::string_view text) {
    return {
        "'" + std::string(text) +
        "' is not a valid time; use RFC 3339 (2026-01-01T12:00:00Z), Unix seconds, now, or before now (-2h)"};
}

} // namespace

Result<double> timeOf(std::string_view text, double now) {
    std::optional<double> time;
    if (text == "now") {
        time = now;
    } else if (text.starts_with('-')) {
        if (const auto ago = spanOf(text.substr(1)))
            time = now - *ago;
    } else if (text.find_first_not_of("0123456789.") == std::string_view::npos) {
        std::string_view rest = text;
        time = takeDecimal(rest);
    } else {
        time = calendarTime(text);
    }
    if (!time)
        return notATime(text);
    if (*time < 0 || *time > latest) {
        return Error{"'" + std::string(text) +
                     "' is a time before 1970 or after 9999; Unix seconds are meant, not milliseconds"};
    }
    return *time;
}

Result<double> durationOf(std::string_view text) {
    std::string_view rest = text;
    auto seconds = spanOf(text);
    if (!seconds && text.find_first_not_of("0123456789.") == std::string_view::npos)
        seconds = takeDecimal(rest);
    if (!seconds || *seconds <= 0) {
        return Error{"'" + std::string(text) +
                     "' is not a valid duration; use seconds (30) or 500ms, 30s, 5m, 1h30m, 2d"};
    }
    return *seconds;
}

double now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string timeText(double unixSeconds) {
    namespace chrono = std::chrono;
    if (!std::isfinite(unixSeconds) || std::abs(unixSeconds) > latest)
        return "unknown";
    const auto milliseconds = static_cast<std::int64_t>(std::llround(unixSeconds * 1000));
    const chrono::sys_time<chrono::milliseconds> time{chrono::milliseconds(milliseconds)};
    const auto day = chrono::floor<chrono::days>(time);
    const chrono::year_month_day date(day);
    const chrono::hh_mm_ss clock(time - day);
    std::array<char, 40> out{};
    std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()));
    std::string text = out.data();
    if (const auto rest = static_cast<int>(clock.subseconds().count()); rest != 0) {
        std::snprintf(out.data(), out.size(), ".%03d", rest);
        text += out.data();
    }
    return text + "Z";
}

std::string durationText(double seconds) {
    std::string text;
    auto rest = static_cast<std::int64_t>(std::llround(seconds * 1000));
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{
        {{"d", 86'400'000}, {"h", 3'600'000}, {"min", 60'000}, {"s", 1000}, {"ms", 1}}};
    for (const auto& [name, length] : units) {
        if (rest >= length) {
            text += (text.empty() ? "" : " ") + std::to_string(rest / length) + " " + std::string(name);
            rest %= length;
        }
    }
    return text.empty() ? "0 s" : text;
}

} // namespace alidade::cli
