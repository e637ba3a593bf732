// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_page.h"

#include "app/cli/cells.h"
#include "app/cli/explore_page.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "model/base/text.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;
using data::ColumnKind;

Json setJson(const Edit& set) {
    Json out = Json::object();
    for (const auto& [path, text] : set) {
        const Field* field = findField(path);
        const auto value = field ? parseField(*field, text) : Result<FieldValue>(Error{});
        out[path] = value ? valueJson(*value) : Json(text);
    }
    return out;
}

Json figuresJson(const std::vector<std::pair<const PlanFigure*, double>>& figures) {
    Json out = Json::object();
    for (const auto& [figure, value] : figures) {
        out[figure->path] = value;
    }
    return out;
}

Json planJson(const FoundPlan& plan) {
    return {{"set", setJson(plan.set)},
            {"figures", figuresJson(plan.figures)},
            {"low", plan.low},
            {"high", plan.high},
            {"equal_to_best", plan.equalToBest},
            {"changes", plan.changes},
            {"same", plan.same},
            {"marks", plan.marks}};
}

/// "8", "p5.48xlarge"; the first field of a choice is the one that it is named by.
const std::string& choiceText(const SearchChoice& choice) {
    const auto named = std::ranges::find_if(choice.edit, [](const auto& e) { return !e.second.empty(); });
    return (named == choice.edit.end() ? choice.edit.front() : *named).second;
}

std::string textOf(const FoundPlan& plan, const std::string& path) {
    const auto found = std::ranges::find(plan.set, path, &std::pair<std::string, std::string>::first);
    return found == plan.set.end() ? "" : found->second;
}

/// The machine of a plan in one word: "64 x p5.48xlarge".
std::string machineText(const FoundPlan& plan) {
    for (const auto& [kind, count] : {std::pair("cluster.instance", "cluster.instances"),
                                      std::pair("cluster.ultraserver", "cluster.ultraservers")}) {
        if (const std::string id = textOf(plan, kind); !id.empty()) {
            const std::string n = textOf(plan, count);
            return (n.empty() ? "" : n + " x ") + id;
        }
    }
    return {};
}

std::string valueText(const FoundPlan& plan, const FreeField& field) {
    if (field.path == "cluster.instance") {
        return machineText(plan);
    }
    const Field* known = findField(field.path);
    return known ? fieldTextInWords(*known, textOf(plan, field.path)) : textOf(plan, field.path);
}

std::string labelOf(const FreeField& field) {
    const Field* known = findField(field.path);
    return field.path == "cluster.instance" ? "Machines" : known ? std::string(known->label) : field.path;
}

std::string figureText(const PlanFigure& figure, double value) {
    return formatQuantity(value, figure.dimension);
}

/// Fields whose value is the same in all plans of the list are named once, above the table.
bool differs(const std::vector<FoundPlan>& plans, const FreeField& field) {
    return std::ranges::any_of(plans, [&](const FoundPlan& each) {
        return valueText(each, field) != valueText(plans.front(), field);
    });
}

/// Figures beside the objectives that a plan is judged by.
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
    const bool serving = question.base.workload.isServing();
    for (const char* path : {"serving.ttft_s", "serving.tpot_s", "serving.output_tokens_per_s_per_gpu",
                             "training.step_time_s", "training.mfu"}) {
        const PlanFigure* figure = findPlanFigure(path);
        add(figure->isOf(serving) ? figure : nullptr);
    }
    add(findPlanFigure("memory.headroom_bytes"));
    return out;
}

std::string headlineText(const SearchAnswer& answer) {
    const SearchResult& r = answer.result;
    const PlanFigure& figure = *answer.question.objectives.front();
    if (r.best.empty()) {
        return "No plan of this space runs, fits and keeps the limits.";
    }
    const std::string label(figure.label);
    std::string out = label + " of the best plan: " + figureText(figure, r.best.front().figure(figure));
    const auto equals = std::ranges::count_if(r.best, &FoundPlan::equalToBest) - 1;
    if (r.present.rank) {
        const auto now =
            std::ranges::find(r.present.figures, &figure, &std::pair<const PlanFigure*, double>::first);
        if (now != r.present.figures.end()) {
            out += "; of the present one: " + figureText(figure, now->second);
            out += *r.present.rank == 1    ? ", which nothing found betters"
                   : r.present.equalToBest ? ", which is equal within the error"
                                           : "";
        }
    }
    out += ".";
    if (equals > 0) {
        out += " " + formatCount(equals) + (equals == 1 ? " other plan" : " other plans") + " of the list " +
               (equals == 1 ? "is" : "are") + " equal to it within the error of the model.";
    }
    return out;
}

