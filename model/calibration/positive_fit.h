// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/collective_op.h"

#include <vector>

namespace alidade {

/// y = sum_j theta_j basis_j with every theta positive.
struct PositiveFit {
    std::vector<double> theta;
    double meanAbsError = 0; ///< mean |predicted / measured - 1|
};

/// Least squares of ln(measured / predicted) in the logarithms of theta: coefficients stay positive.
/// \param basis one row of basis values a measurement
/// \pre start and measured are positive; basis values are not negative, no row is all zero
PositiveFit fitPositive(const std::vector<std::vector<double>>& basis, const std::vector<double>& measured,
                        const std::vector<double>& start);

/// The law of a collective: alpha + gamma sqrt(wire) + wire / bandwidth.
struct CollectiveLaw {
    double alpha = 0;     ///< s
    double gamma = 0;     ///< s / sqrt(bytes)
    double bandwidth = 0; ///< bytes/s
    double meanAbsError = 0;
};

/// Fits the law to measured times of buffers of `ranks` ranks (NCCL's convention of the buffer's size).
/// \param withFill false leaves gamma at 0
CollectiveLaw fitCollective(CollectiveOp op, int ranks, const std::vector<double>& bytes,
                            const std::vector<double>& seconds, bool withFill = true);

} // namespace alidade
