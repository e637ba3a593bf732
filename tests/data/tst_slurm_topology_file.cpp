// SPDX-License-Identifier: GPL-3.0-or-later
// Topologies as topology.conf and topology.yaml, and read back.
#include "data/handoff/slurm_topology_file.h"
#include "data/topology/hostlist.h"
#include "data/topology/import.h"
#include "sample_topology.h"
#include "tests/topology_check.h"

#include <QDir>
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

namespace tst_slurm_topology_file {

using namespace alidade;
using data::SlurmPlugin;
using data::SlurmTopologyFormat;

namespace {

/// Where each host lies: the way from the top, or one NVLink domain.
using Places = std::map<std::string, std::string>;

const std::string& nameOf(const Host& host) { return host.name.empty() ? host.id : host.name; }

/// \param added a switch above all that is left out of the ways
Places waysOf(const Topology& topology, const std::string& added = {}) {
    Places out;
    for (const Host& host : topology.hosts) {
        std::string way;
        for (int node = host.leaf; node >= 0; node = topology.nodes[static_cast<std::size_t>(node)].parent) {
            const std::string& id = topology.nodes[static_cast<std::size_t>(node)].id;
            if (added.empty() || id != added)
                way.insert(0, "/" + id);
        }
        out[nameOf(host)] = way;
    }
    return out;
}

Places domainsOf(const Topology& topology) {
    Places out;
    for (const Host& host : topology.hosts)
        out[nameOf(host)] = host.domain;
    return out;
}

Topology imported(const std::string& text, const std::string& name = "cluster.json") {
    data::TopologyImport import = data::importTopology({{name, text}});
    if (!import.topology)
        qFatal("%s", import.faults.front().c_str());
    return *std::move(import.topology);
}

std::string written(const Topology& topology, SlurmTopologyFormat format, SlurmPlugin plugin) {
    const auto file = data::writeSlurmTopology(topology, format, plugin);
    return file ? file->text : "! " + file.error();
}

/// Hosts of UltraServers of some sizes, each below its own leaf.
Topology racks(const std::vector<int>& sizes) {
    Topology out;
    out.name = "racks";
    out.source = "test";
    out.nodes = {{"nn-top", 0, -1}, {"nn-middle", 1, 0}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        out.nodes.push_back({"nn-leaf" + std::to_string(i + 1), 2, 1});
        for (int n = 0; n < sizes[i]; ++n) {
            const std::string number = std::to_string(1001 + out.hosts.size()).substr(1);
            out.hosts.push_back({.id = "i-0a" + number,
                                 .name = "node" + number,
                                 .instanceType = "p6e-gb200.36xlarge",
                                 .domain = "rack" + std::to_string(i + 1),
                                 .leaf = static_cast<int>(i) + 2});
        }
    }
    return out;
}

const std::string blocks = "BlockName=rack1 Nodes=node[001-018]\n"
                           "BlockName=rack2 Nodes=node[019-036]\n"
                           "BlockName=rack3 Nodes=node[037-054]\n"
                           "BlockSizes=18,36,72\n";

} // namespace

class TestSlurmTopologyFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void compresses_data() {
        QTest::addColumn<QString>("names");
        QTest::addColumn<QString>("list");
        const auto row = [](const char* names, const char* list) {
            QTest::newRow(list) << QString::fromUtf8(names) << QString::fromUtf8(list);
        };
        row("", "");
        row("gpu1", "gpu1");
        row("gpu001 gpu002 gpu003 gpu012 login", "gpu[001-003,012],login");
        row("gpu9 gpu10 gpu11", "gpu[9-11]");
        row("gpu09 gpu10 gpu100", "gpu[09-10,100]");
        row("gpu099 gpu100", "gpu[099-100]");
        row("gpu9 gpu010", "gpu[9,010]");
        row("b3 b1 b2", "b[3,1-2]"); // the order is kept
        row("a1 b1 a2", "a1,b1,a2"); // and nothing moves to its like
        row("a1 a1 a2", "a[1,1-2]");
        row("1 2", "[1-2]");
        row("ip-10-0-1-1.ec2 ip-10-0-1-2.ec2", "ip-10-0-1-1.ec2,ip-10-0-1-2.ec2");
        row("i-0123456789012345678 i-0123456789012345679", "i-0123456789[012345678-012345679]");
        row("n999999999 n1000000000", "n999999999,n1000000000"); // longer than what is counted
    }
    void compresses() {
        QFETCH(QString, names);
        QFETCH(QString, list);
        std::vector<std::string> words;
        for (const QString& each : names.split(u' ', Qt::SkipEmptyParts))
            words.push_back(each.toStdString());
        const std::string written = data::compressHostlist(words);
        QCOMPARE(QString::fromStdString(written), list);
        const auto again = data::expandHostlist(written);
        QVERIFY2(again, again.error().c_str());
        QCOMPARE(*again, words);
    }

