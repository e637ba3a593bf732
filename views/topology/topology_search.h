// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_canvas.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// Something that a search found.
struct TopologyHit {
    QString name;   ///< "i-0a9…", "Rank 36"
    QString detail; ///< what it is and where
    TopologyThing thing;
};

/// Hosts (by name or instance id), ranks ("36", "rank 36"), GPUs ("gpu 36"), switches and NVLink domains;
/// best first: exact names, then beginnings, then parts of names.
QList<TopologyHit> searchTopology(const TopologyData& data, const QString& words, qsizetype most = 12);

} // namespace alidade::views
