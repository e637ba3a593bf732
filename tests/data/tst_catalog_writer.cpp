// SPDX-License-Identifier: GPL-3.0-or-later
// What `catalog list` and `catalog show` print, and the tables of the window.
#include "catalog_folder.h"
#include "data/catalog/catalog_table.h"
#include "data/catalog/catalog_writer.h"
#include "data/catalog/shipped.h"

#include <QtTest>

namespace tst_catalog_writer {

using namespace alidade;
using namespace alidade::data;
using alidade::tests::CatalogFolder;
using alidade::tests::lines;
using Json = nlohmann::json;

namespace {

const Catalog& catalog() {
    static const std::shared_ptr<const Catalog> loaded = loadShippedCatalog().catalog;
    return *loaded;
}

Json shown(CatalogKind kind, const std::string& id) {
    const Result<std::string> text = catalogEntry(catalog(), kind, id, CatalogForm::json);
    return text ? Json::parse(*text) : Json();
}

} // namespace

class TestCatalogWriter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsEveryKind_data();
    void listsEveryKind();
    void showsAnEntryWithItsSources();
    void unknownIdNamesTheNearest();
    void shownEntriesMakeTheSameCatalog();
    void textIsAligned();
    void tablesHoldEveryValueAndItsSource();
    void kindsHaveNames();
};

void TestCatalogWriter::listsEveryKind_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("count");
    const auto row = [](CatalogKind kind, std::size_t count) {
        QTest::newRow(std::string(name(kind)).c_str()) << static_cast<int>(kind) << static_cast<int>(count);
    };
    row(CatalogKind::gpus, catalog().gpus.size());
    row(CatalogKind::instances, catalog().instances.size());
    row(CatalogKind::ultraservers, catalog().ultraservers.size());
    row(CatalogKind::efa, catalog().efa.size());
    row(CatalogKind::storage, catalog().storage.size());
    row(CatalogKind::prices, catalog().prices.size());
    row(CatalogKind::models, catalog().models.size());
    row(CatalogKind::frameworks, catalog().frameworks.size());
    row(CatalogKind::engines, catalog().engines.size());
    row(CatalogKind::scenarios, shippedScenarios().size());
}

void TestCatalogWriter::listsEveryKind() {
    QFETCH(int, kind);
    QFETCH(int, count);
    const auto which = static_cast<CatalogKind>(kind);
    const Json list = Json::parse(catalogList(catalog(), which, CatalogForm::json));
    QVERIFY(list.is_array());
    QCOMPARE(static_cast<int>(list.size()), count);
    for (const Json& entry : list) {
        QCOMPARE(entry.size(), 2u);
        QVERIFY(!entry.at("id").get<std::string>().empty() && !entry.at("name").get<std::string>().empty());
        QVERIFY(catalogEntry(catalog(), which, entry.at("id"), CatalogForm::json));
    }
    const std::string text = catalogList(catalog(), which, CatalogForm::text);
    QCOMPARE(static_cast<int>(std::ranges::count(text, '\n')), count);
}

void TestCatalogWriter::showsAnEntryWithItsSources() {
    const Json gpu = shown(CatalogKind::gpus, "h100-sxm");
    QCOMPARE(gpu.at("id").get<std::string>(), std::string("h100-sxm"));
    QCOMPARE(gpu.at("dense_bf16_tflops").get<double>(), 989.5);
    QVERIFY(gpu.at("hbm_capacity_gb").is_number_integer());
    QVERIFY(!gpu.contains("dense_fp4_tflops")); // it has none
    QCOMPARE(gpu.at("conflicts").size(), 2u);
    QCOMPARE(gpu.at("sources").at(0).at("authority").get<std::string>(), std::string("aws_post"));
    QCOMPARE(gpu.at("value_sources").at("dense_bf16_tflops").get<std::string>(),
             std::string("Building Blocks for Foundation Model Training and Inference on AWS (2026-05-12)"));
    QVERIFY(gpu.at("value_sources").at("pcie_generation").is_null()); // no source was cited for it
    for (const auto& [key, value] : gpu.items())
        if (key != "id" && key != "sources" && key != "value_sources" && key != "notes" && key != "conflicts")
            QVERIFY2(gpu.at("value_sources").contains(key), key.c_str());
    const Json price = shown(CatalogKind::prices, "p5en.48xlarge/us-east-2/capacity_block");
    QCOMPARE(price.at("usd_per_hour").get<double>(), 63.158);
    QCOMPARE(price.at("date").get<std::string>(), std::string("2026-10-09"));
    QCOMPARE(price.at("purchase").get<std::string>(), std::string("capacity_block"));
    const Json model = shown(CatalogKind::models, "deepseek-v3");
    QCOMPARE(model.at("moe").at("routed_experts").get<int>(), 256);
    QCOMPARE(model.at("mla").at("kv_lora_rank").get<int>(), 512);
}

