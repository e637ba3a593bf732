// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/rule_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace alidade {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between = ", ") {
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : std::string(between)) + word;
    return out;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
    }
    return out + '"';
}

/// A host's name as RE2 reads it literally.
std::string literal(std::string_view host) {
    std::string out;
    for (const char c : host) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_')
            out += '\\';
        out += c;
    }
    return out;
}

/// `instance` may carry a port. A label with alternatives cannot be matched by the server: the rows of other
/// hosts are left out of its answer.
std::string hostMatcher(const std::string& label, const std::vector<std::string>& hosts) {
    if (hosts.empty() || alternatives(label).size() != 1)
        return {};
    std::string pattern;
    for (const std::string& host : hosts)
        pattern += (pattern.empty() ? "" : "|") + literal(host);
    if (label == "instance")
        pattern = "(?:" + pattern + ")(?::[0-9]+)?";
    return label + "=~" + quoted(pattern);
}

const std::string& hostLabel(const MetricRule& rule, const LabelNames& labels) {
    return rule.host.empty() ? labels.host : rule.host;
}

std::string matchersOf(const MetricRule& rule, const LabelNames& labels, const JobSelection& selection) {
    std::vector<std::string> out;
    if (!rule.selector.empty())
        out.push_back(rule.selector);
    const SignalScope scope = signalInfo(rule.signal).scope;
    if (scope == SignalScope::job || scope == SignalScope::engine) {
        // Series that state a configuration rarely name the model; their hosts are sorted out afterwards.
        if (!selection.matcher.empty() && rule.kind != MetricKind::info)
            out.push_back(selection.matcher);
    } else if (std::string hosts = hostMatcher(hostLabel(rule, labels), selection.hosts); !hosts.empty()) {
        out.push_back(std::move(hosts));
    }
    return joined(out, ",");
}

bool plainName(std::string_view metric) {
    return std::ranges::all_of(metric,
                               [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; }) &&
           !metric.empty() && !std::isdigit(static_cast<unsigned char>(metric.front()));
}

/// Builds the expression of one rule.
class Expression {
public:
    Expression(const MetricRule& rule, const LabelNames& labels, const QueryWindows& windows,
               const JobSelection& selection)
        : rule_(rule)
        , groups_(groupLabels(rule, labels))
        , matchers_(matchersOf(rule, labels, selection))
        , windows_(windows)
        , window_(promDuration(windowOf(rule, windows))) {}

    std::string text(Statistic statistic) const {
        const bool steady = signalInfo(rule_.signal).kind != SignalKind::rate;
        switch (rule_.kind) {
        case MetricKind::gauge:
        case MetricKind::info:
            return aggregate(recent(rule_.metric));
        case MetricKind::counter:
            return aggregate(rate(rule_.metric));
        case MetricKind::progress:
            return aggregate("clamp_min(delta(" + series(rule_.metric) + '[' + window_ + "]), 0) / " +
                             number(windowOf(rule_, windows_)));
        case MetricKind::ratio:
            return fraction(rate(rule_.metric), rate(rule_.divisor));
        case MetricKind::quotient:
            return aggregate(recent(rule_.metric)) + " / " + aggregate(recent(rule_.divisor));
        case MetricKind::histogram:
        case MetricKind::summary:
            break;
        }
        if (!steady)
            return aggregate(rate(rule_.metric + "_sum"));
        if (statistic == Statistic::value || statistic == Statistic::mean)
            return fraction(rate(rule_.metric + "_sum"), rate(rule_.metric + "_count"));
        std::vector<std::string> groups = groups_;
        groups.emplace_back("le");
        return std::string("histogram_quantile(") + level(statistic) + ", " +
               aggregated("sum", groups, rate(rule_.metric + "_bucket")) + ')';
    }

private:
    static const char* level(Statistic statistic) {
        switch (statistic) {
        case Statistic::p50:
            return "0.5";
        case Statistic::p90:
            return "0.9";
        case Statistic::p95:
            return "0.95";
        default:
            return "0.99";
        }
    }
    static std::string number(double value) {
        std::array<char, 32> text{}; // no locale
        return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
    }
    std::string series(const std::string& metric) const {
        if (plainName(metric))
            return matchers_.empty() ? metric : metric + '{' + matchers_ + '}';
        return "{__name__=" + quoted(metric) + (matchers_.empty() ? "" : "," + matchers_) + '}';
    }
    /// Copies of one figure are one series.
    std::string single(std::string inner) const {
        return rule_.copies.empty() ? inner : "max without (" + joined(rule_.copies) + ") (" + inner + ')';
    }
    std::string rate(const std::string& metric) const {
        return single("rate(" + series(metric) + '[' + window_ + "])");
    }
    /// On a grid that is wider than the window every sample still counts.
    std::string recent(const std::string& metric) const {
        const char* over = "last_over_time(";
        if (windows_.step > windows_.gauge) {
            switch (combination(rule_)) {
            case Combine::largest:
                over = "max_over_time(";
                break;
            case Combine::smallest:
                over = "min_over_time(";
                break;
            default:
                over = "avg_over_time(";
            }
            if (signalInfo(rule_.signal).kind == SignalKind::code)
                over = "max_over_time(";
        }
        return single(over + series(metric) + '[' + window_ + "])");
    }
    static std::string aggregated(const char* op, const std::vector<std::string>& groups,
                                  const std::string& inner) {
        return std::string(op) + (groups.empty() ? " (" : " by (" + joined(groups) + ") (") + inner + ')';
    }
    std::string aggregate(const std::string& inner) const {
        switch (combination(rule_)) {
        case Combine::sum:
            return aggregated("sum", groups_, inner);
        case Combine::largest:
            return aggregated("max", groups_, inner);
        case Combine::smallest:
            return aggregated("min", groups_, inner);
        default:
            return aggregated("avg", groups_, inner);
        }
    }
    std::string fraction(const std::string& above, const std::string& below) const {
        return aggregated("sum", groups_, above) + " / " + aggregated("sum", groups_, below);
    }

