// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/sections.h"
#include "model/scenario/test_time_plan.h"
#include "model/units/format.h"

namespace alidade::data {
namespace {

std::string loadText(double requestsPerSecond) {
    return formatQuantity(requestsPerSecond, Dimension::number, {.trimZeros = true});
}

} // namespace

Plot loadPlot(const Estimate& e) {
    const Serving& s = *e.serving;
    const std::string quantile = "p" + loadText(s.targetPercentile);
    LoadCurves content;
    const std::string many = sequenceWord(e.scenario.workload) + "s";
    content.loadTitle = capitalized(many) + " per second of the whole deployment";
    content.present = s.requestsPerSecond;
    content.presentText = "this plan, " + loadText(s.requestsPerSecond);
    if (s.requestRateWithinTargets && *s.requestRateWithinTargets > 0 &&
        *s.requestRateWithinTargets < s.loadCurve.back().requestsPerSecond)
        content.breaks = s.requestRateWithinTargets;
    for (const LoadPoint& point : s.loadCurve)
        content.loads.push_back(point.requestsPerSecond);
    std::string words = "At " + loadText(s.requestsPerSecond) + " " + many + "/s";
    const auto addPanel = [&](const char* title, double LoadPoint::* mean, double LoadPoint::* high,
                              const PercentilesT<double>& percentiles, const std::optional<double>& target) {
        LoadPanel panel{.title = title,
                        .lines = {{"mean", false, {}}, {quantile, true, {}}},
                        .target = {},
                        .present = targetQuantile(percentiles, s.targetPercentile).seconds,
                        .presentText = {}};
        for (const LoadPoint& point : s.loadCurve) {
            panel.lines[0].seconds.push_back(point.*mean);
            panel.lines[1].seconds.push_back(point.*high);
        }
        panel.presentText = formatQuantity(*panel.present, Dimension::seconds);
        words += (content.panels.empty() ? " the " : ", the ") + quantile + " of " + title + " is " +
                 panel.presentText;
        if (target) {
            const std::string text = formatQuantity(*target, Dimension::seconds, {.trimZeros = true});
            panel.target = {*target, "target " + text, true};
            words += " of a target of " + text;
        }
        content.panels.push_back(std::move(panel));
    };
    if (servesPrompts(e))
        addPanel("TTFT", &LoadPoint::ttft, &LoadPoint::ttftPercentile, s.ttftPercentiles, s.ttftTarget);
    if (servesTokens(e))
        addPanel("ITL", &LoadPoint::itl, &LoadPoint::itlPercentile, s.itlPercentiles, s.itlTarget);
    words += ". It is stable up to " + loadText(s.maxRequestRate) + " " + many + "/s.";
    return {"load", "Latency against load", words, std::move(content)};
}

} // namespace alidade::data
