// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/resolve_parts.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace alidade::resolving {

namespace {

/// Inputs by their names in profiles.
std::optional<Input> inputNamed(std::string_view name) {
    static const std::unordered_map<std::string_view, Input> known = [] {
        std::unordered_map<std::string_view, Input> out;
        for (std::size_t i = 0; i < inputCount; ++i) {
            out.emplace(inputInfo(static_cast<Input>(i)).name, static_cast<Input>(i));
        }
        return out;
    }();
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool isOfServing(Input input) { return input >= Input::servingGemmEfficiency; }

/// Constants of the machine and of its fabric, which training and serving have in common.
bool isShared(Input input) {
    static const std::array<bool, inputCount> shared = [] {
        std::array<bool, inputCount> out{};
        for (std::size_t i = 0; i < inputCount; ++i) {
            const auto each = static_cast<Input>(i);
            const std::string_view name = inputInfo(each).name;
            out[i] = each >= Input::gpuHoursPerFailure && each <= Input::pue;
            for (const std::string_view family : {"all_gather_", "reduce_scatter_", "all_reduce_",
                                                  "all_to_all_", "nvlink_", "network_", "dispatch_"}) {
                out[i] = out[i] || name.starts_with(family);
            }
        }
        return out;
    }();
    return shared[static_cast<std::size_t>(input)];
}

/// The best-fitting parameter of each input so far.
class Choice {
public:
    void offer(std::size_t input, const Parameter& parameter, int rank) {
        if (rank > rank_[input]) {
            best_[input] = &parameter;
            rank_[input] = rank;
        }
    }
    const Parameter* of(std::size_t input) const { return best_[input]; }

private:
    std::array<const Parameter*, inputCount> best_{};
    std::array<int, inputCount> rank_{};
};

/// The parameters that a scenario takes from a profile, found in one pass. Recipes of FP8 have entries of
/// their own where they differ.
Choice parametersOf(const Context& context, const Profile& profile) {
    const Gpu& gpu = *context.gpu;
    const std::string_view software =
        context.framework ? std::string_view(context.framework->stack) : std::string_view("*");
    const bool serving = context.out.isServing();
    const ServingPlan* served = serving ? &context.out.pools.front().plan : nullptr;
    const std::string_view precision =
        serving ? std::string_view(served->denseFormat) : wordOf(context.out.plan.precision);
    const std::string& recipe = context.out.spec.plan.fp8Recipe.value_or("");
    const std::string withRecipe = recipe.empty() ? std::string() : std::string(precision) + "-" + recipe;
    Choice plain, special;
    for (const Parameter& parameter : profile.parameters) {
        const auto input = inputNamed(parameter.name);
        if (!input) {
            continue;
        }
        const auto i = static_cast<std::size_t>(*input);
        // Constants of the network belong to its kind, all others to the software.
        if (isOfServing(*input) != context.out.isServing() && !isShared(*input)) {
            continue;
        }
        const std::string_view stack =
            parameter.name.starts_with("network_") ? std::string_view(context.network) : software;
        // Engines run the same kernels on all parts of a generation: "Blackwell Ultra" is Blackwell to them.
        const std::string_view architecture(gpu.architecture);
        const std::string_view generation =
            isOfServing(*input) ? architecture.substr(0, architecture.find(' ')) : architecture;
        const auto rank = [&](std::string_view format) {
            return parameterRank(parameter, gpu.id, generation, format, stack);
        };
        if (*input == Input::gemmComputeEfficiency) { // the head's GEMMs are in 16 bits
            plain.offer(static_cast<std::size_t>(Input::headGemmEfficiency), parameter,
                        rank(wordOf(Precision::bf16)));
        }
        const bool ofExperts = serving && (parameter.name.starts_with("serving_expert_") ||
                                           *input == Input::servingWeightOnlyFactor);
        plain.offer(i, parameter, rank(ofExperts ? std::string_view(served->expertFormat) : precision));
        if (!withRecipe.empty()) {
            special.offer(i, parameter, rank(withRecipe));
        }
    }
    if (!withRecipe.empty()) {
        for (std::size_t i = 0; i < inputCount; ++i) {
            if (special.of(i) && special.of(i)->precision == withRecipe) {
                plain.offer(i, *special.of(i), std::numeric_limits<int>::max());
            }
        }
    }
    return plain;
}

} // namespace

void resolveConstants(Context& context) {
    const Choice own = parametersOf(context, context.profile);
    const bool isDefault = &context.profile == &context.catalog.defaultProfile;
    const Choice shipped = isDefault ? own : parametersOf(context, context.catalog.defaultProfile);
    for (auto i = static_cast<std::size_t>(Input::gemmComputeEfficiency); i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (isOfServing(input) != context.out.isServing() && !isShared(input)) {
            continue;
        }
        const Parameter* parameter = own.of(i) ? own.of(i) : shipped.of(i);
        if (parameter) {
            set(context, input, parameter->value, parameter->source, parameter->kind);
        } else {
            context.out.origins[i] = {"not in the profile", SourceKind::assumed, false};
        }
    }
    if (!context.out.isServing() && !context.out.spec.plan.cudaGraphs.value_or(false)) {
        set(context, Input::hostGraphShare, 1, "CUDA graphs are off", SourceKind::derived);
    }
}

} // namespace alidade::resolving
