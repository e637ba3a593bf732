// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"
#include "model/scenario/host_choice.h"
#include "model/scenario/scenario.h"
#include "model/topology/fabric.h"
#include "model/units/text.h"

#include <optional>
#include <string>
#include <utility>

namespace alidade::resolving {

// The steps of resolve(), in this order. Each fills its part of the Scenario; what breaks a rule becomes a
// problem, what makes the request meaningless becomes the returned text (empty: all is well).

struct Context {
    const ScenarioSpec& spec; ///< as written
    const Catalog& catalog;
    const Profile& profile;
    Scenario& out;
    const Framework* framework = nullptr;
    const Gpu* gpu = nullptr;
    std::string network; ///< "efa3", "infiniband", ...; empty: one node without a network
    int gpusPerNode = 1;
    int gpusAvailable = 0; ///< of the whole cluster
    int firstRank = 0;     ///< of this pool, where another one has the ranks before it
    HostChoice hosts{};
    SharedText defaultOrigin{};     ///< "default of vLLM", made when it is first needed
    std::optional<Fabric> fabric{}; ///< absent: the machine's own, packed, non-blocking
};

std::string resolveWorkload(Context& context);
std::string resolveCluster(Context& context);
std::string resolvePlan(Context& context);
/// Parts of resolvePlan: sharding, precision, recomputation, optimizer, overlap; experts; stages and groups.
void resolveState(Context& context);
void resolveExperts(Context& context);
void resolveLayout(Context& context);
/// The groups of the plan where ranks are placed on a fabric; nothing on the machine's own, packed.
void placeTraining(Context& context);
void placeServing(Context& context);
void resolvePrice(Context& context);
void resolveConstants(Context& context);
/// The parts of these steps that are those of serving; the plan comes without pools apart.
std::string resolveServingWorkload(Context& context);
void resolveServingPlan(Context& context);
void checkServingLegality(Context& context);
/// Prefill and decode apart: each pool is resolved as a scenario of its own. \returns what makes no sense
std::string resolvePools(Context& context);
/// resolve() with the ranks from `firstRank` on.
Result<Scenario> resolveFrom(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                             int firstRank);
bool hasPools(const ScenarioSpec& spec); ///< prefill and decode are apart
/// Bytes and traffic of the optimizer, from those of Adam in the profile.
void resolveOptimizerState(Context& context);
/// Rules that the finished scenario must obey; adds problems.
void checkLegality(Context& context);

/// A degree as written; without one the field is filled with what holds then.
inline int degree(std::optional<std::int64_t>& field, std::int64_t fallback) {
    field = field.value_or(fallback);
    return static_cast<int>(*field);
}

/// "scenario" for what a person wrote.
inline SharedText originOr(bool written, SharedText otherwise) {
    return written ? SharedText("scenario") : std::move(otherwise);
}
/// The same, else the framework's default.
SharedText originOf(Context& context, bool written);
void set(Context& context, Input input, double value, SharedText source, SourceKind kind);
/// Whether a catalog value is the shipped one or the user's own.
SourceKind catalogKind(const Provenance& provenance, std::string_view key);
/// An error that makes the scenario illegal.
void illegal(Context& context, std::string_view fieldPath, std::string message);
/// Something that the model does not cover: the scenario gets no figures rather than wrong ones.
void notModelled(Context& context, std::string_view fieldPath, std::string message);
void warn(Context& context, std::string_view fieldPath, std::string message);

/// What a word of the plan means. A word that its table does not have makes the scenario illegal.
template <class E, std::size_t n>
E read(Context& context, const std::array<PlanWord<E>, n>& table, std::string_view fieldPath,
       std::string_view word, E otherwise) {
    const std::optional<E> meaning = meaningOf(table, word);
    if (!meaning) {
        std::string known;
        for (const PlanWord<E>& each : table) {
            known += (known.empty() ? "" : ", ") + std::string(each.word);
        }
        illegal(context, fieldPath, quoted(word) + " is none of " + known);
    }
    return meaning.value_or(otherwise);
}

} // namespace alidade::resolving
