// SPDX-License-Identifier: GPL-3.0-or-later
// How entries of a catalog are found: by names that are nearly right, by the words of publications, by date;
// and what is cited for their values.
#include "model/catalog/catalog.h"
#include "model/catalog/framework.h"
#include "model/catalog/price_choice.h"
#include "model/catalog/profile.h"
#include "model/catalog/software_name.h"
#include "model/hardware/purchase.h"

#include <QTest>

namespace tst_catalog_names {

using namespace alidade;

namespace {

Source source(const char* title, const char* date, std::vector<std::string> fields = {}) {
    Source out;
    out.title = title;
    out.date = date;
    out.fields = std::move(fields);
    return out;
}

Price price(const char* from, const char* until, double rate) {
    Price out;
    out.item = "m";
    out.region = "r";
    out.date = "2026-06";
    out.validFrom = from;
    out.validUntil = until;
    out.rate = DollarsPerHour::si(rate);
    return out;
}

Framework software(const char* id, std::vector<std::string> patterns) {
    Framework out;
    out.id = id;
    out.software = std::move(patterns);
    return out;
}

} // namespace

class TestCatalogNames : public QObject {
    Q_OBJECT

private slots:
    void nearest_data() {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QByteArray>("known");
        QTest::addColumn<QByteArray>("nearest");
        const auto row = [](const char* typed, const char* known, const char* nearest) {
            QTest::addRow("%s among %s", typed, known)
                << QByteArray(typed) << QByteArray(known) << QByteArray(nearest);
        };
        row("", "a b", "");
        // The same in other letters, or the first part of a name: the shortest one.
        row("H100", "h100-pcie h100-sxm h200", "h100-sxm");
        row("h100", "h1000 h100.x", "h100.x");
        row("llama", "llama_7 llama-70", "llama_7");
        row("p5", "p5e p5/x", "p5/x");
        row("p", "p-x", ""); // one letter begins too much
        row("h1", "h100-x h1-x", "h1-x");
        // Up to two changes, or a third of the letters, but not all of them.
        row("abcde", "abcxy", "abcxy");
        row("abcde", "abxyz", "");
        row("abcdefghi", "abcdefxyz", "abcdefxyz"); // 3 of 9
        row("abcdefghi", "abcdewxyz", "");          // 4 of 9
        row("abcdefgh", "abcdexyz", "");            // 3 of 8
        row("abcdefghijkl", "abcdefghwxyz", "abcdefghwxyz");
        row("ab", "xy", "");
        row("ab", "ax", "ax");
        row("abc", "abcde", "abcde");     // insertions
        row("abcde", "abc", "abc");       // deletions
        row("abdc", "xbdc abcd", "xbdc"); // a swap of neighbors is one change, too; the first of equal ones
        row("badcfe", "abcdef", "");      // three swaps
        row("badcef", "abcdef", "abcdef");
        row("acb", "abx abc", "abc");
        row("kitten", "sitting mitten", "mitten");
        // Part of a name, of three letters or more.
        row("sonic", "some-very-supersonic-name other", "some-very-supersonic-name");
        row("SON", "some-very-supersonic-name", "some-very-supersonic-name");
        row("so", "a-very-long-name-of-a-person", "");
    }
    void nearest() {
        QFETCH(QByteArray, typed);
        QFETCH(QByteArray, known);
        QFETCH(QByteArray, nearest);
        std::vector<std::string> names;
        for (const QByteArray& each : known.split(' '))
            names.push_back(each.toStdString());
        QCOMPARE(QByteArray::fromStdString(nearestName(typed.toStdString(), names)), nearest);
    }

    void longTextsAreNotCompared() {
        const std::string most(200, 'a'), more(201, 'a');
        QCOMPARE(nearestName(most.substr(1) + "b", {most}), most);
        QCOMPARE(nearestName(more.substr(1) + "b", {more}), std::string());
        QCOMPARE(nearestName(more, {more}), std::string());
    }

    void releases_data() {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("release");
        const auto row = [](const char* words, const char* release) {
            QTest::newRow(words) << QByteArray(words) << QByteArray(release);
        };
        row("NeMo 26.02.01 container (Megatron Bridge)", "NeMo 26.02");
        row("NeMo 25.09", "NeMo 25.09");
        row("MLPerf v5.0, HPE", "MLPerf v5.0");
        row("Megatron r0.8.0", "Megatron r0.8");
        row("torchtitan 2025-06-12", "torchtitan 2025-06");
        row("vLLM 1", "vLLM 1");
        row("vLLM 1. of May", "vLLM 1");
        row("TensorRT-LLM 0", "TensorRT-LLM 0");
        row("Llama3 code", "Llama3 code"); // a digit inside a word
        row("dev7 build", "dev7 build");   // a "v" inside a word
        row("a tool  ", "a tool");
        row("v5.1", "v5.1");
        row("   ", "");
        row("", "");
        row("x 12a", "x 12");
    }
    void releases() {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, release);
        QCOMPARE(QByteArray::fromStdString(softwareRelease(words.toStdString())), release);
    }

