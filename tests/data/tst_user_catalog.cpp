// SPDX-License-Identifier: GPL-3.0-or-later
// A user catalog stands over the shipped one entry by entry, and never breaks it.
#include "catalog_folder.h"

#include <QtTest>

namespace tst_user_catalog {

using namespace alidade;
using namespace alidade::data;
using alidade::tests::CatalogFolder;
using alidade::tests::lines;
using alidade::tests::userDocument;
using Json = nlohmann::json;

namespace {

const std::shared_ptr<const Catalog>& shipped() {
    static const std::shared_ptr<const Catalog> catalog = loadShippedCatalog().catalog;
    return catalog;
}

CatalogLoad load(const Json& document) {
    const CatalogFolder folder;
    folder.write("mine.json", document);
    return loadCatalog(shipped(), folder.file("mine.json"));
}

} // namespace

class TestUserCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partialEntryChangesItsKeysOnly();
    void sourcesStandForTheChangedKeysOnly();
    void nullMakesAValueUnknown();
    void nestedObjectsAreChangedKeyByKey();
    void newEntryIsAdded();
    void negotiatedPriceIsFound();
    void allDocumentsOfAFolderCount();
    void profileReplacesTheDefault();
    void brokenCatalogIsSetAside_data();
    void brokenCatalogIsSetAside();
    void nothingThereIsAProblem();
};

void TestUserCatalog::partialEntryChangesItsKeysOnly() {
    const CatalogLoad result =
        load(userDocument("gpus", {{{"id", "h100-sxm"}, {"hbm_bandwidth_gb_per_s", 3000}}}));
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    const Gpu* mine = result.catalog->gpu("h100-sxm");
    const Gpu* before = shipped()->gpu("h100-sxm");
    QCOMPARE(mine->memoryBandwidth.si(), 3e12);
    QVERIFY(mine->provenance.user && !before->provenance.user);
    QCOMPARE(before->memoryBandwidth.si(), 3.35e12);
    QCOMPARE(mine->memory, before->memory);
    QCOMPARE(mine->bf16.value(), before->bf16.value());
    QCOMPARE(mine->name, before->name);
    QCOMPARE(mine->provenance.conflicts, before->provenance.conflicts);
    QCOMPARE(result.catalog->gpus.size(), shipped()->gpus.size());
    QVERIFY(!result.catalog->gpu("h200-sxm")->provenance.user);
    QCOMPARE(result.catalog->version, shipped()->version);
}

void TestUserCatalog::sourcesStandForTheChangedKeysOnly() {
    const CatalogLoad result = load(userDocument(
        "gpus",
        {{{"id", "h100-sxm"}, {"tdp_w", 650}, {"sources", {{{"title", "Our rack"}, {"date", "2026-10-01"}}}}},
         {{"id", "h200-sxm"}, {"tdp_w", 600}}}));
    const Provenance& named = result.catalog->gpu("h100-sxm")->provenance;
    QCOMPARE(citation(named, "tdp_w"), std::string("Our rack (2026-10-01)"));
    QCOMPARE(sourceOf(named, "hbm_capacity_gb")->authority, std::string("aws_post"));
    const Provenance& unnamed = result.catalog->gpu("h200-sxm")->provenance;
    QCOMPARE(sourceOf(unnamed, "tdp_w")->title, std::string("User catalog"));
    QVERIFY(sourceOf(unnamed, "tdp_w")->path.find("mine.json") != std::string::npos);
    QCOMPARE(sourceOf(unnamed, "hbm_capacity_gb")->authority, std::string("aws_post"));
}

void TestUserCatalog::nullMakesAValueUnknown() {
    const CatalogLoad result =
        load(userDocument("gpus", {{{"id", "h100-sxm"}, {"dense_fp8_tflops", nullptr}}}));
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    QVERIFY(!result.catalog->gpu("h100-sxm")->fp8);
    const CatalogLoad refused =
        load(userDocument("gpus", {{{"id", "h100-sxm"}, {"hbm_capacity_gb", nullptr}}}));
    QCOMPARE(refused.problems.size(), 1u);
    QCOMPARE(refused.problems.front().pointer, std::string("/entries/0/hbm_capacity_gb"));
}

void TestUserCatalog::nestedObjectsAreChangedKeyByKey() {
    const CatalogLoad result = load(userDocument(
        "models", {{{"id", "deepseek-v3"}, {"moe", {{"experts_per_token", 4}}}, {"bias", {{"o", true}}}},
                   {{"id", "qwen3-30b-a3b"}, {"ffn_intermediate_size", 6144}, {"moe", nullptr}}}));
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    const Architecture* model = result.catalog->model("deepseek-v3");
    QCOMPARE(model->moe->expertsPerToken, 4);
    QCOMPARE(model->moe->routedExperts, 256);
    QVERIFY(model->biasO && !model->biasQkv);
    QVERIFY(!result.catalog->model("qwen3-30b-a3b")->moe);
}

