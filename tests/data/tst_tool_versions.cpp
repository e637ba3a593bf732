// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// A version of a tool is a file: one more of them can be written for and read.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/handoff/handoff.h"
#include "data/handoff/tools.h"
#include "data/jobs/import_job.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"

#include <QTest>

#include <algorithm>

namespace tst_tool_versions {

using namespace alidade;
using data::handoff::Tool;
using data::handoff::Tools;

namespace {

/// A release in which an option had another name and one did not exist yet.
const char* const older =
    "{\n"
    "  \"id\": \"vllm\", \"version\": \"0.11.0\", \"of\": \"0.24.0\",\n"
    "  \"without\": [\"--max-num-batched-tokens\", \"--block-size\"],\n"
    "  \"options\": {\"one\": [\"--max-tokens-a-step\"]},\n"
    "  \"fields\": [{\"path\": \"plan.chunk_tokens\", \"option\": \"--max-tokens-a-step\"}],\n"
    "  \"inexpressible\": {\"plan.kv_block\": \"not in this release\"}\n"
    "}\n";

std::vector<std::string> faultsOf(const std::string& text) {
    Tools tools = Tools::shipped();
    std::vector<std::string> faults;
    tools.add({{"mine.json", text}}, faults);
    return faults;
}

Tools withOlder() {
    Tools tools = Tools::shipped();
    std::vector<std::string> faults;
    tools.add({{"vllm-0.11.0.json", older}}, faults);
    if (!faults.empty())
        qFatal("%s", faults.front().c_str());
    return tools;
}

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

} // namespace

class TestToolVersions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Every table in catalogs/handoff is found by listing the folder.
    void allTablesAreThere() {
        std::size_t tools = 0;
        for (const std::string& file : data::shippedDocuments("handoff/")) {
            const std::string id = file.substr(0, file.find(".json"));
            if (!Tools::shipped().versions(id).empty())
                ++tools;
        }
        QCOMPARE(tools, data::shippedDocuments("handoff/").size() - 3); // names, clusters and dynamo are none
    }

    void anotherVersionIsWrittenAndReadBack() {
        const Tools tools = withOlder();
        QCOMPARE(tools.versions("vllm"),
                 (std::vector<std::string>{Tools::shipped().tool("vllm").version, "0.11.0"}));
        ScenarioSpec spec =
            *data::readScenario(*data::shippedScenario("serve-llama-3.1-70b-1xp5en.48xlarge"), "shipped");
        spec.plan.chunkTokens = 4096;
        spec.plan.kvBlock = 32;
        const auto answer = estimate(spec, catalog(), catalog().defaultProfile);
        const auto resolved = resolve(spec, catalog(), catalog().defaultProfile);
        const auto write = [&](const std::string& target) {
            return data::handOff({spec, *answer, *resolved, catalog(), "Alidade test", nullptr, &tools},
                                 {target});
        };
        const auto usual = write("vllm"), other = write("vllm@0.11.0");
        QVERIFY(usual && other);
        const std::string &before = usual->files.front().text, &after = other->files.front().text;
        QVERIFY(before.find("--max-num-batched-tokens") != std::string::npos);
        QVERIFY(before.find("--max-tokens-a-step") == std::string::npos);
        QVERIFY(after.find("--max-tokens-a-step 4096") != std::string::npos);
        QVERIFY(after.find("--max-num-batched-tokens") == std::string::npos);
        QVERIFY(after.find("--block-size") == std::string::npos);
        QVERIFY(after.find("vLLM 0.11.0") != std::string::npos);
        QVERIFY(std::ranges::any_of(other->leftOut, [](const data::LeftOut& each) {
            return each.path == "plan.kv_block" && each.why == "not in this release";
        }));
        // The options of the job tell its version.
        const data::JobReading read = data::readJob(after, "serve.sh", catalog(), {}, &tools);
        QCOMPARE(*read.spec.plan.chunkTokens, 4096);
        QVERIFY(read.unknown.empty());
        QVERIFY(std::ranges::any_of(read.warnings, [](const std::string& each) {
            return each.find("vLLM 0.11.0") != std::string::npos;
        }));
        QVERIFY(!data::readJob(after, "serve.sh", catalog()).unknown.empty());
        const data::JobReading same = data::readJob(before, "serve.sh", catalog(), {}, &tools);
        QCOMPARE(*same.spec.plan.kvBlock, 32);
    }

    void anUnknownVersionNamesThoseThereAre() {
        const Tools tools = withOlder();
        const ScenarioSpec spec =
            *data::readScenario(*data::shippedScenario("serve-llama-3.1-70b-1xp5en.48xlarge"), "shipped");
        const auto answer = estimate(spec, catalog(), catalog().defaultProfile);
        const auto resolved = resolve(spec, catalog(), catalog().defaultProfile);
        for (const auto& [target, said] : {std::pair("vllm@0.1", "0.11.0"), std::pair("slurm@99", "22.05"),
                                           std::pair("leaderworkerset@1", "no versions")}) {
            const auto out = data::handOff(
                {spec, *answer, *resolved, catalog(), "Alidade test", nullptr, &tools}, {target});
            QVERIFY(!out);
            QVERIFY2(out.error().find(said) != std::string::npos, out.error().c_str());
        }
    }

    void faultsHaveTheirPlace_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* text, const char* said) {
            QTest::newRow(said) << QString::fromLatin1(text).replace(QLatin1Char('\''), QLatin1Char('"'))
                                << QString::fromLatin1(said);
        };
        const char* head = "{'id': 'vllm', 'version': '1', 'of': '0.24.0', ";
        row("[1]", "mine.json: is not an object");
        row("{'id': 'vllm', 'version': '1'", "mine.json: line 1");
        row("{'id': 'vllm', 'of': '0.24.0'}", "mine.json: has no 'version'");
        row("{'id': 'vllm', 'version': '1', 'of': '0.23.0'}", "mine.json:/of: there is no version 0.23.0");
        row("{'id': 'vlm', 'version': '1', 'name': 'a', 'kind': 'serving'}",
            "mine.json:/id: there is no tool 'vlm'; did you mean 'vllm'?");
        const auto with = [&](const char* rest, const char* said) {
            row((std::string(head) + rest + "}").c_str(), said);
        };
        with("'fields': [{'path': 'plan.tensor_paralel', 'option': '--t'}]",
             "mine.json:/fields/0/path: a scenario has no field 'plan.tensor_paralel'; did you mean "
             "'plan.tensor_parallel'?");
        with("'fields': [{'path': 'plan.tensor_parallel'}]", "mine.json:/fields/0: has neither an 'option'");
        with("'options': {'two': []}", "mine.json:/options/two: is none of flag");
        with("'options': {'one': [1]}", "mine.json:/options/one/0: is not a text");
        with("'aliases': {'-t': 1}", "mine.json:/aliases/-t: is not a text");
        with("'option': {}", "mine.json:/option: unknown key; did you mean 'options'?");
    }
    void faultsHaveTheirPlace() {
        QFETCH(QString, text);
        QFETCH(QString, said);
        const std::vector<std::string> faults = faultsOf(text.toStdString());
        QVERIFY(!faults.empty());
        QVERIFY2(QString::fromStdString(faults.front()).startsWith(said), faults.front().c_str());
    }
};

QTEST_GUILESS_MAIN(TestToolVersions)

} // namespace tst_tool_versions

#include "tst_tool_versions.moc"
