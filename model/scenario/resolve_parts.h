// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"
#include "model/scenario/fields.h"
#include "model/scenario/host_choice.h"
#include "model/scenario/layout_fields.h"
#include "model/scenario/scenario.h"
#include "model/topology/fabric.h"
#include "model/units/text.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace alidade::resolving {

// The steps of resolve(), in this order. Each fills its part of the Scenario. A broken rule becomes a
// problem; a meaningless request becomes the returned text (empty on success).

/// What the software sets where a plan does not.
struct SoftwareDefault {
    const Field* field;
    FieldValue value;
    LayoutFields bit; ///< layoutFieldBit() of the field
};

/// What the layers of each stage follow from.
struct StageKey {
    int stages = 0, chunks = 0;
    PipelineSchedule schedule{};
    std::optional<std::vector<std::int64_t>> split;
    friend bool operator==(const StageKey&, const StageKey&) = default;
};

/// What the shapes of a plan's groups follow from, on one machine: degrees and sizes of sharding groups.
using GroupKey = std::array<std::int64_t, 11>;

inline constexpr std::size_t layoutStepCount = 12;

struct Context {
    const ScenarioSpec& spec; ///< as written
    const Catalog& catalog;
    const Profile& profile;
    Scenario& out;
    const Framework* framework = nullptr; ///< may point to `unknown`
    Framework unknown;                    ///< software without its own constants
    const Gpu* gpu = nullptr;
    std::string network; ///< "efa3", "infiniband", ...; empty: one node without a network
    int gpusPerNode = 1;
    int gpusAvailable = 0; ///< of the whole cluster
    /// The spec differs from the one before in its layout only (LayoutResolver). What does not depend on the
    /// layout is in `out` already. Only values are of interest: origins stay as they are, nothing is warned
    /// about, and the first broken rule ends it.
    bool layoutOnly = false;
    /// With layoutOnly: the layout fields that the rules checked so far depend on.
    LayoutFields decidedBy = 0;
    std::array<LayoutFields, layoutStepCount> decidedByStep{}; ///< of each step of resolveLayoutAgain()
    bool isBase = false; ///< the machines are the part of an order that is bought in another way
    int firstRank = 0;   ///< of this pool, if another one has the ranks before it
    HostChoice hosts{};
    SharedText defaultOrigin{};              ///< "default of vLLM", created on first use
    std::optional<LayerKinds> layerKinds{};  ///< of the model, once they are known
    std::vector<SoftwareDefault> defaults{}; ///< once they are known
    /// Rules that the plan breaks whatever its layout is: precision, offloading, adapters.
    std::vector<Problem> softwareErrors{};
    /// With layoutOnly: of which plan the stages and groups in `out` are.
    std::optional<StageKey> stagesOf{};
    std::optional<GroupKey> groupsOf{};
    std::optional<Fabric> fabric{}; ///< absent: the machine's own fabric, packed, non-blocking
};

/// Starts a resolution: `out` gets the spec and the versions of what it is resolved with. Both must outlive
/// the context.
Context contextOf(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile, Scenario& out,
                  int firstRank);
