// SPDX-License-Identifier: GPL-3.0-or-later
// Export and import of a user catalog lose nothing and change no figure.
#include "catalog_folder.h"
#include "data/catalog/catalog_writer.h"
#include "data/catalog/cell_text.h"
#include "data/catalog/shipped.h"
#include "data/catalog/user_catalog_import.h"
#include "data/catalog/user_catalog_json.h"
#include "data/estimate/estimate_json.h"
#include "data/import/huggingface.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "user_edits.h"

#include <random>

namespace tst_user_catalog_json {

using namespace alidade;
using namespace alidade::data;
using alidade::test::shippedCatalog;
using alidade::tests::ada;
using alidade::tests::CatalogFolder;
using alidade::tests::UserEdits;

using enum alidade::data::CatalogKind;

namespace {

/// Everything that a catalog holds, as text.
std::string everything(const Catalog& catalog) {
    std::string out;
    for (std::size_t i = 0; i + 1 < catalogKindNames.size(); ++i) {
        const auto kind = static_cast<CatalogKind>(i);
        const std::string list = catalogList(catalog, kind, CatalogForm::json);
        for (const nlohmann::json& listed : nlohmann::json::parse(list))
            out += *catalogEntry(catalog, kind, listed.at("id"), CatalogForm::json);
    }
    return out;
}

std::string estimateOf(const std::shared_ptr<const Catalog>& catalog, const std::string& scenario) {
    const auto spec = readScenario(*shippedScenario(scenario), scenario);
    if (!spec)
        qFatal("%s", spec.error().c_str());
    const auto result = estimate(*spec, *catalog, catalog->defaultProfile);
    return result ? writeEstimate(*result) : result.error();
}

UserCatalog withEverything() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "hbm_bandwidth_gb_per_s", "3010.7");
    edits.set(gpus, "h100-sxm", "hbm_bandwidth_gb_per_s", "3000.1");
    edits.set(gpus, "h100-sxm", "tdp_w", "null");
    edits.take(resetValue(edits.user, gpus, "h100-sxm", "tdp_w", ada()));
    edits.set(instances, "p5.48xlarge", "efa_bandwidth_gb_per_s_per_direction", "333.333333333333");
    edits.set(prices, "p5.48xlarge/us-east-2/on_demand", "usd_per_hour", "41.5");
    edits.set(models, "llama-3.1-8b", "notes", "[\"ours – “trimmed”\"]");
    edits.set(models, "deepseek-v3", "moe.experts_per_token", "4");
    edits.copy(instances, "p5.48xlarge", "lab");
    edits.remove(gpus, "l4");
    edits.take(restoreEntry(edits.user, gpus, "l4", ada()));
    edits.remove(ultraservers, edits.catalog().ultraservers.front().id);
    Signature source = ada();
    source.source = Source{"Contract 7", "https://example.org/7", {}, "2026-10", {}, true, {}};
    edits.take(changeValue(*shippedCatalog(), edits.catalog(), gpus, "h200-sxm", "tdp_w", "650", source));
    return edits.user;
}

} // namespace

class TestUserCatalogJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exportLosesNothing();
    void theCommandLineReadsTheSameFigures();
    void entriesBecomeChanges();
    void faultsHaveTheirPlace_data();
    void faultsHaveTheirPlace();
    void aChangeThatDoesNotFitIsNoReasonToRefuse();
    void importSaysWhatItWouldChange();
    void importLeavesOut();
    void huggingFaceModelIsAdded();
    void randomEdits();
};

void TestUserCatalogJson::exportLosesNothing() {
    const UserCatalog user = withEverything();
    const std::string text = userCatalogToJson(user, shippedCatalog()->version);
    const auto read = userCatalogFromJson(*shippedCatalog(), text, "mine.json");
    QVERIFY2(read, read.error().c_str());
    QCOMPARE(read->changes.size(), user.changes.size());
    for (std::size_t i = 0; i < user.changes.size(); ++i)
        QVERIFY2(read->changes[i] == user.changes[i], changeToJson(user.changes[i]).c_str());
    QCOMPARE(userCatalogToJson(*read, shippedCatalog()->version), text);
    for (const CatalogChange& change : user.changes) {
        const auto one = changeFromJson(changeToJson(change));
        QVERIFY(one && *one == change);
    }
}

