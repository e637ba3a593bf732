// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/entities.h"

namespace alidade::views {

/// A line at the left of the library: what the table shows.
struct LibraryPlace {
    enum class Kind { all, folder, samples, topologies, measurements, trash };
    Kind kind = Kind::all;
    data::WorkspaceId folder = 0; ///< of kind folder
    bool operator==(const LibraryPlace&) const = default;

    bool hasScenarios() const { return kind == Kind::all || kind == Kind::folder || kind == Kind::samples; }
};

} // namespace alidade::views