    void treeAsConfAndYaml() {
        const Topology topology = racks({18, 17, 16, 15, 6});
        QCOMPARE(data::slurmPluginOf(topology), SlurmPlugin::tree);
        QCOMPARE(QString::fromStdString(written(topology, SlurmTopologyFormat::conf, SlurmPlugin::tree)),
                 QStringLiteral("# test; written by Alidade\n"
                                "# A tree does not say which hosts share an NVLink domain; blocks do.\n"
                                "SwitchName=nn-top Switches=nn-middle\n"
                                "SwitchName=nn-middle Switches=nn-leaf[1-5]\n"
                                "SwitchName=nn-leaf1 Nodes=node[001-018]\n"
                                "SwitchName=nn-leaf2 Nodes=node[019-035]\n"
                                "SwitchName=nn-leaf3 Nodes=node[036-051]\n"
                                "SwitchName=nn-leaf4 Nodes=node[052-066]\n"
                                "SwitchName=nn-leaf5 Nodes=node[067-072]\n"));
        const std::string yaml = written(racks({2, 1}), SlurmTopologyFormat::yaml, SlurmPlugin::tree);
        QCOMPARE(QString::fromStdString(yaml.substr(yaml.find("- topology"))),
                 QStringLiteral("- topology: racks\n"
                                "  cluster_default: true\n"
                                "  tree:\n"
                                "    switches:\n"
                                "      - switch: nn-top\n"
                                "        children: nn-middle\n"
                                "      - switch: nn-middle\n"
                                "        children: nn-leaf[1-2]\n"
                                "      - switch: nn-leaf1\n"
                                "        nodes: node[001-002]\n"
                                "      - switch: nn-leaf2\n"
                                "        nodes: node003\n"));
    }

    /// What a file of blocks was read as is written as that file.
    void blocksAsTheyWereRead() {
        const Topology topology = imported(blocks, "topology.conf");
        QCOMPARE(topology.layers(), 3);
        QCOMPARE(data::slurmPluginOf(topology), SlurmPlugin::block);
        const std::string conf = written(topology, SlurmTopologyFormat::conf, SlurmPlugin::block);
        QCOMPARE(QString::fromStdString(conf.substr(conf.find('\n') + 1)), QString::fromStdString(blocks));
        const std::string yaml = written(topology, SlurmTopologyFormat::yaml, SlurmPlugin::block);
        QVERIFY2(yaml.find("block_sizes:\n      - 18\n      - 36\n      - 72\n") != std::string::npos,
                 yaml.c_str());
        QCOMPARE(waysOf(imported(yaml)), waysOf(topology));
        QCOMPARE(domainsOf(imported(yaml)), domainsOf(topology));
    }

    /// Of domains below a network that is not made of blocks, only the domains are said.
    void blocksOfATree() {
        const auto file =
            data::writeSlurmTopology(racks({18, 17, 16}), SlurmTopologyFormat::conf, SlurmPlugin::block);
        QVERIFY(file);
        QCOMPARE(file->hosts, std::size_t{51});
        QCOMPARE(file->switches, std::size_t{3});
        QVERIFY(file->text.find("BlockName=rack2 Nodes=node[019-035]\n") != std::string::npos);
        QVERIFY(file->text.find("BlockSizes") == std::string::npos);
        QCOMPARE(file->notes.size(), std::size_t{1});
        QCOMPARE(domainsOf(imported(file->text)), domainsOf(racks({18, 17, 16})));
        // Both files together say all.
        const std::string tree = written(racks({18, 17, 16}), SlurmTopologyFormat::conf, SlurmPlugin::tree);
        const auto both = data::importTopology({{"tree.conf", tree}, {"block.conf", file->text}});
        QVERIFY(both.topology);
        QCOMPARE(waysOf(*both.topology), waysOf(racks({18, 17, 16})));
        QCOMPARE(domainsOf(*both.topology), domainsOf(racks({18, 17, 16})));
    }