void TestUserCatalogJson::theCommandLineReadsTheSameFigures() {
    const UserCatalog user = withEverything();
    const AppliedCatalog window = applyChanges(shippedCatalog(), user);
    QVERIFY(window.setAside.empty());
    const CatalogFolder folder;
    folder.write("mine.json", userCatalogToJson(user, shippedCatalog()->version));
    const CatalogLoad line = loadCatalog(shippedCatalog(), folder.file("mine.json"));
    QVERIFY2(line.problems.empty(), alidade::tests::lines(line.problems).constData());
    QVERIFY(line.setAside.empty());
    QVERIFY(everything(*line.catalog) == everything(*window.catalog));
    const char* scenario = "llama-3.1-70b-64xp5.48xlarge";
    const std::string figures = estimateOf(window.catalog, scenario);
    QCOMPARE(estimateOf(line.catalog, scenario), figures);
    QVERIFY(figures != estimateOf(shippedCatalog(), scenario));
}

void TestUserCatalogJson::entriesBecomeChanges() {
    const nlohmann::json document = alidade::tests::userDocument(
        "models", {{{"id", "deepseek-v3"},
                    {"moe", {{"experts_per_token", 4}}},
                    {"layers", 60},
                    {"sources", {{{"title", "Our fork"}, {"date", "2026-10-01"}}}}},
                   {{"id", "mine"},
                    {"layers", 2},
                    {"hidden_size", 64},
                    {"attention_heads", 4},
                    {"kv_heads", 4},
                    {"head_dim", 16},
                    {"vocab_size", 100},
                    {"ffn_intermediate_size", 128}}});
    const auto user = userCatalogFromJson(*shippedCatalog(), document.dump(), "mine.json", ada());
    QVERIFY2(user, user.error().c_str());
    QCOMPARE(user->changes.size(), 3u);
    const AppliedCatalog applied = applyChanges(shippedCatalog(), *user);
    QVERIFY(applied.setAside.empty());
    const auto direct = loadCatalogText(shippedCatalog(), "mine.json", document.dump()).catalog;
    for (const char* id : {"deepseek-v3", "mine"}) {
        const Architecture& a = *applied.catalog->model(id);
        const Architecture& b = *direct->model(id);
        QCOMPARE(a.layers, b.layers);
        QCOMPARE(a.moe.has_value(), b.moe.has_value());
    }
    QCOMPARE(applied.catalog->model("deepseek-v3")->moe->expertsPerToken, 4);
    QCOMPARE(citation(applied.catalog->model("deepseek-v3")->provenance, "layers"),
             std::string("Our fork (2026-10-01)"));
}

void TestUserCatalogJson::faultsHaveTheirPlace_data() {
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<QByteArray>("place");
    const auto row = [](const char* name, const char* change, const char* place) {
        QTest::newRow(name) << R"({"alidade": 1, "kind": "changes", "changes": [)" + QByteArray(change) + "]}"
                            << QByteArray(place);
    };
    QTest::newRow("no JSON") << QByteArray("{") << QByteArray("mine.json: line 1");
    QTest::newRow("no changes") << QByteArray(R"({"alidade": 1, "kind": "changes"})")
                                << QByteArray("/changes");
    row("unknown change", R"({"change": "sett", "kind": "gpus", "id": "l4"})", "/changes/0/change");
    row("unknown kind", R"({"change": "remove", "kind": "cpus", "id": "l4"})", "/changes/0/kind");
    row("scenarios", R"({"change": "remove", "kind": "scenarios", "id": "l4"})", "/changes/0/kind");
    row("no id", R"({"change": "remove", "kind": "gpus"})", "/changes/0/id");
    row("no key", R"({"change": "set", "kind": "gpus", "id": "l4", "value": 1})", "/changes/0/key");
    row("no value", R"({"change": "set", "kind": "gpus", "id": "l4", "key": "tdp_w"})", "/changes/0/value");
    row("no entry", R"({"change": "add", "kind": "gpus", "id": "l4"})", "/changes/0/value");
    row("unknown key", R"({"change": "remove", "kind": "gpus", "id": "l4", "why": "x"})", "/changes/0/why");
    row("source without a title", R"({"change": "remove", "kind": "gpus", "id": "l4", "source": {}})",
        "/changes/0/source/title");
}

