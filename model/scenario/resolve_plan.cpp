// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/catalog/software_name.h"
#include "model/scenario/fields.h"
#include "model/scenario/resolve_parts.h"
#include "model/serving/number_format.h"
#include "model/units/constants.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alidade::resolving {

namespace {

constexpr const char* usualFramework = "megatron-core";
constexpr const char* usualEngine = "vllm";
/// Stack of the profile's bands for software whose own constants have not been calibrated.
constexpr const char* unknownStack = "unknown";

constexpr LayoutFields degreeFields =
    layoutFieldBit("plan.tensor_parallel") | layoutFieldBit("plan.context_parallel") |
    layoutFieldBit("plan.pipeline_parallel") | layoutFieldBit("plan.data_parallel");

/// Says that nothing is known of the software's speed.
void warnOfUnknown(Context& context, const std::string& field, const std::string& what) {
    context.out.problems.push_back(
        {Severity::warning,
         "/plan/" + field,
         what + "; the constants of software in general are used, with a wider band",
         {}});
}

/// Finds the framework or engine that a scenario names. A name that resembles none is software that the
/// catalog does not have: it gets the defaults of the usual one. \returns an error message for the user
std::string findSoftware(Context& context) {
    ScenarioSpec& filled = context.out.spec;
    const bool serving = context.out.isServing();
    const std::string field = serving ? "engine" : "framework";
    auto& word = serving ? filled.plan.engine : filled.plan.framework;
    word = word.value_or(serving ? usualEngine : usualFramework);
    const std::vector<Framework>& known = serving ? context.catalog.engines : context.catalog.frameworks;
    context.framework = serving ? context.catalog.engine(*word) : context.catalog.framework(*word);
    if (context.framework) {
        if (context.framework->stack == "*") {
            context.unknown = *context.framework;
            context.unknown.stack = unknownStack;
            context.framework = &context.unknown;
            warnOfUnknown(context, field, context.unknown.name + " has no calibrated constants");
        }
        return {};
    }
    if (const Framework* meant = softwareNamed(known, *word)) {
        context.framework = meant;
        context.out.problems.push_back(
            {Severity::info,
             "/plan/" + field,
             "'" + *word + "' is interpreted as " + meant->name + " (" + meant->id + ")",
             {}});
        word = meant->id;
        return {};
    }
    std::vector<std::string> ids;
    for (const Framework& each : known)
        ids.push_back(each.id);
    const std::string near = nearestName(*word, ids);
    if (!near.empty()) {
        return "/plan/" + field + ": no " + field + " '" + *word + "' in the catalog; did you mean '" + near +
               "'?";
    }
    const Framework* usual =
        serving ? context.catalog.engine(usualEngine) : context.catalog.framework(usualFramework);
    if (!usual || word->find_first_not_of(' ') == std::string::npos)
        return "/plan/" + field + ": no " + field + " '" + *word + "' in the catalog";
    context.unknown = *usual;
    context.unknown.id = context.unknown.name = *word;
    context.unknown.version.clear();
    context.unknown.stack = unknownStack;
    context.framework = &context.unknown;
    warnOfUnknown(context, field,
                  "'" + *word + "' is not in the catalog and gets the defaults of " + usual->name);
    return {};
}

/// parseField(), cached per text: software has few defaults, and they do not change. nullopt if the text is
/// invalid.
const std::optional<FieldValue>& parsedDefault(const Field& field, const std::string& text) {
    struct Default {
        std::string text;
        std::optional<FieldValue> value;
    };
    thread_local std::unordered_map<const Field*, std::vector<Default>> known;
    std::vector<Default>& ofField = known[&field];
    for (const Default& each : ofField)
        if (each.text == text)
            return each.value;
    constexpr std::size_t most = 64; // user catalogs come and go
    if (ofField.size() >= most)
        ofField.clear();
    const auto value = parseField(field, text);
    return ofField.emplace_back(Default{text, value ? std::optional(*value) : std::nullopt}).value;
}

void fill(ScenarioSpec& spec, const Field& field, const FieldValue& value) {
    if (std::holds_alternative<std::monostate>(field.get(spec)))
        field.set(spec, value);
}

/// Fills omitted fields with the defaults of the software.
std::string applyDefaults(Context& context) {
    ScenarioSpec& filled = context.out.spec;
    if (std::string wrong = findSoftware(context); !wrong.empty())
        return wrong;
    const auto apply = [&](const auto& defaults) {
        for (const auto& [path, text] : defaults) {
            const Field* field = findField(path);
            if (!field)
                continue;
            if (const std::optional<FieldValue>& value = parsedDefault(*field, text)) {
                fill(filled, *field, *value);
                context.defaults.push_back({field, *value, layoutFieldBit(field->path)});
            }
        }
    };
    const NumberFormat native = nativeFormat(context.out.model);
    const auto kept = filled.plan.weights ? numberFormat(*filled.plan.weights) : std::nullopt;
    if (context.out.isServing() && bitsOf(kept.value_or(native)) < bitsOf(native))
        apply(context.framework->quantizedDefaults);
    if (context.out.model.moe)
        apply(context.framework->moeDefaults);
    constexpr double large = 70 * bytesPerGib;
    if (context.gpu && (context.gpu->architecture == "Ampere" ||
                        context.gpu->deviceReportedMemory.value_or(context.gpu->memory).si() < large)) {
        apply(context.framework->smallGpuDefaults);
    }
    apply(context.framework->defaults);
    return {};
}

void putDegrees(Context& context) {
    const PlanSpec& written = context.spec.plan;
    const TrainingPlan& plan = context.out.plan;
    const auto put = [&](Input input, double value, const std::optional<std::int64_t>& field) {
        set(context, input, value, originOf(context, field.has_value()),
            field ? SourceKind::user : SourceKind::assumed);
    };
    put(Input::tensorParallel, plan.tensorParallel, written.tensorParallel);
    put(Input::contextParallel, plan.contextParallel, written.contextParallel);
    put(Input::pipelineParallel, plan.pipelineParallel, written.pipelineParallel);
    put(Input::virtualPipeline, plan.virtualPipeline, written.virtualPipeline);
    put(Input::microBatch, plan.microBatch, written.microBatch);
    put(Input::expertParallel, plan.expertParallel, written.expertParallel);
    put(Input::expertTensorParallel, plan.expertTensorParallel, written.expertTensorParallel);
    set(context, Input::dataParallel, plan.dataParallel,
        originOr(written.dataParallel.has_value(), "GPUs / (tensor x context x pipeline)"),
        SourceKind::derived);
    set(context, Input::expertDataParallel, plan.expertDataParallel,
        "tensor x context x data / (expert tensor x expert)", SourceKind::derived);
}

void resolveDegrees(Context& context) {
    context.decidedBy |= degreeFields;
    PlanSpec& filled = context.out.spec.plan;
    const PlanSpec& written = context.spec.plan;
    TrainingPlan& plan = context.out.plan;
    plan.tensorParallel = degree(filled.tensorParallel, 1);
    plan.contextParallel = degree(filled.contextParallel, 1);
    plan.pipelineParallel = degree(filled.pipelineParallel, 1);
    plan.virtualPipeline = degree(filled.virtualPipeline, 1);
    plan.microBatch = degree(filled.microBatch, 1);
    const std::int64_t replica =
        std::int64_t{plan.tensorParallel} * plan.contextParallel * plan.pipelineParallel;
    const std::int64_t gpus = context.gpusAvailable;
    plan.dataParallel = degree(filled.dataParallel, std::max<std::int64_t>(1, gpus / replica));
    const std::int64_t used = replica * plan.dataParallel;
    if (context.out.model.moe) {
        plan.expertParallel = degree(filled.expertParallel, 1);
        plan.expertTensorParallel = degree(filled.expertTensorParallel, 1);
        plan.expertDataParallel = static_cast<int>(
            std::max<std::int64_t>(1, used / plan.pipelineParallel /
                                          (std::int64_t{plan.expertParallel} * plan.expertTensorParallel)));
    }
    putDegrees(context);
    set(context, Input::gpus, static_cast<double>(std::min(used, gpus)), "tensor x context x pipeline x data",
        SourceKind::derived);
    const auto degrees = [&plan] {
        return "Tensor " + std::to_string(plan.tensorParallel) +
               (plan.contextParallel > 1 ? " x context " + std::to_string(plan.contextParallel) : "") +
               " x pipeline " + std::to_string(plan.pipelineParallel);
    };
    if (replica > gpus) {
        illegal(context, "plan.tensor_parallel",
                degrees() + " needs " + formatCount(replica) + " GPUs for one replica; the cluster has " +
                    formatCount(gpus));
    } else if (used > gpus) {
        illegal(context, "plan.data_parallel",
                "The degrees multiply to " + formatCount(used) + " GPUs; the cluster has " +
                    formatCount(gpus));
    } else if (!written.dataParallel && used != gpus) {
        illegal(context, "plan.tensor_parallel",
                degrees() + " does not divide the " + formatCount(gpus) +
                    " GPUs; change the degrees, or set data_parallel and leave GPUs idle");
    } else if (used < gpus) {
        warn(context, "plan.data_parallel",
             [&] { return formatCount(gpus - used) + " GPUs are idle but billed"; });
    }
    context.out.spec.cluster.gpus = used <= gpus ? used : gpus;
}

void resolveBatch(Context& context) {
    TrainingPlan& plan = context.out.plan;
    const std::int64_t perReplica = std::int64_t{plan.dataParallel} * plan.microBatch;
    const auto batch = static_cast<std::int64_t>(context.out.inputs[Input::globalBatch]);
    plan.microbatches = std::max<std::int64_t>(1, batch / perReplica);
    plan.freshGradients = context.framework && context.framework->stack.starts_with("fsdp") &&
                          plan.microbatches == 1 && plan.pipelineParallel == 1;
}

void resolveSequenceParallel(Context& context) {
    std::optional<bool>& filled = context.out.spec.plan.sequenceParallel;
    TrainingPlan& plan = context.out.plan;
    filled = filled.value_or(plan.tensorParallel > 1) && plan.tensorParallel > 1;
    plan.sequenceParallel = *filled;
}

} // namespace

