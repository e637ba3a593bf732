// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// What is handed over is read back as the plan that it was, but for the fields that the target does not
// express.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/handoff/handoff.h"
#include "data/handoff/tables.h"
#include "data/jobs/import_job.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <sstream>

namespace tst_handoff_round_trip {

using namespace alidade;
using data::JobReading;
using nlohmann::json;

namespace {

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

JobReading read(const std::string& text, const data::JobFiles& files = {}) {
    return data::readJob(text, "job", catalog(), files);
}

const json* valueAt(const json& document, const std::string& path) {
    const json* at = &document;
    std::istringstream keys(path);
    for (std::string key; std::getline(keys, key, '.');) {
        if (!at->is_object() || !at->contains(key))
            return nullptr;
        at = &(*at)[key];
    }
    return at;
}

/// A value as a set where it is a list; one word is a list of one.
bool same(const json& a, const json& b) {
    if (a.is_array() || b.is_array()) {
        const auto words = [](const json& list) {
            std::set<std::string> out;
            if (list.is_array())
                for (const json& each : list)
                    out.insert(each.dump());
            else
                out.insert(list.dump());
            // Two words for the same module.
            if (out.erase("\"norms\"") > 0)
                out.insert("\"layernorm\"");
            return out;
        };
        return words(a) == words(b);
    }
    const auto shardsAll = [](const json& word) { return word == "fsdp2" || word == "zero3"; };
    if (shardsAll(a) && shardsAll(b))
        return true;
    if (a.is_number() && b.is_number())
        return std::abs(a.get<double>() - b.get<double>()) <= 1e-9 * std::abs(b.get<double>());
    return a == b;
}

struct Planned {
    ScenarioSpec spec;
    Estimate estimate;
    Scenario scenario;
};

std::optional<Planned> sourceOf(const ScenarioSpec& spec) {
    auto resolved = resolve(spec, catalog(), catalog().defaultProfile);
    if (!resolved || !resolved->legal)
        return {};
    auto answer = estimate(spec, catalog(), catalog().defaultProfile);
    if (!answer)
        return {};
    return Planned{spec, *std::move(answer), *std::move(resolved)};
}

/// A plan's name is its own, and the read one is estimated with the constants of the test.
bool isOfTheFile(const std::string& path) { return path == "name" || path == "calibration"; }

/// Fields that the tables of the target (as the guide lists them) say no file of it has a word for, alongside
/// those that the hand-off of the plan says it left out.
bool isOutside(const std::string& tool, const std::string& path) {
    const auto names = [&path](const auto& table) {
        return std::ranges::any_of(table, [&path](const auto& each) {
            return path == each.first || path.starts_with(each.first + ".");
        });
    };
    return names(data::handoff::outsideTheJob()) ||
           (tool != "fsdp2" && names(data::handoff::tool(tool).inexpressible));
}

/// Whether a file of a hand-off says what runs.
bool isJob(const std::string& file, const std::vector<std::string>& targets) {
    const std::string cluster = targets.size() > 1 ? targets[1] : std::string();
    if (file.ends_with(".sh"))
        return cluster.empty();
    const std::string manifest = cluster == "hyperpod-eks" ? "pytorchjob" : cluster;
    return file.ends_with(".sbatch") || file == manifest + ".yaml" || file == "values.yaml";
}

/// Exports, imports, and says what is different.
/// \param compared receives whether the target holds a plan of this shape
std::string roundTrip(const Planned& source, const std::vector<std::string>& targets,
                      bool* compared = nullptr) {
    const auto handoff =
        data::handOff({source.spec, source.estimate, source.scenario, catalog(), "test"}, targets);
    if (!handoff)
        return "export: " + handoff.error();
    // A target without stages or context groups holds a plan of another shape; that is said, and nothing to
    // compare.
    if (compared != nullptr)
        *compared = std::ranges::none_of(handoff->leftOut, [](const data::LeftOut& each) {
            return each.path == "plan.pipeline_parallel" || each.path == "plan.context_parallel";
        });
    for (const data::LeftOut& each : handoff->leftOut)
        if (each.path == "plan.pipeline_parallel" || each.path == "plan.context_parallel")
            return {};
    std::string text;
    for (const data::HandoffFile& file : handoff->files)
        if (isJob(file.name, targets))
            text += file.text + "\n";
    const JobReading reading = read(text, [&](const std::string& name) -> std::optional<std::string> {
        for (const data::HandoffFile& file : handoff->files)
            if (file.name == name)
                return file.text;
        return {};
    });
    std::string out;
    for (const std::string& fault : reading.faults)
        out += fault + "; ";
    for (const std::string& each : reading.contradictions)
        out += "contradiction: " + each + "; ";
    for (const data::ReadName& each : reading.unknown)
        out += "unknown: " + each.name + "; ";
    ScenarioSpec spec = reading.spec;
    // What a job cannot hold is taken from the plan; the rest must be the same once defaults are filled in.
    for (const Field& field : fieldTable()) {
        const std::string path(field.path);
        const bool left = std::ranges::any_of(handoff->leftOut, [&](const data::LeftOut& each) {
            return path == each.path || path.starts_with(each.path + ".") ||
                   (each.path == "plan.sharding" && path == "plan.shard_size") ||
                   (each.path == "plan.tensor_parallel" && path.starts_with("plan.attention"));
        });
        if (left || isOfTheFile(path) || isOutside(targets.front(), path))
            field.set(spec, field.get(source.estimate.scenario));
    }
    if (source.estimate.scenario.plan.framework)
        spec.plan.framework = source.estimate.scenario.plan.framework;
    spec.plan.engine = source.estimate.scenario.plan.engine;
    const auto again = resolve(spec, catalog(), catalog().defaultProfile);
    if (!again)
        return out + "read back: " + again.error();
    const json before = json::parse(data::writeScenario(source.scenario.spec));
    const json after = json::parse(data::writeScenario(again->spec));
    for (const Field& field : fieldTable()) {
        const std::string path(field.path);
        const json* a = valueAt(before, path);
        const json* b = valueAt(after, path);
        if (path == "workload.tokens" && a != nullptr && b != nullptr) {
            // Whole steps or whole samples.
            const double step = static_cast<double>(source.scenario.spec.workload.globalBatch.value_or(1)) *
                                static_cast<double>(source.scenario.spec.workload.sequenceLength.value_or(1));
            if (std::abs(a->get<double>() - b->get<double>()) > step)
                out += path + "; ";
            continue;
        }
        if (path == "plan.sharding" && source.scenario.plan.dataParallel == 1)
            continue;
        if (path == "plan.fp8_recipe" && a == nullptr)
            continue; // the tool has a default where the plan leaves it open
        if (path == "plan.shard_size" ||
            (path == "plan.virtual_pipeline" && source.scenario.plan.pipelineParallel == 1))
            continue;
        if ((a == nullptr) != (b == nullptr) || (a != nullptr && !same(*a, *b)))
            out += path + " " + (a == nullptr ? "-" : a->dump()) + " -> " + (b == nullptr ? "-" : b->dump()) +
                   "; ";
    }
    return out;
}

bool isTool(const std::string& id, bool serving) {
    const data::TargetKind kind = data::handoffTarget(id)->kind;
    return kind == (serving ? data::TargetKind::serving : data::TargetKind::training);
}

} // namespace

class TestHandoffRoundTrip : public QObject {
    Q_OBJECT

private slots:
    void shippedScenariosSurviveTheRoundTrip_data();
    void shippedScenariosSurviveTheRoundTrip();
    void serversThatDoNotDivideSurviveTheRoundTrip();
    void randomScenariosSurviveTheRoundTrip_data();
    void randomScenariosSurviveTheRoundTrip();

private:
    template <class T>
    T of(std::initializer_list<T> all) {
        return *(all.begin() + random_() % all.size());
    }
    ScenarioSpec training(const std::string& framework);
    ScenarioSpec serving(const std::string& engine);
    ScenarioSpec reinforcement(const std::string& framework);

