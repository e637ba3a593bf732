// SPDX-License-Identifier: GPL-3.0-or-later
// What a person types into a cell of the catalog.
#include "data/catalog/cell_text.h"
#include "user_edits.h"

#include <random>

namespace tst_cell_text {

using namespace alidade;
using namespace alidade::data;
using alidade::test::shippedCatalog;

using enum alidade::data::CatalogKind;

class TestCellText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void everyShippedValueIsReadBack();
    void randomTextsAreReadOrRefused();
};

void TestCellText::reads_data() {
    QTest::addColumn<CatalogKind>("kind");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("value");
    const auto row = [](CatalogKind kind, const char* key, const char* typed, const char* value) {
        QTest::addRow("%s: %s", key, typed)
            << kind << QString::fromUtf8(key) << QString::fromUtf8(typed) << QString::fromUtf8(value);
    };
    row(instances, "efa_bandwidth_gb_per_s_per_direction", "400 Gbps", "50");
    row(instances, "efa_bandwidth_gb_per_s_per_direction", "3.2 Tbit/s", "400");
    row(instances, "efa_bandwidth_gb_per_s_per_direction", "400", "400");
    row(gpus, "hbm_bandwidth_gb_per_s", "3.35 TB/s", "3350");
    row(gpus, "hbm_capacity_gb", "141 GB", "141");
    row(gpus, "hbm_capacity_gb", "80 GiB", "85.89934592");
    row(gpus, "hbm_capacity_gb", "0.18 TB", "180");
    row(gpus, "device_reported_memory_mib", "80 GiB", "81920");
    row(gpus, "dense_bf16_tflops", "2.25 PFLOP/s", "2250");
    row(gpus, "dense_int8_tops", "1979 TOPS", "1979");
    row(gpus, "dense_int8_tops", "3.9 POP/s", "3900");
    row(gpus, "tdp_w", "1.2 kW", "1200");
    row(gpus, "tdp_w", "", "null");
    row(gpus, "tdp_w", "unknown", "null");
    row(gpus, "nvlink_sharp", "Yes", "true");
    row(gpus, "sm_count", "1,320", "1320");
    row(gpus, "architecture", "  Hopper ", "\"Hopper\"");
    row(efa, "nccl_plugin_latency_us", "0.075 ms", "75");
    row(efa, "latency_vs_previous_percent", "-35 %", "-35");
    row(efa, "latency_vs_previous_percent", "-35", "-35");
    row(storage, "usd_per_gb_month", "$0.023/GB-month", "0.023");
    row(storage, "usd_per_gb_month", "0.023", "0.023");
    row(prices, "usd_per_hour", "$98.32", "98.32");
    row(prices, "usd_per_hour", "98.32 USD/h", "98.32");
    row(prices, "purchase", "Capacity block", "\"capacity_block\"");
    row(prices, "date", "2026-11", "\"2026-11\"");
    row(prices, "item", "P5.48XLARGE", "\"p5.48xlarge\"");
    row(instances, "gpu", "h200-sxm", "\"h200-sxm\"");
    row(instances, "usage_classes", "on-demand, spot", "[\"on-demand\",\"spot\"]");
    row(models, "max_context_tokens", "128 k", "128000");
    row(models, "published_total_parameters_billion", "405B", "405");
    row(models, "published_total_parameters_billion", "1.04 T", "1040");
    row(models, "moe.routed_experts", "256", "256");
    row(models, "notes", "One, with a comma\nTwo", "[\"One, with a comma\",\"Two\"]");
    row(frameworks, "defaults.plan.sharding", "zero1", "\"zero1\"");
}

void TestCellText::reads() {
    QFETCH(CatalogKind, kind);
    QFETCH(QString, key);
    QFETCH(QString, typed);
    QFETCH(QString, value);
    const CellReading reading =
        readCell(*shippedCatalog(), kind, key.toStdString(), typed.toUtf8().toStdString());
    QVERIFY2(reading, reading.reason.c_str());
    QCOMPARE(QString::fromStdString(*reading.value), value);
}

