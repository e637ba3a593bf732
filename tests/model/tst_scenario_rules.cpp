// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of scenarios that few of them meet: pools on machines of their own, spares of UltraServers, catalogs
// without an entry, and scenarios as they are written.
#include "model/scenario/layout_resolver.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/role_scenarios.h"
#include "model/scenario/visit.h"
#include "model/training/step_cost.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tst_scenario_rules {

using namespace alidade;
using namespace alidade::test;

namespace {

Scenario training(std::string_view edit, const Catalog& catalog = sharedCatalog()) {
    return resolved(edited(smallTraining(), editOf(edit)), catalog);
}

Scenario serving(std::string_view edit, const Catalog& catalog = sharedCatalog()) {
    return resolved(edited(smallServing(), editOf(edit)), catalog);
}

/// Writes down what it is told: "name{ key=value }".
struct Recorder {
    std::string text;

    void add(std::string_view part) { text += (text.empty() ? "" : " ") + std::string(part); }
    void value(std::string_view key, const std::string& value) {
        add(key.empty() ? value : std::string(key) + "=" + value);
    }
    void beginObject(std::string_view key) { add(std::string(key) + "{"); }
    void endObject() { add("}"); }
    void beginArray(std::string_view key) { add(std::string(key) + "["); }
    void endArray() { add("]"); }
    void flag(std::string_view key, bool each) { value(key, each ? "true" : "false"); }
    void integer(std::string_view key, std::int64_t each, std::string_view) {
        value(key, std::to_string(each));
    }
    void constant(std::string_view key, double each, Dimension, std::string_view) {
        value(key, QByteArray::number(each).toStdString());
    }
    void text_(std::string_view key, const std::string& each) { value(key, "'" + each + "'"); }
    void architecture(std::string_view key, const Architecture& each) { value(key, each.name); }
};

/// The same with the name of the call that tells words.
struct Writer : Recorder {
    void text(std::string_view key, const std::string& each) { text_(key, each); }
    const std::string& written() const { return Recorder::text; }
};

std::string writtenOf(const ScenarioSpec& spec) {
    Writer writer;
    visitScenario(spec, writer);
    return writer.written();
}

} // namespace

class TestScenarioRules : public QObject {
    Q_OBJECT

private slots:
    /// 1 x 2 x 2 GPUs prefill and 2 x 4 decode, on two machines of 8.
    void poolsOnTheSameMachines() {
        const Scenario both = serving("cluster.instances=2; plan.disaggregated.prefill.workers=1; "
                                      "plan.disaggregated.prefill.tensor_parallel=2; "
                                      "plan.disaggregated.prefill.pipeline_parallel=2; "
                                      "plan.disaggregated.decode.workers=2; "
                                      "plan.disaggregated.decode.tensor_parallel=4");
        QCOMPARE(problemsOf(both),
                 QByteArray("warning /plan/disaggregated/decode/workers: 4 GPUs are idle but billed"));
        QCOMPARE(both.pools.size(), std::size_t{2});
        QCOMPARE(both.pools[0].inputs[Input::gpus], 4.0);
        QCOMPARE(both.pools[1].inputs[Input::gpus], 8.0);
        QVERIFY(both.hasPrice);
    }

    /// Any field of a pool makes two of them.
    void whatMakesPools() {
        for (const char* field : {"workers", "tensor_parallel", "pipeline_parallel", "max_batch"}) {
            for (const char* pool : {"prefill", "decode"}) {
                const std::string edit = std::string("plan.disaggregated.") + pool + "." + field + "=2";
                QVERIFY2(serving(edit).pools.size() == 2, edit.c_str());
            }
        }
        QCOMPARE(serving("").pools.size(), std::size_t{1});
    }

