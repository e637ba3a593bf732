// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/collective_fit.h"

#include "model/calibration/map_fit.h"
#include "model/validation/collective_case.h"

#include <array>
#include <cmath>
#include <map>

namespace alidade {

namespace {

/// What is known of a constant before the rows, whatever the part or the network.
struct LawPrior {
    Input input;
    double value, logSd;
};
constexpr std::array<LawPrior, 21> lawPriors{{
    {Input::allGatherLatency, 7e-6, 0.5},     {Input::allGatherFill, 8e-9, 0.5},
    {Input::allGatherEfficiency, 0.88, 0.05}, {Input::reduceScatterLatency, 7e-6, 0.5},
    {Input::reduceScatterFill, 8e-9, 0.5},    {Input::reduceScatterEfficiency, 0.88, 0.05},
    {Input::allReduceLatency, 2.5e-5, 0.5}, // NCCL 2.30.7, src/graph/tuning.cc: NVLS
    {Input::allReduceFill, 8e-9, 0.5},        {Input::allReduceEfficiency, 0.65, 0.15},
    {Input::allToAllLatency, 1e-5, 0.5},      {Input::allToAllFill, 6e-9, 0.5},
    {Input::allToAllEfficiency, 0.78, 0.1},   {Input::nvlinkStepLatency, 1e-6, 0.5},
    {Input::networkLatency, 2e-5, 1},         {Input::networkFill, 2.5e-8, 0.4},
    {Input::networkEfficiency, 0.93, 0.05},   {Input::networkAllToAllEfficiency, 0.9, 0.08},
    {Input::dispatchLatency, 2.5e-5, 0.5},    {Input::dispatchEfficiencyNvlink, 0.72, 0.1},
    {Input::networkDispatchLatency, 2e-4, 2}, {Input::networkDispatchEfficiency, 0.88, 0.08},
}};

constexpr double largeMessage = 1 << 20; ///< bytes from which on bandwidth matters
constexpr double smallMessageSpread = 3; ///< their residuals count in so many sd
constexpr double seriesRows = 8;         ///< rows of a series that weigh like half of a long one
constexpr double insideSd = 0.08, acrossSd = 0.15, exchangeSd = 0.15; ///< of ln(measured / law)

/// A row with the constants that it depends on.
struct BoundLaw {
    CollectiveCase which;
    Inputs inputs;
    std::vector<std::pair<Input, std::size_t>> constants; ///< input, fitted parameter
    double sd = 0, weight = 1;
};

double rounded(double value) {
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
    return std::round(value * scale) / scale;
}

/// Rows of libraries, told apart from the kernels of serving engines, and the constants that they need.
class Rows {
public:
    Rows(const std::vector<PublishedCollective>& rows, const Catalog& catalog, const Profile& profile,
         const std::set<std::string>& leftOut) {
        std::string why;
        for (const PublishedCollective& row : rows) {
            const std::optional<CollectiveCase> which = collectiveCase(row, catalog, why);
            if (!which || which->oneShot || leftOut.contains(row.series))
                continue;
            BoundLaw& bound = bound_.emplace_back();
            bound.which = *which;
            bound.inputs = collectiveInputs(*which, catalog, profile);
            for (const LawPrior& prior : lawPriors)
                bindConstant(bound, profile, prior);
            bound.sd = which->op ? which->group.insideOneDomain() ? insideSd : acrossSd : exchangeSd;
            if (which->op && which->bytes < largeMessage)
                bound.sd *= smallMessageSpread;
            series_.push_back(row.series);
            ++sizes_[row.series];
        }
        for (std::size_t i = 0; i < bound_.size(); ++i)
            bound_[i].weight = seriesRows / (seriesRows + sizes_[series_[i]]);
    }

    const std::vector<BoundLaw>& rows() const { return bound_; }
    const std::vector<std::size_t>& fitted() const { return fitted_; }
    const LawPrior& prior(std::size_t parameter) const { return *priors_[parameter]; }
    int series() const { return static_cast<int>(sizes_.size()); }

private:
    void bindConstant(BoundLaw& bound, const Profile& profile, const LawPrior& prior) {
        const Parameter* parameter = constantOf(bound.which, profile, prior.input);
        if (!parameter || parameter->kind != SourceKind::fitted || parameter->value <= 0)
            return;
        const auto index = static_cast<std::size_t>(parameter - profile.parameters.data());
        const auto [place, isNew] = places_.try_emplace(index, fitted_.size());
        if (isNew) {
            fitted_.push_back(index);
            priors_.push_back(&prior);
        }
        bound.constants.emplace_back(prior.input, place->second);
    }

    std::vector<BoundLaw> bound_;
    std::vector<std::string> series_;
    std::map<std::string, int> sizes_;
    std::vector<std::size_t> fitted_; ///< indices into the profile
    std::vector<const LawPrior*> priors_;
    std::map<std::size_t, std::size_t> places_; ///< profile index to fitted parameter
};

double logSeconds(const BoundLaw& bound, const std::vector<double>& logs) {
    Inputs inputs = bound.inputs;
    for (const auto& [input, parameter] : bound.constants)
        inputs[input] = std::exp(logs[parameter]);
    return std::log(collectiveSeconds(bound.which, inputs));
}

} // namespace

CollectiveFit fitCollectives(const std::vector<PublishedCollective>& published, const Catalog& catalog,
                             const Profile& profile, const std::set<std::string>& leftOut,
                             std::stop_token stop) {
    const Rows rows(published, catalog, profile, leftOut);
    if (rows.fitted().empty())
        return {.profile = profile, .fitted = {}, .converged = true};
    MapProblem problem;
    problem.dependents.resize(rows.fitted().size());
    for (std::size_t j = 0; j < rows.fitted().size(); ++j)
        problem.priors.push_back({std::log(rows.prior(j).value), rows.prior(j).logSd});
    for (std::size_t i = 0; i < rows.rows().size(); ++i) {
        const BoundLaw& bound = rows.rows()[i];
        problem.points.push_back({std::log(bound.which.measured), bound.sd, bound.weight});
        for (const auto& [input, parameter] : bound.constants)
            problem.dependents[parameter].push_back(i);
    }
    problem.predict = [&rows](std::size_t i, const std::vector<double>& logs) {
        return logSeconds(rows.rows()[i], logs);
    };
    // Nearly least absolute deviations: old software and other transports stand among the rows.
    const MapFit fit = fitMap(problem, {.huber = 0.5, .stop = stop});
    CollectiveFit out{.profile = profile, .fitted = rows.fitted()};
    for (std::size_t j = 0; j < rows.fitted().size(); ++j) {
        Parameter& parameter = out.profile.parameters[rows.fitted()[j]];
        parameter.value = rounded(std::exp(fit.parameters[j]));
        parameter.logSd = std::round(fit.sd[j] * 1000) / 1000;
        parameter.dataShare = std::round(fit.dataShare[j] * 1000) / 1000;
    }
    out.rows = static_cast<int>(rows.rows().size());
    out.series = rows.series();
    out.converged = fit.converged;
    return out;
}

} // namespace alidade
