// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_constants.h"

#include "model/base/quantiles.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alidade {

namespace {

constexpr std::string_view mark = "#";
constexpr double mostShare = 0.9999; ///< a share of 1 has no logit
/// How far a site's own constants lie from those of a profile, sd of the logarithm, alongside how well the
/// profile knows them: steps then scatter by as much as published ones do about the fitted law (9 %).
constexpr double usualSiteSd = 0.1;
constexpr double unmovedLog = 1e-3; ///< of ln(fitted / profile): nothing that a person would call a change

bool isSame(double before, double after) { return std::abs(std::log(after / before)) < unmovedLog; }

bool isRatio(const Parameter& p) { return p.unit == "ratio"; }

double transformedValue(const Parameter& p, double value) {
    if (!isRatio(p))
        return std::log(value);
    const double share = std::min(value, mostShare);
    return std::log(share / (1 - share));
}

/// Times of a site follow from it: neither memory, money, failures nor the width of a band.
bool isOfTime(Input input) {
    switch (input) {
    case Input::servingWorkspace:
    case Input::servingSampleBytes:
    case Input::servingTimeLogSd:
    case Input::servingTimeLogSdMoe:
    case Input::servingTtftLogSd:
    case Input::servingThroughputLogSd:
    case Input::servingMemorySpread:
        return false;
    // The same everywhere: of a library's protocols and of a framework, which a site's metrics cannot tell.
    case Input::ownPartShare:
    case Input::bulkStepFactor:
    case Input::networkSpeedupLimit:
    case Input::networkTreeEfficiency:
    case Input::networkPatEfficiency:
    case Input::networkBulkSync:
    case Input::networkLowLatencyShare:
    case Input::adapterKernelShare:
        return false;
    default:
        break;
    }
    const InputFamily family = familyOf(input);
    return isOfServing(input) || family == InputFamily::training || family == InputFamily::fabric ||
           family == InputFamily::network;
}

/// Id of the GPU of a machine; empty: the catalog does not have it.
std::string gpuOf(const std::string& machine, const ClusterSpec& cluster, const Catalog& catalog) {
    if (const UltraServer* server = catalog.ultraserver(machine))
        return server->gpu;
    if (const Instance* instance = catalog.instance(machine))
        return instance->gpu;
    return cluster.custom.gpu.value_or("");
}

std::string stackOf(const Scenario& scenario, const Catalog& catalog) {
    const bool serving = scenario.isServing();
    const std::optional<std::string>& id = serving ? scenario.spec.plan.engine : scenario.spec.plan.framework;
    const Framework* software = !id ? nullptr : serving ? catalog.engine(*id) : catalog.framework(*id);
    return software ? software->stack : "*";
}

bool isOfFabric(std::string_view name) {
    constexpr std::array<std::string_view, 6> families{"all_gather_", "reduce_scatter_", "all_reduce_",
                                                       "all_to_all_", "nvlink_",         "dispatch_"};
    return std::ranges::any_of(families,
                               [name](std::string_view family) { return name.starts_with(family); });
}

/// The entry of the profile that an input was taken from, by its mark.
std::optional<std::size_t> entryOf(Input input, const InputOrigins& origins) {
    const std::string source = origins[static_cast<std::size_t>(input)].source.str();
    return source.starts_with(mark) ? std::optional<std::size_t>(std::stoul(source.substr(mark.size())))
                                    : std::nullopt;
}

/// Over an entry with the same keys, else behind all others.
void put(Profile& profile, Parameter p) {
    const auto same = std::ranges::find_if(profile.parameters, [&p](const Parameter& each) {
        return each.name == p.name && each.gpu == p.gpu && each.precision == p.precision &&
               each.stack == p.stack;
    });
    if (same == profile.parameters.end())
        profile.parameters.push_back(std::move(p));
    else
        *same = std::move(p);
}

} // namespace

