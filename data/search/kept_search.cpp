// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/search/kept_search.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "data/scenario/scenario_json.h"
#include "data/search/search_counts.h"
#include "model/catalog/catalog.h"
#include "model/scenario/fields.h"
#include "model/search/plan_walker.h"
#include "model/search/search_words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace alidade::data {

namespace {

using Json = nlohmann::json;
using Figures = std::vector<std::pair<const PlanFigure*, double>>;

constexpr std::size_t mostKept = 500;    // plans of a front
constexpr std::size_t mostPoints = 1000; // of the sample

Json figuresJson(const Figures& figures) {
    Json out = Json::object();
    for (const auto& [figure, value] : figures)
        if (std::isfinite(value))
            out[std::string(figure->path)] = value;
    return out;
}

Json planJson(const FoundPlan& plan) {
    return {{"index", plan.index},
            {"figures", figuresJson(plan.figures)},
            {"low", plan.low},
            {"high", plan.high},
            {"equal_to_best", plan.equalToBest},
            {"changes", plan.changes},
            {"surely_fits", plan.surelyFits},
            {"marks", plan.marks},
            {"same", plan.same}};
}

Json plansJson(const std::vector<FoundPlan>& plans) {
    Json out = Json::array();
    for (std::size_t i = 0; i < std::min(plans.size(), mostKept); ++i)
        out.push_back(planJson(plans[i]));
    return out;
}

Json questionJson(const SearchQuestion& question) {
    Json free = Json::array(), objectives = Json::array(), limits = Json::array();
    for (const FreeField& each : question.free)
        free.push_back({{"path", each.path}, {"values", choicesAsTyped(each)}});
    for (const PlanFigure* each : question.objectives)
        objectives.push_back(std::string(each->path));
    for (const SearchLimit& each : question.limits) {
        limits.push_back(
            {{"figure", std::string(each.figure->path)}, {"at_most", each.atMost}, {"value", each.value}});
    }
    return {{"scenario", Json::parse(writeScenario(question.base))},
            {"free", std::move(free)},
            {"objectives", std::move(objectives)},
            {"limits", std::move(limits)},
            {"robust", question.robust},
            {"top", question.top}};
}

Figures figuresOf(ObjectReader& reader, std::string_view key) {
    Figures out;
    auto figures = reader.object(key);
    if (!figures)
        return out;
    for (const PlanFigure& each : planFigures()) // in the order of an answer
        if (const auto value = figures->number(each.path))
            out.emplace_back(&each, *value);
    return out;
}

/// What a plan sets follows from its place in the space.
FoundPlan planOf(ObjectReader& reader, const SearchQuestion& question) {
    const std::uint64_t index = countOf(reader, "index");
    return {.index = index,
            .set = editOf(question, index),
            .figures = figuresOf(reader, "figures"),
            .low = reader.number("low").value_or(0),
            .high = reader.number("high").value_or(0),
            .equalToBest = reader.boolean("equal_to_best").value_or(false),
            .changes = reader.integer("changes", 0, 1000).value_or(0),
            .surelyFits = reader.boolean("surely_fits").value_or(true),
            .marks = reader.texts("marks"),
            .same = countOf(reader, "same")};
}

std::vector<FoundPlan> plansOf(ObjectReader& reader, std::string_view key, const SearchQuestion& question) {
    std::vector<FoundPlan> out;
    for (ObjectReader& each : reader.objects(key))
        out.push_back(planOf(each, question));
    return out;
}

Result<SearchQuestion> questionOf(ObjectReader& reader, const Catalog& catalog, const Profile& profile) {
    SearchQuestion out;
    const Json* scenario = reader.value("scenario");
    if (scenario == nullptr)
        return Error{"/question/scenario: is missing"};
    auto base = readScenario(scenario->dump(), "/question/scenario");
    if (!base)
        return Error{base.error()};
    out.base = *std::move(base);
    for (ObjectReader& each : reader.objects("free")) {
        auto field =
            freeField(out.base, catalog, each.text("path").value_or(""), each.text("values").value_or(""));
        if (!field)
            return Error{field.error()};
        out.free.push_back(*std::move(field));
    }
    for (const std::string& each : reader.texts("objectives")) {
        const auto figure = searchObjective(out.base.workload, each);
        if (!figure)
            return Error{figure.error()};
        out.objectives.push_back(*figure);
    }
    for (ObjectReader& each : reader.objects("limits")) {
        const auto figure = searchObjective(out.base.workload, each.text("figure").value_or(""));
        if (!figure)
            return Error{figure.error()};
        out.limits.push_back(
            {*figure, each.boolean("at_most").value_or(true), each.number("value").value_or(0)});
    }
    out.robust = reader.boolean("robust").value_or(false);
    out.top = static_cast<std::size_t>(reader.integer("top", 1, 1000).value_or(10));
    if (out.free.empty() || out.objectives.empty() || out.objectives.size() > 2)
        return Error{"/question: has no free fields, or not one or two objectives"};
    completeQuestion(out, catalog, profile);
    if (const std::string wrong = wrongWith(out); !wrong.empty())
        return Error{wrong};
    return out;
}

std::vector<SampledPlan> sampleOf(ObjectReader& reader) {
    std::vector<SampledPlan> out;
    const Json* list = reader.value("sample");
    const auto isNumber = [](const Json& each) { return each.is_number(); };
    for (const Json& each : list != nullptr && list->is_array() ? *list : Json::array())
        if (each.is_array() && each.size() == 3 && std::ranges::all_of(each, isNumber))
            out.push_back({{each[1].get<double>(), each[2].get<double>()}, each[0].get<std::uint64_t>()});
    return out;
}

void readRejected(ObjectReader& reader, SearchResult& out) {
    for (ObjectReader& each : reader.objects("rejected")) {
        Rejection one{.why = each.text("why").value_or(""),
                      .count = countOf(each, "count"),
                      .index = countOf(each, "index"),
                      .example = {}};
        const Json* further = each.value("further");
        for (const Json& place : further != nullptr && further->is_array() ? *further : Json::array())
            if (place.is_number_unsigned())
                one.further.push_back(place.get<std::uint64_t>());
        out.rejected.push_back(std::move(one));
    }
}

/// How far a plan is behind the best one. An older text does not say it of the present plan.
StepGap gapOf(ObjectReader& reader) {
    StepGap out{.seconds = reader.number("gap").value_or(0),
                .most = reader.number("most").value_or(0),
                .spent = reader.number("spent").value_or(0)};
    const std::string name = reader.text("bound").value_or("");
    if (const auto bound = std::ranges::find(allBounds, name, boundName); bound != allBounds.end())
        out.bound = *bound;
    return out;
}

/// What an answer says of its choices. An older text says nothing.
void readReasons(ObjectReader& reader, const SearchQuestion& question, SearchResult& out) {
    if (!reader.has("effects"))
        return;
    out.assumes = reader.texts("assumes");
    for (ObjectReader& each : reader.objects("effects")) {
        FieldEffect effect{
            .field = countOf(each, "field"), .values = {}, .failing = countOf(each, "failing")};
        if (effect.field >= question.free.size()) {
            each.fault("field", "is not a free field of the question");
            return;
        }
        for (ObjectReader& value : each.objects("values")) {
            effect.values.push_back({countOf(value, "choice"), value.number("value").value_or(0),
                                     value.boolean("equal_to_best").value_or(true)});
            if (effect.values.back().choice >= question.free[effect.field].choices.size()) {
                value.fault("choice", "is not a value of the field");
                return;
            }
        }
        out.effects.push_back(std::move(effect));
    }
    if (!reader.isNull("fewest")) {
        if (auto fewest = reader.object("fewest"))
            out.fewest = planOf(*fewest, question);
    }
    if (reader.isNull("runner_up"))
        return;
    if (auto second = reader.object("runner_up"))
        out.runnerUp = {planOf(*second, question), second->number("ratio").value_or(1), gapOf(*second)};
}

Json effectsJson(const std::vector<FieldEffect>& effects) {
    Json out = Json::array();
    for (const FieldEffect& each : effects) {
        Json values = Json::array();
        for (const ChoiceEffect& value : each.values) {
            values.push_back(
                {{"choice", value.choice}, {"value", value.value}, {"equal_to_best", value.equalToBest}});
        }
        out.push_back({{"field", each.field}, {"failing", each.failing}, {"values", std::move(values)}});
    }
    return out;
}

void writeGap(const StepGap& gap, Json& out) {
    out["gap"] = gap.seconds;
    out["most"] = gap.most;
    out["spent"] = gap.spent;
    out["bound"] = std::string(boundName(gap.bound));
}

Json presentJson(const PresentPlan& present) {
    Json out = {{"rank", present.rank ? Json(*present.rank) : Json(nullptr)},
                {"why", present.why},
                {"figures", figuresJson(present.figures)},
                {"equal_to_best", present.equalToBest}};
    writeGap(present.behind, out);
    return out;
}

Json runnerUpJson(const std::optional<RunnerUp>& second) {
    if (!second)
        return nullptr;
    Json out = planJson(second->plan);
    out["ratio"] = second->ratio;
    writeGap(second->behind, out);
    return out;
}

SearchResult resultOf(ObjectReader& reader, const SearchQuestion& question) {
    SearchResult out;
    out.plans = question.plans();
    out.counts = countsOf(reader);
    out.complete = reader.boolean("complete").value_or(false);
    out.best = plansOf(reader, "best", question);
    out.front = plansOf(reader, "front", question);
    if (auto recommended = reader.object("recommended"))
        out.recommended = planOf(*recommended, question);
    if (auto present = reader.object("present")) {
        if (present->has("rank") && !present->isNull("rank"))
            out.present.rank = countOf(*present, "rank");
        out.present.why = present->text("why").value_or("");
        out.present.figures = figuresOf(*present, "figures");
        out.present.equalToBest = present->boolean("equal_to_best").value_or(false);
        out.present.behind = gapOf(*present);
    }
    readRejected(reader, out);
    readReasons(reader, question, out);
    out.axes = {question.objectives.front(), question.objectives.size() > 1
                                                 ? question.objectives[1]
                                                 : findPlanFigure("memory.total_bytes")};
    out.sample = sampleOf(reader);
    return out;
}

/// Whether every plan of an answer has a place in the space.
bool isWithin(const SearchResult& result) {
    const auto within = [&result](std::uint64_t index) { return index < result.plans; };
    const auto apart = [&within](const std::optional<FoundPlan>& plan) {
        return !plan || within(plan->index);
    };
    return apart(result.recommended) && apart(result.fewest) &&
           (!result.runnerUp || within(result.runnerUp->plan.index)) &&
           std::ranges::all_of(result.best, within, &FoundPlan::index) &&
           std::ranges::all_of(result.front, within, &FoundPlan::index) &&
           std::ranges::all_of(result.sample, within, &SampledPlan::index) &&
           std::ranges::all_of(result.rejected, [&within](const Rejection& each) {
               return within(each.index) && std::ranges::all_of(each.further, within);
           });
}

} // namespace

