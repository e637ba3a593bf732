// SPDX-License-Identifier: GPL-3.0-or-later
// Published configurations must give the catalog's architectures, field by field; what cannot be expressed is
// refused.
#include "data/catalog/architecture_json.h"
#include "data/catalog/catalog_reader.h"
#include "data/import/huggingface.h"
#include "data/json/file.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

using namespace alidade;
using namespace alidade::data;

namespace {

const std::string folder = ALIDADE_TEST_DATA "/data/huggingface/";

/// The fields of an architecture that a configuration states: not its name, not what its publisher says.
nlohmann::ordered_json fields(Architecture architecture) {
    architecture.name = architecture.organization = architecture.family = {};
    architecture.publishedTotalBillion = architecture.publishedActiveBillion = {};
    architecture.publishedIncludesVision = {};
    architecture.provenance = {};
    return architectureToJson(architecture);
}

std::string imported(const std::string& config) {
    const Result<Architecture> result = importHuggingFaceConfig(config, "config.json");
    return result ? architectureToJson(*result).dump() : result.error();
}

Architecture accepted(const std::string& config) {
    const Result<Architecture> result = importHuggingFaceConfig(config, "config.json");
    if (!result)
        qFatal("refused: %s", result.error().c_str());
    return *result;
}

const std::string smallLlama =
    R"("num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 128)";

} // namespace

class TestHuggingFace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsTheCatalog_data();
    void equalsTheCatalog();
    void absentKeysTakeTheFamilysDefaults();
    void refuses_data();
    void refuses();
    void namesTheModel();
    void resultIsAUserCatalog();
};

void TestHuggingFace::equalsTheCatalog_data() {
    QTest::addColumn<QString>("id");
    const QStringList files =
        QDir(QString::fromStdString(folder)).entryList({QStringLiteral("*.json")}, QDir::Files);
    QVERIFY(files.size() >= 17);
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file.chopped(5);
}

void TestHuggingFace::equalsTheCatalog() {
    QFETCH(QString, id);
    const auto catalog = loadShippedCatalog().catalog;
    const Architecture* model = catalog->model(id.toStdString());
    QVERIFY(model != nullptr);
    const std::string file = folder + id.toStdString() + ".json";
    const Result<std::string> text = readFile(file);
    QVERIFY2(text, text.error().c_str());
    const Result<Architecture> result = importHuggingFaceConfig(*text, file);
    QVERIFY2(result, result.error().c_str());
    QCOMPARE(fields(*result).dump(1), fields(*model).dump(1));
}

void TestHuggingFace::absentKeysTakeTheFamilysDefaults() {
    const Architecture llama = accepted(R"({"model_type": "llama", )" + smallLlama + "}");
    QCOMPARE(llama.kvHeads, 4);
    QCOMPARE(llama.headDim, 16);
    QVERIFY(!llama.tieEmbeddings && !llama.biasQkv && !llama.biasO && !llama.biasMlp);
    QCOMPARE(llama.ropeTheta.value(), 10000.0);
    QCOMPARE(llama.maxContextTokens, 2048);
    QCOMPARE(llama.slidingWindow, 0);

    const std::string eightHeads =
        R"("num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 32, "vocab_size": 100, "intermediate_size": 128)";
    const Architecture mistral = accepted(R"({"model_type": "mistral", )" + eightHeads + "}");
    QCOMPARE(mistral.kvHeads, 8);
    QCOMPARE(mistral.slidingWindow, 4096); // only an explicit null turns it off
    const Architecture qwen2 = accepted(R"({"model_type": "qwen2", )" + eightHeads + "}");
    QVERIFY(qwen2.biasQkv && !qwen2.biasO);
    const Architecture qwen3 = accepted(R"({"model_type": "qwen3", )" + eightHeads + "}");
    QCOMPARE(qwen3.headDim, 128);
    QVERIFY(qwen3.qkNorm == QkNorm::perHead && !qwen3.biasQkv);
    const Architecture oss = accepted(R"({"model_type": "gpt_oss", )" + eightHeads + "}");
    QVERIFY(oss.attentionSinks && oss.biasQkv && oss.biasO && oss.moe && oss.moe->routerBias);
    QCOMPARE(oss.headDim, 64);
    QCOMPARE(oss.moe->routedExperts, 128);
    QCOMPARE(oss.moe->expertsPerToken, 4);

    const Architecture qwenMoe =
        accepted(R"({"model_type": "qwen3_moe", "num_key_value_heads": 4, "decoder_sparse_step": 2,
        "mlp_only_layers": [0], )" +
                 eightHeads + "}");
    QCOMPARE(qwenMoe.moe->layerStep, 2);
    QCOMPARE(qwenMoe.moe->denseFirstLayers, 1);
    QCOMPARE(qwenMoe.ffnIntermediateSize, 128);
}

