// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/resolve_parts.h"

#include <utility>

namespace alidade {

std::string pointerOf(std::string_view fieldPath) {
    std::string out = "/";
    for (const char c : fieldPath)
        out += c == '.' ? '/' : c;
    return out;
}

namespace resolving {

SourceKind catalogKind(const Provenance& provenance, std::string_view key) {
    if (!provenance.user)
        return SourceKind::catalog;
    const Source* source = sourceOf(provenance, key);
    return source != nullptr && source->authority == "user" ? SourceKind::user : SourceKind::catalog;
}

void set(Context& context, Input input, double value, SharedText source, SourceKind kind) {
    context.out.inputs[input] = value;
    if (context.layoutOnly)
        return;
    context.out.origins[static_cast<std::size_t>(input)] = {std::move(source), kind, true};
}

void illegal(Context& context, std::string_view fieldPath, std::string message) {
    context.out.legal = false;
    context.out.problems.push_back({Severity::error, pointerOf(fieldPath), std::move(message), {}});
}

void notModeled(Context& context, std::string_view fieldPath, std::string message) {
    context.out.modeled = false;
    context.out.problems.push_back({Severity::error, pointerOf(fieldPath), std::move(message), {}});
}

void warn(Context& context, std::string_view fieldPath, std::string message) {
    if (!context.layoutOnly)
        context.out.problems.push_back({Severity::warning, pointerOf(fieldPath), std::move(message), {}});
}

namespace {

/// Constants, rules and pools of a serving scenario.
std::string resolveServing(Context& context) {
    if (hasPools(context.spec))
        return resolvePools(context);
    resolveConstants(context);
    resolveCacheTier(context);
    checkServingLegality(context);
    Scenario& out = context.out;
    ServingPool& pool = out.pools.front();
    pool.instance = out.priceItem;
    pool.inputs = out.inputs;
    pool.origins = out.origins;
    pool.networkBound = out.networkBound;
    pool.nvlinkDomain = out.nvlinkDomain;
    pool.hasPrice = out.hasPrice;
    return {};
}

} // namespace

} // namespace resolving

resolving::Context resolving::contextOf(const ScenarioSpec& spec, const Catalog& catalog,
                                        const Profile& profile, Scenario& out, int firstRank) {
    out.spec = spec;
    out.catalogVersion = catalog.version;
    out.profileName = profile.name;
    return {.spec = spec,
            .catalog = catalog,
            .profile = profile,
            .out = out,
            .unknown = {},
            .network = {},
            .firstRank = firstRank};
}

std::string resolving::resolveDemand(Context& context) {
    std::string wrong = resolveWorkload(context);
    return wrong.empty() ? resolveCluster(context) : wrong;
}

void resolving::resolveTrainingRates(Context& context) {
    resolvePrice(context);
    resolveConstants(context);
    resolveOptimizerState(context);
    resolveRun(context);
}

void resolving::nameScenario(Scenario& out) {
    if (!out.spec.name)
        out.spec.name = out.modelName + " on " + out.clusterName;
}

Result<Scenario> resolving::resolveFrom(const ScenarioSpec& spec, const Catalog& catalog,
                                        const Profile& profile, int firstRank) {
    Result<Scenario> result(std::in_place);
    Scenario& out = *result;
    Context context = contextOf(spec, catalog, profile, out, firstRank);
    resolveOrder(context);
    if (spec.workload.isReinforcement()) {
        std::string wrong = resolveDemand(context);
        resolvePrice(context);
        if (wrong = wrong.empty() ? resolveReinforcement(context) : wrong; !wrong.empty())
            return Error{std::move(wrong)};
        nameScenario(out);
        return result;
    }
    for (const auto step : {resolveDemand, resolvePlan})
        if (std::string wrong = step(context); !wrong.empty())
            return Error{std::move(wrong)};
    if (out.isServing()) {
        resolvePrice(context);
        for (const auto step : {resolveServing, resolveTestTime})
            if (std::string wrong = step(context); !wrong.empty())
                return Error{std::move(wrong)};
    } else {
        resolveTrainingRates(context);
        checkLegality(context);
    }
    nameScenario(out);
    return result;
}

Result<Scenario> resolve(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) {
    if (std::string wrong = checkChoices(spec, catalog); !wrong.empty())
        return Error{std::move(wrong)};
    return resolving::resolveFrom(spec, catalog, profile, 0);
}

} // namespace alidade
