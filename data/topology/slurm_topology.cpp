// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/slurm_topology.h"

#include "data/json/reader.h"
#include "data/topology/hostlist.h"
#include "data/topology/slurm_lines.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace alidade::data {

namespace {

class TreeBuilder {
public:
    TreeBuilder(const SlurmDescription& description, const std::string& file,
                std::vector<std::string>& faults)
        : description_(description)
        , file_(file)
        , faults_(faults) {}

    std::optional<TopologyReport> run() {
        const std::size_t before = faultCount(faults_);
        nameSwitches();
        const auto step = [&](auto member) {
            if (faultCount(faults_) == before)
                (this->*member)();
        };
        step(&TreeBuilder::linkChildren);
        step(&TreeBuilder::findCycles);
        step(&TreeBuilder::findRoots);
        step(&TreeBuilder::checkBlocks);
        step(&TreeBuilder::listHosts);
        if (faultCount(faults_) != before)
            return std::nullopt;
        out_.origin = description_.blocks ? TopologyOrigin::slurmBlock : TopologyOrigin::slurmTree;
        out_.files = {file_};
        return std::move(out_);
    }

private:
    using Switch = SlurmSwitch;
    static constexpr std::size_t mostLayers = 32;

    void fault(std::size_t line, const std::string& what) {
        addFault(faults_, file_ + ":" + std::to_string(line) + ": " + what);
    }
    const char* word() const { return description_.blocks ? "block" : "switch"; }

    void nameSwitches() {
        parents_.assign(description_.switches.size(), -1);
        for (std::size_t i = 0; i < description_.switches.size(); ++i) {
            const Switch& each = description_.switches[i];
            const auto [found, added] = byName_.try_emplace(each.name, i);
            if (!added) {
                fault(each.line, std::string(word()) + " '" + each.name + "' occurs twice, first on line " +
                                     std::to_string(description_.switches[found->second].line) +
                                     "; give each a unique name");
            }
            if (description_.blocks && !each.children.empty()) {
                fault(each.line, "block '" + each.name + "' has switches; a block has Nodes");
            } else if (each.nodes.empty() == each.children.empty()) {
                fault(each.line,
                      std::string(word()) + " '" + each.name + "' has " +
                          (each.nodes.empty() ? "neither nodes nor switches" : "both nodes and switches") +
                          "; name one of them");
            }
        }
    }

    std::vector<std::string> expanded(const Switch& each, const std::string& list) {
        auto names = expandHostlist(list);
        if (!names) {
            fault(each.line, "the list of '" + each.name + "', " + names.error());
            return {};
        }
        if (names->empty()) {
            fault(each.line,
                  "the list of '" + each.name + "' names nothing; write a list such as gpu[001-008]");
        }
        return *std::move(names);
    }

    void linkChildren() {
        for (std::size_t i = 0; i < description_.switches.size(); ++i) {
            const Switch& each = description_.switches[i];
            if (each.children.empty())
                continue;
            for (const std::string& name : expanded(each, each.children)) {
                const auto child = byName_.find(name);
                if (child == byName_.end() && isFull(faults_)) {
                    addFault(faults_, {}); // counted only: to look for similar names takes its time
                } else if (child == byName_.end()) {
                    std::vector<std::string> known;
                    std::ranges::transform(description_.switches, std::back_inserter(known), &Switch::name);
                    fault(each.line, "'" + each.name + "' is above '" + name + "', which no line describes" +
                                         suggestion(name, known));
                } else if (int& parent = parents_[child->second]; parent >= 0) {
                    const Switch& other = description_.switches[static_cast<std::size_t>(parent)];
                    fault(each.line, "switch '" + name + "' is below '" + each.name + "' here and below '" +
                                         other.name + "' on line " + std::to_string(other.line) +
                                         "; a switch lies below one other");
                } else {
                    parent = static_cast<int>(i);
                }
            }
        }
    }

