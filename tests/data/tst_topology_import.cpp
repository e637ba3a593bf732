// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: alone
// Topologies as EC2, Kubernetes and Slurm report them. All ids are invented.
#include "data/topology/import.h"
#include "data/topology/topology_json.h"
#include "tests/allocations.h"
#include "tests/topology_check.h"

#include <QtTest>

#include <algorithm>

using namespace alidade;
using data::TopologyImport;

namespace {

/// Texts of tests have ' for the quotes of JSON.
std::string quoted(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

TopologyImport importFiles(std::vector<data::TopologyFile> files) {
    for (data::TopologyFile& file : files)
        file.text = quoted(file.text);
    return data::importTopology(files);
}

TopologyImport import(const std::string& text, const std::string& name = "t.json") {
    return importFiles({{name, text}});
}

/// "id name type zone domain gpus: top/.../leaf", one host a line; the first fault if there is one.
QString outline(const TopologyImport& import) {
    if (!import.topology)
        return QStringLiteral("! ") + QString::fromStdString(import.faults.front());
    std::string out;
    for (const Host& host : import.topology->hosts) {
        std::string way;
        for (int node = host.leaf; node >= 0;
             node = import.topology->nodes[static_cast<std::size_t>(node)].parent) {
            const std::string& id = import.topology->nodes[static_cast<std::size_t>(node)].id;
            way.insert(0, way.empty() ? id : id + "/");
        }
        const auto word = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
        out += host.id + " " + word(host.name == host.id ? "" : host.name) + " " + word(host.instanceType) +
               " " + word(host.zone) + " " + word(host.domain) + " " + std::to_string(host.gpus) + ": " +
               way + "\n";
    }
    return QString::fromStdString(out);
}

QString notes(const TopologyImport& import) {
    QStringList out;
    for (const std::string& note : import.notes)
        out.push_back(QString::fromStdString(note));
    return out.join(u'\n');
}

std::string instance(const std::string& id, const std::string& nodes, const std::string& more = {}) {
    return "{'InstanceId': '" + id + "', 'InstanceType': 'p5.48xlarge', 'NetworkNodes': [" + nodes +
           "], 'AvailabilityZone': 'us-east-2a', 'ZoneId': 'use2-az1'" + more + "}";
}

std::string page(const std::string& instances, const std::string& more = {}) {
    return "{'Instances': [" + instances + "]" + more + "}";
}

std::string node(const std::string& name, const std::string& labels, const std::string& rest) {
    return "{'kind': 'Node', 'metadata': {'name': '" + name + "', 'labels': {" + labels + "}}" + rest + "}";
}

std::string list(const std::string& nodes) {
    return "{'apiVersion': 'v1', 'kind': 'List', 'items': [" + nodes + "]}";
}

/// 16 hosts a leaf, 16 leaves a node, 8 such below each top.
std::string replyOf(int hosts) {
    const auto id = [](const char* kind, int n) {
        return "'nn-" + std::string(kind) + std::to_string(n) + "'";
    };
    std::string instances;
    for (int i = 0; i < hosts; ++i) {
        instances += (i == 0 ? "" : ",") +
                     instance("i-" + std::to_string(i),
                              id("a", i / 2048) + "," + id("b", i / 256) + "," + id("c", i / 16));
    }
    return page(instances);
}

bool looks(const std::string& text) { return data::looksLikeTopology(quoted(text)); }

const std::string capacity8 = ", 'status': {'capacity': {'nvidia.com/gpu': '8'}}";

} // namespace

class TestTopologyImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ec2() {
        const auto reply = import(page(instance("i-01", "'nn-a', 'nn-b1', 'nn-c1'", ", 'GroupName': 'pg'") +
                                       "," + instance("i-02", "'nn-a', 'nn-b1', 'nn-c1'") + "," +
                                       instance("i-03", "'nn-a', 'nn-b1', 'nn-c2'", ", 'New': {'x': 1}")));
        QCOMPARE(outline(reply), QStringLiteral("i-01 - p5.48xlarge us-east-2a - 0: nn-a/nn-b1/nn-c1\n"
                                                "i-02 - p5.48xlarge us-east-2a - 0: nn-a/nn-b1/nn-c1\n"
                                                "i-03 - p5.48xlarge us-east-2a - 0: nn-a/nn-b1/nn-c2\n"));
        QCOMPARE(reply.topology->layers(), 3);
        QCOMPARE(reply.topology->nodes.size(), std::size_t(4));
        QCOMPARE(reply.topology->name, std::string("t"));
        QCOMPARE(reply.topology->source, std::string("EC2 DescribeInstanceTopology, t.json"));
        QCOMPARE(notes(reply), QString());
    }

