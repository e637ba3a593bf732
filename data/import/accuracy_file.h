// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/accuracy_curve.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

struct AccuracyReading {
    std::optional<AccuracyCurve> curve; ///< absent with faults
    std::vector<std::string> faults;    ///< "FILE:line: what is wrong; how to fix it"
};

/// Reads a table of accuracies. As CSV its first line names the columns, in any order; columns with other
/// names are skipped, and so are lines that are empty or begin with '#':
///
///     k,pass_at_k               or majority, or best_of_n: accuracies of k samples
///     thinking_tokens,accuracy  of one answer, by its budget
///     n,c                       one line a problem: c of its n samples were right
///
/// As JSON the same columns as arrays of one object: { "k": [1, 4], "pass_at_k": [0.41, 0.62] }. Accuracies
/// are 0..1. pass@k never falls in k; the other curves may (Chen et al. 2024, arXiv 2403.02419).
AccuracyReading readAccuracy(std::string_view text, const std::string& fileName);

} // namespace alidade::data