std::string bestTable(const SearchAnswer& answer, const Terminal& terminal) {
    const std::vector<FoundPlan>& plans = answer.result.best;
    data::Table table;
    table.columns.push_back(column("#", ColumnKind::text));
    const auto figures = shownFigures(answer.question);
    const auto dimensions = [](const PlanFigure* f) { return f->dimension; };
    for (const PlanFigure* each : figures) {
        table.columns.push_back(column(each->label.data(), ColumnKind::quantity, dimensions(each)));
    }
    std::vector<const FreeField*> fields;
    for (const FreeField& each : answer.question.free) {
        if (differs(plans, each)) {
            fields.push_back(&each);
            table.columns.push_back(column(labelOf(each).c_str(), ColumnKind::text));
        }
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::vector<data::Cell> row{words(std::to_string(i + 1) + (plans[i].equalToBest ? " =" : ""))};
        for (const PlanFigure* each : figures) {
            const double value = plans[i].figure(*each);
            row.push_back(
                {figureText(*each, value), value, each->dimension, std::nullopt, data::Emphasis::none});
        }
        for (const FreeField* each : fields) {
            row.push_back(words(valueText(plans[i], *each)));
        }
        table.rows.push_back({std::move(row)});
    }
    return tableText(std::move(table), terminal);
}

std::string settingsText(const Edit& set) {
    std::string out;
    for (const auto& [path, text] : set) {
        const bool quote = text.find_first_of(" ,") != std::string::npos;
        out += (out.empty() ? "--set " : " --set ") +
               (quote ? "'" + path + "=" + text + "'" : path + "=" + text);
    }
    return out;
}

/// The plan to take, why, and how to estimate it.
std::string recommendation(const SearchAnswer& answer, const Terminal& terminal) {
    const SearchResult& r = answer.result;
    if (!r.recommended) {
        return {};
    }
    const FoundPlan& plan = *r.recommended;
    const PlanFigure& figure = *answer.question.objectives.front();
    std::string why = std::string(figure.label) + " " + figureText(figure, plan.figure(figure)) + " (" +
                      figureText(figure, plan.low) + " to " + figureText(figure, plan.high) + "). ";
    if (plan.changes == 0) {
        why += "It is the present plan.";
    } else if (plan.index == r.best.front().index) {
        why += r.present.equalToBest
                   ? "The present plan is equal to it within the error: nothing is surely gained."
                   : "The first of the list.";
    } else {
        why += plan.surelyFits && !r.best.front().surelyFits
                   ? "Equal to the first within the error, and the high end of its memory fits too."
                   : "Equal to the first within the error, with fewer changes.";
    }
    std::string out = headingText("Recommended", terminal) + paragraphText(why, terminal) +
                      paragraphText(settingsText(plan.set), terminal);
    for (const std::string& mark : plan.marks) {
        out += paragraphText("Note: " + mark, terminal, Style::warning);
    }
    return out;
}

} // namespace

double SearchAnswer::plansPerSecond() const {
    return seconds > 0 ? static_cast<double>(result.counts.computed()) / seconds : 0;
}

std::string searchText(const SearchAnswer& answer, const Terminal& terminal) {
    const SearchResult& r = answer.result;
    std::string out;
    if (!r.complete) {
        out += styled(terminal, "Partial: stopped before all plans were tried", Style::warning) + "\n";
    }
    out += paragraphText(headlineText(answer), terminal, Style::strong);
    if (!r.best.empty()) {
        out += headingText("Best plans", terminal);
        std::string shared;
        for (const FreeField& each : answer.question.free) {
            if (!differs(r.best, each)) {
                shared += (shared.empty() ? "All have: " : ", ") + labelOf(each) + " " +
                          valueText(r.best.front(), each);
            }
        }
        if (!shared.empty()) {
            out += paragraphText(shared, terminal);
        }
        out += bestTable(answer, terminal);
        out += paragraphText("= cannot be told from the first within the error of the model (80 % interval)",
                             terminal, Style::quiet);
        out += recommendation(answer, terminal);
    }
    if (!r.present.why.empty()) {
        out += paragraphText("The present plan is not ranked: " + r.present.why, terminal);
    }
    out += headingText("The space", terminal);
    const SearchCounts& c = r.counts;
    const auto count = [](std::uint64_t n) { return formatCount(static_cast<std::int64_t>(n)); };
    out += paragraphText(count(r.plans) + " plans: " + count(c.evaluated) + " ranked, " + count(c.unfit) +
                             " do not fit, " + count(c.illegal) + " are illegal, " + count(c.missed) +
                             " miss a limit" + (c.pruned > 0 ? ", " + count(c.pruned) + " pruned" : "") +
                             "; " + count(static_cast<std::uint64_t>(answer.plansPerSecond())) +
                             " plans computed per second",
                         terminal);
    constexpr std::size_t mostReasons = 8;
    for (std::size_t i = 0; i < std::min(mostReasons, r.rejected.size()); ++i) {
        out += paragraphText(count(r.rejected[i].count) + ": " + r.rejected[i].why, terminal, Style::quiet);
    }
    return out;
}

