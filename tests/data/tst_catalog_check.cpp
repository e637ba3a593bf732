// SPDX-License-Identifier: GPL-3.0-or-later
// `catalog check` finds every fault, with its place: a copy of the shipped catalog is seeded with one of each
// kind.
#include "catalog_folder.h"
#include "data/catalog/shipped.h"

#include <QtTest>

#include <set>

namespace tst_catalog_check {

using namespace alidade;
using namespace alidade::data;
using alidade::tests::CatalogFolder;
using alidade::tests::lines;
using alidade::tests::userDocument;
using Json = nlohmann::json;

namespace {

/// One change of one entry and the fault that must come of it.
struct Seed {
    const char* file;
    const char* id;      ///< of the entry
    const char* pointer; ///< of the value to change, inside the entry
    const char* value;   ///< JSON text; empty: remove it
    const char* place;   ///< where the fault must be, inside the entry
    const char* says;
};

constexpr Seed seeds[] = {
    // Kinds, ranges and keys.
    {"gpus.json", "t4", "/hbm_capacity_gb", "\"16 GB\"", "/hbm_capacity_gb",
     "the text \"16 GB\" is not a number"},
    {"gpus.json", "l4", "/tdp_w", "-72", "/tdp_w", "-72 W is out of range; expected 1 to 100000 W"},
    {"gpus.json", "a10g", "/sm_count", "80.5", "/sm_count", "80.5 is not a whole number"},
    {"gpus.json", "trainium1", "/name", "", "/name", "missing; this key is required"},
    {"gpus.json", "trainium2", "/hbm_bandwith_gb_per_s", "2900", "/hbm_bandwith_gb_per_s",
     "unknown key 'hbm_bandwith_gb_per_s'; did you mean 'hbm_bandwidth_gb_per_s'?"},
    {"gpus.json", "l40s", "/nvlink_sharp", "0", "/nvlink_sharp", "0 is not a Boolean"},
    {"gpus.json", "rtx-pro-4500", "/notes", "\"one\"", "/notes", "where an array of strings is expected"},
    {"instances.json", "g6.xlarge", "/gpus", "0", "/gpus", "0 is out of range; expected 1 to 1024"},
    {"instances.json", "g5.xlarge", "/network_card_layout", "[{\"cards\": 1, \"colour\": 2}]",
     "/network_card_layout/0/colour", "unknown key 'colour'"},
    {"prices.json", "p4d.24xlarge/us-east-1/on_demand", "/purchase", "\"ondemand\"", "/purchase",
     "'ondemand' is not a valid value; did you mean 'on_demand'?"},
    // Ids.
    {"models.json", "llama-3-8b", "/id", "\"llama-2-7b\"", "/id", "duplicate id 'llama-2-7b', first used at"},
    {"storage.json", "ebs-gp3", "/id", "", "/id", "missing; this key is required"},
    // References.
    {"instances.json", "p4d.24xlarge", "/gpu", "\"a100-40gb\"", "/gpu",
     "no entry 'a100-40gb' in gpus; did you mean 'a100-40gb-sxm'?"},
    {"ultraservers.json", "u-trn2", "/instance", "\"trn2u.48xlarg\"", "/instance",
     "did you mean 'trn2u.48xlarge'?"},
    {"prices.json", "p5.48xlarge/us-east-2/on_demand", "/item", "\"p5.49xlarge\"", "/item",
     "no entry 'p5.49xlarge' in instances"},
    {"storage.json", "instance-store-p5.48xlarge", "/instance", "\"p7.48xlarge\"", "/instance",
     "no entry 'p7.48xlarge'"},
    {"instances.json", "g6e.48xlarge", "/efa_generation", "9", "/efa_generation",
     "no EFA generation 9 in efa"},
    // Sums and generations.
    {"instances.json", "p5.48xlarge", "/gpu_memory_gb_total", "960", "/gpu_memory_gb_total",
     "960 GB is not 8 x 80 GB"},
    {"instances.json", "p5en.48xlarge", "/efa_bandwidth_gb_per_s_per_direction", "3200",
     "/efa_bandwidth_gb_per_s_per_direction", "3200 GB/s exceeds the maximum of EFA 3; use at most 400 GB/s"},
    {"instances.json", "p5e.48xlarge", "/efa_bandwidth_gb_per_s_per_direction", "",
     "/efa_bandwidth_gb_per_s_per_direction", "missing; EFA generation and bandwidth must be given together"},
    {"instances.json", "g5.48xlarge", "/nitro_version", "4", "/efa_generation", "EFA 1 belongs to Nitro 3"},
    {"instances.json", "p6-b200.48xlarge", "/nvlink_bandwidth_tb_per_s_total_bidirectional", "7.2",
     "/nvlink_bandwidth_tb_per_s_total_bidirectional",
     "7.2 TB/s is not 2 x 8 x 900 GB/s; expected 14.4 TB/s"},
    {"instances.json", "p4de.24xlarge", "/nvlink_generation", "4", "/nvlink_generation",
     "its GPUs have NVLink 3"},
    {"instances.json", "p6-b300.48xlarge", "/local_nvme_gb_total", "30720", "/local_nvme_gb_total",
     "is not 8 x 3800 GB"},
    {"ultraservers.json", "u-p6e-gb200x72", "/gpus", "70", "/gpus", "70 is not 18 x 4 of p6e-gb200.36xlarge"},
    {"ultraservers.json", "u-p6e-gb200x36", "/efa_bandwidth_gb_per_s_per_direction", "14400",
     "/efa_bandwidth_gb_per_s_per_direction", "14400 GB/s is not 9 x 200 GB/s"},
    {"ultraservers.json", "u-p6e-gb300x72", "/gpu", "\"gb200\"", "/gpu",
     "'gb200', but p6e-gb300.36xlarge has 'gb300'"},
    {"efa.json", "efa1", "/instances", "[\"p5.4xlarge\"]", "/instances", "its own entry has EFA 2"},
    // Defaults of software.
    {"engines.json", "sglang", "/memory_share", "\"half\"", "/memory_share", "'half' is not valid"},
    {"engines.json", "vllm-v0", "/memory_share", "", "/memory_share", "'' is not valid"},
    {"engines.json", "vllm", "/defaults", "{\"plan.kv_blok\": \"16\"}", "/defaults",
     "a scenario has no field 'plan.kv_blok'; did you mean 'plan.kv_block'?"},
    {"engines.json", "tensorrt-llm", "/quantized_defaults", "{\"plan.kv_cache\": \"fp7\"}",
     "/quantized_defaults", "plan.kv_cache: "},
    {"engines.json", "vllm", "/small_gpu_defaults", "{\"plan.max_batch\": \"many\"}", "/small_gpu_defaults",
     "plan.max_batch: "},
    {"engines.json", "tensorrt-llm", "/native_weights", "[\"fp8\", \"fp7\"]", "/native_weights",
     "'fp7' is not a weight format"},
    {"frameworks.json", "torchtitan", "/memory_share", "\"all\"", "/memory_share", "remove it"},
    {"frameworks.json", "maxtext", "/ignores_windows", "true", "/ignores_windows",
     "does not apply to a training framework"},
    {"frameworks.json", "maxtext", "/decodes_by_query_head", "true", "/decodes_by_query_head",
     "does not apply to a training framework"},
    {"frameworks.json", "deepspeed", "/defaults", "{\"plan.sharding\": \"zero9\"}", "/defaults",
     "plan.sharding: "},
    // Sources and dates.
    {"gpus.json", "a100-80gb-sxm", "/sources", "[]", "/sources", "no source; add one"},
    {"models.json", "llama-3-70b", "/sources", "[\"lit-gpt\"]", "/sources",
     "no source 'lit-gpt' in this document"},
    {"gpus.json", "h200-sxm", "/sources", "[{\"title\": \"Data sheet\", \"date\": \"May 2026\"}]", "/sources",
     "source 1: 'May 2026' is not a date; use the form \"2026-11-20\""},
    {"gpus.json", "b200-sxm", "/sources", "[{\"title\": \"Data sheet\", \"fields\": [\"dense_bf16\"]}]",
     "/sources", "source 1: 'dense_bf16' is not a key; did you mean"},
    {"gpus.json", "b300-sxm", "/sources", "[{\"url\": \"https://example.org\"}]", "/sources/0/title",
     "missing"},
    {"prices.json", "p5.4xlarge/us-east-1/on_demand", "/date", "\"2026-13-01\"", "/date",
     "'2026-13-01' is not a date"},
    {"prices.json", "p4d.24xlarge/us-east-1/reserved/3-years-payment-not-stated", "/terms",
     "\"1 year, no upfront, standard\"", "/current", "a second current price of p4d.24xlarge in us-east-1"},
    // Architectures that contradict themselves.
    {"models.json", "llama-2-70b", "/kv_heads", "7", "/kv_heads", "7 does not divide the 64 attention heads"},
    {"models.json", "qwen3-32b", "/nvfp4_kept", "[\"attention\", \"experts\"]", "/nvfp4_kept",
     "'experts' is not valid"},
    {"models.json", "mixtral-8x7b", "/moe/experts_per_token", "9", "/moe", "a token uses 9 of 8 experts"},
    {"models.json", "nemotron-h-8b", "/layers", "53", "/hybrid_pattern", "52 letters for 53 layers"},
    {"models.json", "deepseek-v3", "/mla/kv_lora_rank", "", "/mla/kv_lora_rank",
     "missing; this key is required"},
    {"models.json", "qwen3-8b", "/ffn_intermediate_size", "", "/ffn_intermediate_size",
     "each layer has a dense MLP"},
};

using Documents = std::map<std::string, Json>;

Documents shipped() {
    Documents out;
    for (const std::string& file : shippedDocuments())
        out[file] = Json::parse(shippedDocument(file));
    return out;
}

std::size_t indexOf(const Json& document, const std::string& id) {
    const Json& entries = document["entries"];
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].value("id", "") == id)
            return i;
    qFatal("no entry %s", id.c_str());
}

