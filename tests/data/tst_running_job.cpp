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
#include <map>

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

/// A job on hosts with four GPUs each.
std::string rack(const std::string& list, int nodes, const std::string& partition = "p6e-gb200-36xlarge") {
    return "JobId=42 JobName=train\n   Partition=" + partition +
           " AllocNode:Sid=head:1\n   NodeList=" + list + "\n   NumNodes=" + std::to_string(nodes) +
           "\n   AllocTRES=gres/gpu=" + std::to_string(4 * nodes) + "\n   Command=/home/a/job.sbatch\n";
}

/// Its script: with four processes to a host.
std::optional<std::string> rackScript(const std::string& name) {
    std::string text = *script(name);
    for (const auto& [from, to] : {std::pair{"per_node=8", "per_node=4"},
                                   std::pair{"tensor-model-parallel-size 8", "tensor-model-parallel-size 4"},
                                   std::pair{"global-batch-size 64", "global-batch-size 576"}})
        text.replace(text.find(from), std::string(from).size(), to);
    return text;
}

/// "r1: gb-1 gb-2" for each NVLink domain.
Hosts domainsOf(const Topology& topology) {
    std::map<std::string, std::string> all;
    for (const Host& host : topology.hosts)
        all[host.domain] += " " + host.name;
    Hosts out;
    for (const auto& [domain, hosts] : all)
        out.push_back(domain + ":" + hosts);
    return out;
}

/// What is assumed of the topology of a job.
std::string assumption(const JobReading& reading) {
    for (const data::ReadField& each : reading.assumed)
        if (each.path == "cluster.topology")
            return each.from;
    return {};
}

