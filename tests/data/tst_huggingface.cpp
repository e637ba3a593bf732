// SPDX-License-Identifier: GPL-3.0-or-later
// Published configurations must give the catalog's architectures, field by field; what cannot be expressed is
// refused.
#include "data/catalog/architecture_json.h"
#include "data/catalog/catalog_reader.h"
#include "data/import/huggingface.h"
#include "data/json/file.h"
#include "data/json/json.h"
#include "model/workload/parameters.h"
#include "tests/data/shipped_catalog.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

namespace tst_huggingface {

using namespace alidade;
using namespace alidade::data;

namespace {

const std::string folder = ALIDADE_TEST_DATA "/data/huggingface/";

/// The fields of an architecture that a configuration states: not its name, not what its publisher says.
nlohmann::ordered_json fields(Architecture architecture) {
    architecture.name = architecture.organization = architecture.family = {};
    architecture.publishedTotalBillion = architecture.publishedActiveBillion = {};
    architecture.publishedIncludesVision = {};
    architecture.nvfp4Kept = {}; // of another checkpoint than the one that is read
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
    void countsWhatIsPublished_data();
    void countsWhatIsPublished();
    void namesWhatItCannotExpress();
    void numbersOfPythonAreRead();
    void namesTheModel();
    void resultIsAUserCatalog();
};

void TestHuggingFace::equalsTheCatalog_data() {
    QTest::addColumn<QString>("id");
    const QStringList files =
        QDir(QString::fromStdString(folder)).entryList({QStringLiteral("*.json")}, QDir::Files);
    QVERIFY(files.size() >= 47);
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file.chopped(5);
}

void TestHuggingFace::equalsTheCatalog() {
    QFETCH(QString, id);
    const auto& catalog = test::shippedCatalog();
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
        << QByteArray(R"({"model_type": "rwkv"})")
        << QByteArray(
               "config.json:/model_type: model_type 'rwkv' is not supported; use one of llama, mistral");
    QTest::newRow("other family inside")
        << QByteArray(R"({"model_type": "llava", "text_config": {"model_type": "opt"}})")
        << QByteArray("config.json:/text_config/model_type: model_type 'opt' is not supported");
    QTest::newRow("types of too few layers")
        << QByteArray::fromStdString(R"({"model_type": "granitemoehybrid", "layer_types": ["mamba"], )" +
                                     smallLlama + "}")
        << QByteArray("config.json:/layer_types: 1 types for 2 layers");
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

/// Families without an entry in the catalog: their parameters are those that the publisher counts.
void TestHuggingFace::countsWhatIsPublished_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<double>("billions");
    QTest::newRow("Granite 3.1 8B")
        << QByteArray(R"({"model_type": "granite", "num_hidden_layers": 40, "hidden_size": 4096,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 12800,
            "vocab_size": 49155, "tie_word_embeddings": true, "hidden_act": "silu",
            "max_position_embeddings": 131072, "rope_theta": 10000000})")
        << 8.17;
    QTest::newRow("Granite 4.0 H Small")
        << QByteArray(
               R"({"model_type": "granitemoehybrid", "num_hidden_layers": 40, "hidden_size": 4096,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 768,
            "shared_intermediate_size": 1536, "num_local_experts": 72, "num_experts_per_tok": 10,
            "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1,
            "mamba_d_conv": 4, "vocab_size": 100352, "tie_word_embeddings": true, "layer_types": [)" +
               QByteArray(
                   R"("mamba","mamba","mamba","mamba","mamba","attention","mamba","mamba","mamba","mamba",)")
                   .repeated(4)
                   .chopped(1) +
               "]}")
        << 32.2;
    QTest::newRow("Command R")
        << QByteArray(R"({"model_type": "cohere", "num_hidden_layers": 40, "hidden_size": 8192,
            "num_attention_heads": 64, "num_key_value_heads": 64, "intermediate_size": 22528,
            "vocab_size": 256000, "hidden_act": "silu", "rope_theta": 8000000.0, "use_qk_norm": false})")
        << 34.98;
    QTest::newRow("Mamba Codestral 7B")
        << QByteArray(R"({"model_type": "mamba2", "num_hidden_layers": 64, "hidden_size": 4096,
            "num_heads": 128, "head_dim": 64, "n_groups": 8, "state_size": 128, "conv_kernel": 4,
            "vocab_size": 32768, "tie_word_embeddings": false, "hidden_act": "silu"})")
        << 7.29;
    QTest::newRow("Mistral Small 3.1, the language model")
        << QByteArray(R"({"model_type": "mistral3", "vision_config": {"hidden_size": 1024}, "text_config": {
            "model_type": "mistral", "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 32,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 32768, "vocab_size": 131072,
            "sliding_window": null, "rope_theta": 1000000000.0}})")
        << 23.57;
}

void TestHuggingFace::countsWhatIsPublished() {
    QFETCH(QByteArray, config);
    QFETCH(double, billions);
    const Architecture model = accepted(config.toStdString());
    const double counted = static_cast<double>(countParameters(model).total) / 1e9;
    QVERIFY2(std::abs(counted / billions - 1) < 0.005, std::to_string(counted).c_str());
}

void TestHuggingFace::namesWhatItCannotExpress() {
    const Architecture model = accepted(R"({"model_type": "glm_moe_dsa", "num_hidden_layers": 4,
        "hidden_size": 256, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 512,
        "moe_intermediate_size": 64, "n_routed_experts": 16, "index_topk": 2048,
        "indexer_types": ["full", "shared", "shared", "shared"]})");
    QVERIFY(model.sparseIndexer && model.sparseIndexer->topk == 2048);
    QCOMPARE(model.notModeled.size(), std::size_t(1));
    QVERIFY(model.notModeled.front().starts_with("3 of 4 layers reuse"));
}

/// Python's json writes numbers that JSON does not have; in texts they are words.
void TestHuggingFace::numbersOfPythonAreRead() {
    const Architecture model = accepted(R"({"model_type": "llama", "time_step_limit": [0.0, Infinity],
        "x": -Infinity, "y": NaN, "_name_or_path": "who/Infinity-NaN", )" +
                                        smallLlama + "}");
    QCOMPARE(model.name, std::string("Infinity-NaN"));
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
    const CatalogLoad load = loadCatalog(test::shippedCatalog(), file);
    QVERIFY2(load.problems.empty(), load.problems.empty() ? "" : text(load.problems.front()).c_str());
    const Architecture* read = load.catalog->model("my-model");
    QVERIFY(read != nullptr && read->provenance.user);
    QCOMPARE(fields(*read).dump(1), fields(model).dump(1));
    QVERIFY(checkCatalog(file).empty());
}

QTEST_APPLESS_MAIN(TestHuggingFace)

} // namespace tst_huggingface

#include "tst_huggingface.moc"
