// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/matrix_builder.h"
#include "data/prometheus/reply_reader.h"

#include <cstdint>

namespace alidade::data {

enum class QueryKind : std::uint8_t { instant, range };

/// Reads the reply to a query into the builder: vector, scalar and string of an instant query, matrix of a
/// range query. Each array, object and key is looked at once.
/// \param part of a range query
/// The server's warnings are left to the caller.
/// \param skim false: everything goes through the JSON parser, for comparison
Result<ReplyEnvelope> readMatrix(std::string_view text, QueryKind kind, const GridPart& part,
                                 const ReplyLimits& limits, MatrixBuilder& builder, bool skim = true);

} // namespace alidade::data
