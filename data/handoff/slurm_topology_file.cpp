// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/slurm_topology_file.h"

#include "data/handoff/text_writers.h"
#include "data/json/json.h"
#include "data/topology/host_name.h"
#include "data/topology/hostlist.h"
#include "model/units/text.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace alidade::data {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longestSwitchName = 64;  ///< https://slurm.schedmd.com/topology.yaml.html
constexpr std::size_t largestSize = 1'000'000; ///< of a block, in hosts, that is read back

std::size_t ix(int index) { return static_cast<std::size_t>(index); }

/// A name of a switch or a block that neither a line nor a list of Slurm takes for something else.
bool isSwitchName(const std::string& name) {
    const auto usable = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-.:+@/").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.front() != '-' && std::ranges::all_of(name, usable);
}

const std::string& nameOf(const Host& host) { return host.name.empty() ? host.id : host.name; }

/// One line of topology.conf, one entry of topology.yaml.
struct Entry {
    std::string name;
    std::vector<std::string> children, nodes;
};

/// The blocks of a topology: its NVLink domains, in the order of their first hosts.
class Blocks {
public:
    explicit Blocks(const Topology& topology)
        : topology_(topology) {
        std::unordered_map<std::string_view, std::size_t> index;
        for (const Host& host : topology.hosts) {
            if (host.domain.empty()) {
                ++without_;
                continue;
            }
            const auto [found, added] = index.try_emplace(host.domain, entries_.size());
            if (added) {
                entries_.push_back({host.domain, {}, {}});
                leaves_.push_back(host.leaf);
            }
            entries_[found->second].nodes.push_back(nameOf(host));
            leaves_[found->second] = leaves_[found->second] == host.leaf ? host.leaf : -1;
        }
    }

    const std::vector<Entry>& entries() const { return entries_; }
    std::size_t without() const { return without_; } ///< hosts of no domain

    /// BlockSizes under which these blocks are read as the layers of the topology; none if its layers are
    /// others.
    std::optional<std::vector<std::size_t>> sizes() const {
        if (entries_.empty() || without_ > 0 || topology_.nodes.empty() || !areLeaves())
            return std::nullopt;
        std::size_t base = entries_.front().nodes.size();
        for (const Entry& each : entries_)
            base = std::min(base, each.nodes.size());
        std::vector<std::size_t> out{base};
        std::vector<int> above = leaves_; // node of each block at the layer that is looked at
        std::size_t before = 1;
        while (true) {
            for (int& node : above)
                node = topology_.nodes[ix(node)].parent;
            if (std::ranges::all_of(above, [](int node) { return node < 0; }))
                return out;
            const std::size_t count = blocksOfEach(above, before);
            if (count <= before || base * count > largestSize)
                return std::nullopt;
            out.push_back(base * count);
            before = count;
        }
    }

private:
    /// Whether each block is all that lies below a leaf of its name, all at one depth.
    bool areLeaves() const {
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
            if (leaves_[i] < 0 || topology_.nodes[ix(leaves_[i])].id != entries_[i].name ||
                topology_.nodes[ix(leaves_[i])].layer != topology_.nodes[ix(leaves_.front())].layer) {
                return false;
            }
        }
        return true;
    }

    /// Blocks below each node, a power of two of consecutive ones and fewer below the last; 0 if they are
    /// not.
    /// \param before of the layer below, which a node that holds all blocks must exceed
    static std::size_t blocksOfEach(const std::vector<int>& nodes, std::size_t before) {
        std::vector<std::size_t> runs;
        std::unordered_set<int> seen;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i] < 0)
                return 0;
            if (i == 0 || nodes[i] != nodes[i - 1]) {
                if (!seen.insert(nodes[i]).second)
                    return 0;
                runs.push_back(0);
            }
            ++runs.back();
        }
        if (runs.size() == 1)
            return std::max(std::bit_ceil(runs.front()), 2 * before);
        const std::size_t count = std::bit_ceil(runs.front());
        const bool alike =
            std::all_of(runs.begin(), runs.end() - 1, [&](std::size_t run) { return run == count; });
        return alike && runs.back() <= count ? count : 0;
    }

    const Topology& topology_;
    std::vector<Entry> entries_;
    std::vector<int> leaves_; ///< of the hosts of each block; -1: they have none, or several
    std::size_t without_ = 0;
};

