// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"

#include <QString>

#include <optional>

namespace alidade::views {

/// The step of serving that views on a step show. Training has one kind of step only.
enum class ServingStep { decode, prefill };

/// What a person has chosen to look at, the same in all views. Empty members are not chosen. A view that sets
/// one member keeps the others where they still make sense: a click on an operation sets layer, operation and
/// phase.
struct Selection {
    QString layer{};              ///< Layer::kind: "embedding", "transformer", "head"
    QString operation{};          ///< Operation::name, or Communication::op
    QString phase{};              ///< phaseName(): "forward", ...; empty: all phases of the operation
    QString group{};              ///< Communication::group: "tp", ...
    std::optional<int> stage{};   ///< pipeline stage
    QString memoryPart{};         ///< MemoryPart::name
    QString pool{};               ///< Pool::name of a disaggregated deployment
    std::optional<int> gpu{};     ///< GPU of the fabric that the estimate's cluster has
    std::optional<int> node{};    ///< host of that fabric
    std::optional<LinkId> link{}; ///< of that fabric; a network node is chosen as its trunk
    QString problem{};            ///< place of a problem, or the path of a field: "plan.tensor_parallel"

    bool operator==(const Selection&) const = default;
    bool empty() const { return *this == Selection(); }
};

} // namespace alidade::views
