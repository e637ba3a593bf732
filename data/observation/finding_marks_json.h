// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/observation/finding_marks.h"

#include <string>
#include <string_view>

namespace alidade::data {

/// {"alidade": 1, "findings": [{"finding", "acknowledged", "muted_until" (Unix s, null: for good), "note",
/// "at"}]}.
std::string writeFindingMarks(const FindingMarks& marks);
/// An error says what is wrong and where.
Result<FindingMarks> readFindingMarks(std::string_view json);

} // namespace alidade::data
