// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_words.h"

#include "model/base/text.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"

#include <algorithm>

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
        for (const SearchChoice& choice : each.choices) {
            (values += values.empty() ? "" : lists ? "|" : ",") += choiceText(choice);
        }
        add(machines ? "--machine" : "--free", machines ? values : each.path + "=" + values);
    }
    std::string objectives;
    for (const PlanFigure* each : question.objectives) {
        (objectives += objectives.empty() ? "" : ",") += each->path;
    }
    if (!objectives.empty()) {
        add("--objective", objectives);
    }
    for (const SearchLimit& each : question.limits) {
        add(each.atMost ? "--at-most" : "--at-least",
            std::string(each.figure->path) + "=" +
                formatQuantity(each.value, each.figure->dimension, {.significant = 17, .trimZeros = true}));
    }
    if (question.robust) {
        out.emplace_back("--robust");
    }
    add("--top", std::to_string(question.top));
    return out;
}

std::string labelOfFree(const FreeField& field) {
    if (field.path == "cluster.instance") {
        return "Machines";
    }
    const Field* known = findField(field.path);
    const std::string label = known ? std::string(known->label) : field.path;
    return field.path.starts_with("plan.disaggregated.prefill.")  ? "Prefill: " + label
           : field.path.starts_with("plan.disaggregated.decode.") ? "Decode: " + label
                                                                  : label;
}

const std::string& choiceText(const SearchChoice& choice) {
    const auto named = std::ranges::find_if(choice.edit, [](const auto& e) { return !e.second.empty(); });
    return (named == choice.edit.end() ? choice.edit.front() : *named).second;
}

std::string settingOf(const FoundPlan& plan, const std::string& path) {
    const auto found = std::ranges::find(plan.set, path, &std::pair<std::string, std::string>::first);
    return found == plan.set.end() ? "" : found->second;
}

std::string valueInWords(const FoundPlan& plan, const FreeField& field) {
    if (field.path == "cluster.instance") {
        return machineText(plan);
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
        if (figure && std::ranges::find(out, figure) == out.end()) {
            out.push_back(figure);
        }
    };
    for (const SearchLimit& limit : question.limits) {
        add(limit.figure);
    }
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

std::string searchHeadline(const SearchQuestion& question, const SearchResult& r) {
    const PlanFigure& figure = *question.objectives.front();
    if (r.best.empty()) {
        return "No plan of this space runs, fits and keeps the limits.";
    }
    const std::string label(figure.label);
    const auto now =
        std::ranges::find(r.present.figures, &figure, &std::pair<const PlanFigure*, double>::first);
    std::string out;
    if (r.present.rank == 1U && now != r.present.figures.end()) {
        out = "No plan of this space is better than the present one: " + label + " " +
              valueText(figure, now->second) + ".";
    } else {
        out = label + " of the best plan: " + valueText(figure, r.best.front().figure(figure));
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
        return what + "It is the present plan.";
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
