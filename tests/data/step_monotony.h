// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/scenario.h"

#include <optional>
#include <random>
#include <string>

namespace alidade::test {

/// A random training plan on hardware of the catalog that runs (whether it fits is not asked); nullopt if the
/// plan drawn does not.
std::optional<Scenario> randomTraining(std::mt19937& random, const Catalog& catalog);

/// Raises NVLink, network and HBM bandwidth, peak FLOP/s and memory of the hardware one by one, by 0.1 % and
/// by up to 20 times. \returns an empty text, or which of them makes the step slower, or much faster for 0.1
/// %
std::string faultOfFasterHardware(const Scenario& scenario);

/// Raises the share of the gradient traffic that compute hides from 0 to 1. \returns an empty text, or where
/// more of it becomes visible
std::string faultOfGradientOverlap(const Scenario& scenario);

/// Doubles the global batch, the sequence length and the number of layers one by one. \returns an empty text,
/// or which of them makes the step faster
std::string faultOfMoreWork(const Scenario& scenario, const Catalog& catalog);

} // namespace alidade::test