    /// Three workers of two GPUs need two machines of four; what each pool rents has its own price.
    void poolsOnMachinesOfTheirOwn() {
        const char* edit = "plan.disaggregated.prefill.instance=h8; plan.disaggregated.prefill.workers=1; "
                           "plan.disaggregated.decode.instance=a4; plan.disaggregated.decode.workers=3; "
                           "plan.disaggregated.decode.tensor_parallel=2; cluster.region=us-east-2";
        const Scenario apart = serving(edit);
        QCOMPARE(apart.pools[0].inputs[Input::paidItems], 1.0);
        QCOMPARE(apart.pools[1].inputs[Input::paidItems], 2.0);
        QCOMPARE(apart.pools[1].inputs[Input::gpus], 6.0);
        QVERIFY(!apart.hasPrice); // a4 has none
        Catalog priced = resolvingCatalog();
        priced.prices.push_back(priced.prices.front());
        priced.prices.back().item = "a4";
        priced.prices.back().id = "a4";
        const Scenario both = serving(edit, priced);
        QVERIFY2(both.hasPrice, problemsOf(both).constData());
        QCOMPARE(both.pools[0].inputs[Input::price], 40.0);
        QCOMPARE(both.pools[1].inputs[Input::price], 40.0);
    }

    /// Problems of a pool are told at its fields.
    void problemsOfPools() {
        const Scenario bad = serving("plan.disaggregated.prefill.workers=1; "
                                     "plan.disaggregated.prefill.tensor_parallel=3; "
                                     "plan.disaggregated.decode.workers=1");
        QVERIFY(!bad.legal);
        bool told = false;
        for (const Problem& each : bad.problems) {
            told = told || (each.place == "/plan/disaggregated/prefill/tensor_parallel" &&
                            each.message.starts_with("Prefill: "));
            QVERIFY(!each.place.ends_with("decode/tensor_parallel"));
        }
        QVERIFY2(told, problemsOf(bad).constData());
    }

    /// Spare instances are rented in addition; of UltraServers they are among those that are rented.
    void baseAndSpares() {
        QCOMPARE(problemsOf(training("run.spares=1; order.base.instances=6; order.base.purchase=on_demand")),
                 QByteArray("error /order/base/instances: The base of 6 exceeds the 5 that are rented; set "
                            "order.base.instances to 5 or less"));
        const QByteArray racks =
            problemsOf(training("cluster.instance=; cluster.instances=; cluster.ultraserver=rack; "
                                "cluster.ultraservers=3; run.spares=1; order.base.instances=4; "
                                "order.base.purchase=capacity_block"));
        QVERIFY2(racks.contains("The base of 4 exceeds the 3 that are rented"), racks.constData());
    }

    /// Six places are listed, the others are not.
    void whereAMachineIsSold() {
        Catalog catalog = resolvingCatalog();
        Price price = catalog.prices.front();
        price.item = "a4";
        std::string known;
        for (int i = 1; i <= 6; ++i) {
            price.region = "r" + std::to_string(i);
            price.id = "a4/" + price.region;
            catalog.prices.push_back(price);
            known += (i > 1 ? ", " : "") + std::string("On-Demand in ") + price.region;
        }
        const char* edit = "cluster.instance=a4; cluster.instances=1; cluster.region=us-east-2; "
                           "cluster.purchase=on_demand; workload.global_batch=16";
        const auto problems = [&] { return problemsOf(training(edit, catalog)); };
        QVERIFY2(problems().contains(QByteArray::fromStdString("prices are known for " + known)) &&
                     !problems().contains("..."),
                 problems().constData());
        price.region = "r7";
        price.id = "a4/r7";
        catalog.prices.push_back(price);
        QVERIFY2(problems().contains(QByteArray::fromStdString("prices are known for " + known + ", ...")),
                 problems().constData());
    }

    /// Engines see 99 % of what the driver reports.
    void memoryThatIsReported() {
        QCOMPARE(differences(serving(""), "device_memory_bytes=84.15e9"), QByteArray());
    }

    void aPartOfAnUltraServer() {
        const Scenario alone = training("cluster.instance=b4; cluster.instances=1; workload.global_batch=16");
        QVERIFY(problemsOf(alone).contains("warning /cluster/instance: b4 is available only in an "
                                           "UltraServer; set the ultraserver to get its NVLink domain"));
        QCOMPARE(alone.nvlinkDomain, 4); // of the 16 of the rack
    }