void TestUserCatalogJson::faultsHaveTheirPlace() {
    QFETCH(QByteArray, document);
    QFETCH(QByteArray, place);
    const auto read = userCatalogFromJson(*shippedCatalog(), document.toStdString(), "mine.json");
    QVERIFY(!read);
    QVERIFY2(QByteArray::fromStdString(read.error()).contains(place), read.error().c_str());
    const CatalogLoad load = loadCatalogText(shippedCatalog(), "mine.json", document.toStdString());
    QVERIFY(!load.problems.empty());
    QCOMPARE(load.catalog.get(), shippedCatalog().get());
}

void TestUserCatalogJson::aChangeThatDoesNotFitIsNoReasonToRefuse() {
    const std::string document =
        R"({"alidade": 1, "kind": "changes", "changes": [
            {"change": "set", "kind": "gpus", "id": "gone", "key": "tdp_w", "value": 1},
            {"change": "set", "kind": "gpus", "id": "l4", "key": "tdp_w", "value": "much"},
            {"change": "set", "kind": "gpus", "id": "l4", "key": "sm_count", "value": 57}]})";
    const CatalogLoad load = loadCatalogText(shippedCatalog(), "mine.json", document);
    QVERIFY(load.problems.empty());
    QCOMPARE(load.catalog->gpu("l4")->streamingMultiprocessors, std::optional(57));
    QCOMPARE(load.setAside.size(), 2u);
    QCOMPARE(load.setAside[0].pointer, std::string("/changes/0"));
    QCOMPARE(load.setAside[1].pointer, std::string("/changes/1"));
    const CatalogFolder folder;
    folder.write("mine.json", document);
    QCOMPARE(checkCatalog(folder.file("mine.json")).size(), 2u);
}

void TestUserCatalogJson::importSaysWhatItWouldChange() {
    UserEdits mine, theirs;
    mine.set(gpus, "h100-sxm", "tdp_w", "650");
    mine.set(gpus, "h100-sxm", "sm_count", "130");
    theirs.set(gpus, "h100-sxm", "tdp_w", "600");
    theirs.set(gpus, "h100-sxm", "sm_count", "130");
    theirs.set(gpus, "h200-sxm", "tdp_w", "680");
    theirs.copy(gpus, "l4", "l4-theirs");
    theirs.remove(prices, "p5.48xlarge/us-east-2/on_demand");
    const auto steps = importSteps(shippedCatalog(), mine.user, theirs.user);
    QCOMPARE(steps.size(), 4u); // not the one in which both agree
    QCOMPARE(steps[0].key, std::string("tdp_w"));
    QCOMPARE(steps[0].now, std::string("650"));
    QCOMPARE(steps[0].then, std::string("600"));
    QVERIFY(steps[0].own && !steps[1].own);
    QCOMPARE(steps[1].entry, std::string("h200-sxm"));
    QVERIFY(steps[2].now.empty() && !steps[2].then.empty());
    QVERIFY(steps[3].then.empty() && !steps[3].now.empty());
    const UserCatalog merged = withImported(mine.user, theirs.user);
    const AppliedCatalog applied = applyChanges(shippedCatalog(), merged);
    QCOMPARE(applied.catalog->gpu("h100-sxm")->power->si(), 600.);
    QVERIFY(applied.catalog->gpu("l4-theirs") != nullptr);
    QVERIFY(importSteps(shippedCatalog(), merged, theirs.user).empty());
    QVERIFY(withImported(merged, theirs.user) == merged);
}

void TestUserCatalogJson::importLeavesOut() {
    UserEdits mine, theirs;
    mine.set(gpus, "h100-sxm", "tdp_w", "650");
    theirs.set(gpus, "h100-sxm", "tdp_w", "610");
    theirs.set(gpus, "h100-sxm", "tdp_w", "600");
    theirs.set(gpus, "h200-sxm", "tdp_w", "680");
    const UserCatalog merged = withImported(mine.user, theirs.user, {1});
    const AppliedCatalog applied = applyChanges(shippedCatalog(), merged);
    QCOMPARE(applied.catalog->gpu("h100-sxm")->power->si(), 650.);
    QCOMPARE(applied.catalog->gpu("h200-sxm")->power->si(), 680.);
}