/// Whether the plan of a job is legal on its hosts, in the topology as its file has it.
bool runs(const JobReading& reading, const Topology& topology) {
    auto back = data::importTopology({{"made.json", data::writeTopology(topology)}});
    if (!back.topology || !reading.contradictions.empty())
        return false;
    Catalog with = catalog();
    with.topologies.push_back(*std::move(back.topology));
    with.topologies.back().name = "new";
    const Result<Scenario> scenario = resolve(reading.spec, with, with.defaultProfile);
    if (!scenario)
        qWarning("%s", scenario.error().c_str());
    else
        for (const Problem& each : scenario->problems)
            qWarning("%s", each.message.c_str());
    return scenario && scenario->legal &&
           static_cast<std::size_t>(scenario->placement->hostsInUse) == topology.hosts.size();
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
        // What is not a host list is said, and is not a host.
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

    void hostsOfUltraServersAreFilledInTheOrderOfTheirNames() {
        JobReading reading = read(rack("gb-[9-40,1-4]", 36), rackScript);
        QCOMPARE(*reading.spec.cluster.ultraservers, 2);
        const auto made = data::placeRunningJob(reading, {}, "new", catalog());
        QVERIFY(made);
        QCOMPARE(domainsOf(*made),
                 (Hosts{"ultraserver-1: gb-9 gb-10 gb-11 gb-12 gb-13 gb-14 gb-15 gb-16 gb-17 gb-18 gb-19 "
                        "gb-20 gb-21 gb-22 gb-1 gb-2 gb-3 gb-4",
                        "ultraserver-2: gb-23 gb-24 gb-25 gb-26 gb-27 gb-28 gb-29 gb-30 gb-31 gb-32 gb-33 "
                        "gb-34 gb-35 gb-36 gb-37 gb-38 gb-39 gb-40"}));
        QVERIFY2(assumption(reading).find("each 18 hosts share one u-p6e-gb200x72") == 0,
                 assumption(reading).c_str());
        QVERIFY(runs(reading, *made));
    }

    void slurmTellsTheBlocksOfUltraServers() {
        // As "scontrol show job; scontrol show topology" print them; a block of blocks has all hosts.
        const std::string topology = "BlockName=all BlockIndex=2 Nodes=gb-[1-8] BlockSize=4\n"
                                     "BlockName=r1 BlockIndex=0 Nodes=gb-[1,3,5,7] BlockSize=2\n"
                                     "BlockName=r2 BlockIndex=1 Nodes=gb-[2,4,6,8] BlockSize=2\n";
        JobReading reading = read(rack("gb-[1-4]", 4) + topology, rackScript);
        QCOMPARE(*reading.spec.cluster.ultraserver, std::string("u-p6e-gb200x36"));
        QCOMPARE(*reading.spec.cluster.ultraservers, 2);
        const auto made = data::placeRunningJob(reading, {}, "new", catalog());
        QVERIFY(made);
        QCOMPARE(domainsOf(*made), (Hosts{"r1: gb-1 gb-3", "r2: gb-2 gb-4"}));
        QCOMPARE(assumption(reading), std::string());
        QVERIFY(runs(reading, *made));
        // The hosts of which a topology is silent are said.
        JobReading partly =
            read(rack("gb-[1-3]", 3) + "BlockName=r1 BlockIndex=0 Nodes=gb-[1-2]\n", rackScript);
        const auto some = data::placeRunningJob(partly, {}, "new", catalog());
        QVERIFY(some);
        QCOMPARE(domainsOf(*some), (Hosts{": gb-3", "r1: gb-1 gb-2"}));
        QVERIFY(assumption(partly).find("1 of the hosts") == 0);
    }

    void slurmTellsTheSegmentsOfUltraServers() {
        JobReading reading =
            read(rack("gb-[1-16,19-34]", 32) + "   SegmentSize=16 Switches=1@0\n", rackScript);
        QCOMPARE(*reading.spec.cluster.ultraservers, 2);
        const auto made = data::placeRunningJob(reading, {}, "new", catalog());
        QVERIFY(made);
        const Hosts domains = domainsOf(*made);
        QCOMPARE(domains.size(), std::size_t{2});
        QVERIFY(domains[0].ends_with(" gb-16") && domains[1].ends_with(" gb-34"));
        QVERIFY(assumption(reading).find("each segment of 16 hosts") == 0);
        QVERIFY(runs(reading, *made));
    }

    void theInstanceIsFoundByItsGpus() {
        const auto instance = [](const std::string& text) {
            return read(text, rackScript).spec.cluster.instance.value_or("");
        };
        const auto ultra = [](const std::string& text) {
            return read(text, rackScript).spec.cluster.ultraserver.value_or("");
        };
        const std::string none = "gpu", head = "JobId=1 JobName=a\n   Partition=gpu\n   NumNodes=2\n";
        QCOMPARE(ultra(head + "   NodeList=n[1-2]\n   AllocTRES=cpu=288,gres/gpu=8,gres/gpu:gb300=8\n"),
                 std::string("u-p6e-gb300x72"));
        QCOMPARE(instance(head + "   NodeList=n[1-2]\n   TresPerNode=gres/gpu:h100:8\n"),
                 std::string("p5.48xlarge"));
        QCOMPARE(ultra(rack("gb300-r1-[01-02]", 2, none)), std::string("u-p6e-gb300x72"));
        // H200 GPUs are in two types, and nothing says which.
        QCOMPARE(instance(head + "   NodeList=n[1-2]\n   TresPerNode=gres/gpu:h200:8\n"), std::string());
        QCOMPARE(instance(rack("host4", 1, none)), std::string()); // which is not a T4
        QCOMPARE(ultra(rack("n[1-2]", 2, none)), std::string());
        // As ParallelCluster names its nodes, after a queue and a compute resource.
        for (const char* kind : {"st", "dy"})
            QCOMPARE(instance(head + "   NodeList=train-" + kind + "-p5en-48xlarge-[1-2]\n"),
                     std::string("p5en.48xlarge"));
        QCOMPARE(instance(head + "   NodeList=train-st-compute-[1-2]\n"), std::string());
        const JobReading named = read(rack("gb200-[1-2]", 2, none), rackScript);
        QVERIFY(std::ranges::find(named.asks, "cluster.instance") == named.asks.end());
    }

    void nodesTellTheDomainsOfPods() {
        const auto list = [](const std::string& items) {
            return json("{'apiVersion': 'v1', 'kind': 'List', 'items': [" + items + "]}");
        };
        const auto node = [](const std::string& name, const std::string& labels) {
            return ", {'kind': 'Node', 'metadata': {'name': '" + name + "', 'labels': {" + labels + "}}}";
        };
        const std::string type = "'node.kubernetes.io/instance-type': 'p6e-gb200.36xlarge', ";
        std::string pods, nodes, claims;
        for (int i = 0; i < 4; ++i) {
            const std::string name = "n" + std::to_string(i), domain = std::to_string(i % 2);
            const std::string one =
                "{'kind': 'Pod', 'metadata': {'labels': {'jobset.sigs.k8s.io/jobset-name': 'a', "
                "'batch.kubernetes.io/job-completion-index': '" +
                std::to_string(i) + "'}}, 'spec': {'nodeName': '" + name +
                "', CLAIMS'containers': [{'command': ['torchrun', '--nproc_per_node=4', 'pretrain_gpt.py', "
                "'--seq-length', '8192', '--tensor-model-parallel-size', '4'], "
                "'resources': {'limits': {'nvidia.com/gpu': 4}}}]}}";
            const auto with = [&one](const std::string& text) {
                return std::string(one).replace(one.find("CLAIMS"), 6, text);
            };
            pods += (i > 0 ? ", " : "") + with("");
            claims += (i > 0 ? ", " : "") +
                      with("'nodeSelector': {'node.kubernetes.io/instance-type': 'p6e-gb200.36xlarge'}, "
                           "'resourceClaims': [{'name': 'imex', 'resourceClaimTemplateName': 'channel-" +
                           domain + "'}], ");
            nodes += node(name, type + "'topology.k8s.aws/ultraserver-id': 'us-" + domain +
                                    "', 'nvidia.com/gpu.clique': 'c" + domain + ".1'");
        }
        JobReading reading = read(list(pods + nodes + node("cpu", "'topology.k8s.aws/ultraserver-id': 'x'")));
        QCOMPARE(reading.spec.cluster.ultraserver.value_or(""), std::string("u-p6e-gb200x36"));
        QCOMPARE(*reading.spec.cluster.ultraservers, 2);
        const auto made = data::placeRunningJob(reading, {}, "new", catalog());
        QVERIFY(made);
        QCOMPARE(domainsOf(*made), (Hosts{"c0.1: n0 n2", "c1.1: n1 n3"}));
        QCOMPARE(assumption(reading), std::string());
        QCOMPARE(*reading.spec.cluster.placement, (Hosts{"n0", "n1", "n2", "n3"}));
        // Without the nodes the claims of IMEX channels tell it.
        JobReading claimed = read(list(claims));
        const auto second = data::placeRunningJob(claimed, {}, "new", catalog());
        QVERIFY(second);
        QCOMPARE(domainsOf(*second), (Hosts{"channel-0: n0 n2", "channel-1: n1 n3"}));
    }
};

QTEST_GUILESS_MAIN(TestRunningJob)

} // namespace tst_running_job

#include "tst_running_job.moc"