SharedText originOf(Context& context, bool written) {
    if (context.layoutOnly)
        return {};
    if (written)
        return "scenario";
    if (context.defaultOrigin.empty())
        context.defaultOrigin = "default of " + context.framework->name;
    return context.defaultOrigin;
}

std::string resolvePlan(Context& context) {
    if (std::string wrong = applyDefaults(context); !wrong.empty())
        return wrong;
    if (context.out.isServing()) {
        if (!hasPools(context.spec))
            resolveServingPlan(context);
        return {};
    }
    resolveDegrees(context);
    resolveBatch(context);
    resolveSequenceParallel(context);
    context.out.plan.nvlinkSharp = context.gpu->nvlinkSharp;
    const std::size_t before = context.out.problems.size();
    resolveSoftware(context);
    std::copy_if(context.out.problems.begin() + static_cast<std::ptrdiff_t>(before),
                 context.out.problems.end(), std::back_inserter(context.softwareErrors),
                 [](const Problem& each) { return each.severity == Severity::error; });
    resolveModules(context);
    resolveSharding(context);
    resolveSchedule(context);
    resolveExperts(context);
    resolveExpertLoad(context);
    resolveLayout(context);
    return {};
}

namespace {

/// Rules that the plan breaks whatever its layout is.
void repeatSoftwareErrors(Context& context) {
    Scenario& out = context.out;
    out.problems.insert(out.problems.end(), context.softwareErrors.begin(), context.softwareErrors.end());
    out.legal = out.legal && context.softwareErrors.empty();
}

enum class Again : std::uint8_t {
    ifChanged, ///< a field that it depends on
    ifPlaced,  ///< the same, or ranks are placed on a fabric
    always
};

/// A part of resolveLayoutAgain().
struct LayoutStep {
    void (*resolve)(Context&);
    LayoutFields fills; ///< fields that it gives a value where the plan has none
    LayoutFields reads; ///< other fields that its results depend on
    Again again = Again::ifChanged;
    bool isDue(const Context& context, LayoutFields changed) const {
        return ((fills | reads) & changed) != 0 || again == Again::always ||
               (again == Again::ifPlaced && context.fabric);
    }
};

constexpr LayoutFields bits(std::initializer_list<std::string_view> names) {
    LayoutFields out = 0;
    for (const std::string_view each : names)
        out |= layoutFieldBit(each);
    return out;
}

constexpr LayoutFields ranks = degreeFields | bits({"plan.expert_parallel", "plan.expert_tensor_parallel"});
constexpr LayoutFields shards = ranks | bits({"plan.sharding", "plan.shard_size"});
constexpr LayoutFields stages =
    bits({"plan.pipeline_parallel", "plan.virtual_pipeline", "plan.schedule", "plan.pipeline_split"});

/// In the order of how few fields decide a broken rule; see LayoutResolver::illegalBy().
constexpr std::array<LayoutStep, layoutStepCount> layoutSteps{
    {{resolveDegrees, ranks | bits({"plan.virtual_pipeline", "plan.micro_batch"}), 0},
     {resolveBatch, 0, degreeFields | bits({"plan.micro_batch"})},
     {resolveSequenceParallel, bits({"plan.sequence_parallel"}), bits({"plan.tensor_parallel"})},
     {resolveSchedule, bits({"plan.schedule"}), stages},
     {checkDegrees, 0, ranks | stages | bits({"plan.micro_batch"})},
     {repeatSoftwareErrors, 0, 0, Again::always},
     {resolveModules, bits({"plan.recompute", "plan.context_parallel_kind"}),
      bits({"plan.context_parallel"})},
     {checkTensorAndContext, 0,
      bits({"plan.tensor_parallel", "plan.sequence_parallel", "plan.context_parallel",
            "plan.context_parallel_kind"})},
     {resolveSharding, bits({"plan.sharding", "plan.shard_size"}), ranks},
     {resolveExpertLoad, 0, ranks | bits({"plan.micro_batch", "plan.sequence_parallel"})},
     {resolveLayout, bits({"plan.pipeline_split"}), shards | stages | bits({"plan.context_parallel_kind"}),
      Again::ifPlaced},
     {resolveReplicas, 0, shards}}};

} // namespace

void resolveLayoutAgain(Context& context, LayoutFields changed) {
    Scenario& out = context.out;
    LayoutFields unfilled = changed;
    for (const LayoutStep& each : layoutSteps)
        if (each.isDue(context, changed))
            unfilled |= each.fills;
    copyLayout(context.spec.plan, out.spec.plan, unfilled);
    for (const SoftwareDefault& each : context.defaults)
        if ((each.bit & unfilled) != 0)
            fill(out.spec, *each.field, each.value);
    LayoutFields decidedBy = 0;
    for (std::size_t i = 0; i < layoutSteps.size() && out.legal; ++i) {
        if (layoutSteps[i].isDue(context, changed)) {
            context.decidedBy = 0;
            layoutSteps[i].resolve(context);
            context.decidedByStep[i] = context.decidedBy;
        }
        decidedBy |= context.decidedByStep[i];
    }
    context.decidedBy = decidedBy;
}

} // namespace alidade::resolving