void TestCatalogWriter::unknownIdNamesTheNearest() {
    QCOMPARE(catalogEntry(catalog(), CatalogKind::instances, "p5.48xlage", CatalogForm::json).error(),
             std::string("no entry 'p5.48xlage' in instances; did you mean 'p5.48xlarge'?"));
    QVERIFY(catalogEntry(catalog(), CatalogKind::engines, "vlm", CatalogForm::text)
                .error()
                .ends_with("did you mean 'vllm'?"));
    QVERIFY(catalogEntry(catalog(), CatalogKind::scenarios, "none", CatalogForm::json)
                .error()
                .starts_with("no shipped"));
}

/// Everything that is shown can be read again: as a separate catalog it has no fault and shows the same.
void TestCatalogWriter::shownEntriesMakeTheSameCatalog() {
    const CatalogFolder folder;
    for (std::size_t i = 0; i < 9; ++i) {
        const auto kind = static_cast<CatalogKind>(i);
        Json document = {
            {"alidade", 1}, {"kind", name(kind)}, {"version", "2026-11-20"}, {"entries", Json::array()}};
        for (const Json& listed : Json::parse(catalogList(catalog(), kind, CatalogForm::json))) {
            Json entry = shown(kind, listed.at("id"));
            entry.erase("value_sources");
            document["entries"].push_back(std::move(entry));
        }
        folder.write(std::string(name(kind)) + ".json", document);
    }
    const auto problems = checkCatalog(folder.path());
    QVERIFY2(problems.empty(), lines(problems).constData());
    const CatalogLoad again = loadCatalog(std::make_shared<const Catalog>(), folder.path());
    QVERIFY2(again.problems.empty(), lines(again.problems).constData());
    for (const Instance& instance : catalog().instances) {
        Json before = shown(CatalogKind::instances, instance.id);
        Json after = Json::parse(
            *catalogEntry(*again.catalog, CatalogKind::instances, instance.id, CatalogForm::json));
        QVERIFY(after["user"].get<bool>());
        after.erase("user");
        QCOMPARE(QByteArray::fromStdString(after.dump(1)), QByteArray::fromStdString(before.dump(1)));
    }
}

void TestCatalogWriter::textIsAligned() {
    const std::string text = *catalogEntry(catalog(), CatalogKind::gpus, "h100-sxm", CatalogForm::text);
    const QStringList rows = QString::fromStdString(text).split(QLatin1Char('\n'));
    QCOMPARE(rows.front(), QStringLiteral("h100-sxm  H100 SXM5 80 GB"));
    const QStringList memory = rows.filter(QStringLiteral("hbm_capacity_gb "));
    const QStringList peak = rows.filter(QStringLiteral("dense_bf16_tflops "));
    QCOMPARE(memory.size(), 1);
    QCOMPARE(memory.front().indexOf(QStringLiteral("80 GB")),
             peak.front().indexOf(QStringLiteral("989.5 TFLOP/s")));
    QVERIFY(memory.front().endsWith(QStringLiteral("[1]")));
    QVERIFY(text.find("\nConflicts\n") != std::string::npos);
    QVERIFY(text.find("  [1] Building Blocks for Foundation Model Training and Inference on AWS, 2026-05-12, "
                      "https://") != std::string::npos);
    QVERIFY(rows.filter(QStringLiteral("pcie_generation ")).front().endsWith(QStringLiteral("no source")));
}

void TestCatalogWriter::tablesHoldEveryValueAndItsSource() {
    for (std::size_t i = 0; i < 9; ++i) {
        const auto kind = static_cast<CatalogKind>(i);
        const CatalogTable table = catalogTable(catalog(), kind);
        QCOMPARE(table.rows.size(), Json::parse(catalogList(catalog(), kind, CatalogForm::json)).size());
        for (const CatalogRow& row : table.rows) {
            QCOMPARE(row.cells.size(), table.columns.size());
            for (const CatalogCell& cell : row.cells)
                QCOMPARE(cell.text.empty(), cell.source.empty());
        }
    }
    const CatalogTable gpus = catalogTable(catalog(), CatalogKind::gpus);
    const auto column = std::ranges::find(gpus.columns, "hbm_capacity_gb", &CatalogColumn::key);
    QVERIFY(column != gpus.columns.end());
    QCOMPARE(column->label, std::string("Memory"));
    QCOMPARE(column->unit, std::string("GB"));
    const auto row = std::ranges::find(gpus.rows, "b200-sxm", &CatalogRow::id);
    const CatalogCell& cell = row->cells[static_cast<std::size_t>(column - gpus.columns.begin())];
    QCOMPARE(cell.text, std::string("180"));
    QCOMPARE(cell.number.value(), 180.0);
    QVERIFY(cell.source.starts_with("Building Blocks"));
    QVERIFY(catalogTable(catalog(), CatalogKind::scenarios).rows.empty());
}

void TestCatalogWriter::kindsHaveNames() {
    QCOMPARE(catalogKindNames.size(), 10u);
    for (const std::string_view word : catalogKindNames)
        QCOMPARE(name(catalogKind(word).value()), word);
    QVERIFY(!catalogKind("gpu"));
}

QTEST_APPLESS_MAIN(TestCatalogWriter)

} // namespace tst_catalog_writer

#include "tst_catalog_writer.moc"
