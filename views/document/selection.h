// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

namespace alidade::views {

/// What a person has chosen to look at, the same in all views. Empty members are not chosen. A view that sets
/// one member keeps the others where they still make sense: a click on an operation sets layer, operation and
/// phase.
struct Selection {
    QString layer{};            ///< Layer::kind: "embedding", "transformer", "head"
    QString operation{};        ///< Operation::name, or Communication::op
    QString phase{};            ///< phaseName(): "forward", ...; empty: all phases of the operation
    QString group{};            ///< Communication::group: "tp", ...
    std::optional<int> stage{}; ///< pipeline stage
    QString memoryPart{};       ///< MemoryPart::name
    QString problem{};          ///< place of a problem, or the path of a field: "plan.tensor_parallel"

    bool operator==(const Selection&) const = default;
    bool empty() const { return *this == Selection(); }
};

} // namespace alidade::views