std::string searchJson(const SearchAnswer& answer) {
    const SearchResult& r = answer.result;
    Json fields = Json::array();
    for (const FreeField& each : answer.question.free) {
        Json values = Json::array();
        for (const SearchChoice& choice : each.choices) {
            values.push_back(choiceText(choice));
        }
        fields.push_back({{"path", each.path}, {"values", std::move(values)}});
    }
    Json objectives = Json::array();
    for (const PlanFigure* each : answer.question.objectives) {
        objectives.push_back(each->path);
    }
    Json limits = Json::array();
    for (const SearchLimit& each : answer.question.limits) {
        limits.push_back({{"figure", each.figure->path}, {each.atMost ? "at_most" : "at_least", each.value}});
    }
    const auto plans = [](const std::vector<FoundPlan>& list) {
        Json out = Json::array();
        for (const FoundPlan& each : list) {
            out.push_back(planJson(each));
        }
        return out;
    };
    Json rejected = Json::array();
    for (const Rejection& each : r.rejected) {
        rejected.push_back({{"why", each.why}, {"count", each.count}, {"example", setJson(each.example)}});
    }
    Json present = {{"rank", r.present.rank ? Json(*r.present.rank) : Json(nullptr)},
                    {"figures", figuresJson(r.present.figures)}};
    if (r.present.rank) {
        present["equal_to_best"] = r.present.equalToBest;
    } else {
        present["why"] = r.present.why;
    }
    const Json out = {{"alidade", 1},
                      {"space", {{"plans", r.plans}, {"fields", std::move(fields)}}},
                      {"counts",
                       {{"evaluated", r.counts.evaluated},
                        {"pruned", r.counts.pruned},
                        {"illegal", r.counts.illegal},
                        {"unfit", r.counts.unfit},
                        {"missed", r.counts.missed}}},
                      {"plans_per_second", answer.plansPerSecond()},
                      {"seconds", answer.seconds},
                      {"complete", r.complete},
                      {"objective", std::move(objectives)},
                      {"limits", std::move(limits)},
                      {"robust", answer.question.robust},
                      {"recommended", r.recommended ? planJson(*r.recommended) : Json(nullptr)},
                      {"best", plans(r.best)},
                      {"front", plans(r.front)},
                      {"present", std::move(present)},
                      {"rejected", std::move(rejected)}};
    return dumped(out);
}

std::string searchCsv(const SearchAnswer& answer) {
    std::vector<std::string> paths;
    for (const FoundPlan& plan : answer.result.best) {
        for (const auto& [path, text] : plan.set) {
            if (std::ranges::find(paths, path) == paths.end()) {
                paths.push_back(path);
            }
        }
    }
    std::vector<const PlanFigure*> figures;
    for (const PlanFigure& each : planFigures()) {
        if (each.isOf(answer.question.base.workload.isServing())) {
            figures.push_back(&each);
        }
    }
    std::string out = "rank,equal_to_best,low,high";
    for (const std::string& path : paths) {
        out += "," + csvCell(path);
    }
    for (const PlanFigure* each : figures) {
        out += "," + std::string(each->path);
    }
    out += "\n";
    for (std::size_t i = 0; i < answer.result.best.size(); ++i) {
        const FoundPlan& plan = answer.result.best[i];
        out += std::to_string(i + 1) + (plan.equalToBest ? ",true," : ",false,") + Json(plan.low).dump() +
               "," + Json(plan.high).dump();
        for (const std::string& path : paths) {
            out += "," + csvCell(textOf(plan, path));
        }
        for (const PlanFigure* each : figures) {
            const double value = plan.figure(*each);
            out += "," + (std::isnan(value) ? "" : Json(value).dump());
        }
        out += "\n";
    }
    return out;
}

} // namespace alidade::cli
