// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/slurm_yaml.h"

#include "data/json/reader.h"
#include "data/topology/slurm_topology.h"
#include "data/topology/yaml_outline.h"

#include <algorithm>

namespace alidade::data {

namespace {

class YamlReader {
public:
    YamlReader(const std::string& file, std::vector<std::string>& faults)
        : file_(file)
        , faults_(faults) {}

    std::optional<TopologyReport> run(const OutlineNode& document) {
        const std::size_t before = faultCount(faults_);
        const OutlineNode* chosen = choose(document);
        if (chosen == nullptr)
            return std::nullopt;
        SlurmDescription description;
        if (const OutlineNode* tree = chosen->member("tree")) {
            switches(*tree, "switches", "switch", description);
        } else if (const OutlineNode* block = chosen->member("block")) {
            description.blocks = true;
            switches(*block, "blocks", "block", description);
            sizes(*block, description);
        } else {
            fault(chosen->line, "has neither a tree nor blocks; flat, ring and torus3d are not read");
        }
        if (faultCount(faults_) != before)
            return std::nullopt;
        std::optional<TopologyReport> out = reportOf(description, file_, faults_);
        if (out && document.items.size() > 1) {
            out->notes.push_back("Of the " + std::to_string(document.items.size()) + " topologies in " +
                                 file_ + ", '" + nameOf(*chosen) + "' is taken.");
        }
        return out;
    }

private:
    void fault(std::size_t line, const std::string& what) {
        addFault(faults_, file_ + ":" + std::to_string(line) + ": " + what);
    }

    static std::string nameOf(const OutlineNode& topology) {
        const OutlineNode* name = topology.member("topology");
        return name == nullptr ? std::string() : name->word;
    }

    const OutlineNode* choose(const OutlineNode& document) {
        if (document.items.empty()) {
            fault(std::max<std::size_t>(1, document.line),
                  "is not a list of topologies; begin with \"- topology: NAME\"");
            return nullptr;
        }
        if (document.items.size() == 1)
            return &document.items.front();
        for (const OutlineNode& each : document.items) {
            const OutlineNode* isDefault = each.member("cluster_default");
            if (isDefault != nullptr && (isDefault->word == "true" || isDefault->word == "yes"))
                return &each;
        }
        fault(document.line, "of " + std::to_string(document.items.size()) +
                                 " topologies none is the default; mark one with cluster_default: true");
        return nullptr;
    }

    void switches(const OutlineNode& in, const char* list, const char* word, SlurmDescription& out) {
        const OutlineNode* all = in.member(list);
        if (all == nullptr || all->items.empty()) {
            return fault(in.line,
                         "has no " + std::string(list) + "; list them with \"- " + word + ": NAME\"");
        }
        for (const OutlineNode& each : all->items) {
            const OutlineNode* name = each.member(word);
            const auto text = [&](const char* key) {
                const OutlineNode* value = each.member(key);
                return value == nullptr ? std::string() : value->word;
            };
            if (name == nullptr || name->word.empty())
                fault(each.line, "has no name; begin with \"- " + std::string(word) + ": NAME\"");
            else
                out.switches.push_back({name->word, text("nodes"), text("children"), each.line});
        }
    }

    static void sizes(const OutlineNode& block, SlurmDescription& out) {
        const OutlineNode* sizes = block.member("block_sizes");
        if (sizes == nullptr)
            return;
        out.sizesLine = sizes->line;
        out.blockSizes = sizes->word;
        for (const OutlineNode& each : sizes->items)
            out.blockSizes += (out.blockSizes.empty() ? "" : ",") + each.word;
    }

    const std::string& file_;
    std::vector<std::string>& faults_;
};

} // namespace

std::optional<TopologyReport> readSlurmYaml(std::string_view text, const std::string& fileName,
                                            std::vector<std::string>& faults) {
    const Result<OutlineNode> document = readOutline(text);
    if (!document) {
        addFault(faults, fileName + ":" + document.error());
        return std::nullopt;
    }
    return YamlReader(fileName, faults).run(*document);
}

} // namespace alidade::data
