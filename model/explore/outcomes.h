// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/variable.h"
#include "model/search/question.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

enum class Shape : std::uint8_t { uniform, normal, logNormal, triangular };

/// A number that is not known, with what is believed of it. Values outside the range of the variable are
/// taken to its ends.
struct Uncertain {
    Variable variable;
    Shape shape = Shape::logNormal;
    /// Uniform and triangular: the least value; normal: the mean; log-normal: the median, > 0. SI.
    double first = 0;
    /// Uniform: the greatest value; triangular: the most likely one; normal: the standard deviation;
    /// log-normal: that of ln.
    double second = 0;
    double third = 0; ///< triangular: the greatest value

    /// The value that is below with probability `below`, 0 < below < 1.
    double quantile(double below) const;
};

/// Reads "VARIABLE=uniform(A..B)", "normal(M +- S)", "lognormal(M +- S%)", "triangular(A..MODE..B)"; the
/// spread of a normal as a value or a share of M, of a log-normal as a share: the standard deviation of ln.
/// \returns an error that says how to fix it
Result<Uncertain> uncertainOf(std::string_view text, const Scenario& scenario);
/// As uncertainOf() reads it.
std::string textOf(const Uncertain& uncertain);

/// The constants of the calibration that are not exact, as their posteriors have them.
std::vector<Uncertain> uncertainConstants(const Scenario& scenario, const Profile& profile);

struct OutcomeQuestion {
    std::vector<Uncertain> uncertain;       ///< by a person; each variable once, before the constants
    bool constants = true;                  ///< also draw those of the calibration
    bool modelError = true;                 ///< also draw what the model leaves out of time and memory
    std::vector<const PlanFigure*> figures; ///< at least one
    std::vector<SearchLimit> limits;        ///< deadline, budget, target
    std::size_t draws = 10'000;             ///< 100 to mostDraws
    std::uint64_t seed = 1;
};
inline constexpr std::size_t leastDraws = 100, mostDraws = 10'000'000;

/// How much of the variance of a figure an input brings: the square of the correlation of ranks of the input
/// with the figure, as a share of the sum over all inputs.
struct Driver {
    std::string path; ///< "residual": what the model leaves out
    std::string label;
    double share = 0;       ///< 0..1
    double correlation = 0; ///< -1..1; negative: more of it makes the figure smaller
};

struct OutcomeFigure {
    const PlanFigure* figure = nullptr;
    double present = 0; ///< without any uncertainty
    double mean = 0, p10 = 0, p50 = 0, p90 = 0;
    double histogramLow = 0, histogramWidth = 0; ///< of a bin; the outer bins hold all that is beyond
    std::vector<std::size_t> histogram;
    std::vector<Driver> drivers; ///< largest share first
};

struct OutcomeLimit {
    SearchLimit limit;
    double missed = 0; ///< probability, 0..1; a draw that does not run misses every limit
};

struct Outcomes {
    std::vector<OutcomeFigure> figures;
    std::vector<OutcomeLimit> limits;
    std::vector<Uncertain> inputs; ///< all that was drawn
    double modelLogSd = 0;         ///< of what the model leaves out of a time
    std::size_t draws = 0;
    std::size_t failed = 0; ///< draws that do not run, or whose service is overloaded
    double fits = 1;        ///< probability that the memory suffices
    bool complete = true;   ///< false: stopped; the draws that were made count
};

struct OutcomeOptions {
    int threads = 1; ///< 0: as many as the machine has
    std::stop_token stop = {};
};

/// What a scenario may bring where its inputs are not known: draws all of them independently, and evaluates.
/// The same for the same seed on any number of threads. Serving: the closed form, without the simulation.
/// \returns an error if the scenario does not run, or a figure is not its own
Result<Outcomes> outcomes(const Explorer& explorer, const OutcomeQuestion& question,
                          const OutcomeOptions& options = {});

} // namespace alidade
