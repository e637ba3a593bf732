// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/shared_text.h"
#include "model/explain/traced.h"

#include <optional>
#include <string>

namespace alidade {

/// Prior knowledge about a constant.
struct ParameterPrior {
    double value = 0;
    double logSd = 0; ///< standard deviation of ln(value), > 0
};

/// One constant of the cost model. The name defines its meaning; its value depends on the GPU, the precision
/// and the software stack.
struct Parameter {
    std::string name;      ///< "gemm.compute_efficiency"
    std::string gpu;       ///< GPU id, GPU architecture ("Hopper"), or "*"
    std::string precision; ///< "bf16", ... or "*"
    std::string stack;     ///< a framework's stack, or "*"
    double value = 0;      ///< SI units
    std::string unit;      ///< "ratio", "s", "bytes/s", "bytes", "1"
    double logSd = 0;      ///< standard deviation of ln(value); 0: exact
    SharedText source;
    SourceKind kind = SourceKind::assumed; ///< fitted or assumed
    std::optional<ParameterPrior> prior;   ///< of a constant that is fitted to published measurements
    double dataShare = 0;                  ///< of a fit: 0 prior only, 1 measured
};

} // namespace alidade
