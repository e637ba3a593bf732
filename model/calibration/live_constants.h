// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "model/scenario/scenario.h"

#include <array>
#include <functional>
#include <limits>
#include <vector>

namespace alidade {

/// The constants of a profile that a scenario takes, as parameters of a fit: shares as logits, the rest as
/// logarithms, each with the profile's value as prior: its uncertainty, and how much sites differ. Exact ones
/// (log_sd 0), and those of memory, money, failures and bands, are not among them. A constant that an earlier
/// calibration took from the same source starts from the prior which it had then, so that data never count
/// twice.
class LiveConstants {
public:
    /// Inputs of the scenario, or of its serving pools.
    using PoolInputs = std::array<Inputs, 2>;

    /// \param source of the measurements, as entries of the profile name it
    static Result<LiveConstants> of(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                    const std::string& source);

    const Scenario& scenario() const { return scenario_; }
    std::size_t size() const { return constants_.size(); }
    const Parameter& parameter(std::size_t i) const { return profile_.parameters[constants_[i].parameter]; }
    FitPrior prior(std::size_t i) const;
    /// The profile's value, transformed.
    double present(std::size_t i) const;
    /// Where a fit starts, transformed.
    double start(std::size_t i) const;
    double toValue(std::size_t i, double transformed) const;
    /// d ln(value) / d(transformed).
    double logSlope(std::size_t i, double transformed) const;

    /// The inputs with these values of the constants (transformed), those of a training step or of each pool.
    Inputs inputs(const std::vector<double>& transformed) const;
    PoolInputs poolInputs(const std::vector<double>& transformed) const;

    /// Lets the data choose a constant, exact ones too. \param siteSd of ln(site / profile)
    /// \param guess of its value, where a fit starts; 0: the profile's
    void release(Input input, double siteSd, double guess = 0);

    /// Keeps only the constants that `keep` says yes to.
    void restrict(const std::function<bool(std::size_t)>& keep);

    /// Whether the profile has values from the same source already.
    bool isCalibrated() const;
    /// Whether a fit moved a constant too little to matter.
    bool isUnmoved(std::size_t i, const MapFit& fit) const;

    /// The profile with the fitted values in separate entries, for the scenario's GPU, precision and
    /// software, so that nothing else in the profile changes. Constants that did not move get no entry.
    Profile fitted(const MapFit& fit) const;

    /// Puts a constant that was measured directly into `out.profile`, and reports it.
    void measure(Input input, double value, double logSd, LiveCalibration& out) const;

private:
    struct Feed {
        std::size_t pool = 0;
        Input input{};
        double scale = 1; ///< input = scale x constant
    };
    struct Constant {
        std::size_t parameter = 0; ///< index in the profile
        double siteSd = 0;         ///< of ln(site / profile)
        double guess = 0;          ///< where a fit starts; 0: the profile's value
        std::vector<Feed> feeds;
    };
    void bind(const Inputs& inputs, const InputOrigins& origins, std::size_t pool);
    Constant& constantOf(std::size_t parameter);
    bool isFitted(const Parameter& parameter) const;
    /// What was known of a parameter before measurements of this source.
    ParameterPrior known(const Parameter& parameter, double siteSd) const;
    /// A parameter with the keys of this scenario. \param sixteenBit it is of the output layer
    Parameter ownEntry(Parameter parameter, std::size_t pool, bool sixteenBit) const;

    Profile profile_;
    std::string source_;
    Scenario scenario_;
    std::string stack_;               ///< of the scenario's software
    std::array<std::string, 2> gpus_; ///< of its pools; empty: not in the catalog
    std::vector<Constant> constants_;
};

/// A figure that depends on the constants.
struct LivePoint {
    double measured = 0; ///< > 0
    double sd = 0.02;    ///< of ln(measured / law)
    double weight = 1;
    /// Of the law, by constants (transformed); must be pure.
    std::function<double(const std::vector<double>&)> predict;
    bool judged = true; ///< its error is reported before and after
    int group = -1;     ///< points that are left out together; -1: alone
    /// "run.json, time to first token": what is said where no constants reproduce it; empty: nothing is.
    std::string name = {};
};

/// Fits the constants to the points and fills in what a calibration reports of it: parameters that the points
/// depend on, pairs that they cannot tell apart, errors before and after, leave-one-out, and the profile.
/// \param out what it was found from is filled in; parameters are added
/// \param huber residuals beyond so many sd count linearly: for raw measurements. Points that are robust
/// means must outweigh a distant prior, so they count as squares.
void fitLive(LiveConstants constants, const std::vector<LivePoint>& points, LiveCalibration& out,
             double huber = std::numeric_limits<double>::infinity());

} // namespace alidade
