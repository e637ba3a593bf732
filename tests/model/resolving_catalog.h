// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/scenario/scenario.h"

#include <QByteArray>

#include <string>
#include <string_view>
#include <vector>

// A catalog that is small enough to check every figure of it, for tests that resolve scenarios.
namespace alidade::test {

/// Machines: "h8" (8 Hopper GPUs, EFA v2), "h1" (1 of them, no network), "a4" (4 Ampere GPUs without NVLink),
/// "b4" (a host of "rack", an UltraServer of 4 x 4 Blackwell GPUs), "x8" (of another vendor) and "t1" (FP16
/// alone). Models: "dense" and "experts". Every entry cites "sheet (2026-01)"; constants of the profile
/// follow from their dimension.
Catalog resolvingCatalog();

/// The same catalog for all tests that only read it.
const Catalog& sharedCatalog();

/// 4 x h8 train the dense model: 32 sequences of 1,024 tokens a step, On-Demand in us-east-2.
ScenarioSpec smallTraining();
/// One h8 serves the dense model: 500 + 100 tokens, 2 requests/s.
ScenarioSpec smallServing();
/// 2 x h8 learn by reinforcement: 16 prompts of 200 tokens, 4 responses of 300.
ScenarioSpec smallReinforcement();

/// A spec with fields set as --set does, in their order. Fails the test for a field or value that is refused.
ScenarioSpec edited(ScenarioSpec spec, const Edit& edit);
Edit editOf(std::string_view text); ///< "plan.tensor_parallel=2; plan.sharding=zero3"; an empty value clears

/// Resolves with a catalog's own profile. Fails the test if the request means nothing.
Scenario resolved(const ScenarioSpec& spec, const Catalog& catalog = sharedCatalog());
/// Why a request means nothing; empty if it means something.
QByteArray refusalOf(const ScenarioSpec& spec, const Catalog& catalog = sharedCatalog());

/// Problems of a scenario, one a line, in their order: "error /plan/tensor_parallel: Tensor 3 ...".
QByteArray problemsOf(const Scenario& scenario);
/// "scenario", "(derived) why", ...: the kind of an origin and its source.
QByteArray originOfInput(const Scenario& scenario, Input input);
/// What of a text is not so: "plan.sharding=zero1; gpus=32; price~catalog: h8, ..." names fields of the
/// resolved spec, values of inputs and their origins. Empty if all of it is.
QByteArray differences(const Scenario& scenario, std::string_view expected);

} // namespace alidade::test
