// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/difference.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

struct Step {
    const char* name;
    const std::vector<ShareT<double>>* parts;
};

std::optional<Step> stepOf(const Estimate& estimate) {
    if (estimate.training)
        return Step{"Step time", &estimate.training->breakdown};
    if (estimate.serving && estimate.serving->answers)
        return Step{"Decode step", &estimate.serving->breakdown};
    return estimate.serving ? std::optional(Step{"Prefill step", &estimate.serving->prefillBreakdown})
                            : std::nullopt;
}

} // namespace

std::optional<EstimateDifference> differenceOf(const Estimate& before, const Estimate& after) {
    const auto first = stepOf(before), second = stepOf(after);
    if (!first || !second || std::string_view(first->name) != second->name)
        return std::nullopt;
    EstimateDifference out{.name = first->name, .parts = {}};
    for (const Bound bound : allBounds) {
        double seconds = 0;
        for (const ShareT<double>& each : *first->parts)
            seconds -= each.bound == bound ? each.seconds : 0;
        for (const ShareT<double>& each : *second->parts)
            seconds += each.bound == bound ? each.seconds : 0;
        if (seconds != 0)
            out.parts.push_back({bound, seconds});
    }
    for (const ShareT<double>& each : *first->parts)
        out.before += each.seconds;
    for (const ShareT<double>& each : *second->parts)
        out.after += each.seconds;
    std::ranges::stable_sort(out.parts, [](const DifferencePart& a, const DifferencePart& b) {
        return std::abs(a.seconds) > std::abs(b.seconds);
    });
    return out;
}

} // namespace alidade
