// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_workspace.h"

#include <QFile>
#include <QString>

#include <stdexcept>

namespace alidade::tests {

using namespace data;

namespace {

void require(const std::optional<WorkspaceFault>& fault) {
    if (fault)
        throw std::runtime_error(fault->message); // Qt Test reports it as a failure
}

std::string described(const ScenarioVersion& version) {
    return std::to_string(version.scenario) + '/' + std::to_string(version.number) + '|' +
           std::to_string(version.timeMs) + '|' + version.text + '|' + version.name + '|' + version.json +
           '\n';
}

} // namespace

ScenarioSpec numberedSpec(int number) {
    ScenarioSpec spec;
    spec.workload.kind = WorkloadKind::training;
    spec.workload.model = number % 2 == 0 ? "llama-3.1-70b" : "llama-3.1-405b";
    spec.workload.sequenceLength = 8192;
    spec.workload.globalBatch = 64 + number;
    spec.cluster.instance = "p5en.48xlarge";
    spec.cluster.instances = 8 + number;
    spec.plan.tensorParallel = 8;
    return spec;
}

Workspace::Opening opened(const std::string& file, const WorkspaceOptions& options) {
    Workspace::Opening opening = Workspace::open(file, options);
    require(opening.fault);
    return opening;
}

void commit(Workspace::Opening& opening, const WorkspaceEdit& edit) {
    const auto undo = apply(opening.content, edit);
    if (!undo)
        throw std::runtime_error(undo.error());
    require(opening.workspace->apply(edit));
}

void fillSample(Workspace::Opening& opening) {
    WorkspaceContent content = opening.content;
    WorkspaceEdit whole; // one commit, for the sake of slow disks
    const auto add = [&](const WorkspaceEdit& edit) {
        if (const auto undo = apply(content, edit); !undo)
            throw std::runtime_error(undo.error());
        whole = joined(std::move(whole), edit);
    };
    UtcMs now = 1'750'000'000'000;
    const auto then = [&] { return now += 1000; };

    const WorkspaceEdit folder = addFolder(content, 0, "Training", then());
    add(folder);
    const WorkspaceEdit inner = addFolder(content, addedId(folder), "Dense", then());
    add(inner);
    for (int number = 0; number < 6; ++number) {
        const WorkspaceId place = number < 2 ? 0 : number < 4 ? addedId(folder) : addedId(inner);
        const WorkspaceEdit added = addScenario(content, place, numberedSpec(number), "Plan", "New", then());
        add(added);
        for (int edit = 1; edit <= 20 * number; ++edit) {
            add(changeScenario(content, addedId(added), numberedSpec(100 * number + edit),
                               "Batch " + std::to_string(edit), then()));
        }
        add(setTags(content, addedId(added), {"draft", "team " + std::to_string(number)}, then()));
        add(nameVersion(content, addedId(added), "Review"));
    }
    add(addDocument(content, DocumentKind::catalogChange, "gpus/h100-sxm", R"({"value": 3.35e12})", {},
                    then()));
    add(addDocument(content, DocumentKind::profile, "Fitted", R"({"alidade": 1})", {}, then()));
    add(addDocument(content, DocumentKind::topology, "hosts.json", R"({"nodes": []})", {}, then()));
    add(addDocument(content, DocumentKind::measurement, "nccl.log", R"({"rows": []})",
                    std::string(9000, 'x') + "\n#  out-of-place", then()));
    add(addDocument(content, DocumentKind::snapshot, "Monday", "{}", std::string("\0\1\2\0", 4), then()));
    add({{PutSetting{setting::windowLayout, std::string("\0layout\xff", 8)}, PutSetting{"zoom", "1.5"}}});
    add(remove(content, content.scenarios.begin()->first, then()));
    commit(opening, whole);
}

std::string everything(Workspace& workspace, std::string* fault) {
    const auto failed = [&](const WorkspaceFault& why) {
        if (fault != nullptr)
            *fault = why.message;
        return std::string();
    };
    const auto content = workspace.content();
    if (!content)
        return failed(content.fault);
    std::string out;
    const auto times = [](const auto& each) {
        return std::to_string(each.createdMs) + '|' + std::to_string(each.changedMs) + '|' +
               std::to_string(each.deletedMs) + '\n';
    };
    for (const auto& [id, folder] : content.value->folders) {
        out += "folder " + std::to_string(id) + '|' + std::to_string(folder.parent) + '|' +
               std::to_string(folder.position) + '|' + folder.name + '|' + times(folder);
    }
    for (const auto& [id, scenario] : content.value->scenarios) {
        out += "scenario " + std::to_string(id) + '|' + std::to_string(scenario.folder) + '|' +
               std::to_string(scenario.position) + '|' + scenario.name + '|' + scenario.model + '|' +
               scenario.machine + '|' + scenario.json + '|' + std::to_string(scenario.version) + '|' +
               times(scenario);
        for (const std::string& tag : scenario.tags)
            out += "tag " + tag + '\n';
        const auto versions = workspace.versions(id);
        if (!versions)
            return failed(versions.fault);
        for (const ScenarioVersion& version : *versions.value)
            out += described(version);
    }
    for (const auto& [id, document] : content.value->documents) {
        const auto body = workspace.body(id);
        if (!body)
            return failed(body.fault);
        out += "document " + std::to_string(id) + '|' + std::to_string(static_cast<int>(document.kind)) +
               '|' + std::to_string(document.position) + '|' + document.name + '|' + document.json + '|' +
               *body.value + '|' + times(document);
    }
    for (const auto& [key, value] : content.value->settings)
        out += key + '=' + value + '\n';
    return out;
}

void writeBytes(const std::string& file, const std::string& bytes) {
    QFile out(QString::fromStdString(file));
    if (!out.open(QIODevice::WriteOnly) ||
        out.write(bytes.data(), static_cast<qint64>(bytes.size())) != static_cast<qint64>(bytes.size()))
        throw std::runtime_error(file + " cannot be written");
}

std::string readBytes(const std::string& file) {
    QFile in(QString::fromStdString(file));
    if (!in.open(QIODevice::ReadOnly))
        throw std::runtime_error(file + " cannot be read");
    return in.readAll().toStdString();
}

} // namespace alidade::tests
