// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// The hosts of a running job become the placement of its plan, where a topology knows them.
#include "data/catalog/catalog_reader.h"
#include "data/jobs/import_job.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/import.h"
#include "data/topology/topology_json.h"
#include "model/scenario/scenario.h"

#include <QTest>

#include <algorithm>

namespace tst_running_job {

using namespace alidade;
using data::JobReading;
using Hosts = std::vector<std::string>;

namespace {

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

JobReading read(const std::string& text, const data::JobFiles& files = {}) {
    return data::readJob(text, "job", catalog(), files);
}

/// Two racks of four.
Topology racks() {
    auto import = data::importTopology({{"topology.conf", "SwitchName=a Nodes=ip-10-0-0-[1-4]\n"
                                                          "SwitchName=b Nodes=ip-10-0-1-[1-4]\n"
                                                          "SwitchName=top Switches=a,b\n"}});
    if (!import.topology)
        qFatal("%s", import.faults.front().c_str());
    return *std::move(import.topology);
}

std::string scontrol(const std::string& list, int nodes, const std::string& partition = "p5-48xlarge") {
    return "JobId=42 JobName=train\n   Partition=" + partition +
           " AllocNode:Sid=head:1\n   NodeList=" + list +
           "\n   BatchHost=ip-10-0-0-1\n   NumNodes=" + std::to_string(nodes) +
           " NumCPUs=768\n   AllocTRES=cpu=768,node=4,gres/gpu=" + std::to_string(8 * nodes) +
           "\n   Command=/home/a/job.sbatch\n";
}

std::optional<std::string> script(const std::string&) {
    return "srun torchrun --nproc_per_node=8 --nnodes=$SLURM_NNODES pretrain_gpt.py "
           "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 1 --seq-length 8192 "
           "--micro-batch-size 1 --global-batch-size 64 --bf16 --num-layers 80 --hidden-size 8192 "
           "--ffn-hidden-size 28672 --num-attention-heads 64 --group-query-attention --num-query-groups 8 "
           "--swiglu --vocab-size 128256 --untie-embeddings-and-output-weights\n";
}

bool contradicts(const JobReading& reading, const std::string& words) {
    return std::ranges::any_of(reading.contradictions, [&words](const std::string& each) {
        return each.find(words) != std::string::npos;
    });
}

/// JSON with double quotation marks for single ones: moc loses its way in raw strings.
std::string json(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

std::string pod(const std::string& node, const std::string& index) {
    return json(
        "{'kind': 'Pod', 'metadata': {'labels': {'jobset.sigs.k8s.io/jobset-name': 'a'}, 'annotations': "
        "{'batch.kubernetes.io/job-completion-index': '" +
        index + "'}}, 'spec': {'nodeName': '" + node +
        "', 'nodeSelector': {'node.kubernetes.io/instance-type': 'p5.48xlarge'}, 'containers': [{'command': "
        "['torchrun', '--nproc_per_node=8', 'pretrain_gpt.py', '--seq-length', '8192', "
        "'--tensor-model-parallel-size', '8'], 'resources': {'limits': {'nvidia.com/gpu': 8}}}]}}");
}

} // namespace

class TestRunningJob : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slurmNamesTheHosts() {
        const JobReading shown = read(scontrol("ip-10-0-0-[1-2,4],ip-10-0-1-3", 4), script);
        QCOMPARE(shown.hosts, (Hosts{"ip-10-0-0-1", "ip-10-0-0-2", "ip-10-0-0-4", "ip-10-0-1-3"}));
        QVERIFY(shown.contradictions.empty());
        QVERIFY(contradicts(read(scontrol("ip-10-0-0-[1-2,4]", 4), script), "names 3 hosts"));
        for (const char* nodes : {"'nodes': 'p5-[1-4]'", "'job_resources': {'nodes': 'p5-[1-4]'}",
                                  "'nodes': '', 'job_resources': {'nodes': {'list': 'p5-[1-4]'}}"}) {
            const JobReading queued =
                read(json(std::string("{'jobs': [{'job_id': 1, 'partition': 'p5-48xlarge', ") + nodes +
                          ", 'node_count': {'set': true, 'number': 4}, 'tres_alloc_str': 'gres/gpu=32'}]}"));
            QCOMPARE(queued.hosts, (Hosts{"p5-1", "p5-2", "p5-3", "p5-4"}));
        }
        // What is no host list is said, and is no host.
        const JobReading broken = read(scontrol("ip-10-0-0-[1-", 4), script);
        QVERIFY(broken.hosts.empty());
        QVERIFY(std::ranges::any_of(broken.warnings, [](const std::string& each) {
            return each.find("NodeList") != std::string::npos;
        }));
    }

    void podsNameTheirNodesInTheOrderOfRanks() {
        const std::string list = json("{'apiVersion': 'v1', 'kind': 'List', 'items': [");
        const JobReading reading = read(list + pod("ip-10-0-1-1", "2") + "," + pod("ip-10-0-0-3", "0") + "," +
                                        pod("ip-10-0-0-1", "10") + "," + pod("ip-10-0-1-2", "1") + "]}");
        QCOMPARE(reading.hosts, (Hosts{"ip-10-0-0-3", "ip-10-0-1-2", "ip-10-0-1-1", "ip-10-0-0-1"}));
        QCOMPARE(*reading.spec.cluster.instances, 4);
    }

