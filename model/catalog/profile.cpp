// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/profile.h"

namespace alidade {
namespace {

constexpr std::string_view any = "*";

/// How well a parameter's key fits: 0 does not, 1 by wildcard, more is closer.
int fit(std::string_view wanted, std::string_view key) { return key == wanted ? 2 : key == any ? 1 : 0; }

} // namespace

const Parameter* findParameter(const Profile& profile, std::string_view name, std::string_view gpu,
                               std::string_view architecture, std::string_view precision,
                               std::string_view stack) {
    const Parameter* best = nullptr;
    int bestRank = 0;
    for (const Parameter& parameter : profile.parameters) {
        if (parameter.name != name)
            continue;
        const int part = parameter.gpu == gpu ? 3 : fit(architecture, parameter.gpu);
        const int software = fit(stack, parameter.stack);
        const int format = fit(precision, parameter.precision);
        if (part == 0 || software == 0 || format == 0)
            continue;
        const int rank = part * 100 + software * 10 + format;
        if (rank > bestRank) {
            best = &parameter;
            bestRank = rank;
        }
    }
    return best;
}

} // namespace alidade