    /// FP4 and block-scaled FP8 need Blackwell.
    void precisionsOfMachines() {
        for (const auto& [word, name] : {std::pair("mxfp8", "MXFP8"), std::pair("nvfp4", "NVFP4")}) {
            const QByteArray problems = problemsOf(training(std::string("plan.precision=") + word));
            QVERIFY2(problems.contains(QByteArray(QByteArray("error /plan/precision: GPU hopper has no ") +
                                                  name + " matrix units")),
                     problems.constData());
        }
        Catalog catalog = resolvingCatalog();
        catalog.gpus[0].fp4 = FlopPerSecond::si(4000e12);
        QCOMPARE(training("plan.precision=nvfp4", catalog).inputs[Input::peak], 4000e12);
        QCOMPARE(training("plan.precision=mxfp8", catalog).inputs[Input::peak], 2000e12);
    }

    void entriesThatAreMissing() {
        Catalog catalog = resolvingCatalog();
        catalog.storage.clear();
        const QByteArray tier =
            problemsOf(serving("plan.kv_offload_bytes=1e9; plan.kv_offload_tier=file_system", catalog));
        QVERIFY2(tier.contains("error /plan/kv_offload_tier: The catalog has no file system ") &&
                     tier.contains("; use \"host\""),
                 tier.constData());
        const ScenarioSpec verified =
            edited(smallServing(), editOf("workload.samples=4; workload.selection=best_of_n; "
                                          "workload.verifier=experts"));
        catalog = resolvingCatalog();
        catalog.models[1].hiddenSize = 0;
        const QByteArray refusal = refusalOf(verified, catalog);
        QVERIFY2(refusal.startsWith("/workload/verifier: as a separate model: ") && refusal.size() > 45,
                 refusal.constData());
    }

    void longPipelines() {
        const QByteArray most = QByteArray::number(static_cast<int>(mostStages));
        const QByteArray more = QByteArray::number(static_cast<int>(mostStages) + 1);
        QVERIFY(problemsOf(training("plan.pipeline_parallel=" + more.toStdString()))
                    .contains(QByteArray("error /plan/pipeline_parallel: A pipeline may have at most " +
                                         most + " stages")));
        const QByteArray at = problemsOf(training("plan.pipeline_parallel=" + most.toStdString()));
        QVERIFY2(!at.contains("at most") &&
                     at.contains(QByteArray(most + " stages exceed the 8 layers of Dense 1")),
                 at.constData());
    }

    /// 8 layers in 4 stages: as many numbers that sum to them, none below zero.
    void splitsOfAPipeline() {
        const QByteArray wrong = "error /plan/pipeline_split: The split needs 4 numbers that sum to the 8 "
                                 "layers of Dense 1";
        const auto problems = [](const char* split) {
            return problemsOf(
                training(std::string("plan.pipeline_parallel=4; plan.pipeline_split=") + split));
        };
        QCOMPARE(problems("3,2,2,1"), QByteArray());
        QCOMPARE(problems("4,0,2,2"), QByteArray());
        QCOMPARE(problems("3,2,2,2"), wrong);
        QCOMPARE(problems("3,2,2"), wrong);
        QCOMPARE(problems("3,3,2"), wrong);
        QCOMPARE(problems("2,2,2,2,0"), wrong);
    }

    void contextsOfReinforcementLearning() {
        const auto problems = [](const char* limit) {
            return problemsOf(resolved(edited(smallReinforcement(), {{"workload.response_limit", limit}})));
        };
        QCOMPARE(problems("7992"), QByteArray()); // and 200 of the prompt
        QCOMPARE(problems("7993"), QByteArray("warning /workload/response_limit: Prompt and longest response "
                                              "exceed the 8,192-token context of Dense 1"));
    }

