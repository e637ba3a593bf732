// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/mapping_choice.h"

#include "model/units/constants.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace alidade {

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::binary_search(names, name);
}

/// At least one metric of the preset is there.
bool answers(const MetricMapping& preset, const std::vector<std::string>& names) {
    if (!preset.probe.empty()) {
        const auto from = std::ranges::lower_bound(names, preset.probe);
        return from != names.end() && from->starts_with(preset.probe);
    }
    return std::ranges::any_of(preset.rules, [&](const MetricRule& rule) { return readable(rule, names); });
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
    std::string out;
    constexpr std::size_t most = 4;
    const std::size_t shown = std::min(words.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0)
            out += i + 1 == shown && words.size() <= most ? " " + std::string(last) + " " : ", ";
        out += words[i];
    }
    return words.size() > most ? out + ", ..." : out;
}

void addOnce(std::vector<std::string>& words, const std::string& word) {
    if (!word.empty() && std::ranges::find(words, word) == words.end())
        words.push_back(word);
}

/// Why there is no rule of this signal; empty where no preset knows it.
std::string reason(Signal signal, const std::vector<MetricMapping>& presets,
                   const std::vector<std::string>& names) {
    std::vector<std::string> asked, there, elsewhere;
    std::string hint;
    for (const MetricMapping& preset : presets) {
        bool offers = false;
        const bool answering = answers(preset, names);
        for (const MetricRule& rule : preset.rules) {
            if (rule.signal != signal)
                continue;
            offers = true;
            for (const std::string& metric : metricNames(rule)) {
                if (!has(names, metric)) {
                    addOnce(answering ? asked : elsewhere, metric);
                    break;
                }
            }
        }
        if (offers && answering) {
            addOnce(there, preset.name);
            for (const MissingSignal& each : preset.absent)
                if (each.signal == signal && hint.empty())
                    hint = each.why;
        }
    }
    if (!there.empty()) {
        return "no metric " + listed(asked, "or") + " on the server, though it has others of " +
               listed(there, "and") + (hint.empty() ? "" : "; " + hint);
    }
    if (elsewhere.empty())
        return {};
    std::vector<std::string> presetNames;
    for (const MetricMapping& preset : presets)
        if (preset.rule(signal) != nullptr)
            addOnce(presetNames, preset.name);
    return "nothing on the server is from " + listed(presetNames, "or") + "; looked for " +
           listed(elsewhere, "and");
}

/// A substitute says in its note that it is one; the reader should know what it represents.
void takeLabels(LabelNames& into, const LabelNames& from) {
    const LabelNames usual;
    const auto take = [](std::string& target, const std::string& usualValue, const std::string& value) {
        if (target == usualValue)
            target = value;
    };
    take(into.gpu, usual.gpu, from.gpu);
    take(into.device, usual.device, from.device);
    take(into.engine, usual.engine, from.engine);
    take(into.job, usual.job, from.job);
    take(into.model, usual.model, from.model);
    take(into.batchJob, usual.batchJob, from.batchJob);
}

std::string shortNumber(double value) {
    std::array<char, 32> text{}; // no locale
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
    return {text.data(), end.ptr};
}

} // namespace

bool readable(const MetricRule& rule, const std::vector<std::string>& names) {
    return std::ranges::all_of(metricNames(rule), [&](const std::string& name) { return has(names, name); });
}

MetricMapping chooseRules(const std::vector<MetricMapping>& presets, const std::vector<std::string>& names) {
    MetricMapping out;
    out.id = "detected";
    std::vector<std::string> from;
    for (const SignalInfo& info : allSignals()) {
        const MetricRule* chosen = nullptr;
        for (const MetricMapping& preset : presets) {
            // Engines of several makes may serve side by side: each has its own rule.
            const MetricRule* before = info.scope == SignalScope::engine ? nullptr : chosen;
            for (const MetricRule& rule : preset.rules) {
                if (before == nullptr && rule.signal == info.signal && readable(rule, names)) {
                    before = &rule;
                    chosen = &rule;
                    MetricRule& added = out.rules.emplace_back(rule);
                    added.source = rule.source.empty() ? preset.id : rule.source;
                    if (added.host.empty() && preset.labels.host != out.labels.host)
                        added.host = preset.labels.host;
                    takeLabels(out.labels, preset.labels);
                    addOnce(from, preset.name);
                }
            }
        }
        if (chosen == nullptr) {
            if (std::string why = reason(info.signal, presets, names); !why.empty())
                out.absent.push_back({info.signal, std::move(why)});
        }
    }
    out.name = from.empty() ? "nothing that is known" : "Detected: " + listed(from, "and");
    return out;
}

std::optional<std::string> implausible(const MetricRule& rule, double raw) {
    const double value = raw * rule.scale;
    const std::string_view unit = signalInfo(rule.signal).unit;
    const std::string is = rule.metric + " is up to " + shortNumber(raw);
    if (!std::isfinite(value) || raw > 1e15)
        return std::nullopt; // blank: nothing to be seen of the unit
    if (unit == "ratio" && rule.kind == MetricKind::gauge) {
        if (value > 1.05 && value <= 105)
            return is + ", which looks like percent; try scale " + shortNumber(rule.scale / 100);
        if (value > 1.05)
            return is + ", which is not a valid share; use another metric or scale";
        if (rule.scale < 0.02 && raw > 0 && raw < 1) {
            return is +
                   ", which looks like a fraction and is read as percent; if it is a fraction, use scale 1";
        }
    } else if (unit == "degC" && value > 150) {
        return is + ", which exceeds any GPU's limit; use a temperature in degC";
    } else if (unit == "Hz" && value > 0 && (value < 1e7 || value > 1e11)) {
        return is + ", read as " + shortNumber(value / 1e6) + " MHz; look at the unit of the metric";
    } else if (unit == "W" && value > 5000) {
        return is + ", read as " + shortNumber(value) + " W for one GPU; milliwatts would need scale 0.001";
    } else if (rule.signal == Signal::stepTime && value > secondsPerHour) {
        return is + ", read as a step of " + shortNumber(value) + " s; milliseconds would need scale 0.001";
    } else if (rule.signal == Signal::memoryUsed && value > 0 && value > 1e13) {
        return is + ", read as " + shortNumber(value / 1e9) + " GB in one GPU; bytes would need scale 1";
    }
    return std::nullopt;
}

} // namespace alidade
