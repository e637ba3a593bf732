// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding.h"
#include "views/topology/topology_look.h"

#include <array>
#include <limits>
#include <memory>
#include <vector>

namespace alidade::views {

/// What was measured on the running cluster, and the instant that is looked at.
struct TopologyMeasured {
    std::shared_ptr<const Observation> observation;       ///< null: nothing is measured
    std::vector<Finding> findings;                        ///< of the same observation
    double at = std::numeric_limits<double>::quiet_NaN(); ///< Unix s; NaN: the newest
};

/// The figures that GPUs are colored by while a cluster is measured, in the order in which they are offered.
inline constexpr std::array topologyLiveColors{TopologyColor::computeTime, TopologyColor::tensorActivity,
                                               TopologyColor::hbmActivity, TopologyColor::nvlinkRate,
                                               TopologyColor::efaRate,     TopologyColor::power,
                                               TopologyColor::temperature, TopologyColor::health};

bool isLive(TopologyColor color);

/// Measured values laid over the GPUs of one cluster.
struct TopologyLive {
    struct Figure {
        std::vector<float> values; ///< of each GPU, SI; NaN: not measured; of health a HealthAction, -1 well
        double low = 0, high = 1;  ///< ends of the ramp
        QString missing;           ///< why it cannot be shown; empty: it can
    };
    std::array<Figure, topologyLiveColors.size()> figures;
    std::vector<QString> ails; ///< of each host, what is found on it now; empty: nothing
    int matched = 0;           ///< hosts of the cluster that are measured
    bool gap = false;          ///< the instant lies in a gap of the data: no GPU has a value

    const Figure& figure(TopologyColor color) const;
    /// "612 W"; empty: not measured.
    QString valueText(TopologyColor color, int gpu) const;
};

/// Hosts are the same where the measured name is the host's name or id, with or without the domain behind it.
/// With nothing that matches, every figure says why.
TopologyLive topologyLive(const TopologyData& data, const TopologyMeasured& measured);

/// The host of a cluster that a measured name means; -1: none.
int measuredHost(const TopologyData& data, const std::string& name);

/// "Power": in the list of colors and in legends.
QString topologyLiveName(TopologyColor color);
/// Color of each GPU; those not measured are marked so.
void fillLive(TopologyLook& made, const TopologyLive& live, TopologyColor color, const Theme& look);
TopologyLegend liveLegend(const TopologyLive& live, TopologyColor color, const Theme& look);

} // namespace alidade::views
