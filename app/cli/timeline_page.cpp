// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/timeline_page.h"

#include "app/cli/page.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade::cli {

namespace {

constexpr std::string_view kinds = "FBW";

/// Seconds of each kind of work in each of `columns` equal slices of the step.
using Slices = std::vector<std::array<double, kinds.size()>>;

void spread(Slices& slices, const TimelineEvent& event, double slice) {
    const std::size_t kind = kinds.find(event.kind);
    if (kind == std::string_view::npos)
        return;
    for (auto i = static_cast<std::size_t>(event.start / slice); i < slices.size(); ++i) {
        const double start = std::max(event.start, static_cast<double>(i) * slice);
        const double end = std::min(event.end, static_cast<double>(i + 1) * slice);
        if (end <= start)
            return;
        slices[i][kind] += end - start;
    }
}

std::string lineOf(const Slices& slices, double slice) {
    std::string out;
    for (const auto& seconds : slices) {
        double busy = 0;
        for (const double each : seconds)
            busy += each;
        const auto most = std::max_element(seconds.begin(), seconds.end());
        out +=
            busy < slice / 2 ? "·" : std::string(1, kinds[static_cast<std::size_t>(most - seconds.begin())]);
    }
    return out;
}

} // namespace

std::string timelineText(const Training& training, const Terminal& terminal) {
    constexpr int labelColumns = 12;
    double end = 0;
    for (const TimelineEvent& event : training.timeline)
        end = std::max(end, event.end);
    if (end <= 0)
        return {};
    const auto columns = static_cast<std::size_t>(terminal.width - labelColumns);
    const double slice = end / static_cast<double>(columns);
    std::map<int, Slices> stages;
    for (const TimelineEvent& event : training.timeline) {
        Slices& slices = stages[event.stage];
        slices.resize(columns);
        spread(slices, event, slice);
    }
    std::string out = headingText("Pipeline of " + formatQuantity(end, Dimension::seconds), terminal);
    for (const auto& [stage, slices] : stages) {
        std::string label = "  stage " + std::to_string(stage);
        label.resize(labelColumns, ' ');
        out += label + lineOf(slices, slice) + '\n';
    }
    if (training.timelineClosedForm > 0) {
        constexpr FormatOptions digits{.significant = 4};
        const double difference = training.timelineClosedForm / end - 1;
        out += paragraphText("The drawn schedule takes " + formatQuantity(end, Dimension::seconds, digits) +
                                 ", the estimate " +
                                 formatQuantity(training.timelineClosedForm, Dimension::seconds, digits) +
                                 " (" + (difference < 0 ? "" : "+") +
                                 formatQuantity(difference, Dimension::ratio, {.significant = 2}) + ").",
                             terminal);
    }
    out += paragraphText("F forward, B backward, W gradient of the weights, · waiting; one character is " +
                             formatQuantity(slice, Dimension::seconds),
                         terminal, Style::quiet);
    return out;
}

} // namespace alidade::cli
