// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// A real Slurm reads the topology.conf that is written, as the switches and hosts that went in.
#include "data/handoff/slurm_topology_file.h"
#include "data/topology/hostlist.h"
#include "tests/cluster/slurm_cluster.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <map>
#include <vector>

namespace tst_slurm_topology_daemon {

using namespace alidade;
using alidade::tests::SlurmCluster;

namespace {

using Leaves = std::map<std::string, std::vector<std::string>>;

/// UltraServers of 18, 17, 16, 15 and 6 hosts, whose names count in several ways, and the host of the
/// cluster.
Topology unequalRacks() {
    Topology out;
    out.name = "cluster";
    out.source = "test";
    out.nodes = {{"nn-top", 0, -1}, {"nn-0123456789abcdef0", 1, 0}, {"own", 2, 1}};
    out.hosts.push_back({.id = "i-alone", .name = "alone", .leaf = 2});
    const std::vector<int> sizes{18, 17, 16, 15, 6};
    const std::vector<std::string> stems{"gb-", "ip-10-0-1-", "node00", "x", "rack5n"};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        out.nodes.push_back({"leaf" + std::to_string(i + 8), 2, 1});
        for (int n = 0; n < sizes[i]; ++n) {
            out.hosts.push_back({.id = "i-" + std::to_string(out.hosts.size()),
                                 .name = stems[i] + std::to_string(n + 5),
                                 .domain = "rack" + std::to_string(i),
                                 .leaf = static_cast<int>(out.nodes.size()) - 1});
        }
    }
    return out;
}

Leaves leavesOf(const Topology& topology) {
    Leaves out;
    for (const Host& host : topology.hosts)
        out[topology.nodes[static_cast<std::size_t>(host.leaf)].id].push_back(host.name);
    for (auto& [leaf, hosts] : out)
        std::ranges::sort(hosts);
    return out;
}

/// The switches with hosts of `scontrol show topology`.
Leaves leavesShown(const QString& text) {
    static const QRegularExpression line(
        QStringLiteral("^SwitchName=(\\S+) Level=0 LinkSpeed=\\d+ Nodes=(\\S+)"),
        QRegularExpression::MultilineOption);
    Leaves out;
    for (auto each = line.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        auto hosts = data::expandHostlist(match.captured(2).toStdString());
        if (!hosts)
            qFatal("%s", hosts.error().c_str());
        std::ranges::sort(*hosts);
        out[match.captured(1).toStdString()] = *std::move(hosts);
    }
    return out;
}

} // namespace

class SlurmTopologyDaemonTest : public QObject {
    Q_OBJECT

private slots:
    void aRealSlurmReadsTheTree() {
        const QString missing = SlurmCluster::missing();
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        const Topology topology = unequalRacks();
        const auto file =
            data::writeSlurmTopology(topology, data::SlurmTopologyFormat::conf, data::SlurmPlugin::tree);
        QVERIFY2(file, file.error().c_str());
        QString nodes;
        for (const Host& host : topology.hosts) {
            nodes += host.name == "alone" ? QString()
                                          : QStringLiteral("NodeName=%1 CPUs=1 State=CLOUD\n")
                                                .arg(QString::fromStdString(host.name));
        }
        const SlurmCluster cluster({.nodes = nodes, .topology = QString::fromStdString(file->text)});
        QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
        const SlurmCluster::Answer shown =
            cluster.run(QStringLiteral("scontrol"), {QStringLiteral("show"), QStringLiteral("topology")});
        QVERIFY2(shown.status == 0, qPrintable(shown.err));
        const Leaves read = leavesShown(shown.out);
        QVERIFY2(read == leavesOf(topology), qPrintable(shown.out));
        QVERIFY2(shown.out.contains(QStringLiteral("SwitchName=nn-top Level=2")), qPrintable(shown.out));
    }
};

QTEST_GUILESS_MAIN(SlurmTopologyDaemonTest)

} // namespace tst_slurm_topology_daemon

#include "tst_slurm_topology_daemon.moc"
