// SPDX-License-Identifier: GPL-3.0-or-later
// Models of publications: what a row says of its model, completed from the catalog's model of that name.
#include "model/validation/published_scenario.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <functional>

namespace tst_published_architecture {

using namespace alidade;
using namespace alidade::tests;

namespace {

struct Read {
    Architecture model;
    std::string id, lacks;
    std::vector<std::string> assumed;
};

Read read(const PublishedModel& row, const Catalog& catalog = fittedCatalog()) {
    Read out;
    out.lacks = publishedArchitecture(row, catalog, out.model, out.id, out.assumed);
    return out;
}

/// A model that the catalog does not have.
PublishedModel gpt() {
    PublishedModel out;
    out.name = "GPT 1B";
    out.layers = 24;
    out.hidden = 2048;
    out.heads = out.kvHeads = 16;
    out.headDim = 128;
    out.ffn = 8192;
    out.vocab = 51200;
    out.gatedFfn = false;
    return out;
}

PublishedExperts expertsOf(int experts, int perToken, int width) {
    PublishedExperts out;
    out.experts = experts;
    out.perToken = perToken;
    out.expertFfn = width;
    return out;
}

} // namespace

class TestPublishedArchitecture : public QObject {
    Q_OBJECT

private slots:
    /// The id itself or a longer name that begins with it; of two models the longer id.
    void theModelOfThatName() {
        Catalog catalog = fittedCatalog();
        for (const char* id : {"llama-3.1", "llama"})
            catalog.models.emplace_back(catalog.models[0]).id = id;
        const auto named = [&](const char* name) {
            PublishedModel row;
            row.name = name;
            return read(row, catalog).id;
        };
        QCOMPARE(named("Llama 3.1 8B"), std::string("llama-3.1-8b"));
        QCOMPARE(named("Llama-3.1-8B Instruct"), std::string("llama-3.1-8b"));
        QCOMPARE(named("Llama 3.1 70B"), std::string("llama-3.1"));
        QCOMPARE(named("Llama 2"), std::string("llama"));
        QCOMPARE(named("Llama2"), std::string());
        std::swap(catalog.models[0], catalog.models.back()); // in whatever order
        QCOMPARE(named("Llama 3.1 8B"), std::string("llama-3.1-8b"));
    }

    /// A model of another size is not the one of that name.
    void sizesHaveToAgree() {
        PublishedModel row;
        row.name = "Llama 3.1 8B";
        row.layers = 32;
        row.hidden = 4096;
        row.heads = 32;
        QCOMPARE(read(row).id, std::string("llama-3.1-8b"));
        QCOMPARE(joined(read(row).assumed), QStringLiteral("workload.model.vocab_size"));
        for (const auto member : {&PublishedModel::layers, &PublishedModel::hidden, &PublishedModel::heads}) {
            PublishedModel other = row;
            *(other.*member) += 1;
            const Read found = read(other);
            QCOMPARE(found.id, std::string());
            QCOMPARE(found.model.name, std::string("Llama 3.1 8B"));
            QCOMPARE(found.lacks.substr(0, 24), std::string("the source does not give"));
        }
    }

