// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/question.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace tst_search_question {

using namespace alidade;
using namespace alidade::test;

namespace {

using Words = std::vector<std::string>;

const Catalog& catalog() { return smallCatalog(); }

Words textsOf(const Result<FreeField>& field) {
    if (!field)
        return {field.error()};
    Words out;
    for (const SearchChoice& each : field->choices)
        out.push_back(each.edit.front().second);
    return out;
}

Words values(const ScenarioSpec& spec, const char* path, const char* words = "") {
    return textsOf(freeField(spec, catalog(), path, words));
}

ScenarioSpec experts() {
    ScenarioSpec out = trainingSpec();
    out.workload.model = "moe";
    return out;
}

SearchQuestion questionOf(const ScenarioSpec& base,
                          const std::vector<std::pair<const char*, const char*>>& free) {
    SearchQuestion out;
    out.base = base;
    for (const auto& [path, words] : free)
        out.free.push_back(*freeField(base, catalog(), path, words));
    completeQuestion(out, catalog(), catalog().defaultProfile);
    return out;
}

Words pathsOf(const std::vector<FreeField>& fields) {
    Words out;
    for (const FreeField& each : fields)
        out.push_back(each.path);
    return out;
}

} // namespace

/// What is searched, as a person asks for it and as it is filled in.
class TestSearchQuestion : public QObject {
    Q_OBJECT

private slots:
    /// 16 GPUs, 32 heads, 4,096 tokens, 64 sequences, 32 layers.
    void degreesThatMayBeLegal() {
        const ScenarioSpec spec = trainingSpec();
        const Words upTo16{"1", "2", "4", "8", "16"};
        QCOMPARE(values(spec, "plan.tensor_parallel"), upTo16);
        QCOMPARE(values(spec, "plan.context_parallel"), upTo16);
        QCOMPARE(values(spec, "plan.pipeline_parallel"), upTo16);
        QCOMPARE(values(spec, "plan.data_parallel"), upTo16);
        QCOMPARE(values(spec, "plan.micro_batch"), (Words{"1", "2", "4", "8", "16", "32", "64"}));
        const Words chunks = values(spec, "plan.virtual_pipeline");
        QCOMPARE(chunks.size(), std::size_t{16}); // at least two layers each
        QCOMPARE(chunks.back(), std::string("16"));
        QCOMPARE(values(spec, "plan.expert_parallel"), Words{"1"});
        QCOMPARE(values(spec, "plan.expert_tensor_parallel"), Words{"1"});
        QCOMPARE(values(experts(), "plan.expert_parallel"), upTo16);
        QCOMPARE(values(experts(), "plan.expert_tensor_parallel"), (Words{"1", "2", "4", "8"}));
        QCOMPARE(values(servingSpec(), "plan.attention_data_parallel"), (Words{"1", "2", "4", "8"}));
    }

    /// Upper ends: 128 of tensor and pipeline, 64 of context and micro-batch, 32 chunks.
    void degreesEnd() {
        ScenarioSpec spec = trainingSpec();
        spec.cluster.instances = 64; // 512 GPUs
        spec.workload.globalBatch = 512;
        spec.workload.sequenceLength = 65'536;
        Catalog wide = catalog();
        wide.models[0].attentionHeads = 512;
        wide.models[0].layers = 256;
        const auto last = [&](const char* path) { return textsOf(freeField(spec, wide, path, "")).back(); };
        QCOMPARE(last("plan.tensor_parallel"), std::string("128"));
        QCOMPARE(last("plan.pipeline_parallel"), std::string("128"));
        QCOMPARE(last("plan.context_parallel"), std::string("64"));
        QCOMPARE(last("plan.micro_batch"), std::string("64"));
        QCOMPARE(last("plan.virtual_pipeline"), std::string("32"));
        // Degrees have to divide the GPUs as well: 24 of them, of which 16 of the 32 heads are no part.
        spec = trainingSpec();
        spec.cluster.instances = 3;
        QCOMPARE(values(spec, "plan.tensor_parallel"), (Words{"1", "2", "4", "8"}));
        QCOMPARE(values(spec, "plan.pipeline_parallel"), (Words{"1", "2", "3", "4", "6", "8", "12", "24"}));
    }

