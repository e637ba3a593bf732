// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_canvas.h"

#include <QList>
#include <QString>

#include <optional>
#include <utility>

namespace alidade::views {

/// A line about a group or a link: name, what goes over it, how loaded it is.
struct TopologyLine {
    QString name;
    QString detail;                   ///< bytes a step, bandwidth
    std::optional<Bound> tag;         ///< fabric
    double share = -1;                ///< 0..1; -1: not known
    std::optional<GroupKind> group{}; ///< that the line is about
    int gpu = -1;                     ///< that the line is about
};

/// What there is to say about the chosen thing, or the whole cluster.
struct TopologyFacts {
    QString title;    ///< "Rank 36"
    QString subtitle; ///< "i-0a9…, local 0"
    QList<std::pair<QString, QString>> rows;
    QString groupsAside; ///< "a step and GPU"
    QList<TopologyLine> groups;
    QString groupsNote;
    QString pathTitle, pathAside; ///< "Path to rank 108", "5 switches"
    QList<TopologyLine> path;
    QString pathNote;
};

TopologyFacts topologyFacts(const TopologyData& data, const TopologyFocus& focus);
/// What the links carried in a baseline, next to what they carry: of the chosen link, and of the busiest
/// ones.
void tellBaseline(TopologyFacts& facts, const TopologyData& baseline, const TopologyFocus& focus);
/// The same in one text, for those who cannot see it.
QString topologyWords(const TopologyFacts& facts);
CardContent topologyCard(const TopologyData& data, const TopologyFocus& focus, const TopologyThing& thing);
/// "tp" -> "TP"; "dp-shard" -> "DP shards"
QString topologyGroupName(GroupKind kind);

} // namespace alidade::views
