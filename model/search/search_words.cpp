// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_words.h"

#include "model/base/text.h"
#include "model/kernels/bound_words.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/rented_machines.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// The machine of a plan in one word: "64 x p5.48xlarge".
std::string machineText(const FoundPlan& plan) {
    for (const auto& [kind, count] : {std::pair("cluster.instance", "cluster.instances"),
                                      std::pair("cluster.ultraserver", "cluster.ultraservers")}) {
        if (const std::string id = settingOf(plan, kind); !id.empty()) {
            const std::string n = settingOf(plan, count);
            return (n.empty() ? "" : n + " x ") + id;
        }
    }
    return {};
}

std::string valueText(const PlanFigure& figure, double value) {
    return formatQuantity(value, figure.dimension);
}

} // namespace

std::vector<std::string> searchOptions(const SearchQuestion& question) {
    std::vector<std::string> out;
    const auto add = [&out](std::string option, std::string value) {
        out.push_back(std::move(option) + "=" + std::move(value)); // a value may begin with a dash
    };
    for (const FreeField& each : question.free) {
        const bool machines = each.path == "cluster.instance";
        const Field* field = findField(each.path);
        const bool lists =
            field && (field->kind == FieldKind::wordList || field->kind == FieldKind::integerList);
        std::string values;
        for (const SearchChoice& choice : each.choices)
            (values += values.empty() ? "" : lists ? "|" : ",") += choiceText(choice);
        add(machines ? "--machine" : "--free", machines ? values : each.path + "=" + values);
    }
    std::string objectives;
    for (const PlanFigure* each : question.objectives)
        (objectives += objectives.empty() ? "" : ",") += each->path;
    if (!objectives.empty())
        add("--objective", objectives);
    for (const SearchLimit& each : question.limits) {
        add(each.atMost ? "--at-most" : "--at-least",
            std::string(each.figure->path) + "=" +
                formatQuantity(each.value, each.figure->dimension, {.significant = 17, .trimZeros = true}));
    }
    if (question.robust)
        out.emplace_back("--robust");
    add("--top", std::to_string(question.top));
    return out;
}

std::string labelOfFree(const FreeField& field) {
    if (field.path == "cluster.instance")
        return "Machines";
    const Field* known = findField(field.path);
    const std::string label = known ? std::string(known->label) : field.path;
    return field.path.starts_with("plan.disaggregated.prefill.")  ? "Prefill: " + label
           : field.path.starts_with("plan.disaggregated.decode.") ? "Decode: " + label
                                                                  : label;
}

std::string figureInWords(const PlanFigure& figure) {
    std::string out(figure.label);
    const auto isCapital = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (out.size() > 1 && isCapital(out[0]) && !isCapital(out[1]))
        out[0] = static_cast<char>(out[0] - 'A' + 'a');
    return out;
}

const std::string& choiceText(const SearchChoice& choice) {
    const auto named = std::ranges::find_if(choice.edit, [](const auto& e) { return !e.second.empty(); });
    return (named == choice.edit.end() ? choice.edit.front() : *named).second;
}

std::string settingOf(const FoundPlan& plan, const std::string& path) {
    const auto found = std::ranges::find(plan.set, path, &std::pair<std::string, std::string>::first);
    return found == plan.set.end() ? "" : found->second;
}

std::string choiceInWords(const FreeField& field, const SearchChoice& choice) {
    const Field* known = findField(field.path);
    return known && field.path != "cluster.instance" ? fieldTextInWords(*known, choiceText(choice))
                                                     : choiceText(choice);
}

std::string valueInWords(const FoundPlan& plan, const FreeField& field) {
    if (field.path == "cluster.instance")
        return machineText(plan);
    if (isMachineCount(field.path)) {
        const std::string count = settingOf(plan, "cluster.ultraservers");
        return count.empty() ? settingOf(plan, "cluster.instances") : count;
    }
    const Field* known = findField(field.path);
    return known ? fieldTextInWords(*known, settingOf(plan, field.path)) : settingOf(plan, field.path);
}

bool differs(const std::vector<FoundPlan>& plans, const FreeField& field) {
    return std::ranges::any_of(plans, [&](const FoundPlan& each) {
        return valueInWords(each, field) != valueInWords(plans.front(), field);
    });
}