std::string choicesAsTyped(const FreeField& field) {
    const Field* known = findField(field.path);
    const bool lists = known && (known->kind == FieldKind::wordList || known->kind == FieldKind::integerList);
    std::string out;
    for (const SearchChoice& choice : field.choices)
        (out += out.empty() ? "" : lists ? "|" : ",") += choiceText(choice);
    return out;
}

std::string writeSearch(const SearchAnswer& answer) {
    const SearchResult& r = answer.result;
    Json rejected = Json::array(), sample = Json::array();
    for (const Rejection& each : r.rejected) {
        rejected.push_back(
            {{"why", each.why}, {"count", each.count}, {"index", each.index}, {"further", each.further}});
    }
    const std::size_t step = r.sample.size() / mostPoints + 1;
    for (std::size_t i = 0; i < r.sample.size(); i += step)
        sample.push_back({r.sample[i].index, r.sample[i].values[0], r.sample[i].values[1]});
    const Json out{{"alidade", 1},
                   {"question", questionJson(answer.question)},
                   {"seconds", answer.seconds},
                   {"answer",
                    {{"counts", Json(countsJson(r.counts))},
                     {"complete", r.complete},
                     {"best", plansJson(r.best)},
                     {"front", plansJson(r.front)},
                     {"recommended", r.recommended ? planJson(*r.recommended) : Json(nullptr)},
                     {"present", presentJson(r.present)},
                     {"rejected", std::move(rejected)},
                     {"assumes", r.assumes},
                     {"nearest_published", answer.nearest},
                     {"effects", effectsJson(r.effects)},
                     {"fewest", r.fewest ? planJson(*r.fewest) : Json(nullptr)},
                     {"runner_up", runnerUpJson(r.runnerUp)},
                     {"sample", std::move(sample)}}}};
    return out.dump();
}

Result<SearchAnswer> readSearch(std::string_view text, const Catalog& catalog, const Profile& profile) {
    const auto document = parseJson(text);
    if (!document)
        return Error{document.error()};
    std::vector<JsonFault> faults;
    ObjectReader reader(*document, "", faults);
    reader.require({"question", "answer"});
    SearchAnswer out;
    if (auto question = reader.object("question")) {
        auto asked = questionOf(*question, catalog, profile);
        if (!asked)
            return Error{asked.error()};
        out.question = *std::move(asked);
    }
    out.seconds = reader.number("seconds", {0, mostExact, {}}).value_or(0);
    if (auto answer = reader.object("answer"); answer && faults.empty()) {
        out.result = resultOf(*answer, out.question);
        out.nearest = answer->text("nearest_published").value_or("");
    }
    if (!faults.empty())
        return Error{faults.front().pointer + ": " + faults.front().message};
    if (!isWithin(out.result))
        return Error{"/answer: has a plan that is not in the space of the question"};
    for (Rejection& each : out.result.rejected)
        each.example = editOf(out.question, each.index);
    return out;
}

} // namespace alidade::data