std::vector<CatalogProblem> problemsOf(const Documents& documents) {
    const CatalogFolder folder;
    for (const auto& [file, json] : documents)
        folder.write(file, json);
    std::vector<CatalogProblem> problems = checkCatalog(folder.path());
    for (CatalogProblem& problem : problems)
        problem.file = problem.file.substr(problem.file.rfind('/') + 1);
    return problems;
}

bool has(const std::vector<CatalogProblem>& problems, const std::string& file, const std::string& pointer,
         const std::string& says) {
    return std::ranges::any_of(problems, [&](const CatalogProblem& problem) {
        return problem.file == file && problem.pointer == pointer &&
               problem.message.find(says) != std::string::npos;
    });
}

} // namespace

class TestCatalogCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aCopyHasNoFault();
    void findsEverySeededFault();
    void documentFaults_data();
    void documentFaults();
    void emptyFolder();
    void userCatalogIsCheckedOverTheShippedOne();
    void aRecordedConflictIsNoFault();
    void pricesOfOneThingShareNoDay();
};

void TestCatalogCheck::aCopyHasNoFault() {
    const auto problems = problemsOf(shipped());
    QVERIFY2(problems.empty(), lines(problems).constData());
}

void TestCatalogCheck::findsEverySeededFault() {
    Documents documents = shipped();
    std::map<const Seed*, std::string> entries; // pointers, before any id changes
    for (const Seed& seed : seeds)
        entries[&seed] = "/entries/" + std::to_string(indexOf(documents.at(seed.file), seed.id));
    for (const Seed& seed : seeds) {
        Json& document = documents.at(seed.file);
        const Json::json_pointer place(entries[&seed] + seed.pointer);
        if (*seed.value == '\0')
            document[place.parent_pointer()].erase(place.back());
        else
            document[place] = Json::parse(seed.value);
    }
    const std::vector<CatalogProblem> problems = problemsOf(documents);
    std::set<std::string> expected;
    for (const Seed& seed : seeds) {
        const std::string pointer = entries[&seed] + seed.place;
        QVERIFY2(
            has(problems, seed.file, pointer, seed.says),
            (std::string(seed.file) + ":" + pointer + ": " + seed.says + "\n" + lines(problems).toStdString())
                .c_str());
        expected.insert(std::string(seed.file) + entries[&seed]);
    }
    // Nothing else is wrong but what follows from the seeds in other entries.
    QByteArrayList others;
    for (const CatalogProblem& problem : problems) {
        const std::size_t end = problem.pointer.find('/', std::string("/entries/").size());
        if (!expected.contains(problem.file + problem.pointer.substr(0, end)))
            others += QByteArray::fromStdString(problem.file + ": " + problem.message);
    }
    const QByteArrayList follows = {"efa.json: g6e.48xlarge is listed here, but its own entry has EFA 9",
                                    "storage.json: 30400 GB, but p6-b300.48xlarge has 30720 GB"};
    QCOMPARE(others, follows);
}

