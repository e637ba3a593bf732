// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"
#include "data/handoff/script.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

// Values of the llm-d-modelservice chart.

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

constexpr int servicePort = 8000; ///< of the chart
constexpr int proxiedPort = 8200; ///< of a decode server behind the routing proxy

std::int64_t degreeOf(const Program& program, std::string_view option) {
    const Setting* setting = program.arguments.find(option);
    return setting == nullptr ? 1 : std::strtoll(setting->value().c_str(), nullptr, 10);
}

/// Room for the weights of a server, and a tenth.
std::string modelSize(const HandoffSource& source, const Program& program) {
    double bytes = 0;
    if (source.estimate.memory)
        for (const MemoryPartT<double>& part : source.estimate.memory->parts)
            if (part.name == "Weights")
                bytes = part.bytes;
    const double all = bytes * program.nodes * program.gpusPerNode * 1.1;
    return std::to_string(std::max(1LL, std::llround(std::ceil(all / bytesPerGib)))) + "Gi";
}

/// Whether a server has its weights, and whether it still answers. An hour for the weights. The chart has one
/// template for all instances of a server, of which only the first answers.
Json probesOf(const Program& program, int port) {
    Json check = {{"httpGet", {{"path", "/health"}, {"port", port}}}};
    if (program.nodes > 1)
        check = {{"exec",
                  {{"command", Json::array({"python3", "-c",
                                            "import os, urllib.request\n"
                                            "if os.environ.get('LWS_WORKER_INDEX', '0') == '0':\n"
                                            "    urllib.request.urlopen('http://localhost:" +
                                                std::to_string(port) + "/health', timeout=5)\n"})}}}};
    Json out = {{"startupProbe", check}, {"readinessProbe", check}, {"livenessProbe", check}};
    out["startupProbe"].update({{"periodSeconds", 10}, {"timeoutSeconds", 10}, {"failureThreshold", 360}});
    out["readinessProbe"].update({{"periodSeconds", 10}, {"timeoutSeconds", 10}, {"failureThreshold", 3}});
    // A server that is only busy is not started anew.
    out["livenessProbe"].update({{"periodSeconds", 30}, {"timeoutSeconds", 10}, {"failureThreshold", 10}});
    return out;
}

Json containerWith(const HandoffSource& source, const Job& job, Program program, int port) {
    for (Setting& each : program.arguments.all)
        if (each.name == "--port")
            each.values = {std::to_string(port)};
    Json out = {{"name", "vllm"}, {"image", "CHANGE_ME_IMAGE"}};
    if (program.nodes > 1) {
        // The chart's own command does not connect instances; they meet as in any LeaderWorkerSet.
        out["modelCommand"] = "custom";
        out["command"] =
            Json::array({"bash", "-c",
                         "set -euo pipefail\nHEAD=$LWS_LEADER_ADDRESS\nNODE_RANK=${LWS_WORKER_INDEX:-0}\n" +
                             scriptBody(program)});
    } else {
        // The chart writes the model, the port and both degrees.
        out["modelCommand"] = "vllmServe";
        std::erase_if(program.arguments.all, [](const Setting& each) {
            return each.name == "--port" || each.name == "--tensor-parallel-size" ||
                   each.name == "--data-parallel-size";
        });
        out["args"] = podArguments(job, program);
        if (const Json environment = podEnvironment(program); !environment.empty())
            out["env"] = environment;
    }
    out["ports"] = Json::array({{{"containerPort", port}}});
    out["extraConfig"] = probesOf(program, port);
    out["resources"] = podResources(program, source.catalog.instance(program.instance));
    out["mountModelVolume"] = true;
    out["volumeMounts"] = Json::array({{{"name", "shm"}, {"mountPath", "/dev/shm"}}});
    return out;
}

Json poolOf(const HandoffSource& source, const Job& job, const Program& program, int port) {
    Json out = {{"create", true}, {"replicas", program.replicas}};
    if (!program.instance.empty())
        out["nodeSelector"] = {{"node.kubernetes.io/instance-type", program.instance}};
    const Instance* machine = source.catalog.instance(program.instance);
    if (machine != nullptr && machine->cpuArchitecture == "arm64")
        out["nodeSelector"]["kubernetes.io/arch"] = "arm64";
    out["tolerations"] =
        Json::array({{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}});
    const std::int64_t data = degreeOf(program, "--data-parallel-size");
    out["parallelism"] = {{"tensor", degreeOf(program, "--tensor-parallel-size")},
                          {"data", data},
                          {"dataLocal", std::max<std::int64_t>(1, data / program.nodes)},
                          {"workers", program.nodes}};
    out["containers"] = Json::array({containerWith(source, job, program, port)});
    out["volumes"] = Json::array({{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}});
    return out;
}

/// NVLink across the instances of the UltraServer.
void claimDomain(const HandoffSource& source, const Job& job, Json& values) {
    for (const Json& object : podObjects(source, job, slugOf(source), false)) {
        if (object["kind"] != "ComputeDomain")
            continue;
        values["extraObjects"] = Json::array({object});
        for (const char* role : {"prefill", "decode"}) {
            Json& pool = values[role];
            if (!pool.contains("containers"))
                continue;
            pool["resourceClaims"] =
                Json::array({{{"name", "imex"},
                              {"resourceClaimTemplateName",
                               object["spec"]["channel"]["resourceClaimTemplate"]["name"]}}});
            pool["containers"][0]["resources"]["claims"] = Json::array({{{"name", "imex"}}});
        }
    }
}

} // namespace

void writeLlmD(const HandoffSource& source, Job& job, Handoff& out) {
    const bool pools = job.programs.size() > 1;
    const auto& ultra = source.estimate.scenario.cluster.ultraserver;
    const bool several = domainsOf(source, job).areSeveral();
    if (ultra && several)
        leaveOut(job.leftOut, "cluster.ultraserver", *ultra,
                 "the chart has one template for all pods of a pool, and so no claim of the domain of each; "
                 "NVLink ends at the instance");
    std::erase_if(job.warnings,
                  [](const std::string& each) { return each.ends_with("router in front of them"); });
    job.warnings.emplace_back("requests reach the servers through a gateway with an InferencePool, which "
                              "llm-d-infra and its inference pool chart set up");
    Json values = Json::object();
    values["multinode"] =
        std::ranges::any_of(job.programs, [](const Program& each) { return each.nodes > 1; });
    const std::string repository = job.programs.front().command.back();
    values["modelArtifacts"] = {{"name", repository},
                                {"uri", "hf://" + repository},
                                {"size", modelSize(source, job.programs.back())}};
    values["routing"] = {{"servicePort", servicePort},
                         {"proxy", {{"enabled", pools}, {"targetPort", proxiedPort}}}};
    values["decode"] = poolOf(source, job, job.programs.back(), pools ? proxiedPort : servicePort);
    if (pools)
        values["prefill"] = poolOf(source, job, job.programs.front(), servicePort);
    else
        values["prefill"] = {{"create", false}};
    if (ultra && !several)
        claimDomain(source, job, values);
    out.files.insert(out.files.begin(),
                     {"values.yaml", commentOf(headerLines(source, job, "llm-d")) + yamlText(values), false});
}

} // namespace alidade::data::handoff
