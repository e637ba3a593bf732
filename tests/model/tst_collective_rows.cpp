// SPDX-License-Identifier: GPL-3.0-or-later
// Published collectives and expert exchanges: what their words ask of the laws, and what the laws say of
// them.
#include "model/collectives/expert_dispatch.h"
#include "model/validation/collective_case.h"
#include "model/validation/predict_row.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>

namespace tst_collective_rows {

using namespace alidade;
using namespace alidade::tests;

namespace {

PublishedCollective gather(int nodes, int gpus, const char* fabric) {
    PublishedCollective row;
    row.id = "row";
    row.gpu = "H100";
    row.nodes = nodes;
    row.gpus = gpus;
    row.fabric = fabric;
    row.op = "all_gather";
    row.bytes = 1.6e9;
    row.timeS = 0.01;
    return row;
}

/// 16 ranks send 100 tokens of 1,000 elements to 8 experts each.
PublishedCollective exchange() {
    PublishedCollective row = gather(2, 16, "InfiniBand 400 Gb/s per GPU");
    row.ep = PublishedExchange();
    row.ep->ranks = 16;
    row.ep->tokensPerRank = 100;
    row.ep->hidden = 1000;
    row.ep->perToken = 8;
    row.ep->experts = 64;
    row.ep->mode = "normal";
    row.timeS.reset();
    row.bandwidth = 1e9;
    return row;
}

std::optional<CollectiveCase> caseOf(const PublishedCollective& row) {
    static const Catalog catalog = fittedCatalog();
    std::string why;
    return collectiveCase(row, catalog, why);
}
QString whyNot(const PublishedCollective& row) {
    const Catalog catalog = fittedCatalog();
    std::string why;
    return collectiveCase(row, catalog, why) ? QString() : QString::fromStdString(why);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

} // namespace

class TestCollectiveRows : public QObject {
    Q_OBJECT

private slots:
    void machines_data() {
        QTest::addColumn<PublishedCollective>("row");
        QTest::addColumn<QString>("machine"); // part, network, GB/s of a GPU, GPUs of a domain and of a node
        const auto add = [](const char* fabric, int nodes, int gpus, const char* machine,
                            const char* gpu = "H100", const char* instance = "") {
            PublishedCollective row = gather(nodes, gpus, fabric);
            row.gpu = gpu;
            row.instance = instance;
            QTest::addRow("%s, %d nodes%s", fabric, nodes, instance) << row << machine;
        };
        add("EFAv3 2 x 200 Gb/s per GPU", 2, 16, "h100-sxm efa3 50 8 8");
        add("EFAv2 100 Gb/s per GPU", 2, 8, "h100-sxm efa2 12.5 4 4");
        add("EFAv", 1, 8, "h100-sxm ethernet 0 8 8");
        add("RoCE 3,200 Gb/s per node", 2, 16, "h100-sxm ethernet 50 8 8");
        add("RoCE 3,200 Gb/s per node", 4, 16, "h100-sxm ethernet 100 4 4");
        add("InfiniBand 100 Gb/s per 2 GPUs", 2, 16, "h100-sxm infiniband 6.25 8 8");
        add("InfiniBand 400 Gb/s per ", 2, 16, "h100-sxm infiniband 50 8 8");
        add("400 Gb/s per GPU, 800 Gb/s per GPU", 2, 16, "h100-sxm ethernet 100 8 8");
        add("2 x 3,200 Gb/s per node", 2, 16, "h100-sxm ethernet 100 8 8");
        add("2 x 13,200 Gb/s per node", 2, 16,
            "h100-sxm ethernet 206.25 8 8"); // the times stand for something else
        add("fast Gb/s per GPU", 1, 8, "h100-sxm ethernet 0 8 8");
        add("NVLink, NVL72", 18, 72, "gb200 ethernet 0 72 4", "GB200");
        add("NVL4", 1, 8, "h100-sxm ethernet 0 8 8");
        add("NVL72", 0, 0, "gb200 ethernet 0 72 1", "GB200");
        add("EFAv3 400 Gb/s per GPU", 2, 16, "a100-80gb-sxm efa3 50 8 8", "A100");
        add("EFAv3 100 Gb/s per GPU", 2, 16, "h100-sxm efa2 50 8 8", "h100-sxm", "p5.48xlarge");
    }
    void machines() {
        QFETCH(PublishedCollective, row);
        const Catalog catalog = fittedCatalog();
        std::string why;
        const auto found = collectiveCase(row, catalog, why);
        QVERIFY(found);
        QTEST(QStringLiteral("%1 %2 %3 %4 %5")
                  .arg(QString::fromStdString(found->gpu->id), QString::fromStdString(found->network))
                  .arg(found->networkPerGpu / 1e9)
                  .arg(found->domain)
                  .arg(found->perNode),
              "machine");
    }