    void ec2FourLayersBlocksAndInstancesWithoutNodes() {
        const auto reply = import(
            page("{'InstanceId': 'i-01', 'InstanceType': 'p6-b300.48xlarge', 'NetworkNodes': ['nn-a', "
                 "'nn-b', 'nn-c', 'nn-d']},"
                 "{'InstanceId': 'i-02', 'InstanceType': 'p6e-gb200.36xlarge', 'NetworkNodes': ['nn-a', "
                 "'nn-b', 'nn-e'], 'CapacityBlockId': 'cb-1'},"
                 "{'InstanceId': 'i-03', 'NetworkNodes': []}, {'InstanceId': 'i-04', 'NetworkNodes': null}"));
        QCOMPARE(outline(reply), QStringLiteral("i-01 - p6-b300.48xlarge - - 0: nn-a/nn-b/nn-c/nn-d\n"
                                                "i-02 - p6e-gb200.36xlarge - cb-1 0: nn-a/nn-b/nn-e\n"
                                                "i-03 - - - - 0: \n"
                                                "i-04 - - - - 0: \n"));
        QCOMPARE(reply.topology->layers(), 4);
        QVERIFY(notes(reply).contains(QStringLiteral("2 hosts have no network nodes")));
    }

    /// Pages in separate files, appended to each other, in a list, and instances without pages.
    void ec2Pages() {
        const std::string one = instance("i-01", "'nn-a', 'nn-b', 'nn-c'"),
                          two = instance("i-02", "'nn-a', 'nn-b', 'nn-c'");
        const std::string first = page(one, ", 'NextToken': 'more'"), second = page(two);
        const QString both = outline(import(page(one + "," + two)));
        const auto files = importFiles({{"a.json", first}, {"b.json", second}});
        QCOMPARE(outline(files), both);
        QCOMPARE(notes(files), QString());
        QCOMPARE(files.topology->source, std::string("EC2 DescribeInstanceTopology, a.json, b.json"));
        QCOMPARE(outline(import(first + "\n" + second)), both);
        QCOMPARE(outline(import(first + second)), both);
        QCOMPARE(outline(import("[" + first + "," + second + "]")), both);
        QCOMPARE(outline(import("[" + one + "," + two + "]")), both);
        QVERIFY(notes(import(first)).contains(QStringLiteral("NextToken")));
    }

    void ec2WireNames() {
        QCOMPARE(outline(import("{'instanceSet': {'item': [{'instanceId': 'i-01', 'instanceType': "
                                "'p5.48xlarge', 'availabilityZone': 'us-east-2a',"
                                "'networkNodeSet': {'item': ['nn-a', 'nn-b', 'nn-c']}, 'capacityBlockId': "
                                "'cb-1'}]}, 'nextToken': null}")),
                 QStringLiteral("i-01 - p5.48xlarge us-east-2a cb-1 0: nn-a/nn-b/nn-c\n"));
    }

    void kubernetes() {
        const std::string aws = "'node.kubernetes.io/instance-type': 'ml.p5en.48xlarge', "
                                "'topology.kubernetes.io/zone': 'us-east-2b', "
                                "'topology.k8s.aws/network-node-layer-1': 'nn-a', "
                                "'topology.k8s.aws/network-node-layer-2': 'nn-b', "
                                "'topology.k8s.aws/network-node-layer-3': 'nn-c'";
        const std::string topograph =
            "'fabric.topograph.run/tier-0': 'leaf', 'fabric.topograph.run/tier-1': 'spine', "
            "'fabric.topograph.run/tier-2': 'core', 'nvidia.com/gpu.count': '4'";
        const auto reply = import(
            list(node("ip-10-0-1-11.ec2.internal", aws,
                      ", 'spec': {'providerID': 'aws:///us-east-2b/i-01'}" + capacity8) +
                 "," + node("b", topograph, "") + "," + node("control", "", ", 'status': {'capacity': {}}")));
        QCOMPARE(
            outline(reply),
            QStringLiteral("i-01 ip-10-0-1-11.ec2.internal p5en.48xlarge us-east-2b - 8: nn-a/nn-b/nn-c\n"
                           "b - - - - 4: core/spine/leaf\n"));
        QVERIFY(notes(reply).contains(QStringLiteral("1 nodes with neither GPUs nor network labels")));
    }

