// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"
#include "model/topology/group_kind.h"
#include "views/theme/theme.h"

#include <QRgb>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace alidade::views {

struct TopologyData;
struct TopologyLive;

/// What the color of a GPU says.
enum class TopologyColor {
    groups,
    tensor,
    context,
    expert,
    data,
    pipeline,
    load,
    memory,
    hops,
    // measured on the running cluster, see topology_live.h
    computeTime,
    tensorActivity,
    hbmActivity,
    nvlinkRate,
    efaRate,
    power,
    temperature,
    health,
};

/// Which share of a link is drawn.
enum class TopologyLoad { active, mean };

/// What a person looks at: the chosen thing and how it is colored.
struct TopologyFocus {
    TopologyColor color = TopologyColor::groups;
    TopologyLoad load = TopologyLoad::active;
    int gpu = -1;                               ///< chosen GPU
    int host = -1;                              ///< chosen host; with a chosen GPU: -1
    int node = -1;                              ///< chosen network node
    std::optional<LinkId> link;                 ///< chosen link
    std::optional<GroupKind> group;             ///< chosen kind of group
    int pathTo = -1;                            ///< peer to which the path is shown
    std::shared_ptr<const TopologyLive> live{}; ///< null: nothing is measured
    bool operator==(const TopologyFocus&) const = default;
};

/// Colors and marks of every part at one focus and theme: what a frame needs and nothing to work out.
struct TopologyLook {
    enum Mark : std::uint8_t {
        idle = 1,        ///< runs no rank
        excluded = 2,    ///< its host is left out
        quiet = 4,       ///< not part of the selection: dimmed
        peer = 8,        ///< in a group of the chosen GPU
        ringed = 16,     ///< a peer drawn as an outline: a neighbor in the pipeline
        unfit = 32,      ///< its host is not a machine of the plan's kind
        unmeasured = 64, ///< colored by what is measured, and not measured
    };
    std::vector<QRgb> gpus;               ///< fill of each GPU, opaque, dimmed where it is quiet
    std::vector<std::uint8_t> marks;      ///< of each GPU
    std::vector<float> nvlink, nic;       ///< share of each link, 0..1; by GPU
    std::vector<float> uplink;            ///< by host
    std::vector<float> trunk;             ///< by network node, to the node above it
    std::vector<float> cards;             ///< largest uplink share of each card of the scene
    std::vector<char> litHosts, litNodes; ///< whose uplink or trunk is on a path that is shown
    bool selected = false;                ///< something is: what is not lit or a peer is dimmed
    int gpu = -1, host = -1, node = -1;
    std::optional<LinkId> link;
    std::vector<int> peers;         ///< of the chosen GPU in the chosen kind of group, without itself
    std::vector<QRgb> peerColors{}; ///< of each of these
};

/// Names one step of a legend.
struct TopologySwatch {
    QRgb fill = 0;
    QString text;
    bool outline = false; ///< drawn as an outline in that color
    bool hatched = false;
    bool crossed = false;
};
struct TopologyLegend {
    QString title;                     ///< "Memory, GB"
    std::vector<TopologySwatch> steps; ///< in order
    bool ramp = false;                 ///< steps touch each other, from low to high
};

TopologyLook topologyLook(const TopologyData& data, const TopologyFocus& focus, const Theme& look);
TopologyLegend topologyLegend(const TopologyData& data, const TopologyFocus& focus, const Theme& look);

/// `color` at 20 % over the background of the views.
QRgb topologyDimmed(QRgb color, const Theme& look);

} // namespace alidade::views
