// SPDX-License-Identifier: GPL-3.0-or-later
// Machines and networks of publications, as their words describe them.
#include "model/validation/published_scenario.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

namespace tst_published_hardware {

using namespace alidade;
using namespace alidade::tests;

class TestPublishedHardware : public QObject {
    Q_OBJECT

private slots:
    void partsOfTheCatalog_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("part");
        const std::pair<const char*, const char*> known[] = {
            {"A100-SXM4-80GB", "a100-80gb-sxm"},
            {"A100-SXM4-40GB (DGX)", "a100-40gb-sxm"},
            {"A100-80GB SXM", "a100-80gb-sxm"},
            {"A100", "a100-80gb-sxm"},
            {"A800", "a100-80gb-sxm"},
            {"H100-96GB (GH200)", "h100-sxm-96gb"},
            {"H100 SXM5", "h100-sxm"},
            {"H800", "h800-sxm"},
            {"H20-96GB", "h20-sxm"},
            {"H200", "h200-sxm"},
            {"H200-NVL", "h200-nvl"},
            {"B200", "b200-sxm"},
            {"B300", "b300-sxm"},
            {"GB200 (NVL72)", "gb200"},
            {"GB300 NVL72", "gb300"},
            {"RTX PRO 6000 Blackwell Server", "rtx-pro-6000-se"},
            {"l40s", "l40s"}, // an id as it is
            {"TPU v5p", ""},
            {"the H100", ""}};
        for (const auto& [words, part] : known)
            QTest::newRow(words) << words << part;
    }
    void partsOfTheCatalog() {
        QFETCH(QString, words);
        QFETCH(QString, part);
        Catalog catalog;
        for (const char* id :
             {"a100-80gb-sxm", "a100-40gb-sxm", "h100-sxm-96gb", "h100-sxm", "h800-sxm", "h20-sxm",
              "h200-sxm", "h200-nvl", "b200-sxm", "b300-sxm", "gb200", "gb300", "rtx-pro-6000-se", "l40s"}) {
            catalog.gpus.emplace_back().id = id;
        }
        QCOMPARE(QString::fromStdString(publishedGpu(words.toStdString(), catalog)), part);
        QVERIFY(publishedGpu(words.toStdString(), Catalog()).empty()); // known by its words, but not there
    }