    void whatTheRowSaysHolds_data() {
        QTest::addColumn<std::function<void(PublishedModel&)>>("say");
        QTest::addColumn<std::function<bool(const Architecture&)>>("holds");
        QTest::addColumn<bool>("same"); // as in the catalog
        using Say = std::function<void(PublishedModel&)>;
        using Holds = std::function<bool(const Architecture&)>;
        const auto add = [](const char* name, const Say& say, const Holds& holds, bool same = false) {
            QTest::newRow(name) << say << holds << same;
        };
        add(
            "nothing", [](PublishedModel&) {}, [](const Architecture& a) { return a.vocabSize == 128256; },
            true);
        add(
            "vocabulary", [](PublishedModel& m) { m.vocab = 128000; },
            [](const Architecture& a) { return a.vocabSize == 128000; });
        add(
            "the same vocabulary", [](PublishedModel& m) { m.vocab = 128256; },
            [](const Architecture& a) { return a.vocabSize == 128256; }, true);
        add(
            "KV heads", [](PublishedModel& m) { m.kvHeads = 32; },
            [](const Architecture& a) { return a.kvHeads == 32; });
        add(
            "head size", [](PublishedModel& m) { m.headDim = 64; },
            [](const Architecture& a) { return a.headDim == 64; });
        add(
            "MLP", [](PublishedModel& m) { m.ffn = 10000; },
            [](const Architecture& a) { return a.ffnIntermediateSize == 10000; });
        add(
            "no gate", [](PublishedModel& m) { m.gatedFfn = false; },
            [](const Architecture& a) { return !a.ffnGated && !a.biasMlp; });
        add(
            "tied", [](PublishedModel& m) { m.tiedEmbeddings = true; },
            [](const Architecture& a) { return a.tieEmbeddings; });
        add(
            "prediction modules", [](PublishedModel& m) { m.mtpLayers = 1; },
            [](const Architecture& a) { return a.mtpLayers == 1; });
        add(
            "no prediction modules", [](PublishedModel& m) { m.mtpLayers = 0; },
            [](const Architecture& a) { return a.mtpLayers == 0; }, true);
        add(
            "latent attention", [](PublishedModel& m) { m.mla = MlaShape{.kvLoraRank = 512}; },
            [](const Architecture& a) { return a.mla && a.mla->kvLoraRank == 512; });
        add(
            "Mamba", [](PublishedModel& m) { m.mamba = Mamba2Shape{.heads = 64}; },
            [](const Architecture& a) { return a.mamba2 && a.mamba2->heads == 64; });
        add(
            "pattern", [](PublishedModel& m) { m.layerPattern = "M*"; },
            [](const Architecture& a) { return a.hybridPattern == "M*"; });
        add(
            "experts", [](PublishedModel& m) { m.moe = expertsOf(8, 2, 100); },
            [](const Architecture& a) {
                return a.moe && a.moe->routedExperts == 8 && a.moe->expertsPerToken == 2 &&
                       a.moe->expertIntermediateSize == 100 && a.moe->sharedExperts == 0 &&
                       a.moe->sharedExpertIntermediateSizeTotal == 0;
            });
    }
    void whatTheRowSaysHolds() {
        QFETCH(std::function<void(PublishedModel&)>, say);
        QFETCH(std::function<bool(const Architecture&)>, holds);
        QFETCH(bool, same);
        PublishedModel row;
        row.name = "Llama 3.1 8B";
        say(row);
        const Read found = read(row);
        QCOMPARE(found.lacks, std::string());
        QVERIFY(holds(found.model));
        QCOMPARE(found.id, std::string(same ? "llama-3.1-8b" : ""));
        QCOMPARE(joined(found.assumed), QString::fromLatin1(row.vocab ? "" : "workload.model.vocab_size"));
    }

    /// Each size of experts that differs makes it another model; shared experts are as wide together as their
    /// number says, unless the source says how wide.
    void expertsOfTheRow() {
        PublishedModel row;
        row.name = "Qwen3 30B-A3B";
        row.ffn = 6144; // where every layer has experts, that is of no layer
        const PublishedExperts known = expertsOf(128, 8, 768);
        row.moe = known;
        Read found = read(row);
        QCOMPARE(found.id, std::string("qwen3-30b-a3b"));
        QCOMPARE(found.model.ffnIntermediateSize, 0);
        const auto differs = [&](auto change) {
            row.moe = known;
            change(*row.moe);
            found = read(row);
            return found.id.empty();
        };
        QVERIFY(differs([](PublishedExperts& e) { e.experts = 64; }) && found.model.moe->routedExperts == 64);
        QVERIFY(differs([](PublishedExperts& e) { e.perToken = 4; }) &&
                found.model.moe->expertsPerToken == 4);
        QVERIFY(differs([](PublishedExperts& e) { e.expertFfn = 512; }));
        QCOMPARE(found.model.moe->expertIntermediateSize, 512);
        QCOMPARE(found.model.moe->sharedExpertIntermediateSizeTotal, 0);
        QVERIFY(differs([](PublishedExperts& e) { e.firstDenseLayers = 3; }));
        QCOMPARE(found.model.moe->denseFirstLayers, 3);
        QVERIFY(differs([](PublishedExperts& e) { e.shared = 2; }));
        QCOMPARE(found.model.moe->sharedExperts, 2);
        QCOMPARE(found.model.moe->sharedExpertIntermediateSizeTotal, 1536);
        QVERIFY(differs([](PublishedExperts& e) { e.sharedExpertFfn = 1000; }));
        QCOMPARE(found.model.moe->sharedExpertIntermediateSizeTotal, 1000);
        QVERIFY(!differs([](PublishedExperts& e) { e.shared = 0; }));
    }

