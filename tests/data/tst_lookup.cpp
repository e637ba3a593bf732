// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in a catalog: the nearest name, the most specific parameter, the source of a value, prices.
#include "model/catalog/catalog.h"

#include <QtTest>

namespace tst_lookup {

using namespace alidade;

class TestLookup : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nearestName_data();
    void nearestName();
    void theMostSpecificParameterWins();
    void sourceOfAKey();
    void currentPriceOfARegion();
    void peakOfAFormat();
};

void TestLookup::nearestName_data() {
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<QByteArray>("nearest");
    const auto row = [](const char* word, const char* nearest) {
        QTest::newRow(word) << QByteArray(word) << QByteArray(nearest);
    };
    row("p5.48xlarge", "p5.48xlarge");
    row("P5.48XLARGE", "p5.48xlarge");
    row("p5.48xlrage", "p5.48xlarge");
    row("p5e.48xlarg", "p5e.48xlarge");
    row("p5.48large", "p5.48xlarge");
    row("h100", "h100-sxm"); // the beginning of two names, and two letters away from another
    row("H200", "h200-sxm");
    row("p5", "p5.48xlarge");
    row("24xl", "p4d.24xlarge"); // part of a name
    row("zebra", "");
    row("", "");
    row("ab", ""); // two letters away from nothing
    QTest::newRow("endless") << QByteArray(100'000, 'x') << QByteArray();
}

void TestLookup::nearestName() {
    QFETCH(QByteArray, word);
    QFETCH(QByteArray, nearest);
    const std::vector<std::string> known = {"p4d.24xlarge",  "p5.48xlarge", "p5e.48xlarge", "a10g",
                                            "h100-sxm-96gb", "h100-sxm",    "h200-sxm"};
    QCOMPARE(QByteArray::fromStdString(alidade::nearestName(word.toStdString(), known)), nearest);
}

void TestLookup::theMostSpecificParameterWins() {
    Profile profile;
    const auto add = [&](const std::string& gpu, const std::string& stack, const std::string& precision,
                         double value) {
        profile.parameters.push_back({.name = "x",
                                      .gpu = gpu,
                                      .precision = precision,
                                      .stack = stack,
                                      .value = value,
                                      .unit = "1",
                                      .kind = SourceKind::assumed});
    };
    const auto found = [&](const char* gpu, const char* architecture, const char* precision,
                           const char* stack) {
        const Parameter* parameter = findParameter(profile, "x", gpu, architecture, precision, stack);
        return parameter == nullptr ? -1.0 : parameter->value;
    };
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), -1.0);
    add("*", "*", "*", 1);
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), 1.0);
    add("*", "*", "bf16", 2);
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), 2.0);
    QCOMPARE(found("h100-sxm", "Hopper", "fp8", "megatron"), 1.0);
    add("*", "megatron", "*", 3);
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), 3.0);
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "other"), 2.0);
    add("Hopper", "*", "*", 4);
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), 4.0);
    QCOMPARE(found("b200-sxm", "Blackwell", "bf16", "megatron"), 3.0);
    add("h100-sxm", "*", "*", 5);
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), 5.0);
    QCOMPARE(found("h200-sxm", "Hopper", "bf16", "megatron"), 4.0);
    add("h100-sxm", "other", "bf16", 6); // of another stack: fits no one else
    QCOMPARE(found("h100-sxm", "Hopper", "bf16", "megatron"), 5.0);
    QCOMPARE(findParameter(profile, "y", "h100-sxm", "Hopper", "bf16", "megatron"), nullptr);
}

void TestLookup::sourceOfAKey() {
    Provenance provenance;
    QCOMPARE(citation(provenance, "memory"), std::string("no source (assumption)"));
    const auto add = [&](const std::string& title, const std::string& date, std::vector<std::string> fields) {
        Source& source = provenance.sources.emplace_back();
        source.title = title;
        source.date = date;
        source.fields = std::move(fields);
    };
    add("Peaks", "2026", {"dense_*_tflops"});
    QCOMPARE(sourceOf(provenance, "memory"), nullptr); // the only source does not cover it
    add("All", "", {});
    add("Memory", "2025-01", {"memory", "l2*"});
    QCOMPARE(citation(provenance, "memory"), std::string("Memory (2025-01)"));
    QCOMPARE(citation(provenance, "dense_bf16_tflops"), std::string("Peaks (2026)"));
    QCOMPARE(citation(provenance, "dense_int8_tops"), std::string("All"));
    QCOMPARE(citation(provenance, "l2"), std::string("Memory (2025-01)"));
    QCOMPARE(citation(provenance, "memory_type"), std::string("All"));
}

void TestLookup::currentPriceOfARegion() {
    Catalog catalog;
    const auto add = [&](const std::string& region, Purchase purchase, double rate, bool current) {
        Price& price = catalog.prices.emplace_back();
        price.item = "p5.48xlarge";
        price.region = region;
        price.purchase = purchase;
        price.rate = DollarsPerHour::si(rate);
        price.current = current;
    };
    add("us-east-1", Purchase::onDemand, 98.32, false);
    add("us-east-1", Purchase::onDemand, 55.04, true);
    add("us-east-1", Purchase::capacityBlock, 41.528, true);
    QCOMPARE(catalog.price("p5.48xlarge", "us-east-1", Purchase::onDemand)->rate.si(), 55.04);
    QCOMPARE(catalog.price("p5.48xlarge", "us-east-1", Purchase::capacityBlock)->rate.si(), 41.528);
    QCOMPARE(catalog.price("p5.48xlarge", "us-east-1", Purchase::reserved), nullptr);
    QCOMPARE(catalog.price("p5.48xlarge", "us-west-1", Purchase::onDemand), nullptr);
    QCOMPARE(catalog.price("p5", "us-east-1", Purchase::onDemand), nullptr);
}

void TestLookup::peakOfAFormat() {
    Gpu gpu;
    gpu.fp8 = FlopPerSecond::si(8);
    gpu.fp16 = FlopPerSecond::si(16);
    QCOMPARE(gpu.peak(Precision::fp8)->si(), 8.0);
    QCOMPARE(gpu.peak(Precision::mxfp8)->si(), 8.0);
    QCOMPARE(gpu.peak(Precision::fp16)->si(), 16.0);
    QVERIFY(!gpu.peak(Precision::bf16) && !gpu.peak(Precision::nvfp4));
}

QTEST_APPLESS_MAIN(TestLookup)

} // namespace tst_lookup

#include "tst_lookup.moc"