    void networkRates_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("gpusPerNode");
        QTest::addColumn<double>("gigabytesPerS"); // of a GPU; 0: none is said
        // Gbit/s / 8, over the GPUs of a node where the words speak of it.
        QTest::newRow("of a node") << "200 Gb/s per node" << 4 << 6.25;
        QTest::newRow("of a GPU") << "200 Gb/s per GPU" << 4 << 25.0;
        QTest::newRow("of a GPU, said before") << "per GPU one link of 200 Gb/s" << 4 << 25.0;
        QTest::newRow("of nothing") << "200 Gb/s" << 2 << 12.5;
        QTest::newRow("with commas") << "EFA 3,200 Gb/s" << 8 << 50.0;
        QTest::newRow("with a point") << "12.5 Gb/s" << 1 << 1.5625;
        QTest::newRow("terabits") << "1.6 Tb/s" << 4 << 50.0;
        QTest::newRow("ports joined") << "2x 400 Gb/s" << 8 << 12.5;
        QTest::newRow("ports apart") << "8 x 400 Gb/s NDR" << 8 << 50.0;
        QTest::newRow("ten ports") << "10 x 100 Gb/s" << 5 << 25.0;
        QTest::newRow("the first rate") << "100 Gb/s of 400 Gb/s" << 1 << 12.5;
        QTest::newRow("no gigabits, but terabits") << "some Gb/s, 3.2 Tb/s" << 8 << 50.0;
        QTest::newRow("nothing before it") << " Gb/s" << 8 << 0.0;
        QTest::newRow("no rate") << "InfiniBand" << 8 << 0.0;
        QTest::newRow("zero") << "0 Gb/s" << 8 << 0.0;
    }
    void networkRates() {
        QFETCH(QString, words);
        QFETCH(int, gpusPerNode);
        QFETCH(double, gigabytesPerS);
        QCOMPARE(publishedNetworkRate(words.toStdString(), gpusPerNode).value_or(0), gigabytesPerS * 1e9);
    }

    void clusters_data() {
        QTest::addColumn<PublishedHardware>("hardware");
        QTest::addColumn<QString>("fields");
        QTest::addColumn<QString>("assumed");
        const QString rate = QStringLiteral("cluster.custom.network_bytes_per_s_per_gpu_per_direction");
        const auto add = [](const char* name, const PublishedHardware& hardware, const char* fields,
                            const QString& assumed = {}) {
            QTest::newRow(name) << hardware << fields << assumed;
        };
        add("instances, whole ones",
            {.gpu = "H100", .gpus = 17, .network = "400 Gb/s per GPU", .instance = "p5.48xlarge"},
            "instance=p5.48xlarge instances=3 gpus=17");
        add("instances that are full", {.gpu = "H100", .gpus = 16, .network = {}, .instance = "p5.48xlarge"},
            "instance=p5.48xlarge instances=2 gpus=16");
        // Memory as the device reports it, 85 of 80 GB in this catalog.
        add("nodes", {.gpu = "H100", .gpus = 20, .network = "8x 400 Gb/s InfiniBand", .instance = {}},
            "custom.gpu=h100-sxm custom.gpus_per_node=8 custom.nvlink_domain=8 "
            "custom.network_bytes_per_s_per_gpu_per_direction=50 GB/s custom.network=infiniband "
            "custom.memory_bytes_per_gpu=85 GB instances=3 gpus=20");
        add("a part of a node", {.gpu = "A100", .gpus = 4, .network = "4 x 200 Gb/s RoCE", .instance = {}},
            "custom.gpu=a100-80gb-sxm custom.gpus_per_node=4 custom.nvlink_domain=8 "
            "custom.network_bytes_per_s_per_gpu_per_direction=12.5 GB/s custom.network=ethernet instances=1 "
            "gpus=4");
        add("racks of an unknown network",
            {.gpu = "GB200 (NVL72)",
             .gpus = 73,
             .gpusPerNode = 4,
             .scaleUpDomain = 72,
             .network = "TCP",
             .instance = {}},
            "custom.gpu=gb200 custom.gpus_per_node=4 custom.nvlink_domain=72 "
            "custom.network_bytes_per_s_per_gpu_per_direction=50 GB/s custom.network=ethernet instances=19 "
            "gpus=73",
            rate);
        add("one rack, whose network plays no part",
            {.gpu = "GB200",
             .gpus = 72,
             .gpusPerNode = 4,
             .scaleUpDomain = 72,
             .network = {},
             .instance = {}},
            "custom.gpu=gb200 custom.gpus_per_node=4 custom.nvlink_domain=72 "
            "custom.network_bytes_per_s_per_gpu_per_direction=50 GB/s custom.network=infiniband instances=18 "
            "gpus=72");
        add("the usual network of the part",
            {.gpu = "A100", .gpus = 9, .network = "Ethernet", .instance = {}},
            "custom.gpu=a100-80gb-sxm custom.gpus_per_node=8 custom.nvlink_domain=8 "
            "custom.network_bytes_per_s_per_gpu_per_direction=25 GB/s custom.network=ethernet instances=2 "
            "gpus=9",
            rate);
        add("a part without a usual network", {.gpu = "l40s", .gpus = 1, .network = {}, .instance = {}},
            "custom.gpu=l40s custom.gpus_per_node=1 custom.nvlink_domain=8 "
            "custom.network_bytes_per_s_per_gpu_per_direction=50 GB/s custom.network=infiniband instances=1 "
            "gpus=1");
    }
    void clusters() {
        QFETCH(PublishedHardware, hardware);
        ScenarioSpec spec;
        std::vector<std::string> assumed;
        QCOMPARE(publishedCluster(hardware, fittedCatalog(), spec.cluster, assumed), std::string());
        QTEST(writtenFields(spec, "cluster."), "fields");
        QTEST(joined(assumed), "assumed");
    }

    void whatIsMissing() {
        ClusterSpec cluster;
        std::vector<std::string> assumed;
        const auto lacks = [&](const PublishedHardware& hardware) {
            return publishedCluster(hardware, fittedCatalog(), cluster, assumed);
        };
        const std::string number = "the source does not give the number of GPUs";
        QCOMPARE(lacks({.gpu = "H100", .gpus = {}, .network = {}, .instance = {}}), number);
        QCOMPARE(lacks({.gpu = "H100", .gpus = 0, .network = {}, .instance = {}}), number);
        QCOMPARE(lacks({.gpu = "H100", .gpus = 1, .network = {}, .instance = {}}), std::string());
        QCOMPARE(lacks({.gpu = "TPU", .gpus = 1, .network = {}, .instance = {}}),
                 std::string("the catalog has no GPU 'TPU'; add a catalog entry of that id"));
    }
};

QTEST_APPLESS_MAIN(TestPublishedHardware)

} // namespace tst_published_hardware

#include "tst_published_hardware.moc"
