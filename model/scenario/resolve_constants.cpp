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

} // namespace

void resolveConstants(Context& context) {
    const Gpu& gpu = *context.gpu;
    const std::string stack = context.framework ? context.framework->stack : "*";
    const std::string_view precision = precisionWord(context.out.plan.precision);
    for (auto i = static_cast<std::size_t>(Input::gemmComputeEfficiency); i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        const std::string_view name = inputInfo(input).name;
        // Constants of the network belong to its kind, all others to the software.
        const bool network = name.starts_with("network_");
        const Parameter* parameter =
            findParameter(context.profile, name, gpu.id, gpu.architecture, precision,
                          network ? std::string_view(context.network) : std::string_view(stack));
        if (!parameter && &context.profile != &context.catalog.defaultProfile) {
            parameter =
                findParameter(context.catalog.defaultProfile, name, gpu.id, gpu.architecture, precision,
                              network ? std::string_view(context.network) : std::string_view(stack));
        }
        if (parameter) {
            set(context, input, parameter->value, parameter->source, parameter->kind);
        } else {
            context.out.origins[i] = {"not in the profile", SourceKind::assumed, false};
        }
    }
}

} // namespace alidade::resolving
