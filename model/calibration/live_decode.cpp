// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_decode.h"

#include "model/base/not_measured.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace alidade {

namespace {

constexpr double huberSd = 1.345, tukeySd = 4.685, madToSd = 1.4826;
constexpr int huberPasses = 50, passes = 100;

double medianAbs(std::vector<double> values) {
    for (double& v : values)
        v = std::abs(v);
    return spreadOf(std::move(values)).median;
}

/// The table of a signal as the mean of its distribution, else as it is.
const SignalTable* meanTable(const Observation& o, Signal signal) {
    const SignalTable* mean = o.table(signal, Statistic::mean);
    return mean ? mean : o.table(signal);
}

/// Values of one engine over time; empty: not measured.
std::span<const double> rowOf(const SignalTable* table, const Entity& engine, std::size_t points) {
    if (!table)
        return {};
    const auto found = std::ranges::find(table->rows, engine);
    return found == table->rows.end()
               ? std::span<const double>{}
               : table->row(static_cast<std::size_t>(found - table->rows.begin()), points);
}

} // namespace

RobustLine robustLine(const std::vector<double>& x, const std::vector<double>& y, double errorOfX) {
    const std::size_t n = x.size();
    std::vector<double> weight(n, 1), residual(n, 0);
    RobustLine out;
    double sw = 0, mx = 0, my = 0, sxx = 0;
    bool redescending = false; // from the fit that cannot go astray to the one that forgets what is wrong
    for (int pass = 0; pass < passes; ++pass) {
        sw = mx = my = sxx = 0;
        double sxy = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sw += weight[i];
            mx += weight[i] * x[i];
            my += weight[i] * y[i];
        }
        mx /= sw;
        my /= sw;
        for (std::size_t i = 0; i < n; ++i) {
            sxx += weight[i] * (x[i] - mx) * (x[i] - mx);
            sxy += weight[i] * (x[i] - mx) * (y[i] - my);
        }
        const double slope = sxx > 0 ? sxy / sxx : 0;
        const double intercept = my - slope * mx;
        // A wrong point at the mean of x moves the intercept alone.
        const bool settled = std::abs(slope - out.b) <= 1e-10 * std::abs(slope) &&
                             std::abs(intercept - out.a) <= 1e-10 * std::abs(my);
        out.b = slope;
        out.a = intercept;
        for (std::size_t i = 0; i < n; ++i)
            residual[i] = y[i] - out.a - out.b * x[i];
        const double scale = madToSd * medianAbs(residual);
        const bool isEnd = settled && redescending;
        redescending = redescending || settled || pass >= huberPasses; // from this fit's weights on
        for (std::size_t i = 0; i < n; ++i) {
            const double u = scale > 0 ? std::abs(residual[i]) / scale : 0;
            const double inside = std::max(0.0, 1 - u * u / (tukeySd * tukeySd));
            weight[i] = redescending ? inside * inside : u <= huberSd ? 1 : huberSd / u;
        }
        out.residual = scale;
        if (isEnd)
            break;
    }
    double square = 0;
    for (std::size_t i = 0; i < n; ++i)
        square += weight[i] * residual[i] * residual[i];
    const double variance = n > 2 ? square / (static_cast<double>(n) - 2) : 0;
    out.b /= 1 - errorOfX;
    out.a = my - out.b * mx;
    const double slopeVariance = sxx > 0 ? variance / sxx / ((1 - errorOfX) * (1 - errorOfX)) : 0;
    out.bSd = std::sqrt(slopeVariance);
    out.aSd = std::sqrt(variance / sw + mx * mx * slopeVariance);
    out.abCovariance = -mx * slopeVariance;
    out.reach = mx != 0 ? std::sqrt(sxx / sw) / std::abs(mx) : 0;
    return out;
}