    void findCycles() {
        enum : std::uint8_t { unseen, onTheWay, good };
        std::vector<std::uint8_t> state(parents_.size(), unseen);
        for (std::size_t start = 0; start < parents_.size(); ++start) {
            std::vector<std::size_t> way;
            int at = static_cast<int>(start);
            while (at >= 0 && state[static_cast<std::size_t>(at)] == unseen) {
                state[static_cast<std::size_t>(at)] = onTheWay;
                way.push_back(static_cast<std::size_t>(at));
                at = parents_[static_cast<std::size_t>(at)];
            }
            if (at >= 0 && state[static_cast<std::size_t>(at)] == onTheWay) {
                const Switch& each = description_.switches[static_cast<std::size_t>(at)];
                fault(each.line, "switch '" + each.name + "' is above itself; the switches must form a tree");
            }
            for (const std::size_t each : way)
                state[each] = good;
        }
    }

    void findRoots() {
        const Switch* root = nullptr;
        for (std::size_t i = 0; i < parents_.size() && !description_.blocks; ++i) {
            const Switch& each = description_.switches[i];
            if (parents_[i] >= 0)
                continue;
            if (root != nullptr) {
                return fault(each.line, "switch '" + each.name + "' is at the top, and so is '" + root->name +
                                            "' on line " + std::to_string(root->line) +
                                            "; jobs do not cross unconnected trees, add a switch above both");
            }
            root = &each;
        }
    }

    /// Base size, and its multiples by powers of two.
    void checkBlocks() {
        if (description_.blockSizes.empty())
            return;
        long previous = 0;
        std::string_view rest = description_.blockSizes;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            long size = 0;
            const auto read = std::from_chars(rest.data(), rest.data() + end, size);
            if (read.ec != std::errc() || read.ptr != rest.data() + end || size < 1 || size > 1'000'000) {
                return fault(description_.sizesLine,
                             "'" + std::string(rest.substr(0, std::min<std::size_t>(end, 40))) +
                                 "' is not a size of a block; write whole numbers such as 18,36");
            }
            const long multiple = previous == 0 ? 1 : size / previous;
            const bool power = multiple > 0 && (multiple & (multiple - 1)) == 0;
            if (previous > 0 && (size % previous != 0 || !power)) {
                return fault(description_.sizesLine,
                             std::to_string(size) + " is not a power-of-two multiple of " +
                                 std::to_string(previous) + "; write sizes such as 18,36");
            }
            sizes_.push_back(static_cast<std::size_t>(size));
            previous = size;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    /// With BlockSizes, the base block and what aggregates it are layers: a block of the size 72 over a base
    /// of 18 is four consecutive base blocks, and is named by the first and the last: "b1..b4:72".
    /// https://slurm.schedmd.com/topology.conf.html, BlockSizes
    std::vector<std::string> layersOf(std::size_t block) const {
        const auto& blocks = description_.switches;
        std::vector<std::string> path;
        for (std::size_t level = sizes_.size(); level-- > 1;) {
            const std::size_t size = sizes_[level], count = size / sizes_.front();
            const std::size_t first = block / count * count;
            const std::size_t last = std::min(first + count, blocks.size()) - 1;
            path.push_back(blocks[first].name + ".." + blocks[last].name + ":" + std::to_string(size));
        }
        if (!sizes_.empty())
            path.push_back(blocks[block].name);
        return path;
    }

    /// Names of a switch and those above it, top first; one more than is allowed where there are more.
    std::vector<std::string> pathTo(std::size_t leaf) const {
        if (description_.blocks)
            return layersOf(leaf);
        std::vector<std::string> path;
        int at = static_cast<int>(leaf);
        for (; at >= 0 && path.size() <= mostLayers; at = parents_[static_cast<std::size_t>(at)])
            path.push_back(description_.switches[static_cast<std::size_t>(at)].name);
        std::ranges::reverse(path);
        return path;
    }

    void listHosts() {
        std::unordered_map<std::string, std::size_t> above;
        for (std::size_t i = 0; i < description_.switches.size(); ++i) {
            const Switch& each = description_.switches[i];
            if (each.nodes.empty())
                continue;
            const std::vector<std::string> names = expanded(each, each.nodes);
            if (!sizes_.empty() && names.size() < sizes_.front()) {
                fault(each.line, "block '" + each.name + "' has " + std::to_string(names.size()) +
                                     " nodes, fewer than the base size of " + std::to_string(sizes_.front()));
            }
            const std::vector<std::string> path = pathTo(i);
            if (path.size() > mostLayers) {
                return fault(each.line, "switch '" + each.name + "' is below more than " +
                                            std::to_string(mostLayers) +
                                            " others; networks have a few layers");
            }
            if (out_.hosts.size() + names.size() > hostlistLimit) {
                return fault(each.line,
                             "more than " + std::to_string(hostlistLimit) + " hosts; split the file");
            }
            for (const std::string& name : names) {
                const auto [found, added] = above.try_emplace(name, i);
                if (!added) {
                    const Switch& other = description_.switches[found->second];
                    fault(each.line, "node '" + name + "' is in '" + each.name + "' here and in '" +
                                         other.name + "' on line " + std::to_string(other.line) +
                                         "; a node has one place");
                    break;
                }
                ReportedHost host;
                host.host.id = host.host.name = name;
                host.host.domain = description_.blocks ? each.name : std::string();
                host.path = path;
                host.place = file_ + ":" + std::to_string(each.line);
                out_.hosts.push_back(std::move(host));
            }
        }
    }

    const SlurmDescription& description_;
    const std::string& file_;
    std::vector<std::string>& faults_;
    TopologyReport out_;
    std::unordered_map<std::string, std::size_t> byName_;
    std::vector<int> parents_;
    std::vector<std::size_t> sizes_; ///< of blocks, the base size first; empty: not written
};

/// Sorts the lines of topology.conf into switches or blocks.
class ConfReader {
public:
    ConfReader(const std::string& file, std::vector<std::string>& faults)
        : file_(file)
        , faults_(faults) {}