    /// Where ranks are placed: 4 machines of which 2 train and one is excluded.
    void placesOfRanks() {
        const Scenario placed =
            training("cluster.gpus=16; cluster.placement=sorted; cluster.excluded_hosts=host-2");
        const PlacementFacts& facts = placed.placement.value();
        QCOMPARE(facts.source, std::string("catalog network, assuming 16 instances per leaf switch"));
        QCOMPARE(facts.hosts, 4);
        QCOMPARE(facts.hostsInUse, 2);
        QCOMPARE(facts.excludedHosts, 1);
        QCOMPARE(facts.spareHosts, 1);
        const Scenario full =
            training("cluster.gpus=24; cluster.excluded_hosts=host-2; workload.global_batch=48");
        QCOMPARE(full.placement.value().spareHosts, 0);
    }

    void conditionsOfFields() {
        const auto applies = [](const char* path, std::string_view edit) {
            const FieldCondition when = findField(path)->when;
            return when == nullptr || when(edited(smallTraining(), editOf(edit)), sharedCatalog());
        };
        QVERIFY(!applies("plan.context_parallel_kind", ""));
        QVERIFY(!applies("plan.context_parallel_kind", "plan.context_parallel=1"));
        QVERIFY(applies("plan.context_parallel_kind", "plan.context_parallel=2"));
        QVERIFY(applies("cluster.instance", ""));
        QVERIFY(!applies("cluster.instance", "cluster.instance=; cluster.custom.gpu=hopper"));
        QVERIFY(!applies("cluster.instance", "cluster.instance=; cluster.ultraserver=rack"));
    }

    /// The sections of a file are opened and closed once each.
    void scenariosAsTheyAreWritten() {
        QCOMPARE(writtenOf(smallTraining()),
                 std::string("workload{ model='dense' sequence_length=1024 global_batch=32 } cluster{ "
                             "instance='h8' instances=4 }"));
        QCOMPARE(writtenOf(edited(
                     smallTraining(),
                     editOf("plan.tensor_parallel=2; plan.overlap.tensor=0.5; plan.overlap.gradient=0; "
                            "plan.recompute=full; plan.pipeline_split=5,3; "
                            "plan.sequence_parallel=true"))),
                 std::string("workload{ model='dense' sequence_length=1024 global_batch=32 } cluster{ "
                             "instance='h8' instances=4 } plan{ tensor_parallel=2 sequence_parallel=true "
                             "pipeline_split[ 5 3 ] recompute='full' overlap{ tensor=0.5 gradient=0 } }"));
        // Of two sections inside another one; lists of words, and a model that has no name of the catalog.
        ScenarioSpec apart = edited(smallServing(), editOf("plan.disaggregated.prefill.workers=2; "
                                                           "plan.disaggregated.decode.workers=3; "
                                                           "plan.recompute=norms, moe"));
        apart.workload.model.reset();
        apart.workload.architecture = sharedCatalog().models[1];
        QCOMPARE(writtenOf(apart),
                 std::string("workload{ kind='serving' model=Experts 1 input_tokens=500 output_tokens=100 "
                             "request_rate_per_s=2 } cluster{ instance='h8' instances=1 } plan{ recompute[ "
                             "'norms' 'moe' ] disaggregated{ prefill{ workers=2 } decode{ workers=3 } } }"));
    }