    void otherFields() {
        const ScenarioSpec spec = trainingSpec();
        QCOMPARE(values(spec, "plan.recompute"), (Words{"none", "norms", "norms, glu", "selective", "full"}));
        QCOMPARE(values(experts(), "plan.recompute"),
                 (Words{"none", "norms", "norms, moe_act", "selective", "full"}));
        Catalog latent = catalog();
        latent.models[2].mla = MlaShape{0, 512, 128, 64, 128};
        QCOMPARE(
            textsOf(freeField(experts(), latent, "plan.recompute", "")),
            (Words{"none", "norms", "norms, moe_act", "norms, moe_act, mla_up_proj", "selective", "full"}));
        latent.models[0].ffnGated = false;
        QCOMPARE(textsOf(freeField(spec, latent, "plan.recompute", "")),
                 (Words{"none", "norms", "selective", "full"}));
        QCOMPARE(values(spec, "plan.sequence_parallel"), (Words{"false", "true"}));
        const Words precisions = values(spec, "plan.precision");
        QVERIFY(std::ranges::find(precisions, "fp8") != precisions.end() && precisions.size() > 2);
        QCOMPARE(values(servingSpec(), "plan.disaggregated.prefill.workers").size(), std::size_t{8});
        ScenarioSpec large = servingSpec();
        large.cluster.instances = 3; // at most 16
        QCOMPARE(values(large, "plan.disaggregated.prefill.workers").back(), std::string("16"));
        QCOMPARE(
            values(spec, "workload.tokens"),
            Words{"workload.tokens needs a list or a range: workload.tokens=A,B,C or workload.tokens=A..B"});
    }

    /// From an eighth to eight times as many, in steps of two.
    void numbersOfMachines() {
        ScenarioSpec spec = trainingSpec();
        QCOMPARE(values(spec, "cluster.instances"), (Words{"1", "2", "4", "8", "16"}));
        spec.cluster.instances = 16;
        QCOMPARE(values(spec, "cluster.instances"), (Words{"2", "4", "8", "16", "32", "64", "128"}));
        spec.cluster.instances = 7;
        QCOMPARE(values(spec, "cluster.instances").back(), std::string("32"));
    }

    void rolesOfReinforcementLearning() {
        ScenarioSpec spec = reinforcementSpec();
        QCOMPARE(values(spec, "plan.rollout.gpus"), Words{"8"}); // of 16, in steps of a host
        spec.cluster.instances = 1;
        QCOMPARE(values(spec, "plan.train.gpus"), (Words{"1", "2", "3", "4", "5", "6", "7"}));
        spec.cluster.instances = 32; // of 256, 16 steps
        const Words some = values(spec, "plan.rollout.gpus");
        QCOMPARE(some.size(), std::size_t{15});
        QCOMPARE(some.front(), std::string("16"));
        QCOMPARE(values(spec, "plan.rollout.tensor_parallel"), (Words{"1", "2", "4", "8"}));
        QCOMPARE(values(spec, "plan.train.pipeline_parallel"), (Words{"1", "2", "4", "8", "16"}));
        QCOMPARE(values(spec, "plan.train.expert_parallel"), (Words{"1", "2", "4", "8", "16"}));
    }

