// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/training_rig.h"

namespace tst_adapter_parameters {

using namespace alidade;
using namespace alidade::test;

/// Parameters that one rank of a small model holds: tensor parallelism 2, of experts 2, of whole experts 4.
class TestAdapterParameters : public QObject {
    Q_OBJECT

    /// A rank of 3, so that each projection has 3 (in + out).
    static TrainingRig adapted() {
        TrainingRig rig;
        rig.plan.lora = true;
        rig.in[Input::loraRank] = 3;
        return rig;
    }
    static HeldParameters<double> of(const TrainingRig& rig, FeedForward feedForward,
                                     Mixer mixer = Mixer::attention) {
        LayerKind kind;
        kind.mixer = mixer;
        kind.feedForward = feedForward;
        return adapterParameters(rig.context(), kind);
    }

private slots:
    /// Half of what is split, all of what is not, an eighth of the experts.
    void parametersOfALayer() {
        const TrainingRig rig;
        LayerKind kind{.split = 40'960, .replicated = 129};
        QCOMPARE(layerParameters(rig.context(), kind).dense, 20'480.0 + 129);
        QCOMPARE(layerParameters(rig.context(), kind).experts, 0.0);
        kind.experts = 16'000;
        QCOMPARE(layerParameters(rig.context(), kind).dense, 20'480.0 + 129);
        QCOMPARE(layerParameters(rig.context(), kind).experts, 2000.0);
    }

    /// 1,000 words of 64, half of them; input and output are two matrices unless they are tied.
    void embeddings() {
        TrainingRig rig;
        QCOMPARE(vocabularyParameters(rig.context()), 32'000.0);
        QCOMPARE(outerParameters(rig.context()), 64'000.0);
        rig.plan.tiedEmbeddings = true;
        QCOMPARE(outerParameters(rig.context()), 32'000.0);
    }

    /// Queries, keys and values are one projection of 64 to (8 + 2 x 4) x 16 / 2, the output one of 8 x 16 /
    /// 2 to 64. The MLP has two of 64 to 96 / 2 each and one back.
    void attentionAndMlp() {
        TrainingRig rig = adapted();
        const double attention = 64 + 128 + 64 + 64, mlp = 64 + 2 * 48 + 64 + 48;
        QCOMPARE(of(rig, FeedForward::dense).dense, 3 * (attention + mlp));
        QCOMPARE(of(rig, FeedForward::dense).experts, 0.0);
        QCOMPARE(of(rig, FeedForward::dense, Mixer::mamba2).dense, 3 * mlp);
        rig.plan.loraMlp = false;
        QCOMPARE(of(rig, FeedForward::dense).dense, 3 * attention);
        rig.plan.loraMlp = true;
        rig.plan.loraAttention = false;
        QCOMPARE(of(rig, FeedForward::dense).dense, 3 * mlp);
        rig.in[Input::ffnMatrices] = 2; // without a gate
        QCOMPARE(of(rig, FeedForward::dense).dense, 3 * (64 + 48 + 64 + 48.0));
    }

    /// 4 heads a rank of 5 + 7 for queries and keys, 11 for values; ranks 13 of queries and 17 of keys and
    /// values. Queries go down to 13 and up to 4 x 12; keys and values down to 17 + 7 and up from 17 to 4 x
    /// (5 + 11); the output is 4 x 11 to 64.
    void latentAttention() {
        TrainingRig rig = adapted();
        rig.plan.loraMlp = false;
        rig.plan.latentAttention = rig.plan.queryCompressed = true;
        rig.in[Input::mlaNopeDim] = 5;
        rig.in[Input::mlaRopeDim] = 7;
        rig.in[Input::valueHeadDim] = 11;
        rig.in[Input::mlaQueryRank] = 13;
        rig.in[Input::mlaKvRank] = 17;
        const double keysAndValues = (64 + 17 + 7) + (17 + 64), output = 44 + 64;
        QCOMPARE(of(rig, FeedForward::dense).dense, 3 * ((64 + 13) + (13 + 48) + keysAndValues + output));
        rig.plan.queryCompressed = false;
        QCOMPARE(of(rig, FeedForward::dense).dense, 3 * ((64 + 48) + keysAndValues + output));
        QCOMPARE(of(rig, FeedForward::dense, Mixer::gatedDeltaNet).dense, 0.0);
        rig.plan.loraAttention = false;
        QCOMPARE(of(rig, FeedForward::dense).dense, 0.0);
    }

    /// 4 experts on a rank, of 32 to 40 / 2; the shared expert is an MLP of 64 to 48 / 2.
    void experts() {
        TrainingRig rig = adapted();
        rig.plan.loraAttention = false;
        const double expert = 32 + 2 * 20 + 32 + 20, shared = 64 + 2 * 24 + 64 + 24;
        QCOMPARE(of(rig, FeedForward::moe).dense, 3 * shared);
        QCOMPARE(of(rig, FeedForward::moe).experts, 3 * 4 * expert);
        rig.plan.sharedExpertAdapters = true; // one for all of a rank
        QCOMPARE(of(rig, FeedForward::moe).experts, 3 * expert);
        rig.in[Input::sharedFfnSize] = 0;
        QCOMPARE(of(rig, FeedForward::moe).dense, 0.0);
        rig.plan.loraMlp = false;
        QCOMPARE(of(rig, FeedForward::moe).experts, 0.0);
    }
};

QTEST_GUILESS_MAIN(TestAdapterParameters)

} // namespace tst_adapter_parameters

#include "tst_adapter_parameters.moc"