/// Workload and machines.
std::string resolveDemand(Context& context);
std::string resolveWorkload(Context& context);
std::string resolveCluster(Context& context);
std::string resolvePlan(Context& context);
/// With layoutOnly: the steps of resolvePlan() and what follows from them again, as far as they depend on
/// some of these layout fields, up to the first broken rule. \pre what does not depend on them is in `out`
void resolveLayoutAgain(Context& context, LayoutFields changed);
/// Parts of resolvePlan: sharding; precision, optimizer, overlap and adapters; recomputation and the kind of
/// context parallelism; experts; schedule; stages and groups.
void resolveSharding(Context& context);
void resolveSoftware(Context& context);
void resolveModules(Context& context);
void resolveExperts(Context& context);
void resolveExpertLoad(Context& context);
void resolveSchedule(Context& context);
void resolveLayout(Context& context);
/// Set the groups of the plan if ranks are placed on a fabric; do nothing on the machine's own fabric,
/// packed.
void placeTraining(Context& context);
void placeServing(Context& context);
/// Prices and constants of training; nothing in them depends on the layout of the plan.
void resolveTrainingRates(Context& context);
void resolvePrice(Context& context);
/// Storage, checkpoints and spares of a whole run.
void resolveRun(Context& context);
/// What of a run follows from the layout: copies of the state, and replicas that it can do without.
void resolveReplicas(Context& context);
/// The local drives of a node: rates and capacity, where it has any.
void resolveLocalDrives(Context& context);
/// What one node reads of a shared file system, and where the figure is from.
struct ClientRate {
    double bytesPerSecond = 0;
    SharedText source;
    SourceKind kind = SourceKind::assumed;
};
ClientRate clientRate(const Context& context, const StorageTier& tier);
inline constexpr std::string_view usualStorage = "fsx-lustre-persistent2-1000";
/// Of serving: how fast the second tier of the KV cache is, where that is not the memory of the host.
void resolveCacheTier(Context& context);
void resolveOrder(Context& context); ///< transfer and currency
void resolveConstants(Context& context);
/// The serving parts of these steps, for a plan without separate pools.
std::string resolveServingWorkload(Context& context);
void resolveServingPlan(Context& context);
void checkServingLegality(Context& context);
/// What samples of a question make of the load: its inputs become those of sequences.
void resolveSamples(Context& context);
/// How the samples of a question become its answer, for a finished serving scenario.
/// \returns an error message
std::string resolveTestTime(Context& context);
/// The parts of reinforcement learning: what is asked for, then both sides as separate scenarios.
std::string resolveReinforcementWorkload(Context& context);
std::string resolveReinforcement(Context& context);
/// Resolves each of the prefill and decode pools as its own scenario. \returns an error message
std::string resolvePools(Context& context);
/// resolve() with the ranks from `firstRank` on.
Result<Scenario> resolveFrom(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                             int firstRank);
bool hasPools(const ScenarioSpec& spec); ///< prefill and decode have separate pools
/// Gives a scenario without a name one.
void nameScenario(Scenario& out);
/// Sets the bytes and traffic of the optimizer from those of Adam in the profile.
void resolveOptimizerState(Context& context);
/// Checks the rules for the finished scenario; adds problems.
void checkLegality(Context& context);
/// The same in three parts, for `layoutOnly`: rules about degrees, stages and the batch, those about the
/// dimensions of the model, and those that need stages and groups.
void checkDegrees(Context& context);
void checkTensorAndContext(Context& context);
void checkLayout(Context& context);

/// Returns a degree as written; fills an empty field with the fallback.
inline int degree(std::optional<std::int64_t>& field, std::int64_t fallback) {
    field = field.value_or(fallback);
    return static_cast<int>(*field);
}

/// Returns "scenario" for a written value, otherwise `otherwise`.
inline SharedText originOr(bool written, SharedText otherwise) {
    return written ? SharedText("scenario") : std::move(otherwise);
}
/// Returns "scenario" for a written value, otherwise the framework's default.
SharedText originOf(Context& context, bool written);
void set(Context& context, Input input, double value, SharedText source, SourceKind kind);
/// Returns whether a catalog value is shipped or set by the user.
SourceKind catalogKind(const Provenance& provenance, std::string_view key);
/// Adds an error that makes the scenario illegal.
void illegal(Context& context, std::string_view fieldPath, std::string message);
/// Adds an error for something that the model does not cover: the scenario gets no figures instead of wrong
/// ones.
void notModeled(Context& context, std::string_view fieldPath, std::string message);
void warn(Context& context, std::string_view fieldPath, std::string message);
/// Adds a warning whose text is made only if it is of interest.
template <class Message>
    requires std::is_invocable_r_v<std::string, Message>
void warn(Context& context, std::string_view fieldPath, const Message& message) {
    if (!context.layoutOnly)
        warn(context, fieldPath, message());
}
/// True if resolution ends here.
inline bool ends(const Context& context) { return context.layoutOnly && !context.out.legal; }

/// Returns the meaning of a word of the plan. An unknown word makes the scenario illegal.
template <class Row, std::size_t n>
decltype(Row::value) read(Context& context, const std::array<Row, n>& table, std::string_view fieldPath,
                          std::string_view word, decltype(Row::value) otherwise) {
    const auto meaning = meaningOf(table, word);
    if (!meaning) {
        std::string known;
        for (const Row& each : table)
            known += (known.empty() ? "" : ", ") + std::string(each.word);
        illegal(context, fieldPath, quoted(word) + " is not one of " + known);
    }
    return meaning.value_or(otherwise);
}

} // namespace alidade::resolving
