// SPDX-License-Identifier: GPL-3.0-or-later
// Hand-off of servers to Dynamo and llm-d: every shipped service with every engine, held against the schema
// and the options of the pinned versions, and against the plan.
#include "tests/data/handed_over.h"

#include <QTest>

#include <numeric>

namespace tst_handoff_graphs {

using namespace alidade;
using namespace tests;
using data::Handoff;
using data::HandoffFile;

namespace {

const std::vector<std::string> engines{"vllm", "sglang", "tensorrt-llm"};

/// Options of the argument list of a container.
std::vector<std::string> optionsIn(const json& container) {
    std::vector<std::string> out;
    if (container.contains("args"))
        for (const json& each : container["args"])
            if (const auto word = each.get<std::string>(); word.starts_with("--"))
                out.push_back(word);
    return out;
}

std::string valueOf(const json& container, const std::string& option) {
    const json& all = container["args"];
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
        if (all[i] == option)
            return all[i + 1].get<std::string>();
    return {};
}

json lastDocument(const HandoffFile& file) { return toJson(YAML::LoadAll(file.text).back()); }

/// Keys of values, down to lists and to maps whose names a person chooses.
void keysOf(const json& value, const std::string& path, std::set<std::string>& out) {
    if (!value.is_object() || path.ends_with("nodeSelector")) {
        out.insert(path);
        return;
    }
    for (const auto& [key, each] : value.items())
        keysOf(each, path.empty() ? key : path + "." + key, out);
}

std::map<std::string, Planned> services() {
    std::map<std::string, Planned> out;
    for (const auto& [id, source] : shipped())
        if (source.spec.workload.isServing())
            out.emplace(id, source);
    return out;
}

} // namespace

class TestHandoffGraphs : public QObject {
    Q_OBJECT

private slots:
    void dynamoKeepsToItsSchemaAndOptions() {
        const SchemaCheck schemas(handoffFolder + "crds/");
        const std::map<std::string, std::string> modules{
            {"vllm", "vllm"}, {"sglang", "sglang"}, {"tensorrt-llm", "trtllm"}};
        int disaggregated = 0, multinode = 0;
        for (const auto& [id, source] : services()) {
            for (const std::string& engine : engines) {
                const std::string& module = modules.at(engine);
                const auto handoff = handedOff(source, {engine, "dynamo"});
                QVERIFY2(handoff, handoff.error().c_str());
                for (const YAML::Node& each : YAML::LoadAll(handoff->files.front().text)) {
                    const std::string fault = schemas.fault(toJson(each));
                    QVERIFY2(fault.empty(), (id + " " + engine + fault).c_str());
                }
                const json graph = lastDocument(handoff->files.front());
                QCOMPARE(graph["spec"]["backendFramework"].get<std::string>(), module);
                std::set<std::string> known = namesOf("dynamo-" + module);
                if (engine != "tensorrt-llm") // the module takes every option of its engine
                    known.merge(namesOf(engine));
                const auto& pools = source.estimate->scenario.plan.disaggregated;
                std::set<std::string> types;
                for (const json& component : graph["spec"]["components"]) {
                    const auto type = component["type"].get<std::string>();
                    types.insert(type);
                    const json& container = component["podTemplate"]["spec"]["containers"][0];
                    QCOMPARE(container["name"].get<std::string>(), std::string("main"));
                    const bool frontend = type == "frontend";
                    QVERIFY(container["command"] ==
                            json::array({"python3", "-m", "dynamo." + (frontend ? "frontend" : module)}));
                    for (const std::string& option : optionsIn(container))
                        QVERIFY2((frontend ? namesOf("dynamo-frontend") : known).contains(option),
                                 (id + " " + engine + ": " + option).c_str());
                    if (frontend)
                        continue;
                    if (component.contains("multinode")) {
                        QVERIFY(component["multinode"]["nodeCount"].get<int>() >= 2);
                        ++multinode;
                    }
                    if (type == "prefill" || type == "decode") {
                        const PoolSpec& pool = type == "prefill" ? pools.prefill : pools.decode;
                        QCOMPARE(component["replicas"].get<std::int64_t>(), pool.workers.value_or(1));
                        QCOMPARE(valueOf(container, "--disaggregation-mode"), type);
                    }
                    const std::string memory = container["resources"]["limits"]["nvidia.com/gpu"].dump();
                    QVERIFY2(memory != "0", id.c_str());
                }
                QVERIFY(types.contains("frontend"));
                const bool pooled = types.contains("prefill") && types.contains("decode");
                QCOMPARE(pooled, pools.prefill.workers.has_value());
                disaggregated += pooled ? 1 : 0;
            }
        }
        QVERIFY(disaggregated > 2);
        QVERIFY(multinode > 2);
    }

