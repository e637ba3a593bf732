// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_windows.h"
#include "model/serving/serving_memory.h"

#include <optional>

namespace alidade {

/// y = a + b x through points of which some may be wrong.
struct RobustLine {
    double a = 0, b = 0;
    double aSd = 0, bSd = 0, abCovariance = 0;
    double residual = 0; ///< sd about the line
    double reach = 0;    ///< sd of x / its mean
};

/// Iteratively reweighted least squares (Huber 1964, 1.345 sd, then Tukey's biweight, 4.685 sd; sd by the
/// median absolute deviation). At least three points. \param errorOfX share of the variance of x that is
/// error: the slope is divided by the rest
RobustLine robustLine(const std::vector<double>& x, const std::vector<double>& y, double errorOfX = 0);

/// One engine over one stretch of time, means.
struct DecodeWindow {
    double start = 0, end = 0; ///< Unix s
    double itl = 0;            ///< s
    double prefillShare = 0;   ///< of the engine's time, 0..1
    double batch = 0;          ///< sequences that decode, by Little's law: tokens/s x gap
    double running = 0;        ///< the same by the gauge; NaN: not exported
    double requestRate = 0;    ///< 1/s of this engine
    double prompt = 0, output = 0, hitShare = 0;
    double prefillTime = 0; ///< s of a request; NaN: not exported
    double ttft = 0;        ///< s, mean; NaN: not exported
};

/// The windows of all engines that lie in the used time. An error says which signal is missing.
Result<std::vector<DecodeWindow>> decodeWindows(const Observation& observation, const UsableTime& time);

/// What the load regression of decode steps says: a step takes (weights + KV caches) / (HBM bandwidth x
/// efficiency) + a fixed cost (cost-model 7.1), and gaps are that over the share of time that is not prefill.
struct DecodeFit {
    double efficiency = 0, efficiencySd = 0; ///< of HBM bandwidth; sd of its logarithm
    double overhead = 0, overheadSd = 0;     ///< s
    RobustLine line;                         ///< s against bytes of KV cache on one GPU
};

/// \param weightBytes, kvBytes on one GPU; kvBytes of one window's sequences together
DecodeFit fitDecode(const std::vector<double>& kvBytes, const std::vector<double>& stepSeconds,
                    double weightBytes, double bandwidth, double errorOfX = 0);

/// Share of the variance of Little's batches that is error, by their covariance with the gauge; 0 where the
/// gauge is missing or does not show any (within two standard errors).
double errorShareOfBatch(const std::vector<DecodeWindow>& windows);

} // namespace alidade
