// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/question.h"

#include "model/base/text.h"
#include "model/scenario/layout_fields.h"
#include "model/scenario/rented_machines.h"
#include "model/units/parse.h"
#include "model/units/text.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace alidade {

namespace {

SearchChoice choiceOf(const Edit& edit) {
    SearchChoice out{.sets = {}, .edit = edit};
    for (const auto& [path, text] : edit) {
        const Field* field = findField(path);
        out.sets.emplace_back(field, *parseField(*field, text)); // checked by the caller
    }
    return out;
}

/// Splits at commas outside of units; spaces around a word do not count.
std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        out.emplace_back(trimmed(text.substr(from, to - from)));
        from = to + 1;
    }
    return out;
}

/// What the search knows about a scenario before it varies anything.
struct Known {
    Architecture model;
    std::int64_t gpus = 1, batch = 1, sequence = 1;
};

Known knownOf(const ScenarioSpec& spec, const Catalog& catalog) {
    Known out;
    if (const auto scenario = resolve(spec, catalog, catalog.defaultProfile)) {
        out.model = scenario->model;
        out.batch = static_cast<std::int64_t>(scenario->inputs[Input::globalBatch]);
        out.sequence = static_cast<std::int64_t>(scenario->inputs[Input::sequenceLength]);
    }
    out.gpus = std::max<std::int64_t>(1, rentedGpus(spec, catalog));
    return out;
}

std::vector<std::string> divisorsUpTo(std::int64_t of, std::int64_t most) {
    std::vector<std::string> out;
    for (std::int64_t n = 1; n <= std::min(of, most); ++n)
        if (of % n == 0)
            out.push_back(std::to_string(n));
    return out;
}

/// All values of a degree that a plan of this scenario may have. Necessary conditions only: whether a plan is
/// legal is decided when it is resolved.
std::vector<std::string> degreeValues(const Field& field, const Known& known) {
    constexpr std::int64_t mostTensor = 128, mostContext = 64, mostPipeline = 128, mostChunks = 32,
                           mostMicroBatch = 64;
    const auto divides = [&](std::int64_t of, std::int64_t most) {
        std::vector<std::string> out = divisorsUpTo(of, most);
        std::erase_if(out, [&](const std::string& n) { return known.gpus % std::stoll(n) != 0; });
        return out;
    };
    if (field.path.ends_with(".tensor_parallel"))
        return divides(known.model.attentionHeads, mostTensor);
    if (field.path == "plan.context_parallel")
        return divides(known.sequence, mostContext);
    if (field.path == "plan.pipeline_parallel")
        return divisorsUpTo(known.gpus, std::min<std::int64_t>(known.model.layers, mostPipeline));
    if (field.path == "plan.virtual_pipeline") {
        std::vector<std::string> out;
        for (std::int64_t n = 1; n <= std::min<std::int64_t>(mostChunks, known.model.layers / 2); ++n)
            out.push_back(std::to_string(n));
        return out;
    }
    if (field.path == "plan.micro_batch")
        return divisorsUpTo(known.batch, mostMicroBatch);
    const std::int64_t experts = known.model.moe ? known.model.moe->routedExperts : 1;
    if (field.path == "plan.expert_parallel")
        return divisorsUpTo(experts, experts);
    if (field.path == "plan.expert_tensor_parallel")
        return divides(known.model.moe ? known.model.moe->expertIntermediateSize : 1, 8);
    return divisorsUpTo(known.gpus, known.gpus); // data, attention data
}

/// Recomputation from none to all of it, with the modules that the architecture has.
std::vector<std::string> recomputeValues(const Architecture& model) {
    std::vector<std::string> out{"none", "norms"};
    if (model.moe) {
        out.emplace_back("norms, moe_act");
        if (model.mla)
            out.emplace_back("norms, moe_act, mla_up_proj");
    } else if (model.ffnGated) {
        out.emplace_back("norms, glu");
    }
    out.emplace_back("selective");
    out.emplace_back("full");
    return out;
}

