// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/cluster_map.h"

#include <string>

namespace alidade::data {

// Which rank runs where, as launchers read it. Pure texts; a cluster without a placement gives empty ones.

/// What is wrong with the first name of a host with ranks that no launcher should be given, as a whole line;
/// empty: all of them may be written.
std::string hostNameFault(const ClusterMap& map);

/// One line a rank with its host, for SLURM_HOSTFILE and --distribution=arbitrary.
std::string slurmHostFile(const ClusterMap& map);

/// "HOST slots=N" in the order of ranks, for mpirun --hostfile.
std::string mpiHostFile(const ClusterMap& map);

/// Whether mpirun, which fills host after host, gives the ranks of mpiHostFile the hosts of the placement.
bool hostsInRankOrder(const ClusterMap& map);

/// "rank N=HOST slot=GPU" for mpirun --rankfile (Open MPI). The slot is the number of the GPU in its host.
std::string rankFile(const ClusterMap& map);

/// CSV with a header: rank, host, name, GPU in its host, NVLink domain, leaf, pool and coordinates (tp, cp,
/// dp, pp, ep, etp) of each rank. RFC 4180.
std::string rankTable(const ClusterMap& map);

/// The same as JSON, with the machine and where its fabric comes from.
std::string rankJson(const ClusterMap& map);

} // namespace alidade::data