    /// The narrowest label that most nodes have; never values of two labels side by side.
    void kubernetesDomains() {
        const auto member = [](const char* name, const std::string& clique, const char* server) {
            return node(name,
                        "'nvidia.com/gpu.clique': '" + clique + "', 'topology.k8s.aws/ultraserver-id': '" +
                            server + "'",
                        ", 'status': {'capacity': {'nvidia.com/gpu': 4}}");
        };
        const auto cliques = import(list(member("a", "u1.1", "us-1") + "," + member("b", "u1.2", "us-1")));
        QCOMPARE(outline(cliques), QStringLiteral("a - - - u1.1 4: \nb - - - u1.2 4: \n"));
        QVERIFY(notes(cliques).contains(QStringLiteral("nvidia.com/gpu.clique")));
        const auto servers = import(list(member("a", "", "us-1") + "," + member("b", "u1.2", "us-1")));
        QCOMPARE(outline(servers), QStringLiteral("a - - - us-1 4: \nb - - - us-1 4: \n"));
        const QString torn =
            outline(import(list(member("a", "u1.1", "us-1") + "," + member("b", "u1.1", "us-2"))));
        QVERIFY2(torn.startsWith(
                     QStringLiteral("! t.json:/items/1: NVLink domain 'u1.1' lies in UltraServer 'us-2'")),
                 qPrintable(torn));
    }

    void slurmTree() {
        const char* const conf = "# a comment\n"
                                 "SwitchName=leaf1 nodes=gpu[001-002]   LinkSpeed=400\n"
                                 "switchname=leaf2 NODES=\"gpu003\" # another\n"
                                 "\n"
                                 "SwitchName=spine \\\n"
                                 "  Switches=leaf[1-2]\n";
        QCOMPARE(outline(import(conf, "topology.conf")), QStringLiteral("gpu001 - - - - 0: spine/leaf1\n"
                                                                        "gpu002 - - - - 0: spine/leaf1\n"
                                                                        "gpu003 - - - - 0: spine/leaf2\n"));
    }

    void slurmBlocks() {
        QCOMPARE(
            outline(
                import("BlockName=us-a Nodes=gb[01-02]\nBlockName=us-b Nodes=gb[03-04]\nBlockSizes=2,4\n")),
            QStringLiteral("gb01 - - - us-a 0: us-a..us-b:4/us-a\ngb02 - - - us-a 0: us-a..us-b:4/us-a\n"
                           "gb03 - - - us-b 0: us-a..us-b:4/us-b\ngb04 - - - us-b 0: us-a..us-b:4/us-b\n"));
    }

    void slurmYaml() {
        const char* const yaml = "---\n"
                                 "- topology: efa\n"
                                 "  cluster_default: true\n"
                                 "  tree:\n"
                                 "    switches:\n"
                                 "      - switch: spine\n"
                                 "        children: leaf[1-2]\n"
                                 "      - switch: leaf1   # the first\n"
                                 "        nodes: gpu[001-002]\n"
                                 "      - switch: leaf2\n"
                                 "        nodes: \"gpu003\"\n"
                                 "- topology: nvl72\n"
                                 "  cluster_default: false\n"
                                 "  block:\n"
                                 "    block_sizes: [2, 4]\n"
                                 "    blocks:\n"
                                 "    - block: us-a\n"
                                 "      nodes: gb[001-002]\n";
        const auto reply = import(yaml, "topology.yaml");
        QCOMPARE(outline(reply),
                 QStringLiteral("gpu001 - - - - 0: spine/leaf1\ngpu002 - - - - 0: spine/leaf1\n"
                                "gpu003 - - - - 0: spine/leaf2\n"));
        QVERIFY(notes(reply).contains(QStringLiteral("'efa' is taken")));
        const std::string blocks = std::string(yaml).substr(std::string(yaml).find("- topology: nvl72"));
        QCOMPARE(outline(import(blocks)), QStringLiteral("gb001 - - - us-a 0: us-a..us-a:4/us-a\n"
                                                         "gb002 - - - us-a 0: us-a..us-a:4/us-a\n"));
    }

