// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Error figures of the classes that accuracy is judged by, "all" first: complete rows of benchmarks and
/// production runs of quality high or medium (serving and collectives: A and B), whole and by family, part,
/// precision, source, framework and GPU count; then the incomplete ones, peak memory, single layers, each
/// quantity of serving, and collectives. The errors of training's rates are turned into those of the step
/// time that they mean, so that a class has one sign.
std::vector<ValidationSummary> summarize(const std::vector<ValidationRow>& rows);

/// The same rows by one of `summaryFields`, plus "all" of each quantity.
std::vector<ValidationSummary> summarizeBy(const std::vector<ValidationRow>& rows, std::string_view field);

/// Fields that rows can be grouped by: "gpu", "family", "precision", "source", "framework", "model", ...
const std::vector<std::string>& summaryFields();
/// The row's value of such a field.
std::string summaryKey(const ValidationRow& row, std::string_view field);

/// The quantity by which a row is summarized: throughputs of serving count per GPU.
std::string summaryQuantity(const ValidationRow& row);

/// Complete, of a benchmark or production run, and of a quality that accuracy is judged by.
bool isJudged(const ValidationRow& row);

/// True where the source says what is recomputed and how large a micro-batch is: what activations depend on.
bool knowsConfiguration(const ValidationRow& row);

/// The row as a step time (or collective time), if its quantity is a rate.
ValidationRow asTime(const ValidationRow& row);

} // namespace alidade