void TestCatalogCheck::documentFaults_data() {
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* document, const char* pointer, const char* says) {
        QTest::newRow(name) << QByteArray(document) << QByteArray(pointer) << QByteArray(says);
    };
    row("no JSON", "{\"alidade\": 1,\n \"kind\": gpus}", "", "line 2, column 10: not valid JSON");
    row("duplicate key", R"({"alidade": 1, "alidade": 1})", "",
        "line 1, column 16: the key \"alidade\" occurs twice");
    row("no object", "[]", "", "an array where an object is expected");
    row("newer format", R"({"alidade": 2, "kind": "gpus", "entries": []})", "/alidade",
        "2 is out of range; expected 1 to 1");
    row("no format", R"({"kind": "gpus", "entries": []})", "/alidade", "missing");
    row("no kind", R"({"alidade": 1, "entries": []})", "/kind", "missing");
    row("unknown kind", R"({"alidade": 1, "kind": "gpu", "entries": []})", "/kind", "did you mean 'gpus'?");
    row("no entries", R"({"alidade": 1, "kind": "gpus"})", "/entries", "missing");
    row("entries are not a list", R"({"alidade": 1, "kind": "gpus", "entries": {}})", "/entries",
        "an array of objects");
    row("entry is not an object", R"({"alidade": 1, "kind": "gpus", "entries": [5]})", "/entries/0",
        "5 where an object");
    row("empty id", R"({"alidade": 1, "kind": "gpus", "entries": [{"id": ""}]})", "/entries/0/id",
        "at least one character");
    row("bad version", R"({"alidade": 1, "kind": "gpus", "version": "soon", "entries": []})", "/version",
        "'soon' is not a date");
    row("unknown key", R"({"alidade": 1, "kind": "gpus", "entires": [], "entries": []})", "/entires",
        "unknown key 'entires'; did you mean 'entries'?");
    row("source without a title", R"({"alidade": 1, "kind": "gpus", "sources": {"a": {}}, "entries": []})",
        "/sources/a/title", "missing");
    row("profile without a unit",
        R"({"alidade": 1, "name": "x", "date": "2026", "parameters": [{"name": "a", "value": 1,
        "source": "s"}]})",
        "/parameters/0/unit", "missing");
    row("ratio above 1",
        R"({"alidade": 1, "name": "x", "date": "2026", "parameters": [{"name": "a", "value": 75,
        "unit": "ratio", "source": "s"}]})",
        "/parameters/0/value", "75 ratio is out of range; expected 0 to 1 ratio");
    row("parameter twice", R"({"alidade": 1, "name": "x", "date": "2026", "parameters": [
        {"name": "a", "value": 1, "unit": "s", "source": "s"}, {"name": "a", "value": 2, "unit": "s", "source": "s"}]})",
        "/parameters/1/name", "duplicate 'a'");
}