    /// The base block and each size above it are a layer; three blocks of 18 leave the second 36 half empty.
    void blockSizesAreLayers() {
        const auto reply =
            import("BlockName=a Nodes=x[1-2]\nBlockName=b Nodes=y[1-3]\nBlockName=c Nodes=z[1-2]\n"
                   "BlockSizes=2,4,8\n",
                   "topology.conf");
        QCOMPARE(outline(reply),
                 QStringLiteral("x1 - - - a 0: a..c:8/a..b:4/a\nx2 - - - a 0: a..c:8/a..b:4/a\n"
                                "y1 - - - b 0: a..c:8/a..b:4/b\ny2 - - - b 0: a..c:8/a..b:4/b\n"
                                "y3 - - - b 0: a..c:8/a..b:4/b\n"
                                "z1 - - - c 0: a..c:8/c..c:4/c\nz2 - - - c 0: a..c:8/c..c:4/c\n"));
        QCOMPARE(reply.topology->layers(), 3);
        QCOMPARE(notes(reply), QString());
        // UltraServers of 18: pairs of them, and pairs of pairs.
        std::string racks;
        for (int i = 0; i < 8; ++i) {
            const std::string number = std::to_string(i);
            racks += "BlockName=u" + number + " Nodes=gb" + number + "x[01-18]\n";
        }
        const auto four = import(racks + "BlockSizes=18,36,72\n", "topology.conf");
        QCOMPARE(four.topology->layers(), 3);
        QCOMPARE(std::ranges::count(four.topology->nodes, 0, &NetworkNode::layer), 2);
        QCOMPARE(std::ranges::count(four.topology->nodes, 1, &NetworkNode::layer), 4);
        QCOMPARE(std::ranges::count(four.topology->nodes, 2, &NetworkNode::layer), 8);
        QVERIFY(notes(four).contains(QStringLiteral("2 network nodes of the top layer")));
        // Without sizes nothing is said of layers.
        QCOMPARE(import(racks, "topology.conf").topology->layers(), 0);
        // A description of the network goes before one of blocks, which does not contradict it.
        const auto merged = importFiles({{"tree.conf", "SwitchName=s Nodes=x[1-4]\n"},
                                         {"block.conf", "BlockName=a Nodes=x[1-2]\nBlockName=b Nodes=x[3-4]\n"
                                                        "BlockSizes=2,4\n"}});
        QVERIFY(outline(merged).startsWith(QStringLiteral("x1 - - - a 0: s\n")));
        QCOMPARE(notes(merged), QString());
    }