/// The values of a field that is left free, as typed.
Result<std::vector<std::string>> allValues(const ScenarioSpec& spec, const Catalog& catalog,
                                           const Field& field) {
    const std::string path(field.path);
    if (path == "plan.recompute")
        return recomputeValues(knownOf(spec, catalog).model);
    if (path == "plan.rollout.gpus" || path == "plan.train.gpus") { // in steps of a host, at most 16
        std::vector<std::string> out;
        const std::int64_t gpus = knownOf(spec, catalog).gpus;
        const std::int64_t step = std::max<std::int64_t>({1, gpus / 16, gpus >= 16 ? 8 : 1});
        for (std::int64_t n = step; n < gpus; n += step)
            out.push_back(std::to_string(n));
        return out;
    }
    if (path.starts_with("plan.rollout.") || path.starts_with("plan.train.")) {
        if (path.ends_with("tensor_parallel"))
            return divisorsUpTo(8, 8);
        if (path.ends_with("pipeline_parallel") || path.ends_with("expert_parallel"))
            return std::vector<std::string>{"1", "2", "4", "8", "16"};
    }
    if (field.degree)
        return degreeValues(field, knownOf(spec, catalog));
    if (field.kind == FieldKind::flag)
        return std::vector<std::string>{"false", "true"};
    if (!field.choices.empty() && field.kind == FieldKind::choice) {
        std::vector<std::string> out;
        for (const std::string_view word : field.choices)
            if (choiceApplies(field, word, spec, catalog))
                out.emplace_back(word);
        return out;
    }
    if (path.ends_with(".workers")) {
        constexpr std::int64_t mostWorkers = 16;
        std::vector<std::string> out;
        for (std::int64_t n = 1; n <= std::min(mostWorkers, knownOf(spec, catalog).gpus); ++n)
            out.push_back(std::to_string(n));
        return out;
    }
    if (isMachineCount(path)) {
        // From an eighth to eight times as many, in steps of two.
        std::vector<std::string> out;
        const std::int64_t now = machineCount(spec);
        for (std::int64_t n = std::max<std::int64_t>(1, now / 8); n <= now * 8; n *= 2)
            out.push_back(std::to_string(n));
        return out;
    }
    return Error{path + " needs a list or a range: " + path + "=A,B,C or " + path + "=A..B"};
}

/// "A..B" of an integer field as its values.
Result<std::vector<std::string>> rangeValues(const Field& field, std::string_view words, std::size_t dots) {
    constexpr std::int64_t mostValues = 10'000;
    const auto end = [&](std::string_view text) { return parseField(field, text); };
    const auto first = end(words.substr(0, dots)), last = end(words.substr(dots + 2));
    if (field.kind != FieldKind::integer || !first || !last ||
        !std::holds_alternative<std::int64_t>(*first) || !std::holds_alternative<std::int64_t>(*last)) {
        return Error{std::string(field.path) + ": " + quoted(words) +
                     " is not a range of whole numbers; write 1..8, or list the values: 1,2,4"};
    }
    const std::int64_t from = std::get<std::int64_t>(*first), to = std::get<std::int64_t>(*last);
    if (to < from || to - from >= mostValues) {
        return Error{std::string(field.path) + ": " + quoted(words) + " must ascend and have at most " +
                     formatCount(mostValues) + " values"};
    }
    std::vector<std::string> out;
    for (std::int64_t n = from; n <= to; ++n)
        out.push_back(std::to_string(n));
    return out;
}

} // namespace

std::uint64_t SearchQuestion::plans() const {
    std::uint64_t out = 1;
    for (const FreeField& each : free) {
        const auto count = static_cast<std::uint64_t>(each.choices.size());
        if (count > 0 && out > mostPlans / count)
            return mostPlans + 1;
        out *= count;
    }
    return out;
}

Result<FreeField> freeField(const ScenarioSpec& spec, const Catalog& catalog, std::string_view path,
                            std::string_view words) {
    if (path == "cluster.instance" || path == "cluster.ultraserver")
        return freeMachines(spec, catalog, words.empty() ? "all" : words);
    const Field* field = findField(path);
    if (!field) {
        const std::string near = nearestField(path);
        return Error{"there is no field " + quoted(path) +
                     (near.empty() ? "" : "; the nearest is '" + near + "'")};
    }
    if (!belongsTo(field->appliesTo, spec.workload)) {
        return Error{std::string(path) + " is a field of " + std::string(kindName(field->appliesTo)) +
                     ", and this scenario is " + std::string(kindName(spec.workload))};
    }
    Result<std::vector<std::string>> values = Error{};
    const std::size_t dots = words.find("..");
    if (words.empty()) {
        values = allValues(spec, catalog, *field);
    } else if (dots != std::string_view::npos) {
        values = rangeValues(*field, words, dots);
    } else if (field->kind == FieldKind::wordList || field->kind == FieldKind::integerList) {
        // Commas separate the words of one value: alternatives are separated by "|".
        std::vector<std::string> alternatives;
        for (std::size_t from = 0; from <= words.size();) {
            const std::size_t to = std::min(words.find('|', from), words.size());
            alternatives.emplace_back(words.substr(from, to - from));
            from = to + 1;
        }
        values = alternatives;
    } else {
        values = wordsOf(words);
    }
    if (!values)
        return Error{values.error()};
    FreeField out{.path = std::string(path), .choices = {}};
    std::set<std::string> seen;
    for (const std::string& word : *values) {
        const Result<FieldValue> value = parseField(*field, word);
        const std::string wrong = value ? checkField(*field, *value) : value.error();
        if (!wrong.empty())
            return Error{std::string(path) + ": " + wrong};
        const std::string text = fieldText(*field, *value);
        if (seen.insert(text).second)
            out.choices.push_back(choiceOf({{out.path, text}}));
    }
    return out;
}