    void roundTrips_data() {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QString::fromStdString(text);
        };
        const QDir corpus(QStringLiteral(ALIDADE_TEST_DATA "/fuzz/corpus/topology"));
        QVERIFY(!corpus.entryList(QDir::Files).isEmpty());
        for (const QString& name : corpus.entryList(QDir::Files)) {
            QFile file(corpus.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const std::string text = file.readAll().toStdString();
            if (data::importTopology({{"t", text}}).topology)
                row(qPrintable(QStringLiteral("corpus ") + name), text);
        }
        row("blocks", blocks);
        row("blocks of one size", "BlockName=a Nodes=x[1-4]\nBlockName=b Nodes=y[1-4]\nBlockSizes=4\n");
        row("blocks without sizes", "BlockName=a Nodes=x[1-4]\nBlockName=b Nodes=y[1-3]\n");
        row("one block of three sizes", "BlockName=a Nodes=x[1-4]\nBlockSizes=4,8,16\n");
        row("uneven blocks", "BlockName=a Nodes=x[1-4]\nBlockName=b Nodes=y[1-6]\nBlockName=c Nodes=z[1-9]\n"
                             "BlockName=d Nodes=u[1-4]\nBlockName=e Nodes=v[1-4]\nBlockSizes=4,8,16\n");
        row("uneven tree", "SwitchName=s Switches=a,b\nSwitchName=a Nodes=x[1-3]\nSwitchName=b Switches=c\n"
                           "SwitchName=c Nodes=y[08-11]\n");
        row("words", "SwitchName=yes Switches=on,123\nSwitchName=on Nodes=null\nSwitchName=123 Nodes=1,2\n");
    }
    void roundTrips() {
        QFETCH(QString, text);
        sameAgain(imported(text.toStdString()));
    }

    /// Hosts of regular trees, of several top nodes and without a place, and unequal UltraServers.
    void samplesRoundTrip() {
        for (const int layers : {2, 3, 4}) {
            sameAgain(sampleTopology({.hosts = 70, .hostsPerLeaf = 5, .layers = layers}));
            sameAgain(
                sampleTopology({.hosts = 36, .hostsPerLeaf = 6, .layers = layers, .hostsPerDomain = 18}));
        }
        sameAgain(racks({18, 17, 16, 15, 6}));
        Topology tops = sampleTopology({.hosts = 12, .hostsPerLeaf = 3, .leavesPerNode = 1});
        for (NetworkNode& node : tops.nodes) { // every node of the middle becomes a top
            node.layer -= 1;
            node.parent -= node.parent > 0 ? 1 : node.parent == 0 ? 1 : 0;
        }
        tops.nodes.erase(tops.nodes.begin());
        for (Host& host : tops.hosts)
            --host.leaf;
        QCOMPARE(checkTopology(tops), std::string());
        sameAgain(tops);
    }

    void hostsWithoutAPlaceAreLeftOut() {
        Topology topology = racks({2, 2});
        topology.hosts[3].leaf = -1;
        topology.hosts[3].domain.clear();
        for (const SlurmPlugin plugin : {SlurmPlugin::tree, SlurmPlugin::block}) {
            const auto file = data::writeSlurmTopology(topology, SlurmTopologyFormat::conf, plugin);
            QVERIFY(file);
            QCOMPARE(file->hosts, std::size_t{3});
            QVERIFY(std::ranges::any_of(file->notes, [](const std::string& note) {
                return note.starts_with("1 host has no ") && note.ends_with(" and is left out.");
            }));
            QVERIFY(file->text.find("node004") == std::string::npos);
        }
    }

