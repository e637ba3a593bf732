// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/bound_rows.h"

#include <cassert>
#include <cmath>
#include <optional>
#include <string_view>

namespace alidade {

namespace {

constexpr std::string_view tag = "#";

/// Shares lie between 0 and 1 and are fitted as logits, everything else as logarithms.
bool isShare(const Parameter& parameter) { return parameter.unit == "ratio"; }

double transformed(const Parameter& parameter, double value) {
    return isShare(parameter) ? std::log(value / (1 - value)) : std::log(value);
}

std::optional<std::size_t> tagOf(const InputOrigin& origin) {
    if (!origin.source.starts_with(tag))
        return std::nullopt;
    return std::stoul(std::string(origin.source.view().substr(tag.size())));
}

} // namespace

bool isBand(const Parameter& parameter) { return parameter.name.find("_log_sd") != std::string::npos; }
bool isOfServing(const Parameter& parameter) { return parameter.name.starts_with("serving_"); }

std::string BoundRow::key(LeftOut by) const {
    switch (by) {
    case LeftOut::source:
        return source;
    case LeftOut::model:
        return model;
    case LeftOut::release:
        return release;
    case LeftOut::together:
        break;
    }
    return source + '\n' + release + '\n' + model;
}

bool BoundRow::isLeftOutWith(const BoundRow& other, LeftOut by) const {
    if (by == LeftOut::together)
        return source == other.source || release == other.release || model == other.model;
    return key(by) == other.key(by);
}

std::string architectureKey(const Architecture& model) {
    return std::to_string(model.layers) + " layers, " + std::to_string(model.hiddenSize) + " wide, " +
           std::to_string(model.moe ? model.moe->routedExperts : 0) + " experts";
}

/// Each parameter's source becomes its index: resolving with it tells which constant feeds which input, by
/// the same rules that every other scenario is resolved with.
BoundRows::BoundRows(const Profile& profile, bool serving)
    : profile_(profile)
    , marked_(profile)
    , place_(profile.parameters.size(), profile.parameters.size()) {
    for (std::size_t i = 0; i < profile.parameters.size(); ++i) {
        const Parameter& each = profile.parameters[i];
        marked_.parameters[i].source = std::string(tag) + std::to_string(i);
        if (each.prior && !isBand(each) && isOfServing(each) == serving) {
            place_[i] = fitted_.size();
            fitted_.push_back(i);
        }
    }
}

std::size_t BoundRows::constantOf(const InputOrigin& origin) const {
    return tagOf(origin).value_or(profile_.parameters.size());
}

std::vector<BoundRows::Feed> BoundRows::feedsOf(const Inputs& inputs, const InputOrigins& origins) const {
    std::vector<Feed> out;
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto from = tagOf(origins[i]);
        if (from && place_[*from] < fitted_.size() && profile_.parameters[*from].value > 0) {
            out.push_back(
                {place_[*from], static_cast<Input>(i), inputs.values[i] / profile_.parameters[*from].value});
        }
    }
    return out;
}

std::vector<double> BoundRows::valuesOf(const Profile& profile) const {
    assert(profile.parameters.size() == profile_.parameters.size());
    std::vector<double> out;
    for (const std::size_t i : fitted_)
        out.push_back(transformed(profile.parameters[i], profile.parameters[i].value));
    return out;
}

double BoundRows::toValue(std::size_t fitted, double value) const {
    return isShare(parameter(fitted)) ? 1 / (1 + std::exp(-value)) : std::exp(value);
}

double BoundRows::logSlope(std::size_t fitted, double value) const {
    return isShare(parameter(fitted)) ? 1 - toValue(fitted, value) : 1;
}

FitPrior BoundRows::priorOf(std::size_t fitted) const {
    const Parameter& p = parameter(fitted);
    const double mean = transformed(p, p.prior->value);
    return {mean, p.prior->logSd / logSlope(fitted, mean)};
}

} // namespace alidade
