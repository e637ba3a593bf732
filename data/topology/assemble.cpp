// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/reader.h"
#include "data/topology/host_name.h"
#include "data/topology/reported.h"
#include "model/units/text.h"

#include <algorithm>
#include <unordered_map>

namespace alidade::data {

namespace {

constexpr std::size_t longestName = 255;

bool usableCharacter(char c) { return c > ' ' && c <= '~' && c != ',' && c != '"'; }

/// A name of a switch or a domain, as a table can hold it.
bool usableName(const std::string& name) {
    return !name.empty() && name.size() <= longestName && std::ranges::all_of(name, usableCharacter);
}

class Assembler {
public:
    Assembler(const TopologyReport& report, std::vector<std::string>& faults)
        : report_(report)
        , faults_(faults) {}

    std::optional<Topology> run() {
        const std::size_t before = faultCount(faults_);
        if (report_.hosts.empty()) {
            addFault(faults_, (report_.files.empty() ? std::string("topology") : report_.files.front()) +
                                  ": describes no host with GPUs; a reply with at least one is needed");
        }
        out_.hosts.reserve(report_.hosts.size());
        nodeOf_.reserve(report_.hosts.size());
        for (const ReportedHost& each : report_.hosts)
            add(each);
        if (faultCount(faults_) != before)
            return std::nullopt;
        out_.name = report_.name;
        out_.source = sourceText();
        out_.incomplete = report_.incomplete;
        return std::move(out_);
    }

private:
    void fault(const ReportedHost& at, const std::string& what) { addFault(faults_, at.place + ": " + what); }

    void add(const ReportedHost& each) {
        for (const std::string* name : {&each.host.id, &each.host.name}) {
            if (!isHostName(*name)) {
                return fault(each,
                             alidade::quoted(*name) + " is not a host name; " + std::string(hostNameRule));
            }
        }
        if (!each.host.domain.empty() && !usableName(each.host.domain)) {
            return fault(
                each,
                alidade::quoted(each.host.domain) +
                    " is not the name of an NVLink domain; one ASCII word without commas and quotes is");
        }
        const auto [known, added] = hostPlace_.try_emplace(each.host.id, &each);
        if (!added) {
            return fault(each, "host '" + each.host.id + "' occurs twice, first at " + known->second->place +
                                   "; keep one of them");
        }
        checkZone(each);
        Host host = each.host;
        for (std::size_t layer = 0; layer < each.path.size(); ++layer) {
            host.leaf = node(each, layer, host.leaf);
            if (host.leaf < 0)
                return;
        }
        out_.hosts.push_back(std::move(host));
    }

    /// A cluster lies in one zone: network nodes never span two.
    void checkZone(const ReportedHost& each) {
        if (each.host.zone.empty())
            return;
        if (zonePlace_ == nullptr) {
            zonePlace_ = &each;
        } else if (zonePlace_->host.zone != each.host.zone && !zoneFault_) {
            zoneFault_ = true; // once says it all
            fault(each, "is in zone " + each.host.zone + ", " + zonePlace_->place + " in " +
                            zonePlace_->host.zone + "; import the hosts of one zone at a time");
        }
    }

    /// Index of the switch at a layer of a host's way; -1 after a fault.
    int node(const ReportedHost& each, std::size_t layer, int parent) {
        const std::string& id = each.path[layer];
        if (!usableName(id)) {
            fault(each, alidade::quoted(id) +
                            " is not the name of a switch; one ASCII word without commas and quotes is");
            return -1;
        }
        const auto [found, added] = nodeOf_.try_emplace(id, static_cast<int>(out_.nodes.size()));
        if (added) {
            out_.nodes.push_back({id, static_cast<int>(layer), parent});
            nodePlace_.push_back(&each);
            return found->second;
        }
        const NetworkNode& node = out_.nodes[static_cast<std::size_t>(found->second)];
        if (node.parent == parent)
            return found->second;
        const auto twice =
            std::count(each.path.begin(), each.path.begin() + static_cast<std::ptrdiff_t>(layer), id);
        if (twice > 0) {
            fault(each, "switch '" + id + "' is twice on the way to '" + each.host.id +
                            "'; each layer has a switch of its own");
        } else {
            fault(each, "switch '" + id + "' is " + below(parent) + " here and " + below(node.parent) +
                            " at " + nodePlace_[static_cast<std::size_t>(found->second)]->place +
                            "; a switch lies below one other");
        }
        return -1;
    }

    std::string below(int parent) const {
        return parent < 0 ? "at the top" : "below '" + out_.nodes[static_cast<std::size_t>(parent)].id + "'";
    }

    std::string sourceText() const {
        if (!report_.source.empty())
            return report_.source;
        std::string files;
        for (std::size_t i = 0; i < std::min<std::size_t>(3, report_.files.size()); ++i) {
            const std::string& file = report_.files[i];
            files += ", " + file.substr(file.find_last_of('/') + 1);
        }
        const std::size_t more = report_.files.size() - std::min<std::size_t>(3, report_.files.size());
        return originName(report_.origin) + files +
               (more > 0 ? " and " + std::to_string(more) + " more" : std::string());
    }

    const TopologyReport& report_;
    std::vector<std::string>& faults_;
    Topology out_;
    std::unordered_map<std::string, int> nodeOf_;
    std::vector<const ReportedHost*> nodePlace_; ///< who named each switch first
    std::unordered_map<std::string, const ReportedHost*> hostPlace_;
    const ReportedHost* zonePlace_ = nullptr;
    bool zoneFault_ = false;
};

} // namespace

std::string originName(TopologyOrigin origin) {
    switch (origin) {
    case TopologyOrigin::own:
        return "Alidade topology";
    case TopologyOrigin::ec2:
        return "EC2 DescribeInstanceTopology";
    case TopologyOrigin::kubernetes:
        return "Kubernetes node labels";
    case TopologyOrigin::slurmTree:
        return "Slurm tree";
    case TopologyOrigin::slurmBlock:
        return "Slurm blocks";
    }
    return {};
}

std::optional<Topology> assembleTopology(const TopologyReport& report, std::vector<std::string>& faults) {
    return Assembler(report, faults).run();
}

} // namespace alidade::data
