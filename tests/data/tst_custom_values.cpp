// SPDX-License-Identifier: GPL-3.0-or-later
// What is the user's own in a catalog, and what of it an answer names.
#include "data/catalog/custom_values.h"
#include "data/catalog/shipped.h"
#include "data/catalog/user_catalog_json.h"
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "data/report/report.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/units/format.h"
#include "user_edits.h"

namespace tst_custom_values {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;
using alidade::test::shippedCatalog;

namespace {

const std::string p5Price = "p5.48xlarge/us-east-2/on_demand";
const std::string efaKey = "efa_bandwidth_gb_per_s_per_direction";

Estimate answer(const Catalog& catalog) {
    const auto spec = readScenario(*shippedScenario("llama-3.1-70b-64xp5.48xlarge")).spec;
    return *estimate(*spec, catalog, catalog.defaultProfile);
}

std::vector<CustomValue> used(const UserEdits& edits, const Estimate& e) {
    return customValuesUsed(customValues(*shippedCatalog(), edits.catalog()), e.scenario, edits.catalog());
}

std::string words(const Report& report) {
    std::string out;
    for (const Sentence& sentence : report.answer)
        out += plainText(sentence) + "\n";
    for (const ReportSection& section : report.sections) {
        for (const std::string& text : section.text)
            out += text + "\n";
        for (const Table& table : section.tables)
            out += table.note + "\n";
    }
    return out;
}

} // namespace

class TestCustomValues : public QObject {
    Q_OBJECT

private slots:
    /// A price counts for what is bought at it: the base of an order, the rest, or a discount off it.
    void aPriceOfTheBaseIsUsed() {
        const std::string blocks = "p5.48xlarge/us-east-2/capacity_block";
        UserEdits edits;
        edits.set(CatalogKind::prices, p5Price, "usd_per_hour", "60");
        edits.set(CatalogKind::prices, blocks, "usd_per_hour", "44");
        const auto of = [&](const Edit& edit) {
            const ScenarioSpec spec =
                *applyEdit(*readScenario(*shippedScenario("llama-3.1-70b-64xp5.48xlarge")).spec, edit);
            const Catalog& catalog = edits.catalog();
            const Estimate e = *estimate(spec, catalog, catalog.defaultProfile);
            std::vector<CustomValue> all = used(edits, e);
            return std::pair(all, e);
        };
        const auto named = [](const std::vector<CustomValue>& all) {
            std::vector<std::string> out;
            for (const CustomValue& each : all)
                out.push_back(each.entry);
            return out;
        };
        using Names = std::vector<std::string>;
        const Edit base{{"cluster.purchase", "on_demand"}, {"order.base.purchase", "capacity_block"}};
        const auto with = [](Edit edit, const char* path, const char* value) {
            edit.emplace_back(path, value);
            return edit;
        };
        QCOMPARE(named(of(base).first), Names{p5Price}); // a base without a size is none
        const auto [both, e] = of(with(base, "order.base.instances", "16"));
        QCOMPARE(named(both), (Names{p5Price, blocks}));
        const CustomRates rates = customRates(both);
        QCOMPARE(rates.rest->entry, p5Price);
        QCOMPARE(rates.base->entry, blocks);
        // Each is told alongside what is bought at it.
        ReportInput input{&e, {}, "", ""};
        input.customValues = both;
        const Report report =
            buildReport(std::span(&input, 1), {.programVersion = "9", .date = "2026-11-22"});
        const std::string said = words(report);
        QVERIFY2(said.find("Base: ") != std::string::npos && said.find("44") != std::string::npos,
                 said.c_str());
        // The base is all there is, so the price of the rest is not paid.
        const auto all = of(with(base, "order.base.instances", "64")).first;
        QCOMPARE(named(all), Names{blocks});
        QVERIFY(customRates(all).rest == nullptr && customRates(all).base != nullptr);
        QCOMPARE(named(of({{"cluster.purchase", "capacity_block"},
                           {"order.base.instances", "16"},
                           {"order.base.purchase", "savings_plan"},
                           {"order.base.discount", "0.4"}})
                           .first),
                 (Names{p5Price, blocks}));
        QCOMPARE(named(of({{"cluster.purchase", "capacity_block"},
                           {"order.base.instances", "16"},
                           {"order.base.purchase", "savings_plan"},
                           {"order.base.dollars_per_instance_hour", "30"}})
                           .first),
                 Names{blocks});
    }

    void theShippedCatalogHasNone() {
        QVERIFY(customValues(*shippedCatalog(), *shippedCatalog()).empty());
        UserEdits edits;
        edits.set(CatalogKind::gpus, "h100-sxm", "tdp_w", "650");
        edits.set(CatalogKind::gpus, "h100-sxm", "tdp_w",
                  std::to_string(static_cast<int>(shippedCatalog()->gpu("h100-sxm")->power->si())));
        QVERIFY(customValues(*shippedCatalog(), edits.catalog()).empty()); // what is shipped again
    }