void TestCellText::refuses_data() {
    QTest::addColumn<CatalogKind>("kind");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("part"); ///< of the reason
    QTest::addColumn<QString>("proposal");
    const auto row = [](CatalogKind kind, const char* key, const char* typed, const char* part,
                        const char* proposal) {
        QTest::addRow("%s: %s", key, typed) << kind << QString::fromUtf8(key) << QString::fromUtf8(typed)
                                            << QString::fromUtf8(part) << QString::fromUtf8(proposal);
    };
    const char* efaBandwidth = "efa_bandwidth_gb_per_s_per_direction";
    row(instances, efaBandwidth, "800 Gb", "bandwidth is expected", "800 Gbit/s");
    row(instances, efaBandwidth, "800 GB", "bandwidth is expected", "800 GB/s");
    row(gpus, "hbm_capacity_gb", "80 GB/s", "memory size", "80 GB");
    row(gpus, "hbm_capacity_gb", "80 Gb", "bits", "80 GB");
    row(gpus, "hbm_capacity_gb", "80 gb", "wrong case", "80 GB");
    row(gpus, "hbm_bandwidth_gb_per_s", "3,35 TB/s", "comma", "3.35 TB/s");
    row(gpus, "hbm_bandwidth_gb_per_s", "fast", "bandwidth", "");
    row(gpus, "hbm_capacity_gb", "80000000", "out of range", "80000000 MB");
    row(gpus, "hbm_capacity_gb", "8e30", "out of range", "");
    row(gpus, "hbm_capacity_gb", "", "cannot be unknown", "");
    row(gpus, "sm_count", "132.4", "not a whole number", "132");
    row(gpus, "nvlink_sharp", "maybe", "yes or no", "");
    row(gpus, "tdp_w", "700 V", "power", "700 W");
    row(prices, "purchase", "capacity_blok", "capacity_block", "capacity_block");
    row(prices, "date", "2026/11/01", "not a date", "2026-11-01");
    row(prices, "date", "20261101", "not a date", "2026-11-01");
    row(instances, "gpu", "h100-sx", "did you mean", "h100-sxm");
    row(instances, "network_card_layout", "8 cards", "cannot be edited", "");
    row(gpus, "no_such_key", "8", "have no 'no_such_key'", "");
    row(frameworks, "defaults.plan.sharding", "zero9", "plan.sharding", "");
}

void TestCellText::refuses() {
    QFETCH(CatalogKind, kind);
    QFETCH(QString, key);
    QFETCH(QString, typed);
    QFETCH(QString, part);
    QFETCH(QString, proposal);
    const CellReading reading = readCell(*shippedCatalog(), kind, key.toStdString(), typed.toStdString());
    QVERIFY2(!reading, reading.value.value_or("").c_str());
    QVERIFY2(QString::fromStdString(reading.reason).contains(part), reading.reason.c_str());
    QCOMPARE(QString::fromStdString(reading.proposal), proposal);
    if (!proposal.isEmpty())
        QVERIFY(readCell(*shippedCatalog(), kind, key.toStdString(), reading.proposal));
}

/// What is in a cell while it is edited is the same value when nothing is typed.
void TestCellText::everyShippedValueIsReadBack() {
    for (std::size_t i = 0; i + 1 < catalogKindNames.size(); ++i) {
        const auto kind = static_cast<CatalogKind>(i);
        const auto& keys = catalogKeys(kind);
        for (const SheetRow& row : catalogSheet(*shippedCatalog(), {}, {shippedCatalog(), {}}, kind)) {
            for (std::size_t k = 0; k < keys.size(); ++k) {
                if (keys[k].value == ValueKind::fixed || row.cells[k].value == "null")
                    continue;
                const std::string text = editedValue(kind, keys[k].key, row.cells[k].value);
                const CellReading reading = readCell(*shippedCatalog(), kind, keys[k].key, text);
                QVERIFY2(reading, (row.id + ' ' + keys[k].key + ": " + text + ": " + reading.reason).c_str());
                QCOMPARE(*reading.value, row.cells[k].value);
            }
        }
    }
}

void TestCellText::randomTextsAreReadOrRefused() {
    std::mt19937 random(20261121);
    const auto upTo = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const std::vector<std::string> pieces = {
        "1",  "9",  "0.5", "1e9",  ".",   ",",  "-",    "−",    " ",  "GB", "Gb",     "/s",   "ps",   "TFLOP",
        "OP", "%",  "$",   "/h",   "k",   "Ki", "per",  "μs",   "é",  "\n", "\t",     "\x01", "\xff", "\xc3",
        "[",  "\"", "\\",  "null", "yes", "é",  "h100", "2026", "-1", "?",  "on_dem", "€",    "…",    "’"};
    int accepted = 0;
    for (int n = 0; n < 1000; ++n) {
        const auto kind = static_cast<CatalogKind>(upTo(catalogKindNames.size() - 1));
        const CatalogKey& key = catalogKeys(kind)[upTo(catalogKeys(kind).size())];
        std::string text;
        for (std::size_t length = upTo(7); length > 0; --length)
            text += pieces[upTo(pieces.size())];
        const CellReading reading = readCell(*shippedCatalog(), kind, key.key, text);
        if (reading) {
            const auto same = canonical(kind, key.key, *reading.value);
            QVERIFY2(same && *same == *reading.value, (key.key + ": " + text).c_str());
            ++accepted;
        } else {
            QVERIFY2(!reading.reason.empty(), text.c_str());
            if (!reading.proposal.empty())
                QVERIFY2(readCell(*shippedCatalog(), kind, key.key, reading.proposal),
                         (key.key + ": " + text + " -> " + reading.proposal).c_str());
        }
    }
    QVERIFY(accepted > 100 && accepted < 900); // both ways were really taken
}

QTEST_APPLESS_MAIN(TestCellText)

} // namespace tst_cell_text

#include "tst_cell_text.moc"