Result<std::vector<DecodeWindow>> decodeWindows(const Observation& o, const UsableTime& time) {
    const SignalTable* itl = meanTable(o, Signal::interTokenLatency);
    if (!itl || itl->rows.empty()) {
        return Error{"no engine reports inter-token latency; select a job with vLLM or SGLang histograms, or "
                     "a mapping that names them"};
    }
    const SignalTable* generated = o.table(Signal::generationTokensPerSecond);
    if (!generated)
        return Error{"no engine reports generated tokens; use a mapping that names the counter"};
    const std::size_t n = o.grid.points;
    std::vector<DecodeWindow> out;
    const auto blocks = blocksOf(time, o.grid, time.lookback);
    for (std::size_t r = 0; r < itl->rows.size(); ++r) {
        const Entity& engine = itl->rows[r];
        const auto row = [&](Signal signal) { return rowOf(meanTable(o, signal), engine, n); };
        const std::span<const double> gap = itl->row(r, n), tokens = rowOf(generated, engine, n),
                                      share = row(Signal::prefillShare),
                                      running = row(Signal::requestsRunning),
                                      rate = row(Signal::requestsPerSecond),
                                      prompt = row(Signal::promptTokens), output = row(Signal::outputTokens),
                                      hits = row(Signal::prefixHitShare), prefill = row(Signal::prefillTime),
                                      first = row(Signal::timeToFirstToken);
        for (const auto& [from, to] : blocks) {
            // Means of the instants that have both figures of the regression.
            std::array<double, 11> sum{}, count{};
            const auto add = [&](std::size_t k, double value) {
                if (std::isfinite(value)) {
                    sum[k] += value;
                    ++count[k];
                }
            };
            const auto at = [](std::span<const double> values, std::size_t i) {
                return values.empty() ? notMeasured : values[i];
            };
            for (std::size_t i = from; i < to; ++i) {
                if (!time.used[i] || !(at(gap, i) > 0) || !(at(tokens, i) > 0))
                    continue;
                add(0, gap[i]);
                add(1, share.empty() ? 0 : share[i]);
                add(2, gap[i] * tokens[i]);
                add(3, at(running, i));
                add(4, at(rate, i));
                add(5, at(prompt, i));
                add(6, at(output, i));
                add(7, at(hits, i));
                add(8, at(prefill, i));
                add(9, tokens[i]);
                add(10, at(first, i));
            }
            const auto mean = [&](std::size_t k) { return count[k] > 0 ? sum[k] / count[k] : notMeasured; };
            if (count[0] == 0 || count[1] == 0)
                continue;
            const double outputs = mean(6);
            out.push_back({.start = o.grid.at(from),
                           .end = o.grid.at(to - 1),
                           .itl = mean(0),
                           .prefillShare = mean(1),
                           .batch = mean(2),
                           .running = mean(3),
                           .requestRate = count[4] > 0 ? mean(4) : mean(9) / outputs,
                           .prompt = mean(5),
                           .output = outputs,
                           .hitShare = count[7] > 0 ? mean(7) : 0,
                           .prefillTime = mean(8),
                           .ttft = mean(10)});
        }
    }
    return out;
}

DecodeFit fitDecode(const std::vector<double>& kvBytes, const std::vector<double>& stepSeconds,
                    double weightBytes, double bandwidth, double errorOfX) {
    DecodeFit out;
    out.line = robustLine(kvBytes, stepSeconds, errorOfX);
    const RobustLine& line = out.line;
    out.efficiency = line.b > 0 ? 1 / (line.b * bandwidth) : 0;
    out.efficiencySd = line.b > 0 ? line.bSd / line.b : 0;
    out.overhead = line.a - weightBytes * line.b;
    out.overheadSd =
        std::sqrt(std::max(0.0, line.aSd * line.aSd + weightBytes * weightBytes * line.bSd * line.bSd -
                                    2 * weightBytes * line.abCovariance));
    return out;
}

double errorShareOfBatch(const std::vector<DecodeWindow>& all) {
    std::vector<double> ratio;
    for (const DecodeWindow& w : all)
        if (w.running > 0)
            ratio.push_back(w.batch / w.running);
    const double scale = spreadOf(ratio).median;
    for (double& r : ratio)
        r -= scale;
    const double reach = tukeySd * madToSd * medianAbs(ratio);
    std::vector<std::pair<double, double>> pairs; // Little's batch and the gauge's; wrong windows left out
    double ml = 0, mg = 0;
    for (const DecodeWindow& w : all) {
        if (w.running > 0 && std::abs(w.batch / w.running - scale) <= reach) {
            // What the gauge counts besides, such as requests in prefill, is taken to grow with it.
            pairs.emplace_back(w.batch, scale * w.running);
            ml += w.batch;
            mg += scale * w.running;
        }
    }
    const auto n = static_cast<double>(pairs.size());
    if (n < 10)
        return 0;
    double vl = 0, vg = 0, lg = 0;
    for (const auto& [little, gauge] : pairs) {
        vl += (little - ml / n) * (little - ml / n);
        vg += (gauge - mg / n) * (gauge - mg / n);
        lg += (little - ml / n) * (gauge - mg / n);
    }
    if (vl <= 0)
        return 0;
    const double kept = lg / vl; // the gauge's own error does not bias it
    const double sd = std::sqrt(std::max(0.0, vg / vl - kept * kept) / (n - 2));
    return kept + 2 * sd < 1 && kept > 0.5 ? 1 - kept : 0;
}

} // namespace alidade
