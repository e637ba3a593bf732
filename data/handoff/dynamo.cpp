// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

/// The engine's program as the module of Dynamo that wraps it.
Program wrapped(const Program& program, const DynamoEngine& engine) {
    Program out = program;
    out.command = {"python3", "-m", engine.module};
    out.arguments.all.clear();
    if (!program.arguments.has(engine.model))
        out.arguments.set(engine.model, program.command.back());
    for (Setting each : program.arguments.all) {
        if (engine.left.contains(each.name))
            continue;
        if (const auto at = engine.renamed.find(each.name); at != engine.renamed.end())
            each.name = at->second;
        out.arguments.all.push_back(std::move(each));
    }
    if (program.role != "serve" && !out.arguments.has("--disaggregation-mode"))
        out.arguments.set("--disaggregation-mode", program.role);
    return out;
}

Json frontendOf(const HandoffSource& source) {
    Json container = {{"name", "main"},
                      {"image", "CHANGE_ME_IMAGE"},
                      {"command", Json::array({"python3", "-m", "dynamo.frontend"})}};
    // Cached prefixes are found only by requests that go to the worker that has them.
    if (reusesPrompts(source.estimate.scenario.workload))
        container["args"] = Json::array({"--router-mode", "kv"});
    return {{"name", "Frontend"},
            {"type", "frontend"},
            {"replicas", 1},
            {"podTemplate", {{"spec", {{"containers", Json::array({container})}}}}}};
}

Json componentOf(const HandoffSource& source, const Job& job, const Program& program,
                 const DynamoEngine& engine, const std::string& slug, const Share& part) {
    const Program module = wrapped(program, engine);
    const bool pool = program.role == "prefill" || program.role == "decode";
    std::string name = program.role == "prefill"  ? "PrefillWorker"
                       : program.role == "decode" ? "DecodeWorker"
                                                  : "Worker";
    if (isSplit(source, job, "dynamo"))
        name += std::to_string(part.domain);
    Json out = {{"name", name}, {"type", pool ? program.role : "worker"}, {"replicas", part.replicas}};
    if (program.nodes > 1)
        out["multinode"] = {{"nodeCount", program.nodes}};
    const Pod pod{source, job, module, "dynamo", "", "", part.domain};
    out["podTemplate"] = {{"spec", podSpecOf(pod, slug)}};
    keepTogether(pod, slug, out["podTemplate"]);
    return out;
}

} // namespace

void writeDynamo(const HandoffSource& source, Job& job, Handoff& out) {
    const DynamoEngine& engine = *dynamoEngine(job.tool->id);
    const std::string slug = slugOf(source);
    // The frontend is the router.
    std::erase_if(job.warnings,
                  [](const std::string& each) { return each.ends_with("router in front of them"); });
    const bool split = isSplit(source, job, "dynamo");
    tellDomains(source, job, split);
    std::vector<Json> documents = podObjects(source, job, slug, split);
    Json components = Json::array({frontendOf(source)});
    for (const Program& program : job.programs) {
        std::vector<Share> parts = sharesOf(source, job, program);
        if (!split)
            parts.resize(1);
        for (const Share& part : parts)
            components.push_back(componentOf(source, job, program, engine, slug, part));
    }
    Json graph = {{"apiVersion", "nvidia.com/v1beta1"}, {"kind", "DynamoGraphDeployment"}};
    graph["metadata"] = metadataOf(source, job, slug, "dynamo");
    graph["spec"] = {{"backendFramework", engine.framework}, {"components", components}};
    documents.push_back(graph);
    out.files.insert(out.files.begin(),
                     {"dynamo.yaml",
                      commentOf(headerLines(source, job, "Dynamo " + dynamoVersion())) + yamlText(documents),
                      false});
}

} // namespace alidade::data::handoff
