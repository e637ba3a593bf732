// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_page.h"

#include "app/cli/cells.h"
#include "app/cli/explore_page.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "data/file/csv_field.h"
#include "data/search/search_counts.h"
#include "model/base/text.h"
#include "model/search/search_words.h"
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
    for (const auto& [figure, value] : figures)
        out[figure->path] = value;
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

std::string bestTable(const SearchAnswer& answer, const Terminal& terminal) {
    const std::vector<FoundPlan>& plans = answer.result.best;
    data::Table table;
    table.columns.push_back(column("#", ColumnKind::text));
    const auto figures = shownFigures(answer.question);
    for (const PlanFigure* each : figures)
        table.columns.push_back(column(each->label.data(), ColumnKind::quantity, each->dimension));
    std::vector<const FreeField*> fields;
    for (const FreeField& each : answer.question.free) {
        if (differs(plans, each)) {
            fields.push_back(&each);
            table.columns.push_back(column(labelOfFree(each).c_str(), ColumnKind::text));
        }
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::vector<data::Cell> row{words(std::to_string(i + 1) + (plans[i].equalToBest ? " =" : ""))};
        for (const PlanFigure* each : figures) {
            const double value = plans[i].figure(*each);
            row.push_back({formatQuantity(value, each->dimension), value, each->dimension, std::nullopt,
                           data::Emphasis::none});
        }
        for (const FreeField* each : fields)
            row.push_back(words(valueInWords(plans[i], *each)));
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
    if (!r.recommended)
        return {};
    std::string out = headingText("Recommended", terminal) +
                      paragraphText(recommendationReason(answer.question, r), terminal) +
                      paragraphText(settingsText(r.recommended->set), terminal);
    for (const std::string& mark : r.recommended->marks)
        out += paragraphText("Note: " + mark, terminal, Style::warning);
    for (const std::string& each : recommendationBasis(answer))
        out += paragraphText(each, terminal);
    return out;
}

/// What decides, and what the next plan would need.
std::string alternatives(const SearchAnswer& answer, const Terminal& terminal) {
    std::string out;
    for (const std::string& each : effectTexts(answer.question, answer.result))
        out += paragraphText(each, terminal);
    if (!out.empty()) {
        out =
            paragraphText("The best plan with each value, against the best of all:", terminal, Style::quiet) +
            out;
    }
    for (const std::string& each : gapTexts(answer.question, answer.result))
        out += paragraphText(each, terminal);
    return out.empty() ? out : headingText("What decides", terminal) + out;
}

Json effectsJson(const SearchAnswer& answer) {
    Json out = Json::array();
    for (const FieldEffect& each : answer.result.effects) {
        const FreeField& field = answer.question.free[each.field];
        Json values = Json::array();
        for (const ChoiceEffect& value : each.values) {
            values.push_back({{"value", choiceText(field.choices[value.choice])},
                              {"best", value.value},
                              {"equal_to_best", value.equalToBest}});
        }
        out.push_back({{"path", field.path},
                       {"matters", each.matters()},
                       {"values", std::move(values)},
                       {"without_plan", each.failing}});
    }
    return out;
}

} // namespace

std::string searchText(const SearchAnswer& answer, const Terminal& terminal) {
    const SearchResult& r = answer.result;
    std::string out;
    if (!r.complete)
        out += styled(terminal, "Partial: stopped before all plans were tried", Style::warning) + "\n";
    out += paragraphText(searchHeadline(answer.question, r), terminal, Style::strong);
    if (!r.best.empty()) {
        out += headingText("Best plans", terminal);
        std::string shared;
        for (const FreeField& each : answer.question.free) {
            if (!differs(r.best, each)) {
                shared += (shared.empty() ? "All listed plans have: " : ", ") + labelOfFree(each) + " " +
                          valueInWords(r.best.front(), each);
            }
        }
        if (!shared.empty())
            out += paragraphText(shared, terminal);
        out += bestTable(answer, terminal);
        out +=
            paragraphText("= is within the model error of the first (80 % interval)", terminal, Style::quiet);
        out += recommendation(answer, terminal) + alternatives(answer, terminal);
    }
    if (!r.present.why.empty())
        out += paragraphText("The present plan is not ranked: " + r.present.why, terminal);
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
    for (std::size_t i = 0; i < std::min(mostReasons, r.rejected.size()); ++i)
        out += paragraphText(count(r.rejected[i].count) + ": " + r.rejected[i].why, terminal, Style::quiet);
    return out;
}