    /// Numbers in proportion: with a number of GPUs for a pool the other one takes what is left, and data
    /// parallelism of either is found anew.
    void numbersOfMachines() {
        const ScenarioSpec plain = smallReinforcement();
        for (const char* side : {"train", "rollout"}) {
            const std::string path = std::string("plan.") + side + ".data_parallel";
            const Edit edit = machineCountEdit(edited(plain, {{path, "2"}}), 4);
            QCOMPARE(edit, (Edit{{"cluster.instances", "4"},
                                 {"cluster.gpus", ""},
                                 {"plan.data_parallel", ""},
                                 {"plan.train.data_parallel", ""},
                                 {"plan.rollout.data_parallel", ""}}));
        }
        const Edit scaled = machineCountEdit(
            edited(plain, editOf("plan.placement=split; plan.rollout.gpus=6; plan.train.gpus=10")), 1);
        QCOMPARE(scaled, (Edit{{"cluster.instances", "1"},
                               {"cluster.gpus", ""},
                               {"plan.data_parallel", ""},
                               {"plan.rollout.gpus", "3"},
                               {"plan.train.gpus", ""}}));
        const Edit training = machineCountEdit(edited(plain, editOf("plan.placement=split; "
                                                                    "plan.train.gpus=10")),
                                               1);
        QCOMPARE(training.back(), (Edit::value_type{"plan.train.gpus", "5"}));
        QCOMPARE(machineCountEdit(edited(plain, editOf("plan.placement=split; plan.train.gpus=1")), 1).back(),
                 (Edit::value_type{"plan.train.gpus", "1"})); // at least one
    }

    /// Machines to train on: eight GPUs or more in an NVLink domain as large, with a network, rented alone.
    void machinesToTrainOn() {
        Catalog catalog = resolvingCatalog();
        const auto offered = [&] { return trainingInstances(catalog) == std::vector<std::string>{"h8"}; };
        QVERIFY(offered());
        Instance& h8 = catalog.instances[0];
        const Instance whole = h8;
        h8.gpus = 7;
        QVERIFY(!offered());
        h8 = whole;
        h8.nvlinkDomain = 7;
        QVERIFY(!offered());
        h8 = whole;
        h8.efaPerDirection.reset();
        QVERIFY(!offered());
        h8 = whole;
        h8.ultraserverOnly = true;
        QVERIFY(!offered());
        h8 = whole;
        catalog.gpus[0].bf16.reset();
        QVERIFY(!offered());
        QVERIFY(servingInstances(catalog).empty());
        catalog = resolvingCatalog();
        catalog.instances[2].nvlinkDomain = 1; // a4, over PCIe: its rates are assumed
        QVERIFY((servingInstances(catalog) == std::vector<std::string>{"h8", "h1"}));
        catalog.instances[2].nvlinkDomain = 4;
        QVERIFY((servingInstances(catalog) == std::vector<std::string>{"h8", "h1", "a4"}));
        catalog.instances[2].ultraserverOnly = true;
        QVERIFY((servingInstances(catalog) == std::vector<std::string>{"h8", "h1"}));
    }

    /// Two pools of reinforcement learning take what they are given, and the rest is idle.
    void poolsOfReinforcementLearning() {
        const auto roles = [](std::string_view edit) {
            return resolved(edited(smallReinforcement(), editOf(edit)));
        };
        const Scenario split = roles("plan.placement=split; plan.rollout.gpus=4; plan.train.gpus=8");
        QCOMPARE(split.roles->idleGpus, 4);
        QCOMPARE(roles("plan.placement=split; plan.rollout.gpus=8; plan.train.gpus=8").roles->idleGpus, 0);
        QCOMPARE(roles("").roles->idleGpus, 0);
        // At least one GPU is left to train on.
        QCOMPARE(roles("plan.placement=split; plan.rollout.gpus=15").spec.roles.read().trainGpus.value(),
                 std::int64_t{1});
        QCOMPARE(roles("plan.placement=split; plan.rollout.gpus=16").spec.roles.read().trainGpus.value(),
                 std::int64_t{1});
    }

    /// A service is found anew each time, whatever is said to have changed.
    void layoutsOfServices() {
        LayoutResolver again(sharedCatalog(), sharedCatalog().defaultProfile);
        QVERIFY(again.resolve(smallServing())->legal);
        const auto& two =
            again.resolve(edited(smallServing(), {{"plan.tensor_parallel", "2"}}), LayoutFields{1});
        QCOMPARE(two->pools.front().plan.tensorParallel, 2);
        QVERIFY(again.illegalBy() == allLayoutFields);
    }
};

QTEST_APPLESS_MAIN(TestScenarioRules)

} // namespace tst_scenario_rules

#include "tst_scenario_rules.moc"