Result<LiveConstants> LiveConstants::of(const ScenarioSpec& spec, const Catalog& catalog,
                                        const Profile& profile, const std::string& source) {
    LiveConstants out;
    out.profile_ = profile;
    out.source_ = source;
    // What the profile leaves out is the default's, as in every other scenario.
    Profile marked = profile;
    for (std::size_t i = 0; i < marked.parameters.size(); ++i)
        marked.parameters[i].source = std::string(mark) + std::to_string(i);
    Result<Scenario> scenario = resolve(spec, catalog, marked);
    if (!scenario)
        return Error{scenario.error()};
    if (!scenario->runs()) {
        const auto worst = std::ranges::find(scenario->problems, Severity::error, &Problem::severity);
        return Error{
            (worst == scenario->problems.end() ? std::string() : worst->place + ": " + worst->message) +
            "; use the scenario that the cluster runs"};
    }
    out.scenario_ = *std::move(scenario);
    const ClusterSpec& cluster = out.scenario_.spec.cluster;
    const std::string machine = cluster.ultraserver ? *cluster.ultraserver : cluster.instance.value_or("");
    out.gpus_.fill(gpuOf(machine, cluster, catalog));
    for (std::size_t pool = 0; pool < out.scenario_.pools.size(); ++pool)
        out.gpus_[pool] = gpuOf(out.scenario_.pools[pool].instance, cluster, catalog);
    out.stack_ = stackOf(out.scenario_, catalog);
    if (out.scenario_.isServing())
        for (std::size_t pool = 0; pool < out.scenario_.pools.size(); ++pool)
            out.bind(out.scenario_.pools[pool].inputs, out.scenario_.pools[pool].origins, pool);
    else
        out.bind(out.scenario_.inputs, out.scenario_.origins, 0);
    return out;
}

void LiveConstants::bind(const Inputs& inputs, const InputOrigins& origins, std::size_t pool) {
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        const std::optional<std::size_t> index = isOfTime(input) ? entryOf(input, origins) : std::nullopt;
        if (!index)
            continue;
        const Parameter& p = profile_.parameters[*index];
        if (p.value <= 0 || p.logSd <= 0) // exact
            continue;
        constantOf(*index).feeds.push_back({pool, input, inputs.values[i] / p.value});
    }
}

LiveConstants::Constant& LiveConstants::constantOf(std::size_t parameter) {
    const auto found = std::ranges::find(constants_, parameter, &Constant::parameter);
    return found != constants_.end() ? *found
                                     : constants_.emplace_back(Constant{parameter, usualSiteSd, 0, {}});
}

void LiveConstants::release(Input input, double siteSd, double guess) {
    for (std::size_t pool = 0; pool < scenario_.pools.size(); ++pool) {
        const ServingPool& each = scenario_.pools[pool];
        const std::optional<std::size_t> index = entryOf(input, each.origins);
        const double value = index ? profile_.parameters[*index].value : 0;
        if (value <= 0)
            continue;
        Constant& constant = constantOf(*index);
        constant.siteSd = siteSd;
        constant.guess = guess;
        if (std::ranges::none_of(
                constant.feeds, [&](const Feed& feed) { return feed.pool == pool && feed.input == input; })) {
            constant.feeds.push_back({pool, input, each.inputs[input] / value});
        }
    }
}

bool LiveConstants::isFitted(const Parameter& p) const { return p.prior && p.source.str() == source_; }

bool LiveConstants::isCalibrated() const {
    return std::ranges::any_of(
        constants_, [this](const Constant& each) { return isFitted(profile_.parameters[each.parameter]); });
}

ParameterPrior LiveConstants::known(const Parameter& p, double siteSd) const {
    return isFitted(p) ? *p.prior : ParameterPrior{p.value, std::hypot(p.logSd, siteSd)};
}

FitPrior LiveConstants::prior(std::size_t i) const {
    const ParameterPrior before = known(parameter(i), constants_[i].siteSd);
    const double mean = transformedValue(parameter(i), before.value);
    return {mean, before.logSd / logSlope(i, mean)};
}

double LiveConstants::present(std::size_t i) const {
    return transformedValue(parameter(i), parameter(i).value);
}

double LiveConstants::start(std::size_t i) const {
    const double guess = constants_[i].guess;
    return guess > 0 && !isFitted(parameter(i)) ? transformedValue(parameter(i), guess) : present(i);
}

bool LiveConstants::isUnmoved(std::size_t i, const MapFit& fit) const {
    return isSame(parameter(i).value, toValue(i, fit.parameters[i]));
}

double LiveConstants::toValue(std::size_t i, double transformed) const {
    return isRatio(parameter(i)) ? 1 / (1 + std::exp(-transformed)) : std::exp(transformed);
}