    void whatIsMissing() {
        PublishedCollective row = gather(2, 16, "InfiniBand 400 Gb/s per GPU");
        QCOMPARE(whyNot(row), QString());
        row.fabric = "InfiniBand";
        QCOMPARE(whyNot(row), QStringLiteral("the source does not say how fast the network is"));
        row.nodes = 1;
        row.gpus = 8;
        QCOMPARE(whyNot(row), QString());
        row.timeS.reset();
        QCOMPARE(whyNot(row), QStringLiteral("the source gives neither a time nor a bandwidth"));
        row.algBandwidth = row.busBandwidth = 0;
        QCOMPARE(whyNot(row), QStringLiteral("the source gives neither a time nor a bandwidth"));
        row.bytes.reset();
        QCOMPARE(whyNot(row), QStringLiteral("the source does not say for how many bytes"));
        row.op = "link";
        QCOMPARE(whyNot(row), QStringLiteral("'link' is a test of one link, not a collective"));
        row.gpu = "L40S";
        QCOMPARE(whyNot(row), QStringLiteral("L40S has no NVLink"));
        row.gpu = "TPU";
        QCOMPARE(whyNot(row), QStringLiteral("'TPU' is not in the catalog"));
        row = exchange();
        row.bandwidth = 0;
        QCOMPARE(whyNot(row), QStringLiteral("the source gives neither a time nor a bandwidth"));
    }

    void groupsAndWords() {
        PublishedCollective row = gather(2, 16, "InfiniBand 400 Gb/s per GPU");
        std::optional<CollectiveCase> found = caseOf(row);
        QCOMPARE(found->op, std::optional(CollectiveOp::allGather));
        QCOMPARE(found->bytes, 1.6e9);
        QCOMPARE(found->group.ranks, 16);
        QCOMPARE(found->group.ranksPerNvlinkDomain, 8);
        QCOMPARE(found->group.ranksPerNode, 8);
        QVERIFY(!found->only && !found->oneShot);
        QCOMPARE(found->launch, 0.0);
        row.algo = "Ring";
        QVERIFY(!caseOf(row)->only);
        row.algo = "Ring (forced)";
        QCOMPARE(caseOf(row)->only, std::optional(CollectiveAlgorithm::ring));
        row.algo = "Tree, forced";
        QCOMPARE(caseOf(row)->only, std::optional(CollectiveAlgorithm::hierarchical));
        row.algo = "Ring";
        row.notes = "NVLS disabled";
        QCOMPARE(caseOf(row)->only, std::optional(CollectiveAlgorithm::ring));
        row.algo = "one-shot";
        QVERIFY(caseOf(row)->oneShot);
        row.library = "torch.distributed";
        QCOMPARE(caseOf(row)->launch, 15e-6);
    }

    /// A time as printed, else bytes over the bandwidth: 15/16 of them are sent.
    void measuredTimes() {
        PublishedCollective row = gather(2, 16, "InfiniBand 400 Gb/s per GPU");
        row.busBandwidth = 3e9;
        row.algBandwidth = 1e9;
        QCOMPARE(caseOf(row)->measured, 0.01);
        row.timeS.reset();
        QCOMPARE(caseOf(row)->measured, 1.6);
        row.algBandwidth.reset();
        QCOMPARE(caseOf(row)->measured, 0.5);
    }

