// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

/// Fields to set, in the format of --set; an empty text clears a field.
using Edit = std::vector<std::pair<std::string, std::string>>;

/// The spec with an edit applied; nullopt if a text is invalid.
std::optional<ScenarioSpec> applyEdit(const ScenarioSpec& spec, const Edit& edit);

/// The part of an edit that changes the spec.
Edit changesOf(const ScenarioSpec& spec, const Edit& edit);

/// The text for an edit in undo and reports: "Set Tensor to 8 and Recompute to full".
std::string describeEdit(const Edit& edit);

} // namespace alidade