Result<FreeField> freeMachines(const ScenarioSpec& spec, const Catalog& catalog, std::string_view words) {
    const ClusterSpec& cluster = spec.cluster;
    const std::string present = cluster.ultraserver.value_or(cluster.instance.value_or(""));
    std::vector<std::string> ids;
    if (words == "all") {
        ids = spec.workload.isServing() ? servingInstances(catalog) : trainingInstances(catalog);
        for (const UltraServer& each : catalog.ultraservers)
            ids.push_back(each.id);
        if (!present.empty() && std::ranges::find(ids, present) == ids.end())
            ids.push_back(present);
    } else {
        ids = wordsOf(words);
    }
    FreeField out{.path = "cluster.instance", .choices = {}};
    const std::int64_t gpus = std::max<std::int64_t>(1, rentedGpus(spec, catalog));
    std::set<std::string> seen;
    for (const std::string& id : ids) {
        const int each = gpusOfMachine(catalog, id);
        if (each == 0) {
            std::vector<std::string> known;
            for (const Instance& instance : catalog.instances)
                known.push_back(instance.id);
            for (const UltraServer& ultra : catalog.ultraservers)
                known.push_back(ultra.id);
            const std::string near = nearestName(id, known);
            return Error{"no instance type or UltraServer " + quoted(id) + " in the catalog" +
                         (near.empty() ? "" : "; did you mean '" + near + "'?")};
        }
        if (!seen.insert(id).second)
            continue;
        Edit edit{{cluster.ultraserver ? "cluster.ultraserver" : "cluster.instance", id}};
        if (id != present) {
            edit = machineEdit(catalog, id, (gpus + each - 1) / each);
            std::ranges::copy(withoutStatedPrice(spec), std::back_inserter(edit));
        }
        out.choices.push_back(choiceOf(edit));
    }
    return out;
}

std::vector<FreeField> usualFreeFields(const ScenarioSpec& spec, const Catalog& catalog) {
    const Known known = knownOf(spec, catalog);
    std::vector<const char*> paths;
    const DisaggregatedSpec& apart = spec.plan.disaggregated;
    if (apart.prefill.workers || apart.decode.workers) { // prefill and decode apart: their ratio
        paths = {"plan.disaggregated.prefill.workers", "plan.disaggregated.decode.workers"};
        if (!known.model.moe) {
            paths.insert(paths.end(), {"plan.disaggregated.prefill.tensor_parallel",
                                       "plan.disaggregated.decode.tensor_parallel"});
        }
    } else if (spec.workload.isReinforcement()) {
        paths = {"plan.rollout.tensor_parallel", "plan.train.tensor_parallel"};
        if (known.model.moe)
            paths.push_back("plan.train.expert_parallel");
        if (spec.roles.read().placement.value_or("colocated") != "colocated")
            paths.push_back("plan.rollout.gpus");
    } else if (spec.workload.isServing()) {
        paths = {"plan.tensor_parallel", "plan.pipeline_parallel"};
        if (known.model.moe)
            paths.insert(paths.end(), {"plan.attention_data_parallel", "plan.expert_parallel"});
    } else {
        constexpr std::int64_t longSequence = 8192; ///< tokens, from which contexts are split in practice
        paths = {"plan.tensor_parallel"};
        if (known.sequence >= longSequence)
            paths.push_back("plan.context_parallel");
        paths.push_back("plan.pipeline_parallel");
        if (known.model.moe)
            paths.push_back("plan.expert_parallel");
        paths.insert(paths.end(), {"plan.virtual_pipeline", "plan.micro_batch", "plan.recompute"});
    }
    std::vector<FreeField> out;
    for (const char* path : paths)
        if (auto field = freeField(spec, catalog, path, {}); field && !field->choices.empty())
            out.push_back(*std::move(field));
    return out;
}

