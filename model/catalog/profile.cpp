// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/profile.h"

namespace alidade {
namespace {

constexpr std::string_view any = "*";

/// How well a parameter's key fits: 0 does not, 1 by wildcard, more is closer. "fsdp/2024" also takes what is
/// written for "fsdp".
int fit(std::string_view wanted, std::string_view key) {
    if (key == wanted) {
        return 3;
    }
    if (key == any) {
        return 1;
    }
    return wanted.size() > key.size() && wanted.starts_with(key) && wanted[key.size()] == '/' ? 2 : 0;
}

} // namespace

int parameterRank(const Parameter& parameter, std::string_view gpu, std::string_view architecture,
                  std::string_view precision, std::string_view stack) {
    const int part = parameter.gpu == gpu ? 4 : fit(architecture, parameter.gpu);
    const int software = part == 0 ? 0 : fit(stack, parameter.stack);
    const int format = software == 0 ? 0 : fit(precision, parameter.precision);
    return format == 0 ? 0 : part * 100 + software * 10 + format;
}

const Parameter* findParameter(const Profile& profile, std::string_view name, std::string_view gpu,
                               std::string_view architecture, std::string_view precision,
                               std::string_view stack) {
    const Parameter* best = nullptr;
    int bestRank = 0;
    for (const Parameter& parameter : profile.parameters) {
        const int rank =
            parameter.name == name ? parameterRank(parameter, gpu, architecture, precision, stack) : 0;
        if (rank > bestRank) {
            best = &parameter;
            bestRank = rank;
        }
    }
    return best;
}

} // namespace alidade