    std::mt19937 random_;
};

void TestHandoffRoundTrip::shippedScenariosSurviveTheRoundTrip_data() {
    QTest::addColumn<QString>("id");
    for (const data::ShippedScenario& each : data::shippedScenarios())
        QTest::newRow(each.id.c_str()) << QString::fromStdString(each.id);
}

void TestHandoffRoundTrip::shippedScenariosSurviveTheRoundTrip() {
    QFETCH(QString, id);
    const auto source = sourceOf(*data::readScenario(*data::shippedScenario(id.toStdString()), "scenario"));
    QVERIFY(source);
    const bool serving = source->spec.workload.isServing();
    std::string faults;
    for (const std::string& tool : data::handoffTargetsFor(source->spec)) {
        if (!isTool(tool, serving))
            continue;
        std::vector<std::vector<std::string>> ways{{tool, "slurm"},
                                                   {tool, serving ? "leaderworkerset" : "jobset"}};
        if (serving)
            ways.insert(ways.end(), {{tool, "dynamo"}, {tool, "llm-d"}});
        else // other targets make machines only, on which the job is one of Slurm
            ways.insert(ways.end(), {{tool, "pytorchjob"},
                                     {tool, "trainjob"},
                                     {tool, "volcano"},
                                     {tool, "kai"},
                                     {tool, "hyperpod-eks"}});
        std::erase_if(ways, [](const auto& way) { return !data::runsOn(way[0], way[1]); });
        for (const auto& way : ways)
            if (const std::string fault = roundTrip(*source, way); !fault.empty())
                faults += "\n  " + way[0] + (way.size() > 1 ? " on " + way[1] : "") + ": " + fault;
    }
    QVERIFY2(faults.empty(), faults.c_str());
}

void TestHandoffRoundTrip::serversThatDoNotDivideSurviveTheRoundTrip() {
    const std::string id = "serve-llama-3.1-70b-1xp5en.48xlarge";
    ScenarioSpec spec = *data::readScenario(*data::shippedScenario(id), id);
    spec.plan.tensorParallel = 2;
    for (const int replicas : {3, 5, 10, 12}) {
        spec.plan.dataParallel = replicas;
        spec.cluster.instances = (replicas + 3) / 4;
        const auto source = sourceOf(spec);
        QVERIFY(source);
        for (const char* tool : {"vllm", "sglang", "tensorrt-llm"})
            QCOMPARE(roundTrip(*source, {tool, "slurm"}), std::string());
    }
}

/// A framework or engine of the catalog that a target represents: a field that a job does not write has the
/// default of what runs the job.
void TestHandoffRoundTrip::randomScenariosSurviveTheRoundTrip_data() {
    QTest::addColumn<std::string>("program");
    for (const auto& [tool, program] : {std::pair("megatron-lm", "megatron-core"),
                                        {"megatron-bridge", "megatron-bridge"},
                                        {"torchtitan", "torchtitan"},
                                        {"deepspeed", "deepspeed"},
                                        {"accelerate", "deepspeed"},
                                        {"fsdp2", "torchtitan"},
                                        {"verl", "megatron-core"},
                                        {"vllm", "vllm"},
                                        {"sglang", "sglang"},
                                        {"tensorrt-llm", "tensorrt-llm"}})
        QTest::newRow(tool) << std::string(program);
}

ScenarioSpec TestHandoffRoundTrip::training(const std::string& framework) {
    ScenarioSpec spec;
    spec.workload.kind = WorkloadKind::training;
    spec.workload.model = of({"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "mixtral-8x7b",
                              "deepseek-v3", "qwen3-235b-a22b", "qwen3-8b"});
    spec.workload.sequenceLength = of({4096, 8192});
    spec.workload.globalBatch = of({256, 512, 1024, 2048});
    spec.workload.tokens = of({1e10, 1e12});
    spec.cluster.instance = of({"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"});
    spec.cluster.instances = of({4, 8, 16, 64});
    PlanSpec& plan = spec.plan;
    plan.framework = framework;
    plan.tensorParallel = of({1, 2, 4, 8});
    const bool stages = framework != "deepspeed";
    plan.pipelineParallel = stages ? of({1, 1, 2, 4}) : 1;
    plan.contextParallel = stages ? of({1, 1, 2}) : 1;
    if (*plan.pipelineParallel > 1 && random_() % 2 == 0)
        plan.virtualPipeline = of({2, 4});
    plan.microBatch = of({1, 2});
    plan.precision = of({"bf16", "fp8"});
    if (framework == "torchtitan" && plan.precision == "fp8")
        plan.fp8Recipe = of({"current", "row"});
    plan.sharding = of({"none", "zero1", "zero3", "fsdp2", "hsdp"});
    plan.recompute = std::vector<std::string>{of({"none", "full", "selective"})};
    return spec;
}

ScenarioSpec TestHandoffRoundTrip::serving(const std::string& engine) {
    ScenarioSpec spec;
    spec.workload.kind = WorkloadKind::serving;
    spec.workload.model = of({"llama-3.1-8b", "llama-3.1-70b", "llama-3.3-70b", "gpt-oss-120b", "deepseek-r1",
                              "qwen3-235b-a22b", "qwen3-32b", "llama-3.1-405b"});
    spec.workload.inputTokens = of({512, 2000, 8000});
    spec.workload.outputTokens = of({128, 500, 1000});
    if (random_() % 2 == 0)
        spec.workload.concurrency = of({16, 64, 256});
    else
        spec.workload.requestRatePerS = of({1.0, 4.0, 20.0});
    if (random_() % 3 == 0)
        spec.workload.prefixCacheHit = 0.5;
    spec.cluster.instance = of({"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"});
    PlanSpec& plan = spec.plan;
    plan.engine = engine;
    plan.tensorParallel = of({1, 2, 4, 8});
    plan.pipelineParallel = of({1, 1, 1, 2});
    // In vLLM the groups of a dense model are replicas, so that they come back as these.
    const Architecture& model = *catalog().model(*spec.workload.model);
    if (model.moe || engine != "vllm")
        plan.attentionDataParallel = of({1, 1, 2, 8});
    plan.dataParallel = of({1, 2, 3, 4});
    const auto gpus = *plan.tensorParallel * *plan.pipelineParallel * plan.attentionDataParallel.value_or(1);
    if (const std::int64_t experts = gpus / *plan.pipelineParallel;
        model.moe && experts > 1 && random_() % 2 == 0)
        plan.expertParallel = experts;
    spec.cluster.instances = (gpus * *plan.dataParallel + 7) / 8;
    plan.weights = of({"bf16", "fp8"});
    plan.kvCache = of({"bf16", "fp8"});
    plan.memoryUtilization = of({0.85, 0.9});
    if (random_() % 2 == 0)
        plan.maxBatch = of({64, 256, 512});
    if (random_() % 2 == 0)
        plan.chunkTokens = of({2048, 8192});
    return spec;
}

ScenarioSpec TestHandoffRoundTrip::reinforcement(const std::string& framework) {
    ScenarioSpec spec;
    spec.workload.kind = WorkloadKind::reinforcementLearning;
    spec.workload.model = of({"llama-3.1-8b", "llama-3.1-70b", "qwen3-8b", "qwen3-32b", "qwen3-235b-a22b"});
    ReinforcementSpec& load = spec.workload.reinforcement;
    const std::string placement = of({"colocated", "split", "one_step_off", "async"});
    const bool pools = placement != "colocated"; // which have neither a critic nor a reward model
    load.algorithm = pools ? of({"grpo", "dapo", "reinforce++", "rloo"})
                           : of({"ppo", "grpo", "dapo", "reinforce++", "rloo"});
    load.promptsPerStep = of({128, 256, 512, 1024});
    load.samplesPerPrompt = of({4, 8, 16});
    load.updatesPerStep = of({1, 2, 4, 16});
    load.responseLimit = of({2048, 8192, 24576});
    load.promptTokens = of({400, 1000});
    load.responseTokens = of({500, 1500});
    load.reward.kind = pools ? of({"rule", "sandbox"}) : of({"rule", "model", "sandbox"});
    if (random_() % 2 == 0)
        load.reference = random_() % 2 == 0;
    if (random_() % 2 == 0)
        load.steps = of({100, 1000});
    if (random_() % 2 == 0)
        load.epochs = 2;
    spec.cluster.instance = of({"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"});
    spec.cluster.instances = of({2, 4, 8, 16});
    RolePlanSpec& roles = spec.roles.write();
    roles.placement = placement;
    if (pools && random_() % 2 == 0)
        roles.weightSync = of({"broadcast", "bucketed", "host_staged", "reshard", "rdma", "delta"});
    if (pools && random_() % 2 == 0)
        roles.rolloutGpus = 4 * of({1, 2, 3, 4, 6, 8});
    if (placement == "async" && random_() % 2 == 0)
        roles.staleness = of({0.1, 1.0, 2.5});
    if (placement == "async" && random_() % 2 == 0)
        roles.partialRollout = random_() % 2 == 0;
    if (!pools && random_() % 2 == 0)
        roles.phaseOffload = of({"optimizer", "all"}); // "none" is the default
    roles.rollout.engine = of({"vllm", "sglang"});
    roles.rollout.tensorParallel = of({1, 2, 4, 8});
    if (random_() % 2 == 0)
        roles.rollout.maxBatch = of({64, 256, 1024});
    if (random_() % 2 == 0)
        roles.rollout.chunkTokens = of({4096, 8192});
    if (random_() % 2 == 0)
        roles.rollout.memoryUtilization = of({0.5, 0.7});
    PlanSpec& train = roles.train;
    train.framework = framework;
    train.sharding = of({"none", "zero1", "zero2", "zero3", "fsdp2", "hsdp"});
    train.tensorParallel = of({1, 2, 4, 8});
    train.pipelineParallel = of({1, 1, 2});
    train.contextParallel = of({1, 1, 2});
    train.recompute = std::vector<std::string>{of({"none", "full", "selective"})};
    if (random_() % 3 == 0)
        train.microBatch = of({1, 2});
    else if (random_() % 2 == 0)
        roles.microbatchTokens = of({16384, 32768});
    return spec;
}

void TestHandoffRoundTrip::randomScenariosSurviveTheRoundTrip() {
    QFETCH(std::string, program);
    const std::string tool = QTest::currentDataTag();
    random_.seed(19);
    const bool serves = isTool(tool, true);
    int done = 0, faulty = 0;
    std::string faults;
    for (int tries = 0; tries < 20'000 && done < 300; ++tries) {
        const ScenarioSpec spec = serves           ? serving(program)
                                  : tool == "verl" ? reinforcement(program)
                                                   : training(program);
        const auto source = sourceOf(spec);
        if (!source)
            continue;
        // In turns over the kinds of manifests.
        const std::vector<std::string> manifests =
            serves ? std::vector<std::string>{"leaderworkerset"}
                   : std::vector<std::string>{"jobset",  "pytorchjob", "trainjob",
                                              "volcano", "kai",        "hyperpod-eks"};
        const std::string& manifest = manifests[static_cast<std::size_t>(done / 2) % manifests.size()];
        const std::string cluster = done % 2 == 0 || !data::runsOn(tool, manifest) ? "slurm" : manifest;
        bool compared = true;
        const std::string fault = roundTrip(*source, {tool, cluster}, &compared);
        faulty += fault.empty() ? 0 : 1;
        if (!fault.empty() && faults.size() < 3000)
            faults += "\n  " + cluster + " " + fault + "\n" + data::writeScenario(spec);
        done += compared ? 1 : 0;
    }
    QCOMPARE(done, 300);
    QVERIFY2(faults.empty(), (std::to_string(faulty) + faults).c_str());
}

QTEST_GUILESS_MAIN(TestHandoffRoundTrip)

} // namespace tst_handoff_round_trip

#include "tst_handoff_round_trip.moc"