namespace {

std::string unknownFigure(const WorkloadSpec& workload, std::string_view path) {
    const PlanFigure* other = findPlanFigure(path);
    if (other && other->ofQuestions && workload.isServing())
        return quoted(path) + " is a figure of questions; set workload.samples (1 for a single answer)";
    if (other) {
        return quoted(path) + " is a figure of " + std::string(kindName(other->appliesTo)) +
               ", and this scenario is " + std::string(kindName(workload));
    }
    const std::string near = nearestPlanFigure(path);
    return "there is no figure " + quoted(path) + (near.empty() ? "" : "; the nearest is '" + near + "'");
}

} // namespace

Result<const PlanFigure*> searchObjective(const WorkloadSpec& workload, std::string_view path) {
    const PlanFigure* figure = findPlanFigure(path);
    if (!figure || !figure->isOf(workload))
        return Error{unknownFigure(workload, path)};
    return figure;
}

Result<SearchLimit> searchLimit(const WorkloadSpec& workload, std::string_view text, bool atMost) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return Error{quoted(text) + " is not FIGURE=VALUE, such as training.step_time_s=10 s"};
    const auto figure = searchObjective(workload, text.substr(0, equals));
    if (!figure)
        return Error{figure.error()};
    const Result<double> value = parseQuantity(text.substr(equals + 1), (*figure)->dimension);
    if (!value)
        return Error{std::string((*figure)->path) + ": " + value.error()};
    return SearchLimit{*figure, atMost, *value};
}

void completeQuestion(SearchQuestion& question, const Catalog& catalog, const Profile& profile) {
    const ScenarioSpec& base = question.base;
    if (question.free.empty())
        question.free = usualFreeFields(base, catalog);
    // What a plan keeps of the one before is kept longest where machines and constants vary slowest: fields
    // that are no layout fields, whose bit is 0. Of the others those come first that rules ask for first: a
    // rule that is broken excludes all values of the fields after it; see PlanWalker::endOfRun().
    std::ranges::stable_sort(question.free, {},
                             [](const FreeField& each) { return layoutFieldBit(each.path); });
    // A machine comes with a number, which one that is free replaces.
    std::ranges::stable_partition(question.free,
                                  [](const FreeField& each) { return each.path == "cluster.instance"; });
    const auto isFree = [&](std::string_view path) {
        return std::ranges::any_of(question.free, [&](const FreeField& f) { return f.path == path; });
    };
    const bool machinesVary =
        isFree("cluster.instance") || isFree("cluster.instances") || isFree("cluster.ultraservers");
    if (question.objectives.empty()) {
        const auto scenario = resolve(base, catalog, profile);
        const bool priced = scenario && scenario->hasPrice && (scenario->isServing() || scenario->hasTokens);
        const char* path =
            base.workload.isReinforcement() ? "reinforcement_learning.step_time_s"
            : base.workload.isServing()
                ? (priced ? "cost.dollars_per_million_tokens" : "serving.output_tokens_per_s_per_gpu")
            : machinesVary ? (priced ? "cost.dollars_per_run" : "training.tokens_per_s_per_gpu")
                           : "training.step_time_s";
        question.objectives.push_back(findPlanFigure(path));
    }
    // Fields that follow from others would contradict most values of a free one.
    const bool degreesVary = machinesVary || isFree("plan.tensor_parallel") ||
                             isFree("plan.context_parallel") || isFree("plan.pipeline_parallel") ||
                             isFree("plan.virtual_pipeline") || isFree("plan.attention_data_parallel");
    Edit follow;
    const auto clear = [&](const char* path) {
        if (!isFree(path))
            follow.emplace_back(path, "");
    };
    if (base.workload.isReinforcement()) {
        clear("plan.rollout.data_parallel");
        clear("plan.train.data_parallel");
        if (isFree("plan.rollout.gpus"))
            clear("plan.train.gpus");
    } else if (degreesVary) {
        clear("plan.data_parallel");
        if (base.workload.isServing())
            clear("cluster.gpus");
        else
            clear("plan.pipeline_split");
    }
    if (isFree("plan.pipeline_parallel") || isFree("plan.virtual_pipeline"))
        clear("plan.schedule");
    question.cleared = changesOf(base, follow);
    question.start = *applyEdit(base, question.cleared);
}

std::string wrongWith(const SearchQuestion& question) {
    if (question.plans() > mostPlans) {
        return "the space has more than " + formatCount(static_cast<std::int64_t>(mostPlans)) +
               " plans; free fewer fields or list fewer values";
    }
    const auto counts =
        std::ranges::count_if(question.free, [](const FreeField& each) { return isMachineCount(each.path); });
    if (counts > 1)
        return "cluster.instances and cluster.ultraservers are both the number of machines; vary one of them";
    return {};
}

} // namespace alidade
