// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/resolve_parts.h"

namespace alidade::resolving {

namespace {

std::string_view precisionWord(Precision precision) {
    switch (precision) {
    case Precision::fp16:
        return "fp16";
    case Precision::bf16:
        return "bf16";
    case Precision::fp8:
        return "fp8";
    case Precision::mxfp8:
        return "mxfp8";
    case Precision::nvfp4:
        return "nvfp4";
    }
    return {};
}

/// The parameter that a scenario takes for an input: recipes of FP8 have entries of their own where they
/// differ.
const Parameter* parameterOf(const Context& context, const Profile& profile, std::string_view name) {
    const Gpu& gpu = *context.gpu;
    if (name == inputInfo(Input::headGemmEfficiency).name) { // what GEMMs reach in 16 bits
        return findParameter(profile, inputInfo(Input::gemmComputeEfficiency).name, gpu.id, gpu.architecture,
                             precisionWord(Precision::bf16),
                             context.framework ? context.framework->stack : "*");
    }
    // Constants of the network belong to its kind, all others to the software.
    const std::string_view stack = name.starts_with("network_") ? std::string_view(context.network)
                                   : context.framework          ? std::string_view(context.framework->stack)
                                                                : std::string_view("*");
    const std::string_view precision = precisionWord(context.out.plan.precision);
    const std::string& recipe = context.out.spec.plan.fp8Recipe.value_or("");
    if (!recipe.empty()) {
        const std::string withRecipe = std::string(precision) + "-" + recipe;
        const Parameter* special = findParameter(profile, name, gpu.id, gpu.architecture, withRecipe, stack);
        if (special && special->precision == withRecipe) {
            return special;
        }
    }
    return findParameter(profile, name, gpu.id, gpu.architecture, precision, stack);
}

} // namespace

void resolveConstants(Context& context) {
    for (auto i = static_cast<std::size_t>(Input::gemmComputeEfficiency); i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        const std::string_view name = inputInfo(input).name;
        const Parameter* parameter = parameterOf(context, context.profile, name);
        if (!parameter && &context.profile != &context.catalog.defaultProfile) {
            parameter = parameterOf(context, context.catalog.defaultProfile, name);
        }
        if (parameter) {
            set(context, input, parameter->value, parameter->source, parameter->kind);
        } else {
            context.out.origins[i] = {"not in the profile", SourceKind::assumed, false};
        }
    }
    if (!context.out.spec.plan.cudaGraphs.value_or(false)) {
        set(context, Input::hostGraphShare, 1, "CUDA graphs are off", SourceKind::derived);
    }
}

} // namespace alidade::resolving
