// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/observation/observation.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace alidade::data {

/// An observation as a workspace keeps it (DocumentKind::snapshot).
struct PackedSnapshot {
    std::string json; ///< what was measured, where and when, for lists
    std::string body; ///< everything, compressed; also what a separate file holds
};

/// What the JSON of a snapshot says.
struct SnapshotSummary {
    std::string server, job;
    TimeGrid grid;
    int hosts = 0, series = 0;
};

/// What a snapshot may hold before it is refused.
inline constexpr std::size_t mostSnapshotBytes = std::size_t{256} << 20; ///< as packed
inline constexpr std::size_t mostSnapshotValues = 64'000'000;

/// Loses nothing: each value comes back with the same bits.
PackedSnapshot packSnapshot(const Observation& observation);

/// The observation of a body. An error says what is wrong and where: truncated, changed, a newer format, or
/// another file.
Result<Observation> unpackSnapshot(std::string_view body);

/// Faults of the document are in the error.
Result<SnapshotSummary> readSnapshotSummary(std::string_view json);

/// Has it the first bytes of a snapshot?
bool looksLikeSnapshot(std::string_view bytes);

} // namespace alidade::data