void TestCatalogCheck::documentFaults() {
    QFETCH(QByteArray, document);
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, says);
    const CatalogFolder folder;
    folder.write("my.json", document.toStdString());
    const auto problems = checkCatalog(folder.file("my.json"));
    QVERIFY2(has(problems, folder.file("my.json"), pointer.toStdString(), says.toStdString()),
             lines(problems).constData());
}

void TestCatalogCheck::emptyFolder() {
    const CatalogFolder folder;
    QVERIFY(has(checkCatalog(folder.path()), folder.path(), "", "no JSON file in this directory"));
    QVERIFY(has(checkCatalog(folder.path() + "/none.json"), folder.path() + "/none.json", "",
                "there is no such file"));
}

void TestCatalogCheck::userCatalogIsCheckedOverTheShippedOne() {
    const CatalogFolder folder;
    folder.write("mine.json",
                 userDocument("instances", {{{"id", "p5.48xlarge"}, {"vcpus", 200}},
                                            {{"id", "new.type"}, {"gpu", "h100-sxm"}},
                                            {{"id", "other.type"}, {"gpu", "h101-sxm"}, {"gpus", 8}}}));
    const auto problems = checkCatalog(folder.path());
    const std::string file = folder.file("mine.json");
    QVERIFY2(has(problems, file, "/entries/0/sources", "no source"), lines(problems).constData());
    QVERIFY2(has(problems, file, "/entries/1/gpus", "missing"), lines(problems).constData());
    QVERIFY2(has(problems, file, "/entries/2/gpu", "did you mean 'h100-sxm'?"), lines(problems).constData());
    QCOMPARE(problems.size(), 5u); // those three, and no source for the two new types either
}

