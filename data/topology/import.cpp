// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/import.h"

#include "data/json/reader.h"
#include "data/topology/ec2_topology.h"
#include "data/topology/json_documents.h"
#include "data/topology/kubernetes_topology.h"
#include "data/topology/slurm_topology.h"
#include "data/topology/slurm_yaml.h"
#include "data/topology/topology_json.h"

#include <algorithm>
#include <filesystem>

namespace alidade::data {

namespace {

using Json = nlohmann::json;

constexpr std::string_view knownKinds = "expected the reply of aws ec2 describe-instance-topology, kubectl "
                                        "get nodes -o json, Slurm's topology.conf or "
                                        "topology.yaml, or a topology of Alidade";

enum class TextKind : std::uint8_t { json, slurmConf, slurmYaml, other };

std::string lowered(std::string_view text) {
    std::string out(text);
    std::ranges::transform(
        out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// By the first line that is neither blank nor a comment.
TextKind kindOfText(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#' || line.starts_with("---"))
            continue;
        if (line.front() == '{' || line.front() == '[')
            return TextKind::json;
        const std::string word = lowered(line.substr(0, 16));
        for (const std::string_view key : {"switchname", "blockname", "blocksizes", "ringname"})
            if (word.starts_with(key))
                return TextKind::slurmConf;
        return word.starts_with("- topology") ? TextKind::slurmYaml : TextKind::other;
    }
    return TextKind::other;
}

/// Sorts documents by who wrote them.
class Importer {
public:
    Importer(TopologyImport& out)
        : out_(out) {
        ec2_.origin = TopologyOrigin::ec2;
    }

    void file(const TopologyFile& file) {
        file_ = &file.name;
        if (file.text.size() > topologyBytes) {
            return fault({}, std::to_string(file.text.size()) + " bytes; at most " +
                                 std::to_string(topologyBytes) + " are read");
        }
        switch (kindOfText(file.text)) {
        case TextKind::json:
            return json(file);
        case TextKind::slurmConf:
            return keep(readSlurmTopology(file.text, file.name, out_.faults));
        case TextKind::slurmYaml:
            return keep(readSlurmYaml(file.text, file.name, out_.faults));
        case TextKind::other:
            break;
        }
        const bool yaml = file.text.find("apiVersion:") != std::string::npos;
        fault({}, yaml ? "is YAML of Kubernetes; write it with kubectl get nodes -o json"
                       : "describes no topology that is known; " + std::string(knownKinds));
    }

    void finish() {
        if (!ec2_.files.empty()) {
            if (nextPage_) {
                ec2_.incomplete = true;
                ec2_.notes.push_back(ec2_.files.back() +
                                     " ends with a NextToken: there are more instances on further pages.");
            }
            reports_.push_back(std::move(ec2_));
        }
        if (!kubernetesFiles_.empty()) {
            TopologyReport report = kubernetes_.finish(out_.faults);
            report.files = std::move(kubernetesFiles_);
            reports_.push_back(std::move(report));
        }
        std::optional<TopologyReport> merged;
        if (out_.faults.empty() && (merged = mergeReports(std::move(reports_), out_.faults))) {
            out_.notes = merged->notes;
            if (merged->name.empty())
                merged->name = std::filesystem::path(*first_).stem().string();
            out_.topology = assembleTopology(*merged, out_.faults);
        }
        if (out_.topology && out_.faults.empty()) {
            noteGaps();
            return;
        }
        out_.topology.reset();
        if (out_.faults.empty())
            addFault(out_.faults, *first_ + ": holds an empty list; " + std::string(knownKinds));
    }

    void setFirst(const std::string& name) { first_ = &name; }

private:
    void fault(const std::string& pointer, const std::string& what) {
        addFault(out_.faults, *file_ + (pointer.empty() ? "" : ":" + pointer) + ": " + what);
    }

    void keep(std::optional<TopologyReport> report) {
        if (report)
            reports_.push_back(*std::move(report));
    }

    void json(const TopologyFile& file) {
        const auto documents = readJsonDocuments(file.text, topologyLimits);
        if (!documents)
            return fault({}, documents.error());
        for (std::size_t i = 0; i < documents->size(); ++i) {
            // Places in further documents of one file have the number of the document in front.
            const std::string root = i == 0 ? std::string() : "/" + std::to_string(i);
            document((*documents)[i], documents->size() == 1 ? std::string() : root);
        }
    }

    void document(const Json& document, const std::string& pointer) {
        if (document.is_array()) {
            for (std::size_t i = 0; i < document.size(); ++i)
                object(document[i], below(pointer, i));
            return;
        }
        object(document, pointer);
    }

    void object(const Json& object, const std::string& pointer) {
        std::vector<JsonFault> faults;
        if (isEc2Page(object)) {
            noteFile(ec2_.files);
            nextPage_ = readEc2Page(object, *file_, pointer, ec2_, faults);
        } else if (isEc2Instance(object)) {
            noteFile(ec2_.files);
            readEc2Instance(object, *file_, pointer, ec2_, faults);
        } else if (object.is_object() && object.contains("alidade")) {
            keep(readTopologyReport(object, *file_, pointer, faults));
        } else if (object.is_object() && object.contains("kind")) {
            kubernetes(object, pointer, faults);
        } else if (isFull(out_.faults)) {
            addFault(out_.faults, {}); // counted only
        } else {
            addFault(faults, {pointer, refusal(object)});
        }
        addFaults(out_.faults, *file_, faults);
    }

    static std::string refusal(const Json& object) {
        if (object.is_object() &&
            (object.contains("CapacityReservations") || object.contains("capacityReservationSet"))) {
            return "is a reply about capacity reservations, which are not tied to hosts yet; use aws ec2 "
                   "describe-instance-topology once the instances run";
        }
        if (object.is_object() && object.contains("Reservations")) {
            return "is a reply of describe-instances, which knows no network; use aws ec2 "
                   "describe-instance-topology";
        }
        return (object.is_object() ? std::string("an object of another kind") : describe(object)) + "; " +
               std::string(knownKinds);
    }

    void kubernetes(const Json& object, const std::string& pointer, std::vector<JsonFault>& faults) {
        const std::string kind = object["kind"].is_string() ? object["kind"].get<std::string>() : "";
        if (kind == "Node") {
            noteFile(kubernetesFiles_);
            return kubernetes_.node(object, *file_, pointer, faults);
        }
        ObjectReader in(object, pointer, faults);
        const Json* items = in.value("items");
        if ((kind != "List" && kind != "NodeList") || items == nullptr || !items->is_array()) {
            return in.fault("kind", "'" + kind +
                                        "' is not a list of nodes; write one with kubectl get nodes -o json");
        }
        noteFile(kubernetesFiles_);
        for (std::size_t i = 0; i < items->size(); ++i) {
            const Json& item = (*items)[i];
            const std::string at = below(below(pointer, std::string_view("items")), i);
            const auto kindOf = item.is_object() ? item.find("kind") : item.end();
            if (item.is_object() && kindOf != item.end() && *kindOf != "Node") {
                addFault(faults, {below(at, std::string_view("kind")),
                                  describe(*kindOf) +
                                      " is not a node; write nodes alone with kubectl get nodes -o json"});
                return;
            }
            kubernetes_.node(item, *file_, at, faults);
        }
    }

    void noteFile(std::vector<std::string>& files) const {
        if (files.empty() || files.back() != *file_)
            files.push_back(*file_);
    }

    /// What the import knows and what it does not, for a person.
    void noteGaps() {
        const auto& hosts = out_.topology->hosts;
        const auto without = std::ranges::count(hosts, -1, &Host::leaf);
        if (without == static_cast<std::ptrdiff_t>(hosts.size())) {
            out_.notes.emplace_back("There is no information on network layers.");
        } else if (without > 0) {
            out_.notes.push_back(
                std::to_string(without) +
                " hosts have no network nodes: they are not running, or of a type without them.");
        }
        const auto tops = std::ranges::count(out_.topology->nodes, -1, &NetworkNode::parent);
        if (tops > 1) {
            out_.notes.push_back(
                "The hosts lie below " + std::to_string(tops) +
                " network nodes of the top layer; how these are connected is not published.");
        }
    }

    TopologyImport& out_;
    const std::string* file_ = nullptr;
    const std::string* first_ = nullptr;
    TopologyReport ec2_;
    bool nextPage_ = false; ///< after the last page that was read
    KubernetesReader kubernetes_;
    std::vector<std::string> kubernetesFiles_;
    std::vector<TopologyReport> reports_;
};

} // namespace

TopologyImport importTopology(const std::vector<TopologyFile>& files) {
    TopologyImport out;
    if (files.empty()) {
        addFault(out.faults, "no file; name one with a topology");
        return out;
    }
    Importer importer(out);
    importer.setFirst(files.front().name);
    for (const TopologyFile& file : files)
        importer.file(file);
    importer.finish();
    return out;
}

bool looksLikeTopology(std::string_view text) {
    const TextKind kind = kindOfText(text);
    if (kind != TextKind::json)
        return kind != TextKind::other;
    const std::string_view beginning = text.substr(0, 4096);
    const auto has = [&](std::string_view word) { return beginning.find(word) != std::string_view::npos; };
    return has("\"InstanceId\"") || has("\"instanceId\"") || has("\"Instances\"") || has("\"instanceSet\"") ||
           (has("\"topology\"") && has("\"alidade\"") && has("\"hosts\"")) ||
           (has("\"Node\"") && has("\"metadata\"")) || has("\"NodeList\"");
}

} // namespace alidade::data