    void listsAndRanges() {
        const ScenarioSpec spec = trainingSpec();
        QCOMPARE(values(spec, "plan.micro_batch", "3..6"), (Words{"3", "4", "5", "6"}));
        QCOMPARE(values(spec, "plan.micro_batch", "4..4"), Words{"4"});
        QCOMPARE(values(spec, "workload.global_batch", "1..10000").size(), std::size_t{10'000});
        QCOMPARE(values(spec, "workload.global_batch", "1..10001"),
                 Words{"workload.global_batch: '1..10001' must ascend and have at most 10,000 values"});
        QCOMPARE(values(spec, "plan.micro_batch", "4..1"),
                 Words{"plan.micro_batch: '4..1' must ascend and have at most 10,000 values"});
        const std::string noRange = " is not a range of whole numbers; write 1..8, or list the values: 1,2,4";
        for (const char* words : {"x..8", "1..y", "..8", "1.."})
            QCOMPARE(values(spec, "plan.micro_batch", words),
                     Words{"plan.micro_batch: '" + std::string(words) + "'" + noRange});
        QCOMPARE(values(spec, "workload.tokens", "1..2"), Words{"workload.tokens: '1..2'" + noRange});
        QCOMPARE(values(spec, "plan.micro_batch", "4, 1,4 ,2"), (Words{"4", "1", "2"})); // each once
        QCOMPARE(values(spec, "plan.recompute", "norms, glu|full"), (Words{"norms, glu", "full"}));
        QVERIFY(values(spec, "plan.micro_batch", "1,x")[0].starts_with("plan.micro_batch: "));
        QVERIFY(values(spec, "plan.micro_batch", "0")[0].starts_with("plan.micro_batch: "));
        QCOMPARE(values(spec, "plan.micro_bach", "1"),
                 Words{"there is no field 'plan.micro_bach'; the nearest is 'plan.micro_batch'"});
        QCOMPARE(values(spec, "plan.max_batch", "1"),
                 Words{"plan.max_batch is a field of serving, and this scenario is training"});
    }

    /// Each machine in the number that has the 16 GPUs of the scenario.
    void machines() {
        const ScenarioSpec spec = trainingSpec();
        const auto all = freeMachines(spec, catalog(), "all");
        QCOMPARE(all->path, std::string("cluster.instance"));
        QCOMPARE(textsOf(all), (Words{"a.8", "b.8", ""}));
        QCOMPARE(all->choices[0].edit, (Edit{{"cluster.instance", "a.8"}})); // as it is
        QCOMPARE(all->choices[1].edit, (Edit{{"cluster.instance", "b.8"},
                                             {"cluster.instances", "2"},
                                             {"cluster.ultraserver", ""},
                                             {"cluster.ultraservers", ""},
                                             {"cluster.gpus", ""},
                                             {"cluster.region", ""},
                                             {"plan.data_parallel", ""}}));
        QCOMPARE(all->choices[2].edit[2].second, std::string("u-a.16"));
        QCOMPARE(all->choices[2].edit[3].second, std::string("1"));
        ScenarioSpec more = spec;
        more.cluster.instances = 5; // 40 GPUs: three UltraServers
        QCOMPARE(freeMachines(more, catalog(), "u-a.16")->choices[0].edit[3].second, std::string("3"));
        more.cluster.instance = "a.1"; // no machine that training is rented on, but the present one
        QCOMPARE(textsOf(freeMachines(more, catalog(), "all")), (Words{"a.8", "b.8", "", "a.1"}));
        QCOMPARE(textsOf(freeMachines(servingSpec(), catalog(), "all")), (Words{"a.8", "a.1", "b.8", ""}));
        QCOMPARE(textsOf(freeMachines(spec, catalog(), "b.8, a.8,b.8")), (Words{"b.8", "a.8"}));
        QCOMPARE(textsOf(freeMachines(spec, catalog(), "a.9")),
                 Words{"no instance type or UltraServer 'a.9' in the catalog; did you mean 'a.8'?"});
        QCOMPARE(textsOf(freeMachines(spec, catalog(), "something else")),
                 Words{"no instance type or UltraServer 'something else' in the catalog"});
        QCOMPARE(textsOf(freeField(spec, catalog(), "cluster.instance", "b.8")), Words{"b.8"});
        QCOMPARE(textsOf(freeField(spec, catalog(), "cluster.ultraserver", "")), (Words{"a.8", "b.8", ""}));
        ScenarioSpec rack = spec;
        rack.cluster.instance.reset();
        rack.cluster.ultraserver = "u-a.16";
        QCOMPARE(freeMachines(rack, catalog(), "u-a.16")->choices[0].edit,
                 (Edit{{"cluster.ultraserver", "u-a.16"}}));
    }

    void usualFields() {
        ScenarioSpec spec = trainingSpec();
        QCOMPARE(pathsOf(usualFreeFields(spec, catalog())),
                 (Words{"plan.tensor_parallel", "plan.pipeline_parallel", "plan.virtual_pipeline",
                        "plan.micro_batch", "plan.recompute"}));
        spec.workload.sequenceLength = 8191;
        QCOMPARE(pathsOf(usualFreeFields(spec, catalog()))[1], std::string("plan.pipeline_parallel"));
        spec.workload.sequenceLength = 8192;
        QCOMPARE(pathsOf(usualFreeFields(spec, catalog()))[1], std::string("plan.context_parallel"));
        QCOMPARE(pathsOf(usualFreeFields(experts(), catalog())),
                 (Words{"plan.tensor_parallel", "plan.pipeline_parallel", "plan.expert_parallel",
                        "plan.virtual_pipeline", "plan.micro_batch", "plan.recompute"}));
        ScenarioSpec service = servingSpec();
        QCOMPARE(pathsOf(usualFreeFields(service, catalog())),
                 (Words{"plan.tensor_parallel", "plan.pipeline_parallel"}));
        service.workload.model = "moe";
        QCOMPARE(pathsOf(usualFreeFields(service, catalog())),
                 (Words{"plan.tensor_parallel", "plan.pipeline_parallel", "plan.attention_data_parallel",
                        "plan.expert_parallel"}));
        const Words workers{"plan.disaggregated.prefill.workers", "plan.disaggregated.decode.workers"};
        service.plan.disaggregated.prefill.workers = 2;
        QCOMPARE(pathsOf(usualFreeFields(service, catalog())), workers);
        service.plan.disaggregated.prefill.workers.reset();
        service.plan.disaggregated.decode.workers = 2;
        service.workload.model = "dense";
        QCOMPARE(pathsOf(usualFreeFields(service, catalog())),
                 (Words{workers[0], workers[1], "plan.disaggregated.prefill.tensor_parallel",
                        "plan.disaggregated.decode.tensor_parallel"}));
        ScenarioSpec learning = reinforcementSpec();
        const Words roles{"plan.rollout.tensor_parallel", "plan.train.tensor_parallel"};
        QCOMPARE(pathsOf(usualFreeFields(learning, catalog())), roles);
        learning.roles.write().placement.reset();
        QCOMPARE(pathsOf(usualFreeFields(learning, catalog())), roles);
        learning.roles.write().placement = "split";
        learning.workload.model = "moe";
        QCOMPARE(pathsOf(usualFreeFields(learning, catalog())),
                 (Words{roles[0], roles[1], "plan.train.expert_parallel", "plan.rollout.gpus"}));
    }

    void objectivesAndLimits() {
        const WorkloadSpec training = trainingSpec().workload, serving = servingSpec().workload;
        QVERIFY(*searchObjective(training, "training.mfu") == findPlanFigure("training.mfu"));
        QCOMPARE(searchObjective(training, "serving.ttft_s").error(),
                 std::string("'serving.ttft_s' is a figure of serving, and this scenario is training"));
        QCOMPARE(searchObjective(training, "training.mfw").error(),
                 std::string("there is no figure 'training.mfw'; the nearest is 'training.mfu'"));
        QCOMPARE(searchObjective(training, "what on earth").error(),
                 std::string("there is no figure 'what on earth'"));
        const char* latency = "serving.test_time.latency_s";
        QCOMPARE(
            searchObjective(serving, latency).error(),
            std::string("'serving.test_time.latency_s' is a figure of questions; set workload.samples (1 for "
                        "a single answer)"));
        QVERIFY(searchObjective(training, latency)
                    .error()
                    .ends_with("of serving, and this scenario is training"));
        WorkloadSpec asked = serving;
        asked.testTime.samples = 1;
        QVERIFY(searchObjective(asked, latency));
        asked.phase = "prefill";
        QVERIFY(!searchObjective(asked, latency));
        asked.phase = "decode";
        QVERIFY(!searchObjective(asked, latency));
        const auto limit = searchLimit(training, "training.step_time_s=500 ms", true);
        QVERIFY(limit && limit->atMost && limit->figure == findPlanFigure("training.step_time_s"));
        QCOMPARE(limit->value, 0.5);
        QVERIFY(limit->holds(0.5) && limit->holds(0.4) && !limit->holds(0.6));
        const auto least = searchLimit(training, "training.mfu=40 %", false);
        QVERIFY(!least->atMost && least->holds(0.4) && least->holds(0.5) && !least->holds(0.3));
        QCOMPARE(searchLimit(training, "training.mfu", true).error(),
                 std::string("'training.mfu' is not FIGURE=VALUE, such as training.step_time_s=10 s"));
        QVERIFY(searchLimit(training, "training.mfu=x", true).error().starts_with("training.mfu: "));
        QVERIFY(searchLimit(training, "nothing=1", true).error().starts_with("there is no figure 'nothing'"));
    }

    void theObjectiveIfNoneIsNamed() {
        const auto objective = [](const ScenarioSpec& spec, const char* path, const char* words) {
            return questionOf(spec, {{path, words}}).objectives.front()->path;
        };
        ScenarioSpec spec = trainingSpec();
        QCOMPARE(objective(spec, "plan.micro_batch", "1,2"), std::string_view("training.step_time_s"));
        QCOMPARE(objective(spec, "cluster.instances", "1,2"), std::string_view("cost.dollars_per_run"));
        QCOMPARE(objective(spec, "cluster.instance", "a.8,b.8"), std::string_view("cost.dollars_per_run"));
        spec.workload.tokens.reset();
        QCOMPARE(objective(spec, "cluster.instances", "1,2"),
                 std::string_view("training.tokens_per_s_per_gpu"));
        ScenarioSpec service = servingSpec();
        QCOMPARE(objective(service, "plan.max_batch", "8,16"),
                 std::string_view("cost.dollars_per_million_tokens"));
        service.cluster.region = "eu-west-1"; // no price there
        QCOMPARE(objective(service, "plan.max_batch", "8,16"),
                 std::string_view("serving.output_tokens_per_s_per_gpu"));
        QCOMPARE(objective(reinforcementSpec(), "plan.rollout.tensor_parallel", "1,2"),
                 std::string_view("reinforcement_learning.step_time_s"));
    }

    /// Fields that follow from free ones are left open, unless they are free themselves.
    void whatFollowsIsCleared() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.dataParallel = 4;
        spec.plan.pipelineSplit = std::vector<std::int64_t>{32};
        spec.plan.schedule = "1f1b";
        QCOMPARE(questionOf(spec, {{"plan.micro_batch", "1,2"}}).cleared, Edit{});
        const Edit both{{"plan.data_parallel", ""}, {"plan.pipeline_split", ""}};
        for (const auto& [path, words] : {std::pair("plan.tensor_parallel", "1,2"),
                                          {"plan.context_parallel", "1,2"},
                                          {"cluster.instances", "1,2"},
                                          {"cluster.ultraservers", "1,2"},
                                          {"cluster.instance", "a.8,b.8"}}) {
            const SearchQuestion question = questionOf(spec, {{path, words}});
            QVERIFY2(question.cleared == both, path);
            QVERIFY(!question.start.plan.dataParallel && question.base.plan.dataParallel);
        }
        Edit all = both;
        all.emplace_back("plan.schedule", "");
        QCOMPARE(questionOf(spec, {{"plan.pipeline_parallel", "1,2"}}).cleared, all);
        QCOMPARE(questionOf(spec, {{"plan.virtual_pipeline", "1,2"}}).cleared, all);
        QCOMPARE(questionOf(spec, {{"plan.tensor_parallel", "1,2"}, {"plan.data_parallel", "1,2"}}).cleared,
                 (Edit{{"plan.pipeline_split", ""}}));
        ScenarioSpec service = servingSpec();
        service.cluster.gpus = 8;
        service.plan.dataParallel = 4;
        const Edit ofService{{"plan.data_parallel", ""}, {"cluster.gpus", ""}};
        QCOMPARE(questionOf(service, {{"plan.tensor_parallel", "1,2"}}).cleared, ofService);
        QCOMPARE(questionOf(service, {{"plan.attention_data_parallel", "1"}}).cleared, ofService);
        ScenarioSpec learning = reinforcementSpec();
        learning.roles.write().train.dataParallel = 4;
        learning.roles.write().rollout.dataParallel = 8;
        QCOMPARE(questionOf(learning, {{"plan.rollout.tensor_parallel", "1,2"}}).cleared,
                 (Edit{{"plan.rollout.data_parallel", ""}, {"plan.train.data_parallel", ""}}));
        learning.roles.write().trainGpus = 8;
        QCOMPARE(questionOf(learning, {{"plan.rollout.gpus", "8"}}).cleared.size(), std::size_t{3});
    }

    /// Machines vary slowest, then what is no field of the layout.
    void theOrderOfFreeFields() {
        const SearchQuestion question = questionOf(trainingSpec(), {{"plan.tensor_parallel", "1,2"},
                                                                    {"plan.overlap.gradient", "10 %,20 %"},
                                                                    {"cluster.instance", "a.8,b.8"}});
        QCOMPARE(pathsOf(question.free),
                 (Words{"cluster.instance", "plan.overlap.gradient", "plan.tensor_parallel"}));
        QCOMPARE(question.plans(), std::uint64_t{8});
        QVERIFY(wrongWith(question).empty());
    }

    void spacesThatAreTooLarge() {
        SearchQuestion question = questionOf(trainingSpec(), {{"workload.global_batch", "1..10000"}});
        question.free.push_back(question.free.front());
        QCOMPARE(question.plans(), std::uint64_t{100'000'000});
        question.free.push_back(*freeField(trainingSpec(), catalog(), "plan.micro_batch", "1..100"));
        QCOMPARE(question.plans(), mostPlans); // exactly as many as may be
        QVERIFY(wrongWith(question).empty());
        question.free.push_back(*freeField(trainingSpec(), catalog(), "plan.sequence_parallel", ""));
        QCOMPARE(question.plans(), mostPlans + 1);
        QCOMPARE(wrongWith(question), std::string("the space has more than 10,000,000,000 plans; free fewer "
                                                  "fields or list fewer values"));
        question.free = {{"cluster.instances", {}}, {"cluster.ultraservers", {}}};
        QCOMPARE(wrongWith(question),
                 std::string("cluster.instances and cluster.ultraservers are both the number "
                             "of machines; vary one of them"));
        question.free.pop_back();
        QVERIFY(wrongWith(question).empty());
        QCOMPARE(SearchQuestion{}.plans(), std::uint64_t{1});
    }
};

QTEST_GUILESS_MAIN(TestSearchQuestion)

} // namespace tst_search_question

#include "tst_search_question.moc"