void TestUserCatalog::newEntryIsAdded() {
    const CatalogLoad result =
        load(userDocument("instances", {{{"id", "lab.8xh100"}, {"gpu", "h100-sxm"}, {"gpus", 8}}}));
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    const Instance* mine = result.catalog->instance("lab.8xh100");
    QVERIFY(mine != nullptr && mine->provenance.user);
    QCOMPARE(mine->gpus, 8);
    QCOMPARE(mine->nvlinkDomain, 1);
    QVERIFY(!mine->gpuMemory && !mine->efaGeneration);
    QCOMPARE(result.catalog->instances.size(), shipped()->instances.size() + 1);
    QVERIFY(shipped()->instance("lab.8xh100") == nullptr);
}

void TestUserCatalog::negotiatedPriceIsFound() {
    const CatalogLoad result = load(userDocument("prices", {{{"id", "p5.48xlarge/us-east-2/on_demand"},
                                                             {"usd_per_hour", 41.5},
                                                             {"date", "2026-11-01"},
                                                             {"notes", {"Our contract."}}}}));
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    const Price* price = result.catalog->price("p5.48xlarge", "us-east-2", Purchase::onDemand);
    QCOMPARE(price->rate.si(), 41.5);
    QCOMPARE(price->date, std::string("2026-11-01"));
    QCOMPARE(price->provenance.notes, std::vector<std::string>{"Our contract."});
    QCOMPARE(shipped()->price("p5.48xlarge", "us-east-2", Purchase::onDemand)->rate.si(), 55.04);
}

void TestUserCatalog::allDocumentsOfAFolderCount() {
    const CatalogFolder folder;
    folder.write("b-instances.json",
                 userDocument("instances", {{{"id", "lab"}, {"gpu", "lab-gpu"}, {"gpus", 4}}}));
    folder.write("z-gpus.json",
                 userDocument("gpus", {{{"id", "lab-gpu"}, {"name", "Lab"}, {"hbm_capacity_gb", 48}}}));
    folder.write("README.txt", std::string("no JSON"));
    const CatalogLoad result = loadCatalog(shipped(), folder.path());
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    QCOMPARE(result.catalog->gpu(result.catalog->instance("lab")->gpu)->memory.si(), 48e9);
}

void TestUserCatalog::profileReplacesTheDefault() {
    const Json profile = {{"alidade", 1},
                          {"name", "ours"},
                          {"date", "2026-11-01"},
                          {"parameters",
                           {{{"name", "gemm.compute_efficiency"},
                             {"value", 0.5},
                             {"unit", "ratio"},
                             {"source", "bench"},
                             {"kind", "fitted"},
                             {"data_share", 0.9}}}}};
    const CatalogLoad result = load(profile);
    QVERIFY2(result.problems.empty(), lines(result.problems).constData());
    QCOMPARE(result.catalog->defaultProfile.name, std::string("ours"));
    QCOMPARE(result.catalog->defaultProfile.parameters.size(), 1u);
    QVERIFY(result.catalog->defaultProfile.parameters.front().kind == SourceKind::fitted);
}

void TestUserCatalog::brokenCatalogIsSetAside_data() {
    QTest::addColumn<QByteArray>("document");
    QTest::newRow("no JSON") << QByteArray("{");
    QTest::newRow("unknown kind") << QByteArray(R"({"alidade": 1, "kind": "cpus", "entries": []})");
    QTest::newRow("one bad entry among good ones")
        << QByteArray(R"({"alidade": 1, "kind": "gpus", "entries": [{"id": "h100-sxm", "tdp_w": 650},
                          {"id": "h200-sxm", "tdp_w": "much"}]})");
    QTest::newRow("unknown reference") << QByteArray(
        R"({"alidade": 1, "kind": "instances", "entries": [{"id": "p5.48xlarge", "gpu": "h100"}]})");
    QTest::newRow("same id twice") << QByteArray(
        R"({"alidade": 1, "kind": "gpus", "entries": [{"id": "t4"}, {"id": "t4"}]})");
    QTest::newRow("incomplete new entry")
        << QByteArray(R"({"alidade": 1, "kind": "gpus", "entries": [{"id": "new"}]})");
    QTest::newRow("bad profile") << QByteArray(R"({"alidade": 1, "parameters": [{}]})");
}

void TestUserCatalog::brokenCatalogIsSetAside() {
    QFETCH(QByteArray, document);
    const CatalogFolder folder;
    folder.write("good.json", userDocument("gpus", {{{"id", "l4"}, {"tdp_w", 70}}}));
    folder.write("mine.json", document.toStdString());
    const CatalogLoad result = loadCatalog(shipped(), folder.path());
    QVERIFY(!result.problems.empty());
    QVERIFY2(text(result.problems.front()).find("mine.json") != std::string::npos,
             lines(result.problems).constData());
    QCOMPARE(result.catalog.get(), shipped().get()); // not even the good part of it counts
}

void TestUserCatalog::nothingThereIsAProblem() {
    const CatalogLoad result = loadCatalog(shipped(), "/no/such/catalog.json");
    QCOMPARE(lines(result.problems), QByteArray("/no/such/catalog.json: there is no such file\n"));
    QCOMPARE(result.catalog.get(), shipped().get());
}

QTEST_APPLESS_MAIN(TestUserCatalog)

} // namespace tst_user_catalog

#include "tst_user_catalog.moc"