std::string hostsWithout(std::size_t count, const std::string& what) {
    return std::to_string(count) + (count == 1 ? " host has " : " hosts have ") + what + " and " +
           (count == 1 ? "is" : "are") + " left out.";
}

class Writer {
public:
    Writer(const Topology& topology, SlurmPlugin plugin)
        : topology_(topology)
        , plugin_(plugin) {}

    Result<SlurmTopologyFile> run(SlurmTopologyFormat format) {
        checkHosts();
        plugin_ == SlurmPlugin::tree ? collectTree() : collectBlocks();
        for (const Entry& each : entries_) {
            if (!isSwitchName(each.name)) {
                fail(alidade::quoted(each.name) + " is not a name that Slurm can read for a " + word() +
                     "; use letters, digits and any of _ - . : + @ /, without a leading dash");
            } else if (plugin_ == SlurmPlugin::tree && each.name.size() > longestSwitchName) {
                fail("switch '" + each.name + "' has a name of " + std::to_string(each.name.size()) +
                     " characters; Slurm takes at most " + std::to_string(longestSwitchName));
            }
            out_.hosts += each.nodes.size();
        }
        if (!fault_.empty())
            return Error{fault_};
        out_.switches = entries_.size();
        out_.text = comment() + (format == SlurmTopologyFormat::conf ? conf() : yaml());
        return std::move(out_);
    }

private:
    void fail(const std::string& why) { fault_ = fault_.empty() ? why : fault_; }
    std::string word() const { return plugin_ == SlurmPlugin::tree ? "switch" : "block"; }

    void checkHosts() {
        std::unordered_set<std::string_view> names;
        for (const Host& host : topology_.hosts)
            if (!isHostName(nameOf(host)))
                fail(alidade::quoted(nameOf(host)) + " is not a host name; " + std::string(hostNameRule));
            else if (!names.insert(nameOf(host)).second)
                fail("two hosts have the name '" + nameOf(host) + "'; give each a unique name");
    }

