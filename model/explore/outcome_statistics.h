// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/outcomes.h"

#include <string>
#include <vector>

namespace alidade {

/// Quantiles, mean of the finite values, and histogram. Infinite values are draws without an outcome: they
/// count in the quantiles. The quantile p of n values is the one at place ceil(p n).
OutcomeFigure statisticsOf(const std::vector<double>& values);

/// An input with its normal scores, one a draw.
struct DriverInput {
    std::string path, label;
    const std::vector<double>* scores = nullptr;
};

/// The correlation of the normal scores of each input with those of the ranks of the values (van der
/// Waerden), and its square as a share of the sum over all inputs. Inputs below a thousandth are left out.
std::vector<Driver> driversOf(const std::vector<double>& values, const std::vector<DriverInput>& inputs);

} // namespace alidade