    void llmDKeepsToTheValuesOfItsChart() {
        const std::set<std::string> known = namesOf("llm-d");
        const std::set<std::string> ofContainer{"name",  "image",     "modelCommand",     "command",
                                                "args",  "env",       "mountModelVolume", "volumeMounts",
                                                "ports", "resources", "extraConfig"};
        // What the chart writes itself when its command is vllmServe.
        const std::set<std::string> ofChart{"--port", "--tensor-parallel-size", "--data-parallel-size",
                                            "--data-parallel-size-local", "--served-model-name"};
        int pooled = 0, several = 0;
        for (const auto& [id, source] : services()) {
            const auto handoff = handedOff(source, {"vllm", "llm-d"});
            QVERIFY2(handoff, handoff.error().c_str());
            const json values = lastDocument(handoff->files.front());
            std::set<std::string> keys;
            keysOf(values, "", keys);
            for (const std::string& key : keys)
                QVERIFY2(known.contains(key), (id + ": " + key).c_str());
            std::int64_t gpus = 0;
            for (const char* role : {"prefill", "decode"}) {
                const json& pool = values[role];
                if (!pool["create"].get<bool>())
                    continue;
                const json& container = pool["containers"][0];
                for (const auto& [key, value] : container.items())
                    QVERIFY2(ofContainer.contains(key), key.c_str());
                for (const std::string& option : optionsIn(container)) {
                    QVERIFY2(namesOf("vllm").contains(option), option.c_str());
                    QVERIFY2(!ofChart.contains(option), option.c_str());
                }
                const json& parallel = pool["parallelism"];
                const auto workers = parallel["workers"].get<std::int64_t>();
                const auto each = container["resources"]["limits"]["nvidia.com/gpu"].get<std::int64_t>();
                gpus += pool["replicas"].get<std::int64_t>() * workers * each;
                several += workers > 1 ? 1 : 0;
                QCOMPARE(container["modelCommand"].get<std::string>(),
                         std::string(workers > 1 ? "custom" : "vllmServe"));
                QVERIFY(workers == 1 || values["multinode"].get<bool>());
            }
            QVERIFY2(gpus > 0 && gpus <= source.estimate->gpus, id.c_str());
            pooled += values["prefill"]["create"].get<bool>() ? 1 : 0;
            QVERIFY(values["routing"]["proxy"]["enabled"] == values["prefill"]["create"]);
        }
        QVERIFY(pooled > 0);
        QVERIFY(several > 0);
        const Planned any = services().begin()->second;
        QVERIFY(handedOff(any, {"sglang", "llm-d"}).error().find("vllm,llm-d") != std::string::npos);
        QVERIFY(!handedOff(shipped().at("llama-3.1-8b-8xp5.48xlarge"), {"dynamo"}));
    }

    void hostileNamesStayNames() {
        for (const std::string& name :
             {std::string("$(touch x)"), std::string("two\nlines\n- a: b"), std::string("{{ .Values }}"),
              std::string("yes"), std::string("# no: [")}) {
            ScenarioSpec spec = services().begin()->second.spec;
            spec.name = name;
            const Planned source = sourceOf(spec);
            const auto graph = handedOff(source, {"vllm", "dynamo"});
            QVERIFY(graph);
            QCOMPARE(lastDocument(graph->files.front())["metadata"]["annotations"]["alidade.invalid/scenario"]
                         .get<std::string>(),
                     name);
            const auto values = handedOff(source, {"vllm", "llm-d"});
            QVERIFY(values);
            // The name is only in comments: Helm would expand it elsewhere.
            QVERIFY(lastDocument(values->files.front()).dump().find(name) == std::string::npos ||
                    name == "yes");
        }
    }
};

QTEST_GUILESS_MAIN(TestHandoffGraphs)

} // namespace tst_handoff_graphs

#include "tst_handoff_graphs.moc"
