// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/shared_text.h"
#include "model/explain/traced.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace alidade {

/// Every number that the cost of a scenario depends on. Enum-indexed, so that evaluation, sensitivity and
/// calibration address inputs the same way. The rows, with names and units, are in input_rows.def.
enum class Input : std::uint16_t {
#define ROW(input, name, label, dimension, family) input,
#include "model/plan/input_rows.def"
#undef ROW
    count
};
constexpr std::size_t inputCount = static_cast<std::size_t>(Input::count);

/// The origin of an input: the scenario, the catalog, or (from `training` on) the calibration profile.
enum class InputFamily : std::uint8_t {
    architecture,
    workload,
    plan,
    machine,
    training,       ///< constants of kernels, host and optimizer in training
    fabric,         ///< NVLink and collectives, in training and serving
    network,        ///< the kind of network, independent of the software
    memory,         ///< memory, and the error bands of training
    reliability,    ///< failures, storage and power
    site,           ///< the Region: cooling and grid
    postTraining,   ///< constants of reinforcement learning
    weightPath,     ///< of the path that weights take to the engines
    serving,        ///< constants of serving engines
    servingExperts, ///< serving constants that depend on the experts' number format
};

/// The names of an input and what it measures.
struct InputInfo {
    const char* name;  ///< identifier, in formulas and profiles: "nvlink_bandwidth"
    const char* label; ///< shown to users: "NVLink per GPU and direction"
    Dimension dimension;
};
const InputInfo& inputInfo(Input input);

inline constexpr std::array<InputFamily, inputCount> inputFamilies{
#define ROW(input, name, label, dimension, family) InputFamily::family,
#include "model/plan/input_rows.def"
#undef ROW
};
constexpr InputFamily familyOf(Input input) { return inputFamilies[static_cast<std::size_t>(input)]; }

/// Returns whether the input is a constant of the calibration profile.
constexpr bool isConstant(Input input) { return familyOf(input) >= InputFamily::training; }
/// Returns whether the input is a constant used only by serving engines.
constexpr bool isOfServing(Input input) { return familyOf(input) >= InputFamily::serving; }
/// Returns whether the input is a constant used only by reinforcement learning.
constexpr bool isOfPostTraining(Input input) {
    return familyOf(input) == InputFamily::postTraining || familyOf(input) == InputFamily::weightPath;
}
/// Returns whether training and serving share the constant.
constexpr bool isShared(Input input) {
    const InputFamily family = familyOf(input);
    return family == InputFamily::fabric || family == InputFamily::network ||
           family == InputFamily::reliability || family == InputFamily::site;
}

/// Where the value of one input comes from.
struct InputOrigin {
    SharedText source;
    SourceKind kind = SourceKind::assumed;
    bool used = false; ///< false: not used in this scenario, so not listed
};

/// The inputs as numbers of type N: `double` for evaluation, `Traced` leaves for an explanation.
template <class N>
struct InputsT {
    std::array<N, inputCount> values{};
    N& operator[](Input i) { return values[static_cast<std::size_t>(i)]; }
    const N& operator[](Input i) const { return values[static_cast<std::size_t>(i)]; }
};
using Inputs = InputsT<double>;
using InputOrigins = std::array<InputOrigin, inputCount>;

/// Returns the same values as leaves of a trace.
InputsT<Traced> tracedInputs(Trace& trace, const Inputs& inputs, const InputOrigins& origins);

} // namespace alidade