    /// No name becomes a line, a list, a comment or a setting of its own.
    void hostileNamesAreRefused() {
        for (const char* name :
             {"a b", "a,b", "a[1-9]", "a#b", "a=b", "a\"b", "a\\", "a\nNodes=x", "", "-a", "a'b"}) {
            for (const SlurmTopologyFormat format : {SlurmTopologyFormat::conf, SlurmTopologyFormat::yaml}) {
                Topology leaf = racks({2, 2}), domain = leaf, host = leaf;
                leaf.nodes[2].id = name;
                const auto one = data::writeSlurmTopology(leaf, format, SlurmPlugin::tree);
                QVERIFY2(!one && one.error().find("is not a name that Slurm can read for a switch") !=
                                     std::string::npos,
                         name);
                host.hosts[1].name = *name == '\0' ? " " : name;
                const auto two = data::writeSlurmTopology(host, format, SlurmPlugin::tree);
                QVERIFY2(!two && two.error().find("is not a host name") != std::string::npos, name);
                if (*name != '\0') { // no name is not a domain
                    domain.hosts[0].domain = domain.hosts[1].domain = name;
                    const auto three = data::writeSlurmTopology(domain, format, SlurmPlugin::block);
                    QVERIFY2(!three && three.error().find("for a block") != std::string::npos, name);
                }
            }
        }
        Topology topology = racks({2, 2});
        topology.name = "- a: b\n# c";
        topology.source = "x\nSwitchName=evil Nodes=y";
        for (const SlurmTopologyFormat format : {SlurmTopologyFormat::conf, SlurmTopologyFormat::yaml}) {
            const std::string text = written(topology, format, SlurmPlugin::tree);
            QCOMPARE(waysOf(imported(text)), waysOf(topology));
        }
    }

    void saysWhatCannotBeWritten() {
        const auto said = [](const Topology& topology, SlurmPlugin plugin, const char* part) {
            const std::string text = written(topology, SlurmTopologyFormat::conf, plugin);
            if (!text.starts_with("! ") || text.find(part) == std::string::npos) {
                qWarning("%s", text.c_str());
                return false;
            }
            return true;
        };
        Topology twice = racks({2, 2});
        twice.hosts[1].name = twice.hosts[0].name;
        QVERIFY(said(twice, SlurmPlugin::tree, "two hosts have the name 'node001'"));
        Topology wordy = racks({2, 2});
        wordy.nodes[0].id = std::string(65, 'n');
        QVERIFY(said(wordy, SlurmPlugin::tree, "has a name of 65 characters; Slurm takes at most 64"));
        Topology mixed = racks({2, 2});
        mixed.hosts[0].leaf = 1;
        QVERIFY(said(mixed, SlurmPlugin::tree, "'nn-middle' has both hosts and network nodes below it"));
        Topology flat = racks({2, 2});
        flat.nodes.clear();
        for (Host& host : flat.hosts)
            host.leaf = -1;
        QVERIFY(said(flat, SlurmPlugin::tree, "has no network layers"));
        QCOMPARE(data::slurmPluginOf(flat), SlurmPlugin::block);
        Topology alone = racks({2, 2});
        for (Host& host : alone.hosts)
            host.domain.clear();
        QVERIFY(said(alone, SlurmPlugin::block, "has no NVLink domains of several hosts"));
    }

private:
    /// Written as either file and read back, the hosts have their names, layers and domains.
    static void sameAgain(const Topology& topology) {
        const SlurmPlugin plugin = data::slurmPluginOf(topology);
        for (const SlurmTopologyFormat format : {SlurmTopologyFormat::conf, SlurmTopologyFormat::yaml}) {
            const auto file = data::writeSlurmTopology(topology, format, plugin);
            if (!file) { // neither switches nor domains
                QVERIFY2(topology.nodes.empty() && domainsOf(topology).begin()->second.empty(),
                         file.error().c_str());
                return;
            }
            const Topology again = imported(file->text, "topology");
            const auto tops = std::ranges::count(topology.nodes, -1, &NetworkNode::parent);
            const bool above = plugin == SlurmPlugin::tree && tops > 1;
            Places ways = waysOf(topology);
            if (plugin == SlurmPlugin::tree) // a host without a switch is left out, and said to be
                std::erase_if(ways, [](const auto& each) { return each.second.empty(); });
            if (plugin == SlurmPlugin::tree) {
                QCOMPARE(waysOf(again, above ? "all" : ""), ways);
            } else {
                QCOMPARE(again.layers(), topology.layers());
                QCOMPARE(domainsOf(again), domainsOf(topology));
                QCOMPARE(waysOf(again).size(), ways.size());
                std::set<std::pair<std::string, std::string>> alike; // nodes are called by the base size
                std::set<std::string> before, after;
                for (const auto& [host, way] : ways) {
                    alike.emplace(way, waysOf(again)[host]);
                    before.insert(way);
                    after.insert(waysOf(again)[host]);
                }
                QCOMPARE(alike.size(), before.size());
                QCOMPARE(after.size(), before.size());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestSlurmTopologyFile)

} // namespace tst_slurm_topology_file

#include "tst_slurm_topology_file.moc"