void TestUserCatalogJson::huggingFaceModelIsAdded() {
    const auto model = importHuggingFaceConfig(
        R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000,
            "max_position_embeddings": 2048, "_name_or_path": "us/Tiny"})",
        "config.json");
    QVERIFY2(model, model.error().c_str());
    UserEdits edits;
    edits.take(addModel(edits.catalog(), *model, ada()));
    edits.take(addModel(edits.catalog(), *model, ada()));
    QVERIFY(edits.applied.setAside.empty());
    QCOMPARE(edits.catalog().models.size(), shippedCatalog()->models.size() + 2);
    const Architecture& added = edits.catalog().models.back();
    QCOMPARE(added.id, model->id + "-2");
    QCOMPARE(added.hiddenSize, 64);
    QVERIFY(!added.provenance.sources.empty() && added.provenance.user);
}

/// Random edits, as a person makes them in cells and menus: applied, exported and imported they are the same,
/// and taking the last one off gives the catalog before it.
void TestUserCatalogJson::randomEdits() {
    std::mt19937 random(7);
    const auto upTo = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const std::vector<std::string> texts = {"1",        "7",           "64",  "0.5",  "250",  "3000",
                                            "yes",      "no",          "",    "bf16", "A, B", "2026-11-01",
                                            "h100-sxm", "p5.48xlarge", "spot"};
    UserEdits edits;
    std::size_t made = 0;
    for (int n = 0; n < 140; ++n) {
        const auto kind = static_cast<CatalogKind>(upTo(7));
        std::vector<std::string> ids;
        const std::string list = catalogList(edits.catalog(), kind, CatalogForm::json);
        for (const nlohmann::json& listed : nlohmann::json::parse(list))
            ids.push_back(listed.at("id"));
        for (const CatalogChange& change : edits.user.changes)
            if (change.kind == kind)
                ids.insert(ids.end(), 20, change.entry); // entries that were edited before are edited again
        const std::string& id = ids[upTo(ids.size())];
        std::vector<CatalogChange> changes;
        const auto take = [&](const Result<CatalogChange>& change) {
            if (change)
                changes.push_back(*change);
        };
        switch (const std::size_t what = upTo(10)) {
        case 0:
            take(duplicateEntry(edits.catalog(), kind, id, freeId(edits.catalog(), kind, id), ada()));
            break;
        case 1:
            if (const auto removed = removeEntry(edits.catalog(), kind, id, WithDependants::refuse, ada()))
                changes = *removed;
            break;
        case 2:
            take(restoreEntry(edits.user, kind, id, ada()));
            break;
        case 3:
            take(resetEntry(edits.user, kind, id, ada()));
            break;
        default: {
            const CatalogKey& key = catalogKeys(kind)[upTo(catalogKeys(kind).size())];
            const CellReading reading = readCell(edits.catalog(), kind, key.key, texts[upTo(texts.size())]);
            if (reading && what > 4)
                take(changeValue(*shippedCatalog(), edits.catalog(), kind, id, key.key, *reading.value,
                                 ada()));
            else
                take(resetValue(edits.user, kind, id, key.key, ada()));
        }
        }
        if (changes.empty())
            continue;
        ++made;
        const UserCatalog before = edits.user;
        const std::shared_ptr<const Catalog> old = edits.applied.catalog;
        edits.user.changes.insert(edits.user.changes.end(), changes.begin(), changes.end());
        edits.applied = applyChanges(shippedCatalog(), edits.user);
        if (n % 70 == 69) {
            QVERIFY(everything(*applyChanges(shippedCatalog(), before).catalog) == everything(*old));
            const std::string text = userCatalogToJson(edits.user, shippedCatalog()->version);
            const auto read = userCatalogFromJson(*shippedCatalog(), text, "mine.json");
            QVERIFY2(read && *read == edits.user, read.error().c_str());
            QVERIFY(everything(*loadCatalogText(shippedCatalog(), "mine.json", text).catalog) ==
                    everything(edits.catalog()));
        }
    }
    QVERIFY(made > 40);
}

QTEST_APPLESS_MAIN(TestUserCatalogJson)

} // namespace tst_user_catalog_json

#include "tst_user_catalog_json.moc"