double LiveConstants::logSlope(std::size_t i, double transformed) const {
    return isRatio(parameter(i)) ? 1 - toValue(i, transformed) : 1;
}

Inputs LiveConstants::inputs(const std::vector<double>& transformed) const {
    Inputs out = scenario_.inputs;
    for (std::size_t i = 0; i < constants_.size(); ++i) {
        const double value = toValue(i, transformed[i]);
        for (const Feed& feed : constants_[i].feeds)
            out[feed.input] = feed.scale * value;
    }
    return out;
}

LiveConstants::PoolInputs LiveConstants::poolInputs(const std::vector<double>& transformed) const {
    PoolInputs out;
    for (std::size_t pool = 0; pool < scenario_.pools.size(); ++pool)
        out[pool] = scenario_.pools[pool].inputs;
    for (std::size_t i = 0; i < constants_.size(); ++i) {
        const double value = toValue(i, transformed[i]);
        for (const Feed& feed : constants_[i].feeds)
            out[feed.pool][feed.input] = feed.scale * value;
    }
    return out;
}

void LiveConstants::restrict(const std::function<bool(std::size_t)>& keep) {
    std::vector<Constant> kept;
    for (std::size_t i = 0; i < constants_.size(); ++i)
        if (keep(i))
            kept.push_back(std::move(constants_[i]));
    constants_ = std::move(kept);
}

Parameter LiveConstants::ownEntry(Parameter p, std::size_t pool, bool sixteenBit) const {
    if (p.name.starts_with("network_")) // belongs to the kind of network
        return p;
    if (!gpus_[pool].empty())
        p.gpu = gpus_[pool];
    if (isOfFabric(p.name)) // whatever software and format
        return p;
    // Alongside an entry for all formats, one for the part alone would also outdo those of other formats.
    if (p.precision == "*" && scenario_.isServing()) {
        const ServingPlan& plan = scenario_.pools[pool].plan;
        const bool ofExperts =
            p.name.starts_with("serving_expert_") || p.name == inputInfo(Input::servingWeightOnlyFactor).name;
        p.precision = ofExperts ? plan.expertFormat : plan.denseFormat;
    } else if (p.precision == "*") {
        p.precision = sixteenBit ? "bf16" : std::string(wordOf(scenario_.plan.precision));
    }
    if (p.stack == "*")
        p.stack = stack_;
    return p;
}

Profile LiveConstants::fitted(const MapFit& fit) const {
    Profile out = profile_;
    for (std::size_t i = 0; i < constants_.size(); ++i) {
        if (isUnmoved(i, fit))
            continue;
        const Constant& constant = constants_[i];
        const bool sixteenBit =
            constant.feeds.size() == 1 && constant.feeds.front().input == Input::headGemmEfficiency;
        Parameter p = ownEntry(parameter(i), constant.feeds.front().pool, sixteenBit);
        p.prior = known(parameter(i), constant.siteSd);
        p.value = toValue(i, fit.parameters[i]);
        p.logSd = fit.sd[i] * logSlope(i, fit.parameters[i]);
        p.dataShare = fit.dataShare[i];
        p.kind = SourceKind::fitted;
        p.source = source_;
        put(out, std::move(p));
    }
    return out;
}

void LiveConstants::measure(Input input, double value, double logSd, LiveCalibration& out) const {
    const std::optional<std::size_t> index = entryOf(input, scenario_.origins);
    if (!index)
        return;
    const Parameter& old = profile_.parameters[*index];
    Parameter p = ownEntry(old, 0, false);
    p.prior = known(old, 0);
    p.value = value;
    p.logSd = logSd;
    const double priorSd = p.prior->logSd;
    p.dataShare = priorSd > logSd ? 1 - logSd * logSd / (priorSd * priorSd) : 0;
    p.kind = SourceKind::fitted;
    p.source = source_;
    out.parameters.push_back({.name = p.name,
                              .label = inputInfo(input).label,
                              .unit = p.unit,
                              .before = old.value,
                              .after = value,
                              .logSd = logSd,
                              .low = value * std::exp(-quantile90 * logSd),
                              .high = value * std::exp(quantile90 * logSd),
                              .dataShare = p.dataShare,
                              .interval = false,
                              .applied = true,
                              .changed = !isSame(old.value, value),
                              .how = "measured directly"});
    put(out.profile, std::move(p));
}

} // namespace alidade