void TestCatalogCheck::aRecordedConflictIsNoFault() {
    const CatalogFolder folder;
    Json entry = {{"id", "p5.48xlarge"},
                  {"gpu_memory_gb_total", 700},
                  {"sources", {{{"title", "A letter from AWS"}, {"date", "2026-11-01"}}}}};
    folder.write("mine.json", userDocument("instances", {entry}));
    QCOMPARE(checkCatalog(folder.path()).size(), 1u);
    entry["conflicts"] = {"Memory: 700 GB in the letter against 8 x 80 GB."};
    folder.write("mine.json", userDocument("instances", {entry}));
    const auto problems = checkCatalog(folder.path());
    QVERIFY2(problems.empty(), lines(problems).constData());
}

void TestCatalogCheck::pricesOfOneThingShareNoDay() {
    const auto price = [](const char* id, const char* from, const char* until) {
        return Json{{"id", id},
                    {"item", "p5.48xlarge"},
                    {"region", "us-east-2"},
                    {"purchase", "on_demand"},
                    {"usd_per_hour", 50},
                    {"date", "2026-11-01"},
                    {"valid_from", from},
                    {"valid_until", until},
                    {"sources", {{{"title", "An offer"}, {"date", "2026-11-01"}}}}};
    };
    const CatalogFolder folder;
    // Alongside the published price, which has no days.
    folder.write("mine.json", userDocument("prices", {price("a", "2027-01-01", "2027-03-31"),
                                                      price("b", "2027-04-01", "2027-06-30")}));
    const auto none = checkCatalog(folder.path());
    QVERIFY2(none.empty(), lines(none).constData());
    folder.write("mine.json", userDocument("prices", {price("a", "2027-01-01", "2027-04-01"),
                                                      price("b", "2027-04-01", "2027-06-30"),
                                                      price("c", "2027-06-31", "2027-07-01"),
                                                      price("d", "2027-09-01", "2027-08-01")}));
    const auto problems = checkCatalog(folder.path());
    const std::string file = folder.file("mine.json");
    QVERIFY2(has(problems, file, "/entries/1/valid_from", "on the same days as 'a'"),
             lines(problems).constData());
    QVERIFY2(has(problems, file, "/entries/2/valid_from", "'2027-06-31' is not a day"),
             lines(problems).constData());
    QVERIFY2(has(problems, file, "/entries/3/valid_until", "before valid_from"), lines(problems).constData());
    QCOMPARE(problems.size(), 3u);
}

QTEST_APPLESS_MAIN(TestCatalogCheck)

} // namespace tst_catalog_check

#include "tst_catalog_check.moc"