    void exchanges() {
        PublishedCollective row = exchange();
        std::optional<CollectiveCase> found = caseOf(row);
        QVERIFY(!found->op && found->kind == ExchangeKind::fused);
        QCOMPARE(found->group.ranks, 16);
        QCOMPARE(found->group.ranksPerNvlinkDomain, 8);
        QCOMPARE(found->group.ranksPerNode, 8);
        QCOMPARE(found->exchange.tokens, 100.0);
        QCOMPARE(found->exchange.hidden, 1000.0);
        QCOMPARE(found->exchange.elementBytes, 2.0);
        QCOMPARE(found->exchange.experts, 64);
        QCOMPARE(found->exchange.expertsPerToken, 8);
        QCOMPARE(found->exchange.nodeLimit, 4);
        QVERIFY(!found->exchange.balanced);
        // 200,000 bytes to each rank that has an expert of the token.
        QVERIFY(near(found->measured, 2e-4 * expectedGroups(64, 8, 16)));
        row.bandwidthScope = "RDMA"; // to each node
        QVERIFY(near(caseOf(row)->measured, 2e-4 * expectedGroups(64, 8, 2, 4)));
        row.bandwidthScope = "NVLink";
        row.library = "OneSided";
        QVERIFY(near(caseOf(row)->measured, 2e-4 * 8));
        row.ep->perToken = 32; // of 16 ranks
        QVERIFY(caseOf(row)->exchange.balanced);
        QVERIFY(near(caseOf(row)->measured, 2e-4 * 16));
        row.ep->mode = "low-latency"; // to each expert, in FP8 with a scale of four bytes for 128
        row.dtype = "fp8";
        found = caseOf(row);
        QVERIFY(found->kind == ExchangeKind::lowLatency);
        QCOMPARE(found->exchange.nodeLimit, 0);
        QVERIFY(near(found->measured, 1e-4 * 1.03125 * 32));
        row.timeS = 0.5;
        QCOMPARE(caseOf(row)->measured, 0.5);
        row.ep->experts.reset();
        QCOMPARE(caseOf(row)->exchange.experts, 256);
        row.ep->ranks = 512;
        QCOMPARE(caseOf(row)->exchange.experts, 512);
        row.ep->ranks = 4;
        QCOMPARE(caseOf(row)->group.ranksPerNvlinkDomain, 4);
        QCOMPARE(caseOf(row)->group.ranksPerNode, 4);
    }

    /// An entry of the network for those of the network, else any; what the profile lacks is the catalog's.
    void constantsOfACase() {
        Catalog catalog = fittedCatalog();
        const CollectiveCase which = *caseOf(gather(2, 16, "EFAv3 400 Gb/s per GPU"));
        Profile profile;
        Parameter own = constantIn(catalog.defaultProfile, "network_latency");
        own.stack = "efa3";
        own.value = 7;
        profile.parameters.push_back(own);
        own.name = "all_gather_latency"; // those of NVLink are of no network
        profile.parameters.push_back(own);
        QCOMPARE(constantOf(which, profile, Input::networkLatency)->value, 7.0);
        QVERIFY(!constantOf(which, profile, Input::allGatherLatency));
        QVERIFY(!constantOf(which, profile, Input::networkFill));
        constantIn(catalog.defaultProfile, "network_latency").value = 1;
        constantIn(catalog.defaultProfile, "all_gather_latency").value = 2;
        const Inputs in = collectiveInputs(which, catalog, profile);
        QCOMPARE(in[Input::networkLatency], 7.0);
        QCOMPARE(in[Input::allGatherLatency], 2.0);
        QCOMPARE(in[Input::nvlinkBandwidth], 450e9);
        QCOMPARE(in[Input::networkBandwidth], 50e9);
    }

    void rowsOfTheReport() {
        const Catalog catalog = fittedCatalog();
        PublishedCollective row = gather(1, 8, "NVLink");
        row.series = "series";
        row.quality = "A";
        row.dtype = "bf16";
        row.library = "nccl-tests";
        row.notes = "notes";
        row.source = {.title = "title", .locator = "locator", .table = "table", .row = "", .date = "2025"};
        ValidationReport report;
        predictCollectiveRow(row, catalog, catalog.defaultProfile, report);
        const ValidationRow& out = report.rows.at(0);
        QCOMPARE(
            joined({out.id, out.quantity, out.group, out.quality, out.gpu, out.precision, out.framework,
                    out.sourceTitle, out.sourceLocator, out.sourceTable, out.sourceDate, out.notes,
                    out.operation}),
            QStringLiteral(
                "row, time_s, series, A, h100-sxm, bf16, nccl-tests, title, locator, table, 2025, notes, "
                "all_gather"));
        QVERIFY(out.kind == RowKind::collective);
        QCOMPARE(out.measured, 0.01);
        QVERIFY(near(out.error, out.predicted / 0.01 - 1));
        QVERIFY(out.low < out.predicted && out.predicted < out.high);
        QCOMPARE(out.gpus, 8);
        QCOMPARE(out.nodes, 1);
        QCOMPARE(out.bytes, 1.6e9);
        row.timeS = 0;
        predictCollectiveRow(row, catalog, catalog.defaultProfile, report);
        row.op = "link";
        predictCollectiveRow(row, catalog, catalog.defaultProfile, report);
        QCOMPARE(report.rows.size(), std::size_t{1});
        QCOMPARE(report.skipped.at(0).why, std::string("the source gives neither a time nor a bandwidth"));
        QCOMPARE(report.skipped.at(1).why, std::string("'link' is a test of one link, not a collective"));
        QCOMPARE(report.skipped.at(1).id, std::string("row"));
    }
};

QTEST_APPLESS_MAIN(TestCollectiveRows)

} // namespace tst_collective_rows

#include "tst_collective_rows.moc"