std::vector<const PlanFigure*> shownFigures(const SearchQuestion& question) {
    std::vector<const PlanFigure*> out = question.objectives;
    const auto add = [&out](const PlanFigure* figure) {
        if (figure && std::ranges::find(out, figure) == out.end())
            out.push_back(figure);
    };
    for (const SearchLimit& limit : question.limits)
        add(limit.figure);
    for (const char* path :
         {"serving.ttft_s", "serving.tpot_s", "serving.output_tokens_per_s_per_gpu",
          "serving.test_time.latency_s", "serving.test_time.dollars_per_1000_questions",
          "training.step_time_s", "training.mfu", "reinforcement_learning.step_time_s",
          "reinforcement_learning.dollars_per_1000_steps", "reinforcement_learning.idle_share"}) {
        const PlanFigure* figure = findPlanFigure(path);
        add(figure->isOf(question.base.workload) ? figure : nullptr);
    }
    add(findPlanFigure("memory.headroom_bytes"));
    return out;
}

namespace {

/// "12 % longer", "8 % less": the ratio of a worse plan's figure to the best one's.
std::string worseText(const PlanFigure& figure, double ratio) {
    const double share = figure.moreIsBetter ? 1 - ratio : ratio - 1;
    return formatQuantity(share, Dimension::ratio, {.significant = 2}) +
           (figure.moreIsBetter ? " less" : " more");
}

std::string planText(const SearchQuestion& question, const SearchResult& r, const FoundPlan& plan) {
    std::string out;
    for (const FreeField& each : question.free) {
        const std::string value = valueInWords(plan, each);
        if (!r.best.empty() && value != valueInWords(r.best.front(), each))
            out += (out.empty() ? "" : ", ") + labelOfFree(each) + " " + value;
    }
    return out;
}

/// Where a plan whose step is slower than the best one's loses most.
std::string gapText(const StepGap& gap) {
    return std::string("It loses most in ") + boundWords(gap.bound).time + ": " +
           formatQuantity(gap.most, Dimension::seconds) + " more than the best plan, of " +
           formatQuantity(gap.spent, Dimension::seconds) + " that it spends there.";
}

} // namespace

std::string presentGapText(const SearchQuestion& question, const SearchResult& r) {
    const PlanFigure& figure = *question.objectives.front();
    const auto& figures = r.present.figures;
    const auto present = std::ranges::find(figures, &figure, &std::pair<const PlanFigure*, double>::first);
    if (r.best.empty() || r.present.behind.seconds <= 0 || present == figures.end())
        return {};
    return "The present plan has " + worseText(figure, present->second / r.best.front().figure(figure)) +
           " " + figureInWords(figure) + " than the best plan. " + gapText(r.present.behind);
}

std::string runnerUpText(const SearchQuestion& question, const SearchResult& r) {
    if (!r.runnerUp)
        return {};
    const RunnerUp& second = *r.runnerUp;
    const PlanFigure& figure = *question.objectives.front();
    std::string out = "The first plan that is worse beyond the error (" + planText(question, r, second.plan) +
                      ") has " + worseText(figure, second.ratio) + " " + figureInWords(figure) + ": " +
                      valueText(figure, second.plan.figure(figure)) + ". ";
    if (second.behind.seconds > 0) {
        out += "To win, its step would have to be " +
               formatQuantity(second.behind.seconds, Dimension::seconds) + " shorter. " +
               gapText(second.behind);
    } else if (figure.dimension == Dimension::dollars || figure.dimension == Dimension::dollarsPerHour) {
        out += "To win, its machines would have to cost " +
               formatQuantity(1 - 1 / second.ratio, Dimension::ratio, {.significant = 2}) + " less.";
    } else {
        out += "To win, it would have to be better by that much.";
    }
    return out;
}

std::vector<std::string> gapTexts(const SearchQuestion& question, const SearchResult& result) {
    std::vector<std::string> out{presentGapText(question, result), runnerUpText(question, result)};
    std::erase_if(out, [](const std::string& each) { return each.empty(); });
    return out;
}

std::vector<std::string> effectTexts(const SearchQuestion& question, const SearchResult& r) {
    std::vector<std::string> out;
    std::string hardly;
    const PlanFigure& figure = *question.objectives.front();
    for (const FieldEffect& effect : r.effects) {
        const FreeField& field = question.free[effect.field];
        const std::string label = labelOfFree(field);
        if (effect.values.size() < 2)
            continue;
        if (!effect.matters()) {
            hardly += (hardly.empty() ? "" : ", ") + label;
            continue;
        }
        double best = effect.values.front().value;
        for (const ChoiceEffect& each : effect.values)
            best = figure.moreIsBetter ? std::max(best, each.value) : std::min(best, each.value);
        std::string good, costs;
        for (const ChoiceEffect& each : effect.values) {
            const std::string value = choiceInWords(field, field.choices[each.choice]);
            if (each.equalToBest) {
                good += (good.empty() ? "" : ", ") + value;
            } else {
                const double change = each.value / best - 1;
                costs += (costs.empty() ? "; " : ", ") + value + ": " + (change > 0 ? "+" : "\u2212") +
                         formatQuantity(std::abs(change), Dimension::ratio, {.significant = 2});
            }
        }
        std::string text = label + ": " + good + " within the error of the best" + costs;
        if (effect.failing > 0) {
            text += "; " + formatCount(static_cast<std::int64_t>(effect.failing)) +
                    (effect.failing == 1 ? " value has no plan" : " values have no plan");
        }
        out.push_back(text + ".");
    }
    if (!hardly.empty()) {
        out.push_back("Hardly matter: " + hardly +
                      ". With each of their values that has a plan, one is within the error of the best.");
    }
    return out;
}

