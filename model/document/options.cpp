// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/options.h"

#include "model/base/quantiles.h"
#include "model/base/text.h"
#include "model/search/plan_figures.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <tuple>

namespace alidade {

namespace {

std::string percentText(double ratio) {
    const double share = std::abs(ratio);
    return formatQuantity(share, Dimension::ratio, {.significant = share < 0.1 ? 1 : 2});
}

std::size_t placeOf(const char* path) {
    return static_cast<std::size_t>(findPlanFigure(path) - planFigures().data());
}

/// How one figure of two plans compares.
struct Change {
    double ratio = 0; ///< after / before - 1
    int sign = 0;     ///< 0: within the model's error
};

Change changeOf(double before, double after, double logSd) {
    Change out;
    if (!(before > 0) || !(after > 0))
        return out;
    out.ratio = after / before - 1;
    const double distance = std::abs(std::log(after / before));
    // Totals are whole cents: what is less than a part in a million is the same price.
    constexpr double same = 1e-6;
    if (distance > std::max(same, quantile90 * logSd))
        out.sign = after > before ? 1 : -1;
    return out;
}

std::string capital(std::string text) {
    if (!text.empty())
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// Of ln of the ratio of a figure; where the errors of a plan are not known no difference is certain.
double sharedLogSd(const OptionCandidate& a, const OptionCandidate& b, const char* path) {
    const std::size_t figure = placeOf(path);
    return figure < a.errors.logSd.size() && figure < b.errors.logSd.size()
               ? ratioLogSd(a.errors, b.errors, figure)
               : std::numeric_limits<double>::infinity();
}

class Judge {
public:
    explicit Judge(const OptionCandidate& chosen)
        : chosen_(chosen) {}

    ConsideredOption option(const OptionCandidate& each) const {
        ConsideredOption out{.name = each.name, .reason = {}, .result = each.result};
        out.set = each.set;
        const PlanResult& r = each.result;
        const auto say = [&out](OptionState state, std::string reason) {
            out.state = state;
            out.reason = capital(std::move(reason));
        };
        if (!r.carries) {
            say(OptionState::rejected, r.why);
        } else if (r.missesDeadline()) {
            say(OptionState::rejected,
                "misses the deadline by " +
                    formatQuantity((*r.days - *r.deadlineDays) * secondsPerDay, Dimension::seconds));
        } else if (r.meetsTargets == false && chosen_.result.meetsTargets != false) {
            say(OptionState::rejected, "misses the targets of latency");
        } else if (!chosen_.result.carries || chosen_.result.missesDeadline()) {
            say(OptionState::open, "can be used, which the first one cannot");
        } else {
            judgeFigures(each, out);
        }
        // Other numbers, or responses of older weights.
        const auto isToBeProven = [](const auto& set) {
            return set.first == "plan.precision" ||
                   (set.first == "plan.placement" && (set.second == "one_step_off" || set.second == "async"));
        };
        if (out.state == OptionState::open && std::ranges::any_of(each.set, isToBeProven))
            out.reason += "; verify convergence";
        if (out.state == OptionState::open && r.memoryHigh > r.usableMemory && r.usableMemory > 0)
            out.reason += "; the high end of its memory does not fit";
        return out;
    }

private:
    Change costOf(const OptionCandidate& each) const {
        const double before = chosen_.result.total ? dollarsOf(*chosen_.result.total) : 0;
        const double after = each.result.total ? dollarsOf(*each.result.total) : 0;
        // The rent of a service for a time is exact.
        const double sd = each.serving ? 0 : sharedLogSd(chosen_, each, "cost.dollars_per_run");
        return changeOf(before, after, sd);
    }

    Change timeOf(const OptionCandidate& each) const {
        const PlanResult &a = chosen_.result, &b = each.result;
        if (each.serving) {
            const bool gap = a.gap && b.gap;
            const char* path = gap ? "serving.itl_s" : "serving.ttft_s";
            const auto &before = gap ? a.gap : a.firstToken, &after = gap ? b.gap : b.firstToken;
            return changeOf(before.value_or(0), after.value_or(0), sharedLogSd(chosen_, each, path));
        }
        const char* path = each.reinforcement ? "reinforcement_learning.step_time_s" : "training.run_time_s";
        return changeOf(a.days.value_or(0), b.days.value_or(0), sharedLogSd(chosen_, each, path));
    }

    void judgeFigures(const OptionCandidate& each, ConsideredOption& out) const {
        const auto say = [&out](OptionState state, std::string reason) {
            out.state = state;
            out.reason = capital(std::move(reason));
        };
        if (!each.result.total || !chosen_.result.total) {
            say(OptionState::open, "no price is known");
            return;
        }
        const Change cost = costOf(each), time = timeOf(each);
        const std::string dear = percentText(cost.ratio), late = percentText(time.ratio);
        const std::string pace = time.sign > 0   ? ", " + late + " slower"
                                 : time.sign < 0 ? ", " + late + " faster"
                                                 : "";
        if (cost.sign > 0) {
            say(OptionState::rejected, dear + " dearer" + pace);
        } else if (cost.sign < 0) {
            say(OptionState::open, dear + " cheaper" + pace);
        } else if (time.sign > 0) {
            say(OptionState::rejected, late + " slower; cost equal within the model's error");
        } else if (time.sign < 0) {
            say(OptionState::open, late + " faster; cost equal within the model's error");
        } else {
            say(OptionState::open, "equal in cost and time within the model's error");
            out.equal = true;
        }
    }

    const OptionCandidate& chosen_;
};

/// Can be ordered for the job.
bool serves(const OptionCandidate& each) {
    return each.result.carries && !each.result.missesDeadline() && each.result.meetsTargets != false;
}

} // namespace

std::vector<ConsideredOption> judgedOptions(std::span<const OptionCandidate> candidates, std::size_t chosen) {
    std::vector<ConsideredOption> out;
    const Judge judge(candidates[chosen]);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (i == chosen) {
            ConsideredOption self{.name = candidates[i].name, .reason = {}, .result = candidates[i].result};
            self.state = OptionState::chosen;
            self.reason = capital(self.result.why);
            out.insert(out.begin(), std::move(self));
        } else {
            out.push_back(judge.option(candidates[i]));
        }
    }
    const auto key = [](const ConsideredOption& each) {
        // Of what cannot be used a total says nothing.
        const bool known = each.result.carries && each.result.total.has_value();
        return std::tuple(each.state, !known, known ? *each.result.total : 0);
    };
    std::ranges::stable_sort(out, {}, key);
    return out;
}

std::string optionsHeadline(std::span<const ConsideredOption> options) {
    const auto chosen = std::ranges::find(options, OptionState::chosen, &ConsideredOption::state);
    if (chosen == options.end() || options.size() < 2)
        return {};
    const auto open = std::ranges::count(options, OptionState::open, &ConsideredOption::state);
    std::string out = formatCount(static_cast<std::int64_t>(options.size())) + " options, estimated alike; " +
                      (open == 0 ? "none but the chosen one is open."
                                 : formatCount(open) + (open == 1 ? " is open." : " are open."));
    // They are in the order of their totals.
    const auto cheapest = std::ranges::find(options, OptionState::open, &ConsideredOption::state);
    if (cheapest == options.end() || !cheapest->result.total || !chosen->result.total)
        return out;
    const Cents saved = *chosen->result.total - *cheapest->result.total;
    if (saved > 0 && !cheapest->equal) {
        out += " " + cheapest->name + " would save " + formatQuantity(dollarsOf(saved), Dimension::dollars) +
               ", but must be validated first.";
    }
    return out;
}

std::size_t recommendedOption(std::span<const OptionCandidate> candidates) {
    const std::size_t none = candidates.size();
    std::size_t best = none;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (serves(candidates[i]) && candidates[i].result.total &&
            (best == none || *candidates[i].result.total < *candidates[best].result.total)) {
            best = i;
        }
    }
    if (best == none) {
        const auto usable = std::ranges::find_if(candidates, serves);
        return usable == candidates.end() ? 0 : static_cast<std::size_t>(usable - candidates.begin());
    }
    const Judge judge(candidates[best]);
    for (std::size_t i = 0; i < best; ++i)
        if (serves(candidates[i]) && candidates[i].result.total && judge.option(candidates[i]).equal)
            return i;
    return best;
}

} // namespace alidade