std::string searchJson(const SearchAnswer& answer) {
    const SearchResult& r = answer.result;
    Json fields = Json::array();
    for (const FreeField& each : answer.question.free) {
        Json values = Json::array();
        for (const SearchChoice& choice : each.choices)
            values.push_back(choiceText(choice));
        fields.push_back({{"path", each.path}, {"values", std::move(values)}});
    }
    Json objectives = Json::array();
    for (const PlanFigure* each : answer.question.objectives)
        objectives.push_back(each->path);
    Json limits = Json::array();
    for (const SearchLimit& each : answer.question.limits)
        limits.push_back({{"figure", each.figure->path}, {each.atMost ? "at_most" : "at_least", each.value}});
    const auto plans = [](const std::vector<FoundPlan>& list) {
        Json out = Json::array();
        for (const FoundPlan& each : list)
            out.push_back(planJson(each));
        return out;
    };
    Json rejected = Json::array();
    for (const Rejection& each : r.rejected)
        rejected.push_back({{"why", each.why}, {"count", each.count}, {"example", setJson(each.example)}});
    Json present = {{"rank", r.present.rank ? Json(*r.present.rank) : Json(nullptr)},
                    {"figures", figuresJson(r.present.figures)}};
    if (r.present.rank) {
        present["equal_to_best"] = r.present.equalToBest;
        const std::string behind = presentGapText(answer.question, r);
        present["loses"] = behind.empty() ? Json(nullptr) : Json(behind);
    } else {
        present["why"] = r.present.why;
    }
    const Json out = {
        {"alidade", 1},
        {"space", {{"plans", r.plans}, {"fields", std::move(fields)}}},
        {"counts", data::countsJson(r.counts)},
        {"plans_per_second", answer.plansPerSecond()},
        {"seconds", answer.seconds},
        {"complete", r.complete},
        {"objective", std::move(objectives)},
        {"limits", std::move(limits)},
        {"robust", answer.question.robust},
        {"recommended", r.recommended ? planJson(*r.recommended) : Json(nullptr)},
        {"assumes", r.assumes},
        {"nearest_published", answer.nearest.empty() ? Json(nullptr) : Json(answer.nearest)},
        {"fewest", r.fewest ? planJson(*r.fewest) : Json(nullptr)},
        {"runner_up", r.runnerUp ? planJson(r.runnerUp->plan) : Json(nullptr)},
        {"runner_up_needs", r.runnerUp ? Json(runnerUpText(answer.question, r)) : Json(nullptr)},
        {"choices", effectsJson(answer)},
        {"best", plans(r.best)},
        {"front", plans(r.front)},
        {"present", std::move(present)},
        {"rejected", std::move(rejected)}};
    return dumped(out);
}

std::string searchCsv(const SearchAnswer& answer) {
    std::vector<std::string> paths;
    for (const FoundPlan& plan : answer.result.best) {
        for (const auto& [path, text] : plan.set)
            if (std::ranges::find(paths, path) == paths.end())
                paths.push_back(path);
    }
    std::vector<const PlanFigure*> figures;
    for (const PlanFigure& each : planFigures())
        if (each.isOf(answer.question.base.workload))
            figures.push_back(&each);
    std::string out = "rank,equal_to_best,low,high";
    for (const std::string& path : paths)
        out += "," + data::csvField(path);
    for (const PlanFigure* each : figures)
        out += "," + std::string(each->path);
    out += "\n";
    for (std::size_t i = 0; i < answer.result.best.size(); ++i) {
        const FoundPlan& plan = answer.result.best[i];
        out += std::to_string(i + 1) + (plan.equalToBest ? ",true," : ",false,") + Json(plan.low).dump() +
               "," + Json(plan.high).dump();
        for (const std::string& path : paths)
            out += "," + data::csvField(settingOf(plan, path));
        for (const PlanFigure* each : figures) {
            const double value = plan.figure(*each);
            out += "," + (std::isnan(value) ? "" : Json(value).dump());
        }
        out += "\n";
    }
    return out;
}

} // namespace alidade::cli