std::string fewestText(const SearchQuestion& question, const SearchResult& r) {
    if (!r.fewest || !r.recommended)
        return {};
    const PlanFigure& figure = *question.objectives.front();
    const PlanFigure& gpus = *findPlanFigure("gpus");
    const double few = r.fewest->figure(gpus), many = r.recommended->figure(gpus);
    if (!(few < many)) {
        return "No plan does it with fewer GPUs than the recommended one: " +
               formatCount(static_cast<std::int64_t>(many)) + ".";
    }
    return "The fewest GPUs that do it are " + formatCount(static_cast<std::int64_t>(few)) + ": " +
           figureInWords(figure) + " " + valueText(figure, r.fewest->figure(figure)) +
           ". The recommended plan has " + formatCount(static_cast<std::int64_t>(many)) + " because its " +
           figureInWords(figure) + " is " + valueText(figure, r.recommended->figure(figure)) + ".";
}

std::vector<std::string> recommendationBasis(const SearchAnswer& answer) {
    std::string basis;
    for (const std::string& each : answer.result.assumes)
        basis += (basis.empty() ? "It rests on: " : "; ") + each;
    std::vector<std::string> out;
    for (std::string each :
         {basis + (basis.empty() ? "" : "."), answer.nearest, fewestText(answer.question, answer.result)}) {
        if (!each.empty())
            out.push_back(std::move(each));
    }
    return out;
}

std::string searchHeadline(const SearchQuestion& question, const SearchResult& r) {
    const PlanFigure& figure = *question.objectives.front();
    if (r.best.empty())
        return "No plan of this space runs, fits and keeps the limits.";
    const auto now =
        std::ranges::find(r.present.figures, &figure, &std::pair<const PlanFigure*, double>::first);
    std::string out;
    if (r.present.rank == 1U && now != r.present.figures.end()) {
        out = "No plan of this space is better than the present one: " + figureInWords(figure) + " " +
              valueText(figure, now->second) + ".";
    } else {
        out = std::string(figure.label) +
              " of the best plan: " + valueText(figure, r.best.front().figure(figure));
        if (r.present.rank && now != r.present.figures.end()) {
            out += "; of the present one: " + valueText(figure, now->second) +
                   (r.present.equalToBest ? ", equal within the error" : "");
        }
        out += ".";
    }
    const auto equals = std::ranges::count_if(r.best, &FoundPlan::equalToBest) - 1;
    if (equals > 0) {
        out += " " + formatCount(equals) +
               (equals == 1 ? " other plan is equal to the best within the error."
                            : " other plans are equal to the best within the error.");
    }
    return out;
}

std::string recommendationReason(const SearchQuestion& question, const SearchResult& r) {
    const FoundPlan& plan = *r.recommended;
    const PlanFigure& figure = *question.objectives.front();
    const std::string what = std::string(figure.label) + " " + valueText(figure, plan.figure(figure)) + " (" +
                             valueText(figure, plan.low) + " to " + valueText(figure, plan.high) + "). ";
    if (plan.changes == 0) {
        std::string
            cleared; // what follows from free fields is left to the defaults in all plans of the space
        for (const auto& [path, text] : question.cleared) {
            const Field* field = findField(path);
            cleared += (cleared.empty() ? "" : ", ") + (field ? std::string(field->label) : path);
        }
        return what + (cleared.empty() || plan.figures == r.present.figures
                           ? "It is the present plan."
                           : "It has the present values of all free fields; the default of " + cleared +
                                 " is what differs from the present plan.");
    }
    if (plan.index == r.best.front().index) {
        return what + (r.present.equalToBest
                           ? "The present plan is equal to it within the error: the gain is within the error."
                           : "The first of the list.");
    }
    return what + (plan.surelyFits && !r.best.front().surelyFits
                       ? "Equal to the first within the error, and the high end of its memory fits too."
                       : "Equal to the first within the error, with fewer changes.");
}

} // namespace alidade