    /// What the catalog has of mixers stays; what it has of a pattern, the row may change.
    void mixersOfTheCatalogStay() {
        Catalog catalog = fittedCatalog();
        catalog.models[0].mla = MlaShape{.kvLoraRank = 256};
        catalog.models[0].mamba2 = Mamba2Shape{.heads = 32};
        catalog.models[0].hybridPattern = "M*";
        PublishedModel row;
        row.name = "Llama 3.1 8B";
        row.mla = MlaShape{.kvLoraRank = 512};
        row.mamba = Mamba2Shape{.heads = 64};
        row.layerPattern = "M*";
        Read found = read(row, catalog);
        QCOMPARE(found.id, std::string("llama-3.1-8b"));
        QCOMPARE(found.model.mla->kvLoraRank, 256);
        QCOMPARE(found.model.mamba2->heads, 32);
        row.layerPattern = "*M";
        found = read(row, catalog);
        QVERIFY(found.id.empty());
        QCOMPARE(found.model.hybridPattern, std::string("*M"));
    }

    /// An unknown model without a gate is a GPT, with biases and layer norms.
    void unknownModels() {
        PublishedModel row = gpt();
        Read found = read(row);
        QCOMPARE(found.lacks, std::string());
        QCOMPARE(found.id, std::string());
        QCOMPARE(found.model.id, std::string("GPT 1B"));
        QVERIFY(found.model.norm == Normalization::layerNorm && found.model.normHasBias);
        QVERIFY(found.model.biasQkv && found.model.biasO && found.model.biasMlp);
        QCOMPARE(joined(found.assumed), QStringLiteral("workload.model.tie_embeddings"));
        row.tiedEmbeddings = true;
        QVERIFY(read(row).assumed.empty());
        row.mamba = Mamba2Shape{.heads = 64};
        QVERIFY(read(row).model.norm == Normalization::rmsNorm);
        row.mamba.reset();
        row.gatedFfn = true;
        QVERIFY(read(row).model.norm == Normalization::rmsNorm && !read(row).model.biasO);
    }

    void whatIsMissing() {
        const auto lacks = [](auto clear) {
            PublishedModel row = gpt();
            clear(row);
            return QString::fromStdString(read(row).lacks);
        };
        const auto text = [](const char* what) {
            return QStringLiteral("the source does not give %1 of the model").arg(QLatin1String(what));
        };
        QCOMPARE(lacks([](PublishedModel& m) { m.layers.reset(); }), text("the number of layers"));
        QCOMPARE(lacks([](PublishedModel& m) { m.hidden.reset(); }), text("the hidden size"));
        QCOMPARE(lacks([](PublishedModel& m) { m.heads.reset(); }), text("the attention heads"));
        QCOMPARE(lacks([](PublishedModel& m) { m.kvHeads.reset(); }), text("the attention heads"));
        QCOMPARE(lacks([](PublishedModel& m) { m.headDim.reset(); }), text("the attention heads"));
        QCOMPARE(lacks([](PublishedModel& m) { m.ffn.reset(); }), text("the width of the MLP"));
        QCOMPARE(lacks([](PublishedModel& m) { m.vocab.reset(); }), text("the vocabulary size"));
        const auto withExperts = [](PublishedModel& m) {
            m.ffn.reset();
            m.moe = expertsOf(8, 2, 100);
        };
        QCOMPARE(lacks(withExperts), QString());
    }
};

QTEST_APPLESS_MAIN(TestPublishedArchitecture)

} // namespace tst_published_architecture

#include "tst_published_architecture.moc"
