// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/profile.h"

namespace alidade {
int keyFit(std::string_view wanted, std::string_view key) {
    if (key == wanted)
        return 3;
    if (key == "*")
        return 1;
    return wanted.size() > key.size() && wanted.starts_with(key) && wanted[key.size()] == '/' ? 2 : 0;
}

int stackFit(std::string_view wanted, std::string_view key) {
    constexpr std::string_view asRun = "/as_run";
    constexpr int any = 1, ofVersion = 3, asRunOfEngine = 4, exact = 5; // alongside those of keyFit
    if (key == wanted)
        return exact;
    if (!wanted.ends_with(asRun))
        return keyFit(wanted, key);
    wanted.remove_suffix(asRun.size());
    if (key.ends_with(asRun))
        return keyFit(wanted, key.substr(0, key.size() - asRun.size())) > any ? asRunOfEngine : 0;
    return key == wanted ? ofVersion : keyFit(wanted, key);
}

int parameterRank(const Parameter& parameter, std::string_view gpu, std::string_view architecture,
                  std::string_view precision, std::string_view stack) {
    const int part = parameter.gpu == gpu ? 4 : keyFit(architecture, parameter.gpu);
    const int software = part == 0 ? 0 : stackFit(stack, parameter.stack);
    const int format = software == 0 ? 0 : keyFit(precision, parameter.precision);
    return parameterRank(part, software, format);
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
