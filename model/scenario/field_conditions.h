// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

struct Catalog;
struct ScenarioSpec;

namespace fields {

// Conditions under which a field is meaningful; see Field::when.

bool trainsLora(const ScenarioSpec& spec, const Catalog& catalog);
bool hasExamples(const ScenarioSpec& spec, const Catalog& catalog);
bool hasExampleLength(const ScenarioSpec& spec, const Catalog& catalog);
bool scoresByModel(const ScenarioSpec& spec, const Catalog& catalog);
bool scoresByRule(const ScenarioSpec& spec, const Catalog& catalog); ///< or in a sandbox
bool hasCritic(const ScenarioSpec& spec, const Catalog& catalog);
bool hasTwoPools(const ScenarioSpec& spec, const Catalog& catalog); ///< rollout apart from training
bool isAsynchronous(const ScenarioSpec& spec, const Catalog& catalog);
bool takesTurns(const ScenarioSpec& spec, const Catalog& catalog); ///< rollout and training on the same GPUs
bool isClosedLoop(const ScenarioSpec& spec, const Catalog& catalog);   ///< driven by a concurrency
bool isOpenLoop(const ScenarioSpec& spec, const Catalog& catalog);     ///< driven by a request rate
bool selectsAnswers(const ScenarioSpec& spec, const Catalog& catalog); ///< one of several samples
bool searchesBeams(const ScenarioSpec& spec, const Catalog& catalog);
bool rentsInstances(const ScenarioSpec& spec, const Catalog& catalog);  ///< an instance type can be set
bool countsInstances(const ScenarioSpec& spec, const Catalog& catalog); ///< sized by a number of instances
bool rentsUltraservers(const ScenarioSpec& spec, const Catalog& catalog);
bool describesMachine(const ScenarioSpec& spec, const Catalog& catalog); ///< a custom machine
bool hasCustomPrice(const ScenarioSpec& spec, const Catalog& catalog);
bool hasBase(const ScenarioSpec& spec, const Catalog& catalog); ///< instances bought in another way
bool isSplitByTensor(const ScenarioSpec& spec, const Catalog& catalog);
bool splitsSequences(const ScenarioSpec& spec, const Catalog& catalog);
bool hasStages(const ScenarioSpec& spec, const Catalog& catalog);
bool hasExperts(const ScenarioSpec& spec, const Catalog& catalog);
/// A single fleet of replicas handles prefill and decode; separate pools have their own degrees.
bool isOneFleet(const ScenarioSpec& spec, const Catalog& catalog);
bool isOneFleetWithExperts(const ScenarioSpec& spec, const Catalog& catalog);
bool speculates(const ScenarioSpec& spec, const Catalog& catalog);
bool shardsInGroups(const ScenarioSpec& spec, const Catalog& catalog);
bool computesInFp8(const ScenarioSpec& spec, const Catalog& catalog);

} // namespace fields

} // namespace alidade
