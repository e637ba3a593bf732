// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/parameter_list.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Median and mean of |predicted / measured - 1|.
struct ErrorFigures {
    double median = 0, mean = 0;
};

/// The data a profile was fitted to, and the quality of the fit.
struct FitRecord {
    struct Publication {
        std::string title;
        int rows = 0;
    };
    std::vector<Publication> fittedTo;
    ErrorFigures before;       ///< with the priors
    ErrorFigures after;        ///< on the rows it was fitted to
    ErrorFigures leftOutModel; ///< on each architecture, fitted without it
    /// The same for the constants of serving engines; the ones above are for training, if present.
    struct Serving {
        ErrorFigures before, after, leftOutModel;
    };
    std::optional<Serving> serving;
};

/// A set of constants with its history. The shipped one is the catalog's default profile.
struct Profile {
    std::string name = "default";
    std::string date;
    ParameterList parameters;
};

/// How well the key of a parameter matches: 0 no match, 1 by "*", more is closer. "fsdp/2024" also matches
/// entries for "fsdp".
int keyFit(std::string_view wanted, std::string_view key);

/// The same for the key of the software. What engines cost beyond a tuned run ("sglang/as_run") holds for
/// each of their versions: "sglang/0.5.9/as_run" matches it, then "sglang/0.5.9", then "sglang".
int stackFit(std::string_view wanted, std::string_view key);

/// How well a parameter matches a GPU and its software: the GPU id beats its architecture beats "*", then the
/// stack, then the precision. 0: no match.
int parameterRank(const Parameter& parameter, std::string_view gpu, std::string_view architecture,
                  std::string_view precision, std::string_view stack);

/// The same from the match of each key; `part` is that of the GPU, 4 for its id.
constexpr int parameterRank(int part, int software, int format) {
    return part == 0 || software == 0 || format == 0 ? 0 : part * 100 + software * 10 + format;
}

/// The best matching parameter of this name; nullptr if the profile has none.
const Parameter* findParameter(const Profile& profile, std::string_view name, std::string_view gpu,
                               std::string_view architecture, std::string_view precision,
                               std::string_view stack);

} // namespace alidade