    /// One cluster under the names of three worlds.
    void filesAboutTheSameHostsAreMerged() {
        const std::string reply = page(instance("i-01", "'nn-a', 'nn-b', 'nn-c1'") + "," +
                                       instance("i-02", "'nn-a', 'nn-b', 'nn-c2'") + "," +
                                       instance("i-09", "'nn-a', 'nn-b', 'nn-c2'"));
        const auto known = [](const char* name, const char* id) {
            return node(name, "",
                        ", 'spec': {'providerID': 'aws:///us-east-2a/" + std::string(id) + "'}" + capacity8);
        };
        const std::string nodes =
            list(known("ip-10-0-1-1.ec2.internal", "i-01") + "," + known("ip-10-0-1-2.ec2.internal", "i-02"));
        const std::string conf = "SwitchName=s Nodes=ip-10-0-1-[1-3]\n";
        const auto merged =
            importFiles({{"topology.conf", conf}, {"nodes.json", nodes}, {"reply.json", reply}});
        QCOMPARE(
            outline(merged),
            QStringLiteral("i-01 ip-10-0-1-1.ec2.internal p5.48xlarge us-east-2a - 8: nn-a/nn-b/nn-c1\n"
                           "i-02 ip-10-0-1-2.ec2.internal p5.48xlarge us-east-2a - 8: nn-a/nn-b/nn-c2\n"));
        const QString said = notes(merged);
        QVERIFY2(said.contains(QStringLiteral("1 host that nodes.json lacks (such as i-09)")),
                 qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("(such as ip-10-0-1-3)")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("differently")), qPrintable(said)); // one switch, two leaves
        const auto strangers =
            importFiles({{"reply.json", reply}, {"topology.conf", "SwitchName=s Nodes=x1\n"}});
        QVERIFY(outline(strangers).contains(QStringLiteral("none of its hosts is in reply.json")));
    }

    void blocksAddDomainsToATree() {
        const auto merged =
            importFiles({{"tree.conf", "SwitchName=s Nodes=gb[1-4]\n"},
                         {"block.conf", "BlockName=a Nodes=gb[1-2]\nBlockName=b Nodes=gb[3-4]\n"}});
        QCOMPARE(outline(merged),
                 QStringLiteral("gb1 - - - a 0: s\ngb2 - - - a 0: s\ngb3 - - - b 0: s\ngb4 - - - b 0: s\n"));
    }

    void faults_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const std::string& text, const char* said) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(said);
        };
        const std::string one = instance("i-01", "'nn-a', 'nn-b', 'nn-c'");
        row("empty", "", "! t.json: describes no topology that is known; ");
        row("empty list", "[]", "! t.json: holds an empty list; ");
        row("words", "hello\n", "! t.json: describes no topology that is known; ");
        row("no hosts", page(""), "! t.json: describes no host with GPUs; ");
        row("broken", page(one) + "\n{\"Instances\": [\n}", "! t.json: line 3, column 1: ");
        row("broken in its line", page(one) + "[}", "! t.json: line 1, column ");
        row("scenario", "{'alidade': 1, 'name': 'x', 'workload': {}}", "! t.json:/kind: missing");
        row("object", "{'a': 1}", "! t.json: an object of another kind; ");
        row("number in a list", "[" + page(one) + ", 5]", "! t.json:/1: 5; ");
        row("reservations", "{'CapacityReservations': []}",
            "! t.json: is a reply about capacity reservations");
        row("instances", "{'Reservations': []}", "! t.json: is a reply of describe-instances");
        row("pods", "{'kind': 'List', 'items': [{'kind': 'Pod', 'metadata': {'name': 'x'}}]}",
            "! t.json:/items/0/kind: the text \"Pod\" is not a node; ");
        row("kind", "{'kind': 'Pod'}", "! t.json:/kind: 'Pod' is not a list of nodes; ");
        row("YAML", "apiVersion: v1\nkind: List\n", "! t.json: is YAML of Kubernetes; ");
        row("list", "{'Instances': 5}", "! t.json:/Instances: 5 where a list is needed");
        row("id", "{'Instances': [{'NetworkNodes': []}]}", "! t.json:/Instances/0: has no InstanceId; ");
        row("id kind", "{'Instances': [{'InstanceId': 5}]}",
            "! t.json:/Instances/0/InstanceId: 5 is not a string");
        row("node kind", page(instance("i-01", "5")),
            "! t.json:/Instances/0/NetworkNodes/0: 5 is not a network node; ");
        row("id with a blank", page(instance("i 01", "'nn-a'")),
            "! t.json:/Instances/0: 'i 01' is not a host name; ");
        for (const char* name : {"=1+1", "-oProxyCommand=x", "$(id)", "a;b", "a.", "-a", "@a"})
            row(("id " + std::string(name)).c_str(), page(instance(name, "'nn-a'")).c_str(),
                ("! t.json:/Instances/0: '" + std::string(name) + "' is not a host name; ").c_str());
        row("node with a line", page(instance("i-01", "'nn\\na'")), "! t.json:/Instances/0: 'nn");
        row("duplicate", page(one + "," + one),
            "! t.json:/Instances/1: host 'i-01' occurs twice, first at t.json:/Instances/0; ");
        row("two parents", page(one + "," + instance("i-02", "'nn-a', 'nn-x', 'nn-c'")),
            "! t.json:/Instances/1: switch 'nn-c' is below 'nn-x' here and below 'nn-b' at "
            "t.json:/Instances/0; ");
        row("top and below", page(one + "," + instance("i-02", "'nn-b', 'nn-c'")),
            "! t.json:/Instances/1: switch 'nn-b' is at the top here and below 'nn-a' at "
            "t.json:/Instances/0; ");
        row("twice on the way", page(instance("i-01", "'nn-a', 'nn-b', 'nn-a'")),
            "! t.json:/Instances/0: switch 'nn-a' is twice on the way to 'i-01'; ");
        row("zones", page(one + ", {'InstanceId': 'i-02', 'AvailabilityZone': 'us-east-2b'}"),
            "! t.json:/Instances/1: is in zone us-east-2b, t.json:/Instances/0 in us-east-2a; ");
        row("label gap",
            list(node(
                "a",
                "'topology.k8s.aws/network-node-layer-1': 'x', 'topology.k8s.aws/network-node-layer-3': 'y'",
                "")),
            "! t.json:/items/0/metadata/labels/topology.k8s.aws~1network-node-layer-3: layer 3 without layer "
            "2; ");
        row("GPUs", list(node("a", "", ", 'status': {'capacity': {'nvidia.com/gpu': 'many'}}")),
            "! t.json:/items/0/status/capacity/nvidia.com~1gpu: the text \"many\" is not a number of GPUs; ");
        row("no name", "{'kind': 'List', 'items': [{'kind': 'Node', 'metadata': {}}]}",
            "! t.json:/items/0/metadata/name: missing; ");
        row("word", "SwitchName=a Nodes=x\nfoo\n", "! t.json:2: 'foo' without a value; ");
        row("setting", "SwitchName=a Node=x\n",
            "! t.json:1: there is no setting 'node'; did you mean 'nodes'?");
        row("switch twice", "SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n",
            "! t.json:2: switch 'a' occurs twice, first on line 1; ");
        row("nothing below", "SwitchName=a\n", "! t.json:1: switch 'a' has neither nodes nor switches; ");
        row("both below", "SwitchName=a Nodes=x Switches=b\n",
            "! t.json:1: switch 'a' has both nodes and switches; ");
        row("unknown child", "SwitchName=a Switches=leaf2\nSwitchName=leaf1 Nodes=x\n",
            "! t.json:1: 'a' is above 'leaf2', which no line describes; did you mean 'leaf1'?");
        row("child of two", "SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=x\n",
            "! t.json:2: switch 'c' is below 'b' here and below 'a' on line 1; ");
        row("cycle", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
            "! t.json:1: switch 'a' is above itself; ");
        row("own child", "SwitchName=a Switches=a\n", "! t.json:1: switch 'a' is above itself; ");
        row("two trees", "SwitchName=a Nodes=x\nSwitchName=b Nodes=y\n",
            "! t.json:2: switch 'b' is at the top, and so is 'a' on line 1; ");
        row("node of two", "SwitchName=s Switches=a,b\nSwitchName=a Nodes=x[1-3]\nSwitchName=b Nodes=x3\n",
            "! t.json:3: node 'x3' is in 'b' here and in 'a' on line 2; ");
        row("host list", "SwitchName=a Nodes=x[1-\n",
            "! t.json:1: the list of 'a', column 2: '[' is not closed; ");
        row("ring", "RingName=a Nodes=x[1-4]\n", "! t.json:1: topology/ring is not supported; ");
        row("mixture", "SwitchName=a Nodes=x\nBlockName=b Nodes=y\n",
            "! t.json:2: switches and blocks in one file; ");
        row("block of switches", "BlockName=b Switches=y\n", "! t.json:1: block 'b' has switches; ");
        row("small block", "BlockName=b Nodes=y[1-2]\nBlockSizes=4\n",
            "! t.json:1: block 'b' has 2 nodes, fewer than the base size of 4");
        row("no multiple", "BlockName=b Nodes=y[1-9]\nBlockSizes=3,9\n",
            "! t.json:2: 9 is not a power-of-two multiple of 3; ");
        row("no size", "BlockName=b Nodes=y\nBlockSizes=1,,2\n", "! t.json:2: '' is not a size of a block; ");
        row("flat", "- topology: a\n  flat: true\n", "! t.json:1: has neither a tree nor blocks; ");
        row("no default", "- topology: a\n  flat: true\n- topology: b\n  flat: true\n",
            "! t.json:1: of 2 topologies none is the default; ");
        row("tab", "- topology: a\n\ttree:\n", "! t.json:2: a tab indents; ");
        row("indent", "- topology: a\n  tree:\n     switches: x\n    - switch: y\n", "! t.json:4: ");
        row("anchor", "- topology: &a b\n", "! t.json:1: '&a b' is YAML beyond");
        row("own node",
            "{'alidade': 1, 'kind': 'topology', 'hosts': [{'id': 'a', 'node': 'leaf'}], 'nodes': [{'id': "
            "'leav'}]}",
            "! t.json:/hosts/0/node: there is no node 'leaf'; did you mean 'leav'?");
        row("own cycle",
            "{'alidade': 1, 'kind': 'topology', 'hosts': [{'id': 'a', 'node': 'x'}], 'nodes': [{'id': 'x', "
            "'parent': 'y'}, {'id': 'y', 'parent': 'x'}]}",
            "! t.json:/hosts/0/node: node 'x' is above itself");
        row("own key", "{'alidade': 1, 'kind': 'topology', 'hosts': [{'id': 'a', 'gpu': 8}]}",
            "! t.json:/hosts/0/gpu: unknown key 'gpu'; did you mean 'gpus'?");
        row("own version", "{'alidade': 2, 'kind': 'topology', 'hosts': []}",
            "! t.json:/alidade: 2 is out of range");
    }
    void faults() {
        QFETCH(QString, text);
        QFETCH(QString, said);
        const auto reply = import(text.toStdString());
        QVERIFY(!reply.topology);
        const QString fault = outline(reply);
        QVERIFY2(fault.startsWith(said), qPrintable(fault));
    }

    /// Whatever was read is written and read again as the same.
    void ownDocumentIsRoundTripped() {
        const auto reply =
            import(page(instance("i-01", "'nn-a', 'nn-b', 'nn-c1'", ", 'CapacityBlockId': 'cb-1'") + "," +
                        instance("i-02", "'nn-a', 'nn-b', 'nn-c2'") + ", {'InstanceId': 'i-03'}"));
        const std::string text = data::writeTopology(*reply.topology);
        const auto again = import(text, "other.json");
        QCOMPARE(outline(again), outline(reply));
        QCOMPARE(again.topology->name, reply.topology->name);
        QCOMPARE(again.topology->source, reply.topology->source);
        QCOMPARE(data::writeTopology(*again.topology), text);
        QCOMPARE(checkTopology(*again.topology), std::string());
    }

    void textsThatLookLikeOne() {
        QVERIFY(looks(page(instance("i-01", "'nn-a'"))));
        QVERIFY(looks("# c\nswitchname=a Nodes=x\n"));
        QVERIFY(looks("---\n- topology: a\n"));
        QVERIFY(looks(list(node("a", "", capacity8))));
        QVERIFY(!looks("{'alidade': 1, 'workload': {'model': 'x'}, 'cluster': {'topology': 't'}}"));
        QVERIFY(!looks("#  size count type\n"));
        QVERIFY(!looks(""));
    }

    /// Twenty faults of one generator's mistake say enough; a million lines would not be read.
    void faultsAreFew() {
        std::string instances;
        for (int i = 0; i < 1000; ++i)
            instances += (i == 0 ? "" : ",") + instance("i-1", "'nn-a'");
        const auto reply = import(page(instances));
        QVERIFY(reply.faults.size() > 1 && reply.faults.size() <= 30);
    }

    void manyHosts() {
        const auto reply = import(replyOf(10'000));
        QVERIFY2(reply.topology, qPrintable(outline(reply)));
        QCOMPARE(reply.topology->hosts.size(), std::size_t(10'000));
        QVERIFY(notes(reply).contains(QStringLiteral("below 5 network nodes of the top layer")));
    }

    /// Four times as many hosts are four times the work, counted in allocations: nothing is looked for in
    /// lists.
    void workGrowsWithTheHosts() {
        const auto work = [](int hosts) {
            const std::string text = replyOf(hosts);
            const std::size_t before = allocations;
            import(text);
            return static_cast<double>(allocations - before);
        };
        const double few = work(2048), many = work(8192);
        QVERIFY(few == 0 || (few > 2048 && few < 2048 * 200)); // 0: the sanitizer's allocator counts nothing
        QVERIFY2(many <= 4.2 * few, qPrintable(QString::number(many / few)));
    }
};

QTEST_GUILESS_MAIN(TestTopologyImport)
#include "tst_topology_import.moc"