    void software_data() {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("notes");
        QTest::addColumn<QByteArray>("id");
        const auto row = [](const char* words, const char* notes, const char* id) {
            QTest::addRow("%s / %s", words, notes)
                << QByteArray(words) << QByteArray(notes) << QByteArray(id);
        };
        row("megatron-core", "", "megatron-core");
        row("Megatron Core", "", "megatron-core");
        row("  MEGATRON___core ", "", "megatron-core");
        row("Megatron-LM of June", "", "megatron-core");
        row("Megatron-LMX", "", "");
        row("Megatron-LM2", "", "megatron-core"); // a number may follow
        row("NeMo 25.09 container", "", "nemo");
        row("NeMo 25.09 container", "with the Megatron BRIDGE", "bridge"); // the longer match
        row("NeMo 25.09 container", "with a bridge", "nemo");
        row("something else", "", "");
        row("", "", "");
    }
    void software() {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, notes);
        QFETCH(QByteArray, id);
        const std::vector<Framework> known = {
            tst_catalog_names::software("megatron-core", {"Megatron-LM"}),
            tst_catalog_names::software("nemo", {"NeMo", ""}),
            tst_catalog_names::software("bridge", {"NeMo ... megatron bridge"})};
        const Framework* found = softwareNamed(known, words.toStdString(), notes.toStdString());
        QCOMPARE(QByteArray::fromStdString(found ? found->id : ""), id);
    }

    void wordsInTexts() {
        QVERIFY(saysWord("with the Megatron Bridge", "megatron bridge"));
        QVERIFY(!saysWord("with the Megatron", "megatron bridge"));
        QVERIFY(saysWord("abc", ""));
    }

    void pricesInForce() {
        const Price dated = price("2027-01-10", "2027-02-20", 1);
        for (const char* day : {"2027-01-10", "2027-01-31", "2027-02-20", "2027-01", "2027-02", "2027"})
            QVERIFY2(isInForce(dated, day), day);
        for (const char* day : {"2027-01-09", "2027-02-21", "2026-12", "2027-03", "2026", "2028"})
            QVERIFY2(!isInForce(dated, day), day);
        QVERIFY(!isInForce(dated, "")); // it was read in June 2026
        QVERIFY(isInForce(price("2026-06-15", "", 1), ""));
        QVERIFY(!isInForce(price("2026-07-01", "", 1), ""));
        QVERIFY(isInForce(price("", "2026-06-01", 1), ""));
        QVERIFY(isInForce(price("", "", 1), "2030-01-01"));
        Price old = price("", "", 1);
        old.current = false;
        QVERIFY(!isInForce(old, "2027-01-15"));
    }

    void preferredPrices() {
        Price own = price("", "", 1);
        own.provenance.user = true;
        const Price plain = price("", "", 2), early = price("2027-01-01", "", 3),
                    late = price("2027-02-01", "", 4), ends = price("", "2027-12-31", 5);
        QVERIFY(isPreferred(own, late) && !isPreferred(late, own));
        QVERIFY(isPreferred(early, plain) && !isPreferred(plain, early));
        QVERIFY(isPreferred(ends, plain) && isPreferred(late, early) && isPreferred(early, ends));
        QVERIFY(!isPreferred(plain, plain));
        Catalog catalog;
        catalog.prices = {plain, early, late};
        const auto rateAt = [&](const char* day) {
            return catalog.price("m", "r", Purchase::onDemand, day)->rate.si();
        };
        QCOMPARE(rateAt("2026-12-31"), 2.0);
        QCOMPARE(rateAt("2027-01-31"), 3.0);
        QCOMPARE(rateAt("2027-02-01"), 4.0);
        QVERIFY(!catalog.price("n", "r", Purchase::onDemand) && !catalog.price("m", "s", Purchase::onDemand));
        QVERIFY(!catalog.price("m", "r", Purchase::spot));
    }

    void pricesFollowEachOther() {
        const std::vector<Price> prices = {price("2027-01-01", "2027-01-31", 1),
                                           price("2027-02-01", "2027-06-30", 2), price("2027-03-01", "", 3)};
        QCOMPARE(priceAfter(prices, prices[0])->rate.si(), 2.0);
        QCOMPARE(priceAfter(prices, prices[1])->rate.si(), 3.0);
        QVERIFY(!priceAfter(prices, prices[2])); // without an end
        for (const auto change :
             {+[](Price& p) { p.item = "x"; }, +[](Price& p) { p.region = "x"; },
              +[](Price& p) { p.purchase = Purchase::spot; }, +[](Price& p) { p.terms = "x"; }}) {
            Price other = prices[0];
            change(other);
            QVERIFY(!priceAfter(prices, other));
        }
    }

    void wordsOfCommitments() {
        Price of;
        const auto word = [&of](const char* terms) {
            of.terms = terms;
            return commitmentOf(of);
        };
        QCOMPARE(word("1 year, no upfront"), std::string("1_year_no_upfront"));
        QCOMPARE(word("3 years, all upfront, convertible"), std::string("3_years_all_upfront"));
        QCOMPARE(word(""), std::string());
        QVERIFY(isCommitment(Purchase::reserved) && isCommitment(Purchase::savingsPlan));
        QVERIFY(!isCommitment(Purchase::onDemand) && !isCommitment(Purchase::trainingPlan));
        QVERIFY(isSoldInBlocks("capacity_block") && isSoldInBlocks("training_plan") &&
                !isSoldInBlocks("reserved"));
        QVERIFY(takesTypedRate("custom") && takesTypedRate("savings_plan") &&
                takesTypedRate("training_plan"));
        QVERIFY(!takesTypedRate("on_demand") && !takesTypedRate(""));
        QVERIFY(purchaseNamed("spot") == Purchase::spot && !purchaseNamed("gift"));
        QVERIFY(purchaseOrOnDemand({}) == Purchase::onDemand &&
                purchaseOrOnDemand("reserved") == Purchase::reserved);
    }

    void keysOfParameters() {
        QCOMPARE(keyFit("fsdp/2024", "fsdp/2024"), 3);
        QCOMPARE(keyFit("fsdp/2024", "fsdp"), 2);
        QCOMPARE(keyFit("fsdp/2024", "*"), 1);
        QCOMPARE(keyFit("fsdp-eager", "fsdp"), 0);
        QCOMPARE(keyFit("fsdp", "fsdp/2024"), 0);
        QCOMPARE(keyFit("*", "*"), 3);
        const auto order = [](const char* better, const char* worse) {
            return stackFit("sglang/0.5.9/as_run", better) > stackFit("sglang/0.5.9/as_run", worse);
        };
        QVERIFY(order("sglang/0.5.9/as_run", "sglang/as_run") && order("sglang/as_run", "sglang/0.5.9"));
        QVERIFY(order("sglang/0.5.9", "sglang") && order("sglang", "*") && order("*", "vllm"));
        QCOMPARE(stackFit("sglang/0.5.9/as_run", "vllm/as_run"), 0);
        QCOMPARE(stackFit("sglang/0.5.9/as_run", "*/as_run"), 0);
        QCOMPARE(stackFit("sglang/0.5.9", "sglang/as_run"), 0);
        QCOMPARE(stackFit("sglang/0.5.9", "sglang"), 2);
        QCOMPARE(stackFit("sglang", "sglang"), 5);
        QCOMPARE(parameterRank(1, 2, 3), 123);
        QCOMPARE(parameterRank(0, 2, 3) + parameterRank(1, 0, 3) + parameterRank(1, 2, 0), 0);
        Parameter p;
        p.gpu = "h100-sxm";
        p.stack = p.precision = "*";
        QCOMPARE(parameterRank(p, "h100-sxm", "Hopper", "bf16", "vllm"), 411);
        p.gpu = "Hopper";
        p.precision = "bf16";
        p.stack = "vllm";
        QCOMPARE(parameterRank(p, "h100-sxm", "Hopper", "bf16", "vllm"), 353);
        QCOMPARE(parameterRank(p, "h100-sxm", "Hopper", "bf16", "sglang"), 0);
        QCOMPARE(parameterRank(p, "h100-sxm", "Hopper", "fp8", "vllm"), 0);
        QCOMPARE(parameterRank(p, "b200", "Blackwell", "bf16", "vllm"), 0);
        Profile profile;
        for (const auto& [gpu, value] : {std::pair("*", 1.0), {"Hopper", 2.0}, {"Hopper", 3.0}}) {
            p.name = "x";
            p.gpu = gpu;
            p.value = value;
            profile.parameters.push_back(p);
        }
        QCOMPARE(findParameter(profile, "x", "h", "Hopper", "bf16", "vllm")->value,
                 2.0); // the first of equal ones
        QCOMPARE(findParameter(profile, "x", "h", "Ada", "bf16", "vllm")->value, 1.0);
        QVERIFY(!findParameter(profile, "y", "h", "Hopper", "bf16", "vllm"));
        QVERIFY(!findParameter(profile, "x", "h", "Hopper", "bf16", "sglang"));
    }

    void citations() {
        Provenance from;
        QCOMPARE(citation(from, "a"), std::string("no source (assumption)"));
        QVERIFY(!sourceOf(from, "a"));
        from.sources = {source("of b", "2025", {"b", "dense_*"}), source("whole", "2026-01"),
                        source("second", "")};
        QCOMPARE(citation(from, "b"), std::string("of b (2025)"));
        QCOMPARE(citation(from, "dense_fp8"), std::string("of b (2025)"));
        QCOMPARE(citation(from, "a"), std::string("whole (2026-01)"));
        from.sources.erase(from.sources.begin() + 1);
        QCOMPARE(citation("m", ", x: ", from, "a").str(), std::string("m, x: second"));
        from.sources.pop_back();
        QVERIFY(!sourceOf(from, "a"));
    }

    void patterns_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("matching");
        QTest::addColumn<QByteArray>("others");
        const auto row = [](const char* pattern, const char* matching, const char* others) {
            QTest::newRow(pattern) << QByteArray(pattern) << QByteArray(matching) << QByteArray(others);
        };
        row("abc", "abc", "ab abcd xabc");
        row("a*", "a ab abc", "ba");
        row("*c", "c abc cc", "cb");
        row("a*c*e", "ace abcde accee acxce", "ac aec acd");
        row("**", "a abc", "");
        row("a**", "a ab", "b");
        row("*ab*", "ab xaby aab", "ba a");
        row("*aab", "aaab", "aaba");
    }
    void patterns() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, matching);
        QFETCH(QByteArray, others);
        const Source one = source("s", "", {pattern.toStdString()});
        for (const QByteArray& key : matching.split(' '))
            QVERIFY2(standsFor(one, key.toStdString()), key.constData());
        if (others.isEmpty())
            return;
        for (const QByteArray& key : others.split(' '))
            QVERIFY2(!standsFor(one, key.toStdString()), key.constData());
    }

    void entriesById() {
        Catalog catalog;
        catalog.efa.resize(2);
        catalog.efa[1].version = 3;
        catalog.profiles.resize(2);
        catalog.profiles[1].name = "ours";
        catalog.topologies.resize(1);
        catalog.topologies[0].name = "site";
        QVERIFY(catalog.efaGeneration(3) == &catalog.efa[1] && !catalog.efaGeneration(4));
        QVERIFY(catalog.profile("") == &catalog.defaultProfile &&
                catalog.profile("default") == &catalog.defaultProfile);
        QVERIFY(catalog.profile("ours") == &catalog.profiles[1] && !catalog.profile("theirs"));
        QVERIFY(&catalog.profileOrDefault("theirs") == &catalog.defaultProfile);
        QVERIFY(&catalog.profileOrDefault("ours") == &catalog.profiles[1]);
        QVERIFY(&catalog.profileOrDefault({}) == &catalog.defaultProfile);
        QVERIFY(catalog.topology("site") == &catalog.topologies[0] && !catalog.topology("other"));
        QVERIFY(!catalog.gpu("x") && !catalog.model("x") && !catalog.engine("x") && !catalog.framework("x"));
    }

    void peaks() {
        Gpu gpu;
        gpu.fp16 = FlopPerSecond::si(1);
        gpu.bf16 = FlopPerSecond::si(2);
        gpu.fp8 = FlopPerSecond::si(3);
        gpu.fp4 = FlopPerSecond::si(4);
        const double expected[] = {1, 2, 3, 3, 4};
        const char* words[] = {"fp16", "bf16", "fp8", "mxfp8", "nvfp4"};
        for (int i = 0; i < 5; ++i) {
            const auto precision = static_cast<Precision>(i);
            QCOMPARE(gpu.peak(precision)->si(), expected[i]);
            QCOMPARE(std::string(wordOf(precision)), std::string(words[i]));
        }
        gpu.fp8.reset();
        QVERIFY(!gpu.peak(Precision::mxfp8) && gpu.peak(Precision::nvfp4));
    }

    void sharesOfMemory() {
        QVERIFY(memoryShare("all") == MemoryShare::all && memoryShare("rest") == MemoryShare::rest);
        QVERIFY(memoryShare("weights_and_cache") == MemoryShare::weightsAndCache && !memoryShare("none"));
    }
};

QTEST_APPLESS_MAIN(TestCatalogNames)

} // namespace tst_catalog_names

#include "tst_catalog_names.moc"