    void eachSaysWhatItReplacesAndSinceWhen() {
        UserEdits edits;
        edits.set(CatalogKind::instances, "p5.48xlarge", efaKey, "40");
        edits.set(CatalogKind::prices, p5Price, "usd_per_hour", "60");
        edits.copy(CatalogKind::gpus, "h100-sxm", "lab-gpu");
        const auto all = customValues(*shippedCatalog(), edits.catalog());
        QCOMPARE(all.size(), 3U);
        QCOMPARE(all[0].value, std::string("added"));
        QCOMPARE(all[0].entry, std::string("lab-gpu"));
        QCOMPARE(describe(all[1]), all[1].label + " of p5.48xlarge: 40 GB/s instead of 400 GB/s");
        QCOMPARE(all[1].date, std::string("2026-11-21"));
        QCOMPARE(all[2].value, std::string("60 $/h"));
        const Price* shipped = shippedCatalog()->price("p5.48xlarge", "us-east-2", Purchase::onDemand);
        QCOMPARE(*all[2].shippedNumber, shipped->rate.si());
        // The day on which it was entered, not that of the list price.
        const Price* own = edits.catalog().price("p5.48xlarge", "us-east-2", Purchase::onDemand);
        QCOMPARE(own->date, std::string("2026-11-21"));
        QVERIFY(shipped->date != own->date);
    }

    void anAnswerNamesThoseItRestsOn() {
        UserEdits edits;
        edits.set(CatalogKind::instances, "p5.48xlarge", efaKey, "40");
        edits.set(CatalogKind::instances, "p4d.24xlarge", efaKey, "10");
        edits.set(CatalogKind::prices, p5Price, "usd_per_hour", "60");
        edits.set(CatalogKind::prices, "p5.48xlarge/us-west-2/on_demand", "usd_per_hour", "61");
        const Estimate e = answer(edits.catalog());
        const auto values = used(edits, e);
        QCOMPARE(values.size(), 2U);
        QCOMPARE(values[0].entry, std::string("p5.48xlarge"));
        QCOMPARE(values[1].entry, p5Price);
        const auto kind = [&](std::string_view name) {
            const auto found = std::ranges::find(e.assumptions, name, &AssumptionT<double>::name);
            return found == e.assumptions.end() ? SourceKind::derived : found->kind;
        };
        QCOMPARE(kind("network_bandwidth"), SourceKind::user);
        QCOMPARE(kind("hbm_bandwidth"), SourceKind::catalog);
        const auto json = nlohmann::json::parse(writeEstimate(e, values));
        QCOMPARE(json["custom_values"].size(), 2U);
        QCOMPARE(json["custom_values"][0]["shipped"].get<std::string>(), std::string("400 GB/s"));
        QVERIFY(!nlohmann::json::parse(writeEstimate(e)).contains("custom_values"));
    }

    void aReportSaysWhosePriceItIs() {
        UserEdits edits;
        edits.set(CatalogKind::prices, p5Price, "usd_per_hour", "60");
        const Estimate e = answer(edits.catalog());
        const auto values = used(edits, e);
        const ReportContext context{.programVersion = "1", .date = "2026-11-23"};
        const std::string own = words(buildReport(e, {}, context, values));
        const std::string list = formatQuantity(*values.front().shippedNumber, Dimension::dollarsPerHour);
        QVERIFY2(own.find("with 1 custom value") != std::string::npos, own.c_str());
        QVERIFY2(own.find("Your price of 2026-11-21 (list " + list + ")") != std::string::npos, own.c_str());
        QVERIFY2(own.find("Old price") == std::string::npos, own.c_str());
        const std::string shipped = words(buildReport(answer(*shippedCatalog()), {}, context));
        QVERIFY2(shipped.find("custom value") == std::string::npos, shipped.c_str());
        QVERIFY2(shipped.find("Your price") == std::string::npos, shipped.c_str());
    }

    void aCatalogFileIsMarkedToo() {
        const auto load = loadCatalogText(shippedCatalog(), "mine.json", R"({
            "alidade": 1, "kind": "prices", "version": "2026-11-20",
            "entries": [ { "id": "p5.48xlarge/us-east-2/on_demand", "usd_per_hour": 60 } ] })");
        QVERIFY(load.problems.empty());
        const auto all = customValues(*shippedCatalog(), *load.catalog);
        QCOMPARE(all.size(), 1U);
        QCOMPARE(all[0].date, std::string("2026-11-20"));
        QCOMPARE(load.catalog->price("p5.48xlarge", "us-east-2", Purchase::onDemand)->date,
                 std::string("2026-11-20"));
    }
};

QTEST_APPLESS_MAIN(TestCustomValues)

} // namespace tst_custom_values

#include "tst_custom_values.moc"
