// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/estimate/estimate.h"

#include <string>
#include <string_view>

namespace alidade {

/// The dotted path of a number of the documented estimate from one that a person wrote. Elements of arrays
/// are named by their index or by their name, kind or operation, in brackets or after a dot:
/// "training.layers[0].ops[2].seconds", "memory.parts[weights].bytes", "training.layers.0.ops.2.seconds".
/// Case does not count in names. A path that leads nowhere comes back in its dotted form; a name that several
/// elements have is an error that lists their indices.
Result<std::string> figurePath(const Estimate& estimate, std::string_view written);
Result<std::string> figurePath(const EstimateT<Traced>& estimate, std::string_view written);

/// "a[0].b" as "a.0.b"; names in brackets stay as they are.
std::string dottedPath(std::string_view written);

} // namespace alidade
