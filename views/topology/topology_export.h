// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/cell_table.h"
#include "views/topology/topology_camera.h"
#include "views/topology/topology_look.h"

#include <QString>

#include <string>

namespace alidade::views {

/// What a picture shows, apart from the widget that it is in.
struct TopologyPicture {
    std::shared_ptr<const TopologyData> data;
    TopologyFocus focus;
    TopologyCamera camera;
    QSize size; ///< px
    double fontScale = 1;
};

/// Writes the picture black on white: png (twice the size) or svg (vector), what is to be seen or the whole
/// cluster; csv: all hosts. On any thread. Returns the reason on failure, else an empty text.
QString exportTopology(const TopologyPicture& picture, const QString& file, bool whole);

/// Which rank runs where, as others read it.
enum class RankFile { slurm, mpi, table };
/// On any thread. Returns the reason on failure, else an empty text.
QString exportRanks(const TopologyData& data, RankFile kind, const QString& file);

/// Writes the imported topology of a scenario as Slurm reads it: topology.yaml for that suffix, else
/// topology.conf. On any thread. Returns the reason on failure, else an empty text.
QString exportForSlurm(const Catalog& catalog, const std::string& topology, const QString& file);

/// One row a host: the table behind the picture. The key is the index of the host.
QList<CellColumn> topologyColumns();
QList<CellRow> topologyRows(const TopologyData& data, TopologyLoad load);

} // namespace alidade::views
