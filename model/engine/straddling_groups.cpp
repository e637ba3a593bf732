// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/straddling_groups.h"

#include "model/advice/domain_placements.h"
#include "model/base/text.h"
#include "model/engine/placement_changes.h"
#include "model/topology/group_kind.h"
#include "model/units/format.h"

#include <algorithm>
#include <cctype>

namespace alidade {

namespace {

/// "2 of the 36 tensor groups and 1 of the 4 expert groups"
std::string countedGroups(const PlacementFacts& facts) {
    std::vector<std::string> parts;
    for (const PlacedGroupFacts& each : facts.groups) {
        if (each.straddling == 0)
            continue;
        const auto kind = std::ranges::find(allGroupKinds, each.group, groupWord);
        std::string label(kind == allGroupKinds.end() ? std::string_view(each.group) : groupLabel(*kind));
        label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
        parts.push_back(formatCount(each.straddling) + " of the " + formatCount(each.groups) + " " + label +
                        (each.groups == 1 ? " group" : " groups"));
    }
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i)
        out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return out;
}

std::string seconds(double value) { return formatQuantity(value, Dimension::seconds); }

/// What the best placement brings, as sentences.
std::string outcome(const PricedChange& best) {
    const double now = best.stepTime - best.stepTimeDifference;
    std::string out = "A step takes " + seconds(now) + "; " + seconds(best.stepTime) + " with the remedy";
    if (best.hostsInUseDifference < 0) {
        out += ", which leaves " + formatCount(-best.hostsInUseDifference) + " more of " +
               formatCount(best.hostsInUse - best.hostsInUseDifference) + " hosts idle";
    }
    return out;
}

} // namespace

void reportStraddling(const Scenario& scenario, const ScenarioSpec& spec, const Catalog& catalog,
                      const Profile& profile, bool withFix, Estimate& estimate) {
    if (!straddlesDomains(scenario) || !estimate.runs)
        return;
    Problem problem{Severity::warning, "/cluster/placement", {}, {}};
    const std::string counted = countedGroups(*scenario.placement);
    problem.message = static_cast<char>(std::toupper(static_cast<unsigned char>(counted[0]))) +
                      counted.substr(1) + " straddle NVLink domains: they exchange over the network, and " +
                      (scenario.isServing() ? "their engines are slower" : "every step waits for them");
    if (withFix && estimate.fits) {
        if (const auto best = improvePlacement(spec, catalog, profile)) {
            problem.message += ". " + outcome(*best);
            problem.fix = best->change;
        } else {
            problem.message += ". No other placement of this plan is faster";
        }
    }
    estimate.problems.push_back(std::move(problem));
}

} // namespace alidade