void TestHuggingFace::refuses_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QByteArray>("said");
    const auto llama = [](const char* more) {
        return QByteArray::fromStdString(R"({"model_type": "llama", )" + std::string(more) + smallLlama +
                                         "}");
    };
    QTest::newRow("other family")
        << QByteArray(R"({"model_type": "falcon"})")
        << QByteArray(
               "config.json:/model_type: model_type 'falcon' is not supported; use one of llama, mistral");
    QTest::newRow("no family") << QByteArray("{}") << QByteArray("config.json:/model_type: missing");
    QTest::newRow("no object") << QByteArray("[]")
                               << QByteArray("config.json: an array where an object is expected");
    QTest::newRow("no JSON") << QByteArray("{") << QByteArray("config.json: line 1, column 2: ");
    QTest::newRow("no layers") << QByteArray(R"({"model_type": "llama"})")
                               << QByteArray("config.json:/num_hidden_layers: missing");
    QTest::newRow("every fault") << QByteArray(R"({"model_type": "llama"})")
                                 << QByteArray("\nconfig.json:/intermediate_size: missing");
    QTest::newRow("activation") << llama(R"("hidden_act": "relu", )")
                                << QByteArray("config.json:/hidden_act: 'relu' is not supported");
    QTest::newRow("heads") << llama(R"("num_key_value_heads": 3, )")
                           << QByteArray("kv_heads: 3 does not divide the 4 attention heads");
    QTest::newRow("fraction") << llama(R"("head_dim": 16.5, )")
                              << QByteArray("config.json:/head_dim: 16.5 is not a whole number");
    QTest::newRow("negative") << llama(R"("head_dim": -16, )")
                              << QByteArray("config.json:/head_dim: -16 is out of range");
    QTest::newRow("text") << llama(R"("head_dim": "16", )")
                          << QByteArray("config.json:/head_dim: the text \"16\" is not a number");
    QTest::newRow("vision") << llama(R"("vision_config": {}, )")
                            << QByteArray("config.json:/vision_config: ");
    QTest::newRow("dense in the middle")
        << QByteArray::fromStdString(
               R"({"model_type": "qwen3_moe", "num_key_value_heads": 4, "mlp_only_layers": [3], )" +
               smallLlama + "}")
        << QByteArray("config.json:/mlp_only_layers: ");
}

void TestHuggingFace::refuses() {
    QFETCH(QByteArray, config);
    QFETCH(QByteArray, said);
    const std::string result = imported(config.toStdString());
    QVERIFY2(result.find(said.toStdString()) != std::string::npos, result.c_str());
}

void TestHuggingFace::namesTheModel() {
    const std::string plain = R"({"model_type": "llama", )" + smallLlama + "}";
    QCOMPARE(importHuggingFaceConfig(plain, "/models/My Llama/config.json")->id, std::string("my-llama"));
    QCOMPARE(importHuggingFaceConfig(plain, "tiny.json")->id, std::string("tiny"));
    const std::string named =
        R"({"_name_or_path": "meta-llama/Llama-Tiny", "model_type": "llama", )" + smallLlama + "}";
    QCOMPARE(importHuggingFaceConfig(named, "config.json")->id, std::string("llama-tiny"));
    QCOMPARE(importHuggingFaceConfig(named, "config.json")->name, std::string("Llama-Tiny"));
}

void TestHuggingFace::resultIsAUserCatalog() {
    const Result<std::string> config = readFile(folder + "deepseek-v3.json");
    Architecture model = *importHuggingFaceConfig(*config, "config.json");
    model.id = "my-model";
    QTemporaryDir directory;
    const std::string file = directory.filePath(QStringLiteral("my-model.json")).toStdString();
    QFile out(QString::fromStdString(file));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(architectureToCatalogText(model)));
    out.close();
    const CatalogLoad load = loadCatalog(loadShippedCatalog().catalog, file);
    QVERIFY2(load.problems.empty(), load.problems.empty() ? "" : text(load.problems.front()).c_str());
    const Architecture* read = load.catalog->model("my-model");
    QVERIFY(read != nullptr && read->provenance.user);
    QCOMPARE(fields(*read).dump(1), fields(model).dump(1));
    QVERIFY(checkCatalog(file).empty());
}

QTEST_APPLESS_MAIN(TestHuggingFace)
#include "tst_huggingface.moc"
