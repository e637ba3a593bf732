// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of values that a field refuses, which fields a scenario shows, and edits in words.
#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_field_texts {

using namespace alidade;
using namespace alidade::test;

namespace {

const Field& at(const char* path) { return *findField(path); }

QByteArray typed(const char* path, const char* text) {
    const auto value = parseField(at(path), text);
    return value ? QByteArray::fromStdString(fieldText(at(path), *value))
                 : QByteArray::fromStdString(value.error());
}

QByteArray check(const char* path, const FieldValue& value) {
    return QByteArray::fromStdString(checkField(at(path), value));
}

using Words = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

} // namespace

class TestFieldTexts : public QObject {
    Q_OBJECT

private slots:
    void typedTexts_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("becomes");
        const auto row = [](const char* path, const char* text, const char* becomes) {
            QTest::addRow("%s=%s", path, text) << QByteArray(path) << QByteArray(text) << QByteArray(becomes);
        };
        row("plan.sequence_parallel", "TRUE", "true");
        row("plan.sequence_parallel", "yes", "true");
        row("plan.sequence_parallel", "on", "true");
        row("plan.sequence_parallel", "1", "true");
        row("plan.sequence_parallel", "No", "false");
        row("plan.sequence_parallel", "off", "false");
        row("plan.sequence_parallel", "0", "false");
        row("plan.sequence_parallel", "false", "false");
        row("plan.sequence_parallel", "2", "'2' is not a Boolean; use true or false");
        row("plan.tensor_parallel", "65536", "65536");
        row("plan.tensor_parallel", "65537", "65537 is out of range; use 1 to 65,536");
        row("plan.tensor_parallel", "0", "0 is out of range; use 1 to 65,536");
        row("plan.tensor_parallel", "1.5", "'1.5' is not a whole number; use 1 to 65,536");
        row("workload.sequence_length", "8k tokens", "8000");
        row("plan.precision", "BF16", "bf16");
        row("plan.schedule", "1F1B", "1f1b");
        row("plan.schedule", "1f1",
            "'1f1' is not a valid choice, the nearest is '1f1b'; use one of gpipe, 1f1b, "
            "interleaved, zb-h1, zb-v, dualpipe, dualpipe-v");
        row("plan.context_parallel_kind", "qqqqqqqq",
            "'qqqqqqqq' is not a valid choice; use one of ring, all_gather, ulysses");
        row("plan.recompute", "[norms, GLU]", "norms, glu");
        row("plan.recompute", "FULL", "full");
        row("plan.recompute", "norms,",
            "'' is not a valid list item; use words without commas or surrounding spaces");
        row("plan.recompute", "norms, norms", "'norms' is listed twice; list it once");
        row("plan.recompute", "full, norms", "'full' cannot be combined with other words; leave them out");
        row("plan.pipeline_split", "[8, 7,7 , 8]", "8, 7, 7, 8");
        row("plan.pipeline_split", "8", "8");
        row("plan.pipeline_split", "8 7",
            "'8 7' is not a whole number; separate the numbers with commas, such as 8, 8, 7, 7");
        row("name", "  two words ", "  two words ");
        row("workload.model", "  dense ", "dense");
        row("order.currency", "EUR", "EUR");
        row("order.currency", "EURO", "it must be three capital letters such as EUR (ISO 4217)");
        row("order.currency", "eur", "it must be three capital letters such as EUR (ISO 4217)");
        row("order.currency", "A[Z", "it must be three capital letters such as EUR (ISO 4217)");
        row("order.currency", "AZA", "AZA");
        row("order.start", "2027-02-29", "it must be a date such as 2027-01-04 (year-month-day)");
        row("order.days", "3660", "3660");
        row("order.days", "3661", "3661 is out of range; use 0.0416667 to 3,660");
    }
    void typedTexts() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, becomes);
        QCOMPARE(typed(path.constData(), text.constData()), becomes);
    }

    void valuesOfAnotherKind() {
        const std::string text = "x";
        QCOMPARE(check("plan.sequence_parallel", text),
                 QByteArray("the value is not a Boolean; use true or false"));
        QCOMPARE(check("plan.tensor_parallel", 2.0),
                 QByteArray("the value is not a whole number; use 1 to 65,536"));
        QCOMPARE(check("plan.goodput", text), QByteArray("the value is not a number; use 1 % to 100 %"));
        QCOMPARE(check("plan.context_parallel_kind", true),
                 QByteArray("the value is not text; use one of ring, all_gather, ulysses"));
        QCOMPARE(check("name", true), QByteArray("the value is not text; use text"));
        QCOMPARE(check("workload.model", true),
                 QByteArray("the value is not text; use an ID from the catalog's models"));
        QCOMPARE(check("cluster.excluded_hosts", text),
                 QByteArray("the value is not a list of words; use words"));
        QVERIFY(check("plan.recompute", text)
                    .startsWith("the value is not a list of words; use one or more of none, "));
        QVERIFY(check("plan.pipeline_split", text)
                    .startsWith("the value is not a list of whole numbers; use numbers from 0 to "));
        QCOMPARE(check("plan.tensor_parallel", std::int64_t{4}), QByteArray());
        QCOMPARE(check("plan.goodput", std::nan("")),
                 QByteArray("the number is out of range; use 1 % to 100 %"));
        QCOMPARE(check("plan.goodput", 1.5), QByteArray("150 % is out of range; use 1 % to 100 %"));
    }

    void textsAndLists() {
        QCOMPARE(check("name", std::string()),
                 QByteArray("the text is empty; enter a value or leave the field out"));
        QCOMPARE(check("name", std::string(1000, 'a')), QByteArray());
        QCOMPARE(check("name", std::string(1001, 'a')),
                 QByteArray("the text is too long; use at most 1,000 bytes"));
        QVERIFY(check("name", std::string("a\x1f"))
                    .contains("contains control characters; use printable characters"));
        QVERIFY(check("name", std::string("a\x7f")).contains("contains control characters"));
        QCOMPARE(check("name", std::string("a b")), QByteArray());
        QCOMPARE(check("cluster.excluded_hosts", Words{}),
                 QByteArray("the list is empty; give at least one item or leave the field out"));
        QCOMPARE(check("cluster.excluded_hosts", Words{" a"}),
                 QByteArray("' a' is not a valid list item; use words without commas or surrounding spaces"));
        QCOMPARE(
            check("cluster.excluded_hosts", Words{"a,b"}),
            QByteArray("'a,b' is not a valid list item; use words without commas or surrounding spaces"));
        QCOMPARE(check("cluster.excluded_hosts", Words{"a", "b", "a"}),
                 QByteArray("'a' is listed twice; list it once"));
        QCOMPARE(check("cluster.excluded_hosts", Words{"a", "b"}), QByteArray());
        QCOMPARE(check("plan.pipeline_split", Integers{}),
                 QByteArray("the list is empty; give at least one number or leave the field out"));
        QVERIFY(check("plan.pipeline_split", Integers{8, -1}).startsWith("-1 is out of range; use 0 to "));
        QCOMPARE(check("plan.pipeline_split", Integers{8, 0}), QByteArray());
    }

    void choicesOfAScenario() {
        const Catalog& catalog = sharedCatalog();
        ScenarioSpec spec = smallTraining();
        QCOMPARE(checkChoices(spec, catalog), std::string());
        spec.cluster.purchase = "spot"; // not offered, but taken
        QCOMPARE(checkChoices(spec, catalog), std::string());
        QCOMPARE(differences(resolved(spec), "price=8; cluster.purchase=spot"), QByteArray());
        spec.cluster.purchase = "gift";
        QVERIFY(checkChoices(spec, catalog)
                    .starts_with("/cluster/purchase: 'gift' is not a valid choice; use one of "));
        QVERIFY(refusalOf(spec).startsWith("/cluster/purchase: 'gift' is not a valid choice"));
        spec = smallTraining();
        spec.plan.recompute = Words{"norms", "normz"};
        QVERIFY(
            checkChoices(spec, catalog)
                .starts_with(
                    "/plan/recompute: 'normz' is not a valid choice, the nearest is 'norms'; use one of "));
        spec = smallTraining();
        spec.cluster.commitment = "5_years_barter";
        QVERIFY(!checkChoices(spec, catalog).empty());
        Catalog own = resolvingCatalog();
        own.prices.front().terms = "5 years, barter";
        QCOMPARE(checkChoices(spec, own), std::string()); // the term of a price
    }

    void fieldsOfAScenario_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("with");
        QTest::addColumn<QByteArray>("without");
        const auto row = [](const char* path, const char* with, const char* without) {
            QTest::addRow("%s: %s", path, with)
                << QByteArray(path) << QByteArray(with) << QByteArray(without);
        };
        row("workload.finetune.rank", "workload.finetune.kind=lora", "workload.finetune.kind=full");
        row("workload.finetune.targets", "workload.finetune.kind=qlora", "");
        row("workload.finetune.epochs", "workload.finetune.examples=10", "");
        row("workload.finetune.packed", "workload.finetune.example_tokens=10", "");
        row("cluster.custom.memory_bytes_per_gpu", "cluster.custom.gpu=hopper", "");
        row("cluster.custom.memory_bytes_per_gpu", "cluster.custom.gpus_per_node=4", "");
        row("cluster.custom.memory_bytes_per_gpu", "cluster.custom.nvlink_domain=4", "");
        row("cluster.custom.memory_bytes_per_gpu", "cluster.custom.network=efa3", "");
        row("cluster.custom.memory_bytes_per_gpu",
            "cluster.custom.network_bytes_per_s_per_gpu_per_direction=1 GB/s", "");
        row("cluster.custom.memory_bytes_per_gpu",
            "cluster.custom.nvlink_bytes_per_s_per_gpu_per_direction=1 GB/s", "");
        row("cluster.custom.gpu", "cluster.custom.memory_bytes_per_gpu=1 GB", "");
        row("cluster.instances", "", "cluster.ultraserver=rack");
        row("cluster.ultraservers", "cluster.ultraserver=rack", "");
        row("cluster.ultraserver", "cluster.ultraserver=rack", "");
        row("cluster.dollars_per_instance_hour", "cluster.purchase=custom", "cluster.purchase=on_demand");
        row("cluster.dollars_per_instance_hour", "cluster.purchase=training_plan", "");
        row("order.base.purchase", "order.base.instances=1", "order.base.instances=0");
        row("plan.sequence_parallel", "plan.tensor_parallel=2", "plan.tensor_parallel=1");
        row("plan.context_parallel_kind", "plan.context_parallel=2", "plan.context_parallel=1");
        row("plan.schedule", "plan.pipeline_parallel=2", "plan.pipeline_parallel=1");
        row("plan.shard_size", "plan.sharding=hsdp", "plan.sharding=zero3");
        row("plan.fp8_recipe", "plan.precision=fp8", "plan.precision=bf16");
        row("plan.capacity_factor", "workload.model=experts", "");
        row("plan.expert_parallel", "workload.model=experts", "");
        row("run.repair_s", "run.spares=1", "");
        row("run.repair_s", "run.elastic=true", "run.elastic=false");
        row("run.checkpoint_interval_s", "run.checkpoint_mode=sync", "run.checkpoint_mode=peer");
    }
    void fieldsOfAScenario() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, with);
        QFETCH(QByteArray, without);
        const auto applies = [&](const QByteArray& edit) {
            return fieldApplies(at(path.constData()), edited(smallTraining(), editOf(edit.constData())),
                                sharedCatalog());
        };
        QVERIFY(applies(with));
        QVERIFY(!applies(without));
    }

    void fieldsOfAService_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("with");
        QTest::addColumn<QByteArray>("without");
        const auto row = [](const char* path, const char* with, const char* without) {
            QTest::addRow("%s: %s", path, with)
                << QByteArray(path) << QByteArray(with) << QByteArray(without);
        };
        row("workload.arrival_cv", "", "workload.request_rate_per_s=; workload.concurrency=4");
        row("workload.concurrency", "workload.request_rate_per_s=; workload.concurrency=4", "");
        row("workload.verifier", "workload.selection=majority", "workload.selection=none");
        row("workload.verifier", "workload.selection=best_of_n", "");
        row("workload.step_tokens", "workload.selection=beam_search", "workload.selection=best_of_n");
        row("plan.tensor_parallel", "", "plan.disaggregated.prefill.workers=1");
        row("plan.data_parallel", "", "plan.disaggregated.decode.workers=1");
        row("plan.expert_parallel", "workload.model=experts",
            "workload.model=experts; plan.disaggregated.decode.workers=1");
        row("plan.expert_parallel", "workload.model=experts", "");
        row("plan.speculative.acceptance", "plan.speculative.draft_tokens=2", "");
        row("plan.kv_offload_tier", "plan.kv_offload_bytes=1 GB", "plan.kv_offload_bytes=0 GB");
    }
    void fieldsOfAService() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, with);
        QFETCH(QByteArray, without);
        const auto applies = [&](const QByteArray& edit) {
            return fieldApplies(at(path.constData()), edited(smallServing(), editOf(edit.constData())),
                                sharedCatalog());
        };
        QVERIFY(applies(with));
        QVERIFY(!applies(without));
    }

    void fieldsOfLearning() {
        const auto applies = [](const char* path, const char* edit) {
            return fieldApplies(at(path), edited(smallReinforcement(), editOf(edit)), sharedCatalog());
        };
        QVERIFY(applies("workload.critic", "workload.algorithm=ppo") && !applies("workload.critic", ""));
        QVERIFY(applies("workload.reward.model", "workload.reward.kind=model"));
        QVERIFY(!applies("workload.reward.model", "") && applies("workload.reward.seconds", ""));
        QVERIFY(!applies("workload.reward.seconds", "workload.reward.kind=model"));
        QVERIFY(applies("plan.staleness", "plan.placement=async") &&
                !applies("plan.staleness", "plan.placement=split"));
        QVERIFY(applies("plan.train.gpus", "plan.placement=split") && !applies("plan.train.gpus", ""));
        QVERIFY(!applies("plan.train.gpus", "plan.placement=colocated"));
        QVERIFY(applies("plan.phase_offload", "") && !applies("plan.phase_offload", "plan.placement=async"));
        QVERIFY(!applies("workload.global_batch", "") && !applies("workload.input_tokens", ""));
    }

    void kindsOfWorkload() {
        const WorkloadSpec training = smallTraining().workload, serving = smallServing().workload,
                           learning = smallReinforcement().workload;
        struct Row {
            AppliesTo which;
            const char* name;
            bool trains, serves, learns;
        };
        for (const Row& row :
             {Row{AppliesTo::both, "training and serving", true, true, false},
              Row{AppliesTo::training, "training", true, false, false},
              Row{AppliesTo::serving, "serving", false, true, false},
              Row{AppliesTo::reinforcement, "reinforcement learning", false, false, true},
              Row{AppliesTo::learning, "training and reinforcement learning", true, false, true},
              Row{AppliesTo::all, "every workload", true, true, true}}) {
            QCOMPARE(std::string(kindName(row.which)), std::string(row.name));
            QCOMPARE(belongsTo(row.which, training), row.trains);
            QCOMPARE(belongsTo(row.which, serving), row.serves);
            QCOMPARE(belongsTo(row.which, learning), row.learns);
        }
        QCOMPARE(std::string(kindName(training)), std::string("training"));
        QCOMPARE(std::string(kindName(serving)), std::string("serving"));
        QCOMPARE(std::string(kindName(learning)), std::string("reinforcement learning"));
        QVERIFY(takesPrompts(serving) && makesTokens(serving));
        const auto edit = [](const char* text) { return edited(smallServing(), editOf(text)).workload; };
        QVERIFY(!takesPrompts(edit("workload.phase=decode")) && takesPrompts(edit("workload.phase=prefill")));
        QVERIFY(makesTokens(edit("workload.phase=decode")) && !makesTokens(edit("workload.phase=prefill")));
        QVERIFY(!makesTokens(edit("workload.output_tokens=1")) &&
                makesTokens(edit("workload.output_tokens=1.5")));
    }

    void recomputationThatExists() {
        const auto applies = [](const char* word, const char* model) {
            return choiceApplies(at("plan.recompute"), word,
                                 edited(smallTraining(), {{"workload.model", model}}), sharedCatalog());
        };
        QVERIFY(applies("moe", "experts") && !applies("moe", "dense"));
        QVERIFY(applies("norms", "dense") && applies("full", "dense") && !applies("mla_up_proj", "experts"));
        QVERIFY(choiceApplies(at("plan.schedule"), "moe", smallTraining(), sharedCatalog()));
        QVERIFY(choiceApplies(at("plan.recompute"), "moe", {}, sharedCatalog())); // no model is known
        ScenarioSpec inlined = smallTraining();
        inlined.workload.model.reset();
        inlined.workload.architecture = sharedCatalog().models[1];
        QVERIFY(choiceApplies(at("plan.recompute"), "moe", inlined, sharedCatalog()));
        QVERIFY(fieldApplies(at("plan.capacity_factor"), inlined, sharedCatalog()));
    }

    void editsInWords() {
        QCOMPARE(describeEdit({{"plan.tensor_parallel", "2"}}), std::string("Set Tensor to 2"));
        QCOMPARE(describeEdit({{"plan.data_parallel", ""}, {"plan.precision", "fp8"}}),
                 std::string("Set Precision to FP8 and clear Data"));
        QCOMPARE(describeEdit({{"plan.data_parallel", ""}, {"a.b", "x"}, {"cluster.gpus", ""}}),
                 std::string("Set a.b to x, clear Data and clear GPUs in use"));
        QCOMPARE(describeEdit({{"plan.data_parallel", ""}}), std::string("Clear Data"));
        QCOMPARE(describeEdit({}), std::string());
        const ScenarioSpec spec = smallTraining();
        QVERIFY((changesOf(spec, {{"cluster.instances", "4"},
                                  {"cluster.instance", "h1"},
                                  {"plan.goodput", ""},
                                  {"a", "b"}}) == Edit{{"cluster.instance", "h1"}}));
        const auto changed = applyEdit(spec, {{"cluster.instances", "5"}, {"plan.tensor_parallel", "2"}});
        QVERIFY(changed && changed->cluster.instances == 5 && changed->plan.tensorParallel == 2);
        QVERIFY(!applyEdit(spec, {{"cluster.instances", "0"}}) && !applyEdit(spec, {{"a.b", "1"}}));
        QVERIFY(applyEdit(spec, {})->cluster.instances == 4);
        QCOMPARE(fieldTextInWords(at("plan.recompute"), "norms,glu"), std::string("Norms, GLU product"));
        QCOMPARE(fieldTextInWords(at("plan.sequence_parallel"), "true"), std::string("On"));
        QCOMPARE(fieldTextInWords(at("workload.model"), "norms"), std::string("norms"));
    }

    void groupsOfTheEditor() {
        const auto group = [](const char* path) { return at(path).group; };
        QVERIFY(group("name") == FieldGroup::workload && group("order.tax") == FieldGroup::cluster);
        QVERIFY(group("cluster.discount") == FieldGroup::cluster && group("run.repair_s") == FieldGroup::run);
        QVERIFY(group("plan.disaggregated.prefill.max_batch") == FieldGroup::prefillPool);
        QVERIFY(group("plan.disaggregated.decode.max_batch") == FieldGroup::decodePool);
        QVERIFY(group("plan.speculative.acceptance") == FieldGroup::speculation);
        QVERIFY(group("plan.train.micro_batch") == FieldGroup::roles &&
                group("plan.node_limit") == FieldGroup::plan);
        QVERIFY(excludesPath(at("cluster.instance"), "cluster.custom.gpu"));
        QVERIFY(!excludesPath(at("cluster.instance"), "cluster.customs"));
        QCOMPARE(nearestField("ep"), std::string("plan.expert_parallel"));
        QCOMPARE(nearestField("e"), std::string());
        QCOMPARE(
            withField({}, "plan.tensor_paralel", "2").error(),
            std::string("there is no field 'plan.tensor_paralel'; the nearest is 'plan.tensor_parallel'"));
    }

    void degreesThatAreLegal_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("degrees");
        QTest::addColumn<QByteArray>("why");
        const auto row = [](const char* path, const char* edit, const char* degrees, const char* why) {
            QTest::addRow("%s: %s", path, edit)
                << QByteArray(path) << QByteArray(edit) << QByteArray(degrees) << QByteArray(why);
        };
        // Divisors of 32 GPUs, 32 sequences, 8 layers and these with embedding and head, 10: 1, 2, 4, 5, 8,
        // 10, 16, 32.
        row("plan.tensor_parallel", "", "1 2 4 8 16",
            "Tensor 5 x pipeline 1 does not divide the 32 GPUs; change the degrees, or set data_parallel and "
            "leave GPUs idle");
        row("plan.pipeline_parallel", "", "1 2 4 8",
            "Tensor 1 x pipeline 5 does not divide the 32 GPUs; change the degrees, or set data_parallel and "
            "leave GPUs idle");
        row("plan.data_parallel", "", "1 2 4 8 16 32",
            "A global batch of 32 is not divisible by data 5 x micro-batch 1");
        row("plan.micro_batch", "", "1", "A global batch of 32 is not divisible by data 32 x micro-batch 2");
        row("plan.virtual_pipeline", "plan.pipeline_parallel=4", "1 2",
            "4 stages x 4 chunks exceed the 8 layers of Dense 1");
        row("plan.expert_parallel", "workload.model=experts", "1 2 4 8 16",
            "Expert 5 does not divide the 16 routed experts of Experts 1");
        row("plan.context_parallel", "workload.sequence_length=1000", "1 2 4",
            "Tensor 1 x context 5 x pipeline 1 does not divide the 32 GPUs; change the degrees, or set "
            "data_parallel and "
            "leave GPUs idle");
        row("plan.tensor_parallel", "workload.model=", "", "");
        row("plan.precision", "", "", "");
    }
    void degreesThatAreLegal() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, degrees);
        QFETCH(QByteArray, why);
        std::string rule;
        QByteArray found;
        for (const std::int64_t each :
             legalDegrees(at(path.constData()), edited(smallTraining(), editOf(edit.constData())),
                          sharedCatalog(), &rule)) {
            found += (found.isEmpty() ? "" : " ") + QByteArray::number(each);
        }
        QCOMPARE(found, degrees);
        QCOMPARE(QByteArray::fromStdString(rule), why);
    }
};

QTEST_APPLESS_MAIN(TestFieldTexts)

} // namespace tst_field_texts

#include "tst_field_texts.moc"
