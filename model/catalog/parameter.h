// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/shared_text.h"
#include "model/explain/traced.h"

#include <optional>
#include <string>

namespace alidade {

/// What is known of a constant before it is fitted.
struct ParameterPrior {
    double value = 0;
    double logSd = 0; ///< standard deviation of ln(value), > 0
};

/// One constant of the cost model: what it means is fixed by its name, what it is worth depends on the part,
/// the precision and the software stack.
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
    std::optional<ParameterPrior> prior;   ///< of a constant that the published measurements determine
    double dataShare = 0;                  ///< of a fit: 0 only the prior speaks, 1 measured
};

} // namespace alidade
