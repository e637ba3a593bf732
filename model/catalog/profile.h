// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    std::string source;
    SourceKind kind = SourceKind::assumed; ///< fitted or assumed
    std::optional<ParameterPrior> prior;   ///< of a constant that the published measurements determine
    double dataShare = 0;                  ///< of a fit: 0 only the prior speaks, 1 measured
};

/// Median and mean of |predicted / measured - 1|.
struct ErrorFigures {
    double median = 0, mean = 0;
};

/// What a profile was fitted to, and how well it does.
struct FitRecord {
    struct Publication {
        std::string title;
        int rows = 0;
    };
    std::vector<Publication> fittedTo;
    ErrorFigures before;       ///< with the priors
    ErrorFigures after;        ///< on the rows that it was fitted to
    ErrorFigures leftOutModel; ///< on each architecture, fitted without it
    /// The same of the constants of serving engines; the ones above are of training, if there is any.
    struct Serving {
        ErrorFigures before, after, leftOutModel;
    };
    std::optional<Serving> serving;
};

/// A set of constants with its history. The shipped one is the catalog's default profile.
struct Profile {
    std::string name = "default";
    std::string date;
    std::vector<Parameter> parameters;
};

/// How well a parameter fits a part and its software: the GPU id beats its architecture beats "*", then the
/// stack, then the precision. 0: it is for something else.
int parameterRank(const Parameter& parameter, std::string_view gpu, std::string_view architecture,
                  std::string_view precision, std::string_view stack);

/// The parameter of this name that fits best. nullptr if the profile has none.
const Parameter* findParameter(const Profile& profile, std::string_view name, std::string_view gpu,
                               std::string_view architecture, std::string_view precision,
                               std::string_view stack);

} // namespace alidade