    void aTopologyPlacesThem() {
        JobReading reading = read(scontrol("ip-10-0-0-[1-2,4],ip-10-0-1-3", 4), script);
        const Topology topology = racks();
        data::placeJob(reading, topology, "cluster.json", catalog());
        QVERIFY(reading.contradictions.empty());
        QCOMPARE(*reading.spec.cluster.topology, std::string("cluster.json"));
        QCOMPARE(*reading.spec.cluster.placement, reading.hosts);
        // The plan runs on exactly these hosts, two of them under one switch and one under the other.
        QVERIFY2(reading.asks.empty(), reading.asks.empty() ? "" : reading.asks.front().c_str());
        Catalog with = catalog();
        with.topologies.push_back(topology);
        with.topologies.back().name = "cluster.json";
        const Result<Scenario> scenario = resolve(reading.spec, with, with.defaultProfile);
        QVERIFY2(scenario && scenario->legal, data::writeScenario(reading.spec).c_str());
        QCOMPARE(scenario->placement->hostsInUse, 4);
    }

    void aDomainIsNoOtherHost() {
        JobReading reading = read(scontrol("ip-10-0-0-1.ec2.internal,ip-10-0-1-2.ec2.internal", 2), script);
        data::placeJob(reading, racks(), "cluster.json", catalog());
        QVERIFY(reading.contradictions.empty());
        QCOMPARE(*reading.spec.cluster.placement, (Hosts{"ip-10-0-0-1", "ip-10-0-1-2"}));
    }

    void whatDoesNotFitIsAContradiction() {
        const auto placed = [](const std::string& text, const Topology& topology) {
            JobReading reading = read(text, script);
            data::placeJob(reading, topology, "cluster.json", catalog());
            return reading;
        };
        const JobReading strange = placed(scontrol("ip-10-0-0-[1-3],ip-10-0-0-9", 4), racks());
        QVERIFY(contradicts(strange, "ip-10-0-0-9"));
        QVERIFY(!strange.spec.cluster.placement);
        Topology others = racks();
        for (Host& host : others.hosts)
            host.instanceType = "p5en.48xlarge";
        const JobReading other = placed(scontrol("ip-10-0-0-[1-4]", 4), others);
        QVERIFY(contradicts(other, "p5en.48xlarge"));
        QVERIFY(!other.spec.cluster.placement);
        // A job that does not say its instance type has that of its hosts.
        const JobReading found = placed(scontrol("ip-10-0-0-[1-4]", 4, "gpu"), others);
        QVERIFY(found.contradictions.empty());
        QCOMPARE(*found.spec.cluster.instance, std::string("p5en.48xlarge"));
        QCOMPARE(found.spec.cluster.placement->size(), std::size_t{4});
        QVERIFY(std::ranges::find(found.asks, "cluster.instance") == found.asks.end());
        // A job without hosts takes the topology alone.
        const JobReading waiting = placed(scontrol("(null)", 4), racks());
        QVERIFY(waiting.spec.cluster.topology && !waiting.spec.cluster.placement);
        QVERIFY(waiting.contradictions.empty());
    }

    void theTopologyWithTheHostsIsTaken() {
        Topology other = racks();
        other.hosts.resize(3);
        const Topology all = racks();
        JobReading reading = read(scontrol("ip-10-0-0-[1-2,4],ip-10-0-1-3", 4), script);
        QVERIFY(!data::placeRunningJob(reading, {{"small", &other}, {"racks", &all}}, "new", catalog()));
        QVERIFY(reading.contradictions.empty());
        QCOMPARE(*reading.spec.cluster.topology, std::string("racks"));
        QCOMPARE(*reading.spec.cluster.placement, reading.hosts);
        // A job that waits has no hosts.
        JobReading waiting = read(scontrol("(null)", 4), script);
        QVERIFY(!data::placeRunningJob(waiting, {{"racks", &all}}, "new", catalog()));
        QVERIFY(!waiting.spec.cluster.topology);
    }

    void hostsThatNoTopologyHasMakeOne() {
        const Topology others = racks();
        JobReading reading = read(scontrol("p5-[7-10]", 4), script);
        const auto made = data::placeRunningJob(reading, {{"racks", &others}}, "train hosts", catalog());
        QVERIFY(made);
        QVERIFY(reading.contradictions.empty());
        QCOMPARE(made->name, std::string("train hosts"));
        QCOMPARE(made->layers(), 0);
        Hosts names;
        for (const Host& host : made->hosts) {
            names.push_back(host.id);
            QCOMPARE(host.instanceType, std::string("p5.48xlarge"));
        }
        QCOMPARE(names, (Hosts{"p5-7", "p5-8", "p5-9", "p5-10"}));
        QCOMPARE(*reading.spec.cluster.placement, names);
        // It survives its file, and the plan runs on it.
        auto back = data::importTopology({{"made.json", data::writeTopology(*made)}});
        QVERIFY2(back.topology, back.faults.empty() ? "" : back.faults.front().c_str());
        Catalog with = catalog();
        with.topologies.push_back(*std::move(back.topology));
        with.topologies.back().name = "train hosts";
        const Result<Scenario> scenario = resolve(reading.spec, with, with.defaultProfile);
        QVERIFY2(scenario && scenario->legal, data::writeScenario(reading.spec).c_str());
        QCOMPARE(scenario->placement->hostsInUse, 4);
    }

    void hostsOfUltraServersAreNotGuessed() {
        JobReading reading = read(scontrol("gb-[1-4]", 4, "p6e-gb200-36xlarge"), script);
        QVERIFY(reading.spec.cluster.ultraserver);
        QVERIFY(!data::placeRunningJob(reading, {}, "new", catalog()));
        QVERIFY(!reading.spec.cluster.topology && !reading.spec.cluster.placement);
        QVERIFY(std::ranges::any_of(reading.warnings, [](const std::string& each) {
            return each.find("import the topology of the cluster") != std::string::npos;
        }));
    }
};

QTEST_GUILESS_MAIN(TestRunningJob)

} // namespace tst_running_job

#include "tst_running_job.moc"
