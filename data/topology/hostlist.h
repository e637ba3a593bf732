// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Most names that one expression may represent.
inline constexpr std::size_t hostlistLimit = 1'000'000;

/// Expands a host list of Slurm: `gpu[001-003,012],login`, several brackets (`rack[0-1]node[00-17]`), and
/// boxes of systems named by coordinates (`tux[00x11]` is tux00, tux01, tux10, tux11). Zero-padding is part
/// of a name. The order is that of the text; names may repeat. The error names the column, counted from 1.
Result<std::vector<std::string>> expandHostlist(std::string_view text, std::size_t limit = hostlistLimit);

/// Writes names as a host list of Slurm: `gpu[001-003,012],login`. Neighbors are joined where the number at
/// the end of a name is one more than that before, so that expandHostlist gives the same names in the same
/// order.
/// \pre no name has a comma, a bracket or a blank
std::string compressHostlist(const std::vector<std::string>& names);

} // namespace alidade::data