    void collectTree() {
        if (topology_.nodes.empty()) {
            return fail(topology_.name + " has no network layers, which topology/tree describes" +
                        (Blocks(topology_).entries().empty() ? std::string() : "; write blocks instead"));
        }
        std::vector<Entry> all;
        std::vector<bool> used(topology_.nodes.size(), false);
        for (const NetworkNode& node : topology_.nodes)
            all.push_back({node.id, {}, {}});
        std::size_t without = 0;
        bool domains = false;
        for (const Host& host : topology_.hosts) {
            domains = domains || !host.domain.empty();
            if (host.leaf < 0) {
                ++without;
                continue;
            }
            all[ix(host.leaf)].nodes.push_back(nameOf(host));
            for (int node = host.leaf; node >= 0 && !used[ix(node)]; node = topology_.nodes[ix(node)].parent)
                used[ix(node)] = true;
        }
        Entry root;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (used[i]) {
                const int parent = topology_.nodes[i].parent;
                (parent < 0 ? root : all[ix(parent)]).children.push_back(all[i].name);
            }
        }
        if (root.children.size() > 1) {
            root.name = freeName("all");
            out_.notes.push_back("Switch '" + root.name + "' is added above the " +
                                 std::to_string(root.children.size()) +
                                 " top nodes: Slurm runs no job across unconnected trees.");
            entries_.push_back(std::move(root));
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (used[i] && !all[i].nodes.empty() && !all[i].children.empty()) {
                fail("network node '" + all[i].name +
                     "' has both hosts and network nodes below it, which topology/tree cannot express; put "
                     "the hosts below a separate node");
            }
            if (used[i])
                entries_.push_back(std::move(all[i]));
        }
        if (without > 0)
            out_.notes.push_back(hostsWithout(without, "no network node"));
        if (domains)
            out_.notes.emplace_back("A tree does not say which hosts share an NVLink domain; blocks do.");
    }

    void collectBlocks() {
        const Blocks blocks(topology_);
        entries_ = blocks.entries();
        if (entries_.empty()) {
            return fail(topology_.name +
                        " has no NVLink domains of several hosts, which topology/block "
                        "describes" +
                        (topology_.nodes.empty() ? std::string() : "; write a tree instead"));
        }
        if (const auto sizes = blocks.sizes())
            sizes_ = *sizes;
        else if (!topology_.nodes.empty())
            out_.notes.emplace_back("Blocks do not say how the network connects them; a tree does.");
        if (blocks.without() > 0)
            out_.notes.push_back(hostsWithout(blocks.without(), "no NVLink domain"));
    }

    std::string freeName(const std::string& wanted) const {
        std::string name = wanted;
        for (int n = 2; std::ranges::count(topology_.nodes, name, &NetworkNode::id) > 0; ++n)
            name = wanted + "-" + std::to_string(n);
        return name;
    }

    /// The source may hold anything; a comment holds one line. Notes go with the file to who installs it.
    std::string comment() const {
        std::string source = topology_.source.empty() ? topology_.name : topology_.source;
        std::ranges::replace_if(source, [](char c) { return c < ' ' || c > '~' || c == '\\'; }, '?');
        std::string out = "# " + source + "; written by Alidade\n";
        for (const std::string& note : out_.notes)
            out += "# " + note + "\n";
        return out;
    }

    std::string conf() const {
        std::string out;
        for (const Entry& each : entries_) {
            out += (plugin_ == SlurmPlugin::tree ? "SwitchName=" : "BlockName=") + each.name;
            out += each.children.empty() ? "" : " Switches=" + compressHostlist(each.children);
            out += each.nodes.empty() ? "" : " Nodes=" + compressHostlist(each.nodes);
            out += "\n";
        }
        for (std::size_t i = 0; i < sizes_.size(); ++i)
            out += (i == 0 ? "BlockSizes=" : ",") + std::to_string(sizes_[i]);
        return out + (sizes_.empty() ? "" : "\n");
    }

    std::string yaml() const {
        Json list = Json::array();
        for (const Entry& each : entries_) {
            Json entry{{word(), each.name}};
            if (!each.children.empty())
                entry["children"] = compressHostlist(each.children);
            if (!each.nodes.empty())
                entry["nodes"] = compressHostlist(each.nodes);
            list.push_back(std::move(entry));
        }
        Json inside = Json::object();
        if (!sizes_.empty())
            inside["block_sizes"] = sizes_;
        inside[plugin_ == SlurmPlugin::tree ? "switches" : "blocks"] = std::move(list);
        Json topology{{"topology", isHostName(topology_.name) ? topology_.name : "alidade"},
                      {"cluster_default", true}};
        topology[slurmPluginName(plugin_)] = std::move(inside);
        const Json document = Json::array({std::move(topology)});
        return handoff::yamlText(document);
    }

    const Topology& topology_;
    SlurmPlugin plugin_;
    std::vector<Entry> entries_;
    std::vector<std::size_t> sizes_; ///< of blocks; empty: not written
    std::string fault_;
    SlurmTopologyFile out_;
};

} // namespace

std::string slurmPluginName(SlurmPlugin plugin) { return plugin == SlurmPlugin::tree ? "tree" : "block"; }

SlurmPlugin slurmPluginOf(const Topology& topology) {
    return topology.nodes.empty() || Blocks(topology).sizes() ? SlurmPlugin::block : SlurmPlugin::tree;
}

Result<SlurmTopologyFile> writeSlurmTopology(const Topology& topology, SlurmTopologyFormat format,
                                             SlurmPlugin plugin) {
    return Writer(topology, plugin).run(format);
}

} // namespace alidade::data