    void line(const SlurmLine& line) {
        const std::string* const tree = line.value("switchname");
        const std::string* const block = line.value("blockname");
        const std::string* const sizes = line.value("blocksizes");
        if (line.value("ringname") != nullptr) {
            return fault(line,
                         "topology/ring is not supported; use a tree (SwitchName) or blocks (BlockName)");
        }
        if (tree == nullptr && block == nullptr && sizes == nullptr) {
            return fault(line, "begins with neither SwitchName nor BlockName; write SwitchName=leaf1 "
                               "Nodes=gpu[001-008]");
        }
        for (const auto& [key, value] : line.settings) {
            static const std::vector<std::string> known{"switchname", "switches",  "nodes",
                                                        "linkspeed",  "blockname", "blocksizes"};
            if (std::ranges::find(known, key) == known.end())
                fault(line, "there is no setting '" + key + "'" + suggestion(key, known));
            if (value.empty())
                fault(line, key + " has no value; write settings as KEY=VALUE");
        }
        if (sizes != nullptr) {
            description.blockSizes = *sizes;
            description.sizesLine = line.number;
        }
        if (tree != nullptr || block != nullptr)
            add(line, tree != nullptr ? *tree : *block, block != nullptr);
    }

    SlurmDescription description;

private:
    void fault(const SlurmLine& line, const std::string& what) {
        addFault(faults_, file_ + ":" + std::to_string(line.number) + ": " + what);
    }

    void add(const SlurmLine& line, const std::string& name, bool block) {
        if (!description.switches.empty() && description.blocks != block)
            return fault(line, "switches and blocks in one file; TopologyPlugin reads one of the two");
        if (name.find_first_of("[],") != std::string::npos)
            return fault(line, "'" + name.substr(0, 40) + "' names several; write each on its own line");
        const auto text = [&](std::string_view key) {
            const std::string* const value = line.value(key);
            return value == nullptr ? std::string() : *value;
        };
        description.blocks = block;
        description.switches.push_back({name, text("nodes"), text("switches"), line.number});
    }

    const std::string& file_;
    std::vector<std::string>& faults_;
};

} // namespace

std::optional<TopologyReport> reportOf(const SlurmDescription& description, const std::string& fileName,
                                       std::vector<std::string>& faults) {
    return TreeBuilder(description, fileName, faults).run();
}

std::optional<TopologyReport> readSlurmTopology(std::string_view text, const std::string& fileName,
                                                std::vector<std::string>& faults) {
    const std::size_t before = faultCount(faults);
    ConfReader reader(fileName, faults);
    for (const SlurmLine& line : readSlurmLines(text, fileName, faults))
        reader.line(line);
    return faultCount(faults) == before ? reportOf(reader.description, fileName, faults) : std::nullopt;
}

} // namespace alidade::data
