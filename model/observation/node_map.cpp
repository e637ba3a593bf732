// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/plan_actual.h"

namespace alidade {

NodeMap relativeNodeTimes(const Observation& observation) {
    NodeMap map;
    map.hosts = observation.hosts;
    map.values.assign(map.hosts.size() * observation.grid.points, std::numeric_limits<double>::quiet_NaN());
    return map;
}

} // namespace alidade
