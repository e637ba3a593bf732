// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/host_lists.h"

#include "data/file/csv_field.h"
#include "data/json/json.h"
#include "data/topology/host_name.h"
#include "model/base/index.h"
#include "model/units/text.h"

#include <array>
#include <set>
#include <utility>

namespace alidade::data {

namespace {

int gpuOf(const ClusterMap& map, int rank) { return map.placement.gpuOfRank[at(rank)]; }

const std::string& hostOf(const ClusterMap& map, int rank) {
    return map.hostNames[at(map.fabric.hostOf(gpuOf(map, rank)))];
}

int localGpu(const ClusterMap& map, int rank) { return gpuOf(map, rank) % map.fabric.gpusPerHost; }

/// Calls with each host and how many ranks in a row it has.
template <class Visit>
void eachRun(const ClusterMap& map, Visit visit) {
    for (int rank = 0; rank < map.placement.ranks();) {
        const int host = map.fabric.hostOf(gpuOf(map, rank)), first = rank;
        while (rank < map.placement.ranks() && map.fabric.hostOf(gpuOf(map, rank)) == host)
            ++rank;
        visit(host, rank - first);
    }
}

std::array<std::pair<std::string, int>, 6> coordinatesOf(const ClusterMap& map, int rank) {
    const Coordinates c = map.coordinates(rank);
    const auto of = [](GroupKind kind, int value) { return std::pair(std::string(groupWord(kind)), value); };
    return {of(GroupKind::tensor, c.tensor), of(GroupKind::context, c.context),
            of(GroupKind::data, c.data),     of(GroupKind::pipeline, c.pipeline),
            of(GroupKind::expert, c.expert), of(GroupKind::expertTensor, c.expertTensor)};
}

std::string leafName(const ClusterMap& map, int host) {
    const int leaf = map.fabric.leafOf(host);
    return leaf < 0 ? std::string() : map.nodeIds[at(leaf)];
}

} // namespace

std::string hostNameFault(const ClusterMap& map) {
    for (int rank = 0; rank < map.placement.ranks(); ++rank) {
        if (const std::string& host = hostOf(map, rank); !isHostName(host)) {
            return alidade::quoted(host) + " is not a host name that a launcher may be given; " +
                   std::string(hostNameRule);
        }
    }
    return {};
}

std::string slurmHostFile(const ClusterMap& map) {
    std::string out;
    for (int rank = 0; rank < map.placement.ranks(); ++rank)
        out += hostOf(map, rank) + '\n';
    return out;
}

std::string mpiHostFile(const ClusterMap& map) {
    std::string out;
    eachRun(map, [&](int host, int ranks) {
        out += map.hostNames[at(host)] + " slots=" + std::to_string(ranks) + '\n';
    });
    return out;
}

bool hostsInRankOrder(const ClusterMap& map) {
    std::set<int> seen;
    bool once = true;
    eachRun(map, [&](int host, int) { once = seen.insert(host).second && once; });
    return once;
}

std::string rankFile(const ClusterMap& map) {
    std::string out;
    for (int rank = 0; rank < map.placement.ranks(); ++rank) {
        out += "rank " + std::to_string(rank) + "=" + hostOf(map, rank) +
               " slot=" + std::to_string(localGpu(map, rank)) + '\n';
    }
    return out;
}

std::string rankTable(const ClusterMap& map) {
    std::string out = "rank,host,host_name,local_gpu,nvlink_domain,leaf,pool,tp,cp,dp,pp,ep,etp\r\n";
    for (int rank = 0; rank < map.placement.ranks(); ++rank) {
        const int gpu = gpuOf(map, rank), host = map.fabric.hostOf(gpu);
        const PoolLayout* pool = map.poolOf(rank);
        out += std::to_string(rank) + ',' + csvField(map.hostIds[at(host)]) + ',' +
               csvField(map.hostNames[at(host)]) + ',' + std::to_string(localGpu(map, rank)) + ',' +
               csvField(map.domainIds[at(map.fabric.domainOf(gpu))]) + ',' + csvField(leafName(map, host)) +
               ',' + (pool == nullptr ? std::string() : csvField(pool->name));
        for (const auto& [word, value] : coordinatesOf(map, rank))
            out += ',' + std::to_string(value);
        out += "\r\n";
    }
    return out;
}

std::string rankJson(const ClusterMap& map) {
    using Line = nlohmann::ordered_json;
    const auto text = [](const Line& line) {
        return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    std::string out = "{\n  \"alidade\": 1,\n  \"machine\": " + text(map.machine) +
                      ",\n  \"source\": " + text(map.source) + ",\n  \"ranks\": [";
    for (int rank = 0; rank < map.placement.ranks(); ++rank) {
        const int gpu = gpuOf(map, rank), host = map.fabric.hostOf(gpu);
        Line line{{"rank", rank},
                  {"host", map.hostIds[at(host)]},
                  {"host_name", map.hostNames[at(host)]},
                  {"local_gpu", localGpu(map, rank)},
                  {"nvlink_domain", map.domainIds[at(map.fabric.domainOf(gpu))]}};
        if (const std::string leaf = leafName(map, host); !leaf.empty())
            line["leaf"] = leaf;
        if (const PoolLayout* pool = map.poolOf(rank); pool != nullptr && !pool->name.empty())
            line["pool"] = pool->name;
        for (const auto& [word, value] : coordinatesOf(map, rank))
            line[word] = value;
        out += (rank == 0 ? "\n    " : ",\n    ") + text(line);
    }
    return out + "\n  ]\n}\n";
}

} // namespace alidade::data
