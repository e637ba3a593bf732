// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hardware/hardware.h"
#include "model/workload/architecture.h"
#include "model/workload/flops.h"
#include "model/workload/layer_kinds.h"
#include "model/workload/parameters.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_workload {

using namespace alidade;
using namespace alidade::test;

/// Machines without GPUs and models without weights: entries of a catalog say only what their source says.
class TestNeutralWorkload : public QObject {
    Q_OBJECT

private slots:
    /// An instance whose GPUs have no NVLink is a domain of one GPU.
    void machinesAreEmpty() {
        const Instance instance;
        QVERIFY(allZero(instance.gpus, NetworkCardGroup{}.cards) && allOne(instance.nvlinkDomain));
        const UltraServer server;
        QVERIFY(allZero(server.instances, server.gpus, server.nvlinkDomain));
        QVERIFY(allZero(EfaGeneration{}.version, TransferTier{}.dollarsPerGb));
    }

    void modelsHaveNoLayers() {
        const Architecture model;
        QVERIFY(allZero(model.layers, model.hiddenSize, model.attentionHeads, model.kvHeads, model.headDim,
                        model.ffnIntermediateSize, model.vocabSize, model.learnedPositions,
                        model.maxContextTokens, model.slidingWindow, model.attentionChunk,
                        model.noRopeLayerInterval, model.fullAttentionInterval, model.mtpLayers));
        const MlaShape mla;
        QVERIFY(allZero(mla.qLoraRank, mla.kvLoraRank, mla.qkNopeHeadDim, mla.qkRopeHeadDim, mla.vHeadDim));
        const SparseIndexer indexer;
        QVERIFY(allZero(indexer.heads, indexer.headDim, indexer.topk));
        const Mamba2Shape mamba;
        QVERIFY(allZero(mamba.heads, mamba.headDim, mamba.state) && allOne(mamba.groups));
        const GatedDeltaNetShape delta;
        QVERIFY(allZero(delta.keyHeads, delta.keyHeadDim, delta.valueHeads, delta.valueHeadDim));
    }

    /// Experts in every layer, on the hidden size.
    void expertsAreInEveryLayer() {
        const MoeShape moe;
        QVERIFY(allZero(moe.routedExperts, moe.expertsPerToken, moe.sharedExperts, moe.expertIntermediateSize,
                        moe.sharedExpertIntermediateSizeTotal, moe.denseFirstLayers, moe.latentSize));
        QVERIFY(allOne(moe.layerStep));
    }

    void nothingIsCounted() {
        const BlockParameters block;
        QVERIFY(allZero(block.gemm, block.other));
        const MoeParameters moe;
        QVERIFY(allZero(moe.router, moe.routed, moe.shared, moe.other, moe.activeRouted, moe.activeGemm));
        const ParameterCount count;
        QVERIFY(allZero(count.total, count.active, count.gemmActive, count.embedding, count.head,
                        count.experts, count.mtpTotal, count.mtpActive));
        const FlopsPerToken flops;
        QVERIFY(allZero(flops.projections, flops.core, flops.mlp, flops.moe, flops.logits, flops.mtp));
        const LayerKind kind;
        QVERIFY(
            allZero(kind.window, kind.split, kind.replicated, kind.experts, kind.activeGemm, kind.coreFlops));
    }
};

QTEST_GUILESS_MAIN(TestNeutralWorkload)

} // namespace tst_neutral_workload

#include "tst_neutral_workload.moc"