    const MetricRule& rule_;
    std::vector<std::string> groups_;
    std::string matchers_;
    const QueryWindows& windows_;
    std::string window_;
};

bool looksBack(const MetricRule& rule) {
    return rule.kind == MetricKind::gauge || rule.kind == MetricKind::info ||
           rule.kind == MetricKind::quotient;
}

} // namespace

bool concerns(const JobSelection& selection, Signal signal) {
    const SignalScope scope = signalInfo(signal).scope;
    return !(selection.kind == JobSelection::Kind::training && scope == SignalScope::engine) &&
           !(selection.kind == JobSelection::Kind::serving &&
             (scope == SignalScope::job || signal == Signal::nodeComputeTime));
}

std::vector<Statistic> statisticsOf(const MetricRule& rule) {
    using enum Statistic;
    if (signalInfo(rule.signal).kind != SignalKind::distribution)
        return {value};
    return rule.kind == MetricKind::histogram ? std::vector{mean, p50, p90, p95, p99} : std::vector{mean};
}

std::vector<std::string> groupLabels(const MetricRule& rule, const LabelNames& labels) {
    std::vector<std::string> out;
    const auto add = [&out](std::string_view names) {
        for (std::string& each : alternatives(names))
            if (std::ranges::find(out, each) == out.end())
                out.push_back(std::move(each));
    };
    const SignalScope scope = signalInfo(rule.signal).scope;
    if (scope == SignalScope::gpu || scope == SignalScope::device || scope == SignalScope::node)
        add(hostLabel(rule, labels));
    if (scope == SignalScope::gpu)
        add(labels.gpu);
    else if (scope == SignalScope::device)
        add(labels.device);
    else if (scope == SignalScope::engine)
        add(labels.engine);
    add(rule.part);
    for (const std::string& figure : rule.figures)
        add(figure);
    return out;
}

std::string expressionOf(const MetricRule& rule, const LabelNames& labels, const QueryWindows& windows,
                         const JobSelection& selection, Statistic statistic) {
    return Expression(rule, labels, windows, selection).text(statistic);
}

double windowOf(const MetricRule& rule, const QueryWindows& windows) {
    if (looksBack(rule))
        return std::max(windows.gauge, windows.step);
    // The mean of the steps that ended is exact for any number of them; a rate of them is not.
    const SignalInfo& info = signalInfo(rule.signal);
    const bool counted = info.kind == SignalKind::rate && rule.kind != MetricKind::ratio;
    return info.scope == SignalScope::job && counted ? windows.job : windows.rate;
}

std::string labelMatcher(std::string_view label, std::string_view value) {
    return std::string(label) + '=' + quoted(value);
}

std::string promDuration(double seconds) {
    const long long ms = std::llround(seconds * 1000);
    return ms % 1000 == 0 ? std::to_string(ms / 1000) + 's' : std::to_string(ms) + "ms";
}

} // namespace alidade
