// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts that ranks may be placed on: lists and exclusions by id and by name, imported topologies,
// machines that do not match. The machine is 4 x h8 of resolving_catalog.h, the topology five hosts below two
// leaves.
#include "model/scenario/host_choice.h"
#include "model/scenario/placed_cluster.h"
#include "model/scenario/rented_machines.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_resolve_hosts {

using namespace alidade;
using namespace alidade::test;

namespace {

Host hostOf(const char* id, const char* name, const char* type, int leaf, int gpus = 0) {
    Host out;
    out.id = id;
    out.name = name;
    out.instanceType = type;
    out.leaf = leaf;
    out.gpus = gpus;
    return out;
}

/// Four hosts of the type and one other, below leaves 1 and 2 of one spine.
Topology site() {
    Topology out;
    out.name = "site";
    out.source = "a file";
    out.nodes = {{"spine", 0, -1}, {"leaf-1", 1, 0}, {"leaf-2", 1, 0}};
    out.hosts = {hostOf("i-1", "n1", "ml.h8", 1), hostOf("i-2", "n2", "h8", 1),
                 hostOf("i-3", "n3", "h8", 2, 8), hostOf("i-4", "n4", "", 2), hostOf("i-5", "n5", "a4", 2)};
    return out;
}

Catalog withSite(const Topology& topology) {
    Catalog out = resolvingCatalog();
    out.topologies = {topology};
    return out;
}

QByteArray listed(const std::vector<int>& hosts) {
    QByteArray out;
    for (const int host : hosts)
        out += (out.isEmpty() ? "" : " ") + QByteArray::number(host);
    return out;
}

QByteArray problemsOf(const HostChoice& choice) {
    Scenario scenario;
    scenario.problems = choice.problems;
    return alidade::test::problemsOf(scenario);
}

} // namespace

class TestResolveHosts : public QObject {
    Q_OBJECT

private slots:
    void choices_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<bool>("imported");
        QTest::addColumn<QByteArray>("hosts"); // listed / excluded / usable
        QTest::addColumn<QByteArray>("problems");
        const auto row = [](const char* edit, bool imported, const char* hosts,
                            const QByteArray& problems = {}) {
            QTest::addRow("%s%s", imported ? "site: " : "", edit)
                << QByteArray(edit) << imported << QByteArray(hosts) << problems;
        };
        row("", false, "//4");
        row("cluster.placement=sorted", false, "//4");
        row("cluster.placement=packed", false, "//4");
        row("cluster.placement=host-2, host-1", false, "1 0//2");
        row("cluster.placement=host-4", false, "3//1");
        row("cluster.excluded_hosts=host-4, host-1", false, "/3 0/2");
        row("cluster.placement=host-2, host-1, host-3; cluster.excluded_hosts=host-1, host-4", false,
            "1 0 2/0 3/2");
        const char* unknown =
            "error /cluster/placement: There is no host 'host-5'; hosts without an imported topology are "
            "named host-1 to host-4";
        row("cluster.placement=host-5, host-1, host-9", false, "0//1", unknown); // the first one is told
        row("cluster.placement=host-0", false, "//0",
            "error /cluster/placement: There is no host 'host-0'; hosts without an imported topology are "
            "named host-1 to "
            "host-4");
        row("cluster.excluded_hosts=host-1, host-2, host-3, host-4", false, "/0 1 2 3/0",
            "error /cluster/excluded_hosts: All 4 hosts are excluded; keep at least one");
        row("cluster.placement=host-3; cluster.excluded_hosts=host-3", false, "2/2/0",
            "error /cluster/excluded_hosts: Every host of cluster.placement is excluded; keep at least one");
        row("cluster.excluded_hosts=host-1x", false, "//4",
            "error /cluster/excluded_hosts: There is no host 'host-1x'; hosts without an imported topology "
            "are named host-1 "
            "to host-4");
        row("cluster.excluded_hosts=n1", false, "//4",
            "error /cluster/excluded_hosts: There is no host 'n1'; hosts without an imported topology are "
            "named host-1 to "
            "host-4");
        const QByteArray other =
            "warning /cluster/topology: 1 of the 5 hosts of site are left out: i-5 is a a4, not a h8";
        row("", true, "//4", other);
        row("cluster.placement=i-3, n1", true, "2 0//2", other);
        row("cluster.placement=i-1, n1", true, "0//1",
            other + "\nerror /cluster/placement: Host 'n1' is listed twice, by ID and by name; list it once");
        row("cluster.placement=i-5, i-1", true, "0//1",
            other + "\nerror /cluster/placement: Host 'i-5' is not of this scenario's machine type; leave it "
                    "out");
        row("cluster.excluded_hosts=i-5, n2", true, "/4 1/3", other);
        row("cluster.excluded_hosts=n22", true, "//4",
            other + "\nerror /cluster/excluded_hosts: There is no host 'n22' in site; the nearest is 'n2'");
        row("cluster.excluded_hosts=entirely-else", true, "//4",
            other + "\nerror /cluster/excluded_hosts: There is no host 'entirely-else' in site; use the ID "
                    "or name of a "
                    "host");
    }
    void choices() {
        QFETCH(QByteArray, edit);
        QFETCH(bool, imported);
        QFETCH(QByteArray, hosts);
        QFETCH(QByteArray, problems);
        const ScenarioSpec spec = edited({}, editOf(edit.constData()));
        const Topology topology = site();
        const HostChoice found = chooseHosts(spec.cluster, imported ? &topology : nullptr, {"h8", 8, 4});
        QCOMPARE(problemsOf(found), problems);
        QCOMPARE(QByteArray(listed(found.listed) + '/' + listed(found.excluded) + '/' +
                            QByteArray::number(found.usable)),
                 hosts);
        QCOMPARE(found.fit, 4);
        QCOMPARE(listed(found.unfit), QByteArray(imported ? "4" : ""));
        const bool list = edit.contains("placement=") && !edit.contains("sorted") && !edit.contains("packed");
        QVERIFY(found.kind == (list                      ? PlacementKind::list
                               : edit.contains("sorted") ? PlacementKind::sorted
                                                         : PlacementKind::packed));
        const PlacementRequest request = found.request(16, true);
        std::vector<int> out = found.excluded;
        out.insert(out.end(), found.unfit.begin(), found.unfit.end());
        QVERIFY(request.excluded == out && request.hosts == found.listed && request.kind == found.kind);
        QVERIFY(request.ranks == 16 && request.equalBlocks && !found.request(1, false).equalBlocks);
    }

    void theOnlyHost() {
        const ScenarioSpec spec = edited({}, editOf("cluster.excluded_hosts=host-1"));
        QCOMPARE(problemsOf(chooseHosts(spec.cluster, nullptr, {"h8", 8, 1})),
                 QByteArray("error /cluster/excluded_hosts: The only host is excluded; keep at least one"));
    }

    void hostsThatDoNotMatch() {
        Topology topology = site();
        topology.hosts[4] = hostOf("i-5", "n5", "h8", 2, 4);
        const auto problems = [&](const char* type, int gpus) {
            return problemsOf(chooseHosts({}, &topology, {type, gpus, 0}));
        };
        QCOMPARE(problems("h8", 8),
                 QByteArray("warning /cluster/topology: 1 of the 5 hosts of site are left out: i-5 has 4 "
                            "GPUs, not 8"));
        QCOMPARE(problems("", 4),
                 QByteArray("warning /cluster/topology: 1 of the 5 hosts of site are left out: i-3 has 8 "
                            "GPUs, not 4"));
        topology.hosts[3].instanceType = "a4";
        topology.hosts[1].instanceType = "b4";
        QCOMPARE(problems("x8", 8),
                 QByteArray("error /cluster/topology: site has no x8; it has 3 x h8; use that instance "
                            "type or leave the topology out"));
        topology.hosts.resize(3);
        for (Host& each : topology.hosts)
            each.gpus = 4;
        QCOMPARE(problems("", 8), QByteArray("error /cluster/topology: i-1 has 4 GPUs, not 8"));
        topology.hosts.clear();
        QCOMPARE(problems("h8", 8), QByteArray("error /cluster/topology: site has no hosts"));
        QCOMPARE(catalogHostName(16), std::string("host-17"));
        QCOMPARE(plainType("ml.h8"), std::string_view("h8"));
        QCOMPARE(plainType("h8"), std::string_view("h8"));
    }

    void clusters_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("expected");
        QTest::addColumn<QByteArray>("problems");
        const auto row = [](const char* edit, const char* expected, const QByteArray& problems = {}) {
            QTest::newRow(edit) << QByteArray(edit) << QByteArray(expected) << problems;
        };
        const QByteArray other =
            "warning /cluster/topology: 1 of the 5 hosts of site are left out: i-5 is a a4, not a h8";
        row("cluster.topology=site", "gpus=32; paid_items=4", other);
        row("cluster.topology=site; cluster.instances=", "gpus=32; paid_items=4; cluster.instances=4", other);
        row("cluster.topology=site; cluster.instances=2", "gpus=16; paid_items=2", other);
        row("cluster.topology=site; cluster.instances=5", "gpus=32; paid_items=5",
            "error /cluster/instances: site has 4 such hosts, not 5; rent at most that many, or import a "
            "newer topology\n" +
                other);
        row("cluster.topology=site; cluster.excluded_hosts=i-1, i-2; workload.global_batch=16",
            "gpus=16; paid_items=4; cluster.gpus=16", other);
        row("cluster.excluded_hosts=host-1, host-2", "gpus=16; paid_items=4");
        row("cluster.placement=sorted", "gpus=32; cluster.placement=sorted");
        row("cluster.placement=host-1", "gpus=8; paid_items=4");
    }
    void clusters() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        QFETCH(QByteArray, problems);
        const Catalog catalog = withSite(site());
        const Scenario scenario = resolved(edited(smallTraining(), editOf(edit.constData())), catalog);
        QCOMPARE(alidade::test::problemsOf(scenario), problems);
        QCOMPARE(differences(scenario, expected.constData()), QByteArray());
    }

    void placements() {
        Topology topology = site();
        topology.incomplete = true;
        const Catalog catalog = withSite(topology);
        const auto with = [&](const char* edit) {
            return resolved(edited(smallTraining(), editOf(edit)), catalog);
        };
        QVERIFY(!with("").placement); // the machine's own fabric, packed
        QVERIFY(!with("cluster.placement=packed; cluster.oversubscription=1").placement);
        const Scenario imported =
            with("cluster.topology=site; cluster.instances=3; workload.global_batch=24; "
                 "plan.tensor_parallel=2");
        QVERIFY(alidade::test::problemsOf(imported).startsWith(
            "warning /cluster/topology: site is incomplete: the response it was imported from ends with a "
            "NextToken, so "
            "hosts are missing; import all pages of aws ec2 describe-instance-topology"));
        const PlacementFacts& facts = imported.placement.value();
        QCOMPARE(facts.source, std::string("site, a file"));
        QCOMPARE(facts.hosts, 5);
        QCOMPARE(facts.hostsInUse, 3);
        QCOMPARE(facts.spareHosts, 1); // the fourth host of the type
        QCOMPARE(facts.excludedHosts, 0);
        QCOMPARE(facts.leavesInUse, 2);
        QCOMPARE(facts.nvlinkDomain, 8);
        QCOMPARE(facts.networkLayers, 2);
        QCOMPARE(facts.oversubscription, 1.0);
        QCOMPARE(facts.groups.front().ranks, 2);
        const Scenario own =
            with("cluster.oversubscription=2; cluster.excluded_hosts=host-3; workload.global_batch=8; "
                 "cluster.gpus=8");
        QVERIFY(own.placement->source.starts_with("catalog network, assuming "));
        QCOMPARE(own.placement->oversubscription, 2.0);
        QCOMPARE(own.placement->hosts, 4);
        QCOMPARE(own.placement->hostsInUse, 1);
        QCOMPARE(own.placement->excludedHosts, 1);
        QCOMPARE(own.placement->spareHosts, 2);
        QCOMPARE(own.placement->leavesInUse, 1);
        const Scenario served =
            resolved(edited(smallServing(),
                            editOf("cluster.topology=site; cluster.instances=2; plan.tensor_parallel=16")),
                     catalog);
        QCOMPARE(served.placement->hostsInUse, 2);
        const GroupShape& tensor = served.pools.front().plan.tensorGroup;
        QCOMPARE(tensor.ranks, 16);
        QCOMPARE(tensor.ranksPerNvlinkDomain, 8);
    }

    /// Two racks, of which one has lost a host.
    void ultraservers() {
        Topology topology;
        topology.name = "racks";
        topology.nodes = {{"leaf", 0, -1}};
        for (int i = 0; i < 7; ++i) {
            topology.hosts.push_back(hostOf(("i-" + std::to_string(i)).c_str(), "", "b4", 0, 4));
            topology.hosts.back().domain = i < 4 ? "one" : "two";
        }
        const Catalog catalog = withSite(topology);
        const char* racks = "cluster.ultraserver=rack; cluster.topology=racks; workload.global_batch=28; "
                            "cluster.purchase=capacity_block";
        const Scenario all = resolved(edited(smallTraining(), editOf(racks)), catalog);
        QCOMPARE(alidade::test::problemsOf(all), QByteArray());
        QCOMPARE(differences(all, "cluster.ultraservers=2; paid_items=2; gpus=28"), QByteArray());
        QCOMPARE(all.nvlinkDomain, 16);
        QCOMPARE(all.hosts, 8);
        const Scenario written = resolved(
            edited(smallTraining(), editOf(std::string(racks) + "; cluster.ultraservers=2")), catalog);
        QCOMPARE(alidade::test::problemsOf(written),
                 QByteArray(
                     "warning /cluster/ultraservers: racks has 7 such hosts, not 8; the others are ignored"));
        topology.hosts.erase(topology.hosts.begin(), topology.hosts.begin() + 4);
        const Scenario one =
            resolved(edited(smallTraining(),
                            editOf(std::string(racks) + "; cluster.gpus=12; workload.global_batch=12")),
                     withSite(topology));
        QCOMPARE(one.nvlinkDomain, 12); // three hosts of 4 GPUs are left of the domain
        QCOMPARE(one.inputs[Input::paidItems], 1.0);
    }

    void machinesByCircumstance_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("problems");
        const auto row = [](const char* edit, const char* problems) {
            QTest::newRow(edit) << QByteArray(edit) << QByteArray(problems);
        };
        row("cluster.instance=x8",
            "error /cluster/instance: GPU other is not modeled: no published measurement sets its "
            "kernels and links; use an instance with NVIDIA GPUs");
        row("cluster.instance=b4; cluster.instances=1; workload.global_batch=4",
            "warning /cluster/instance: b4 is available only in an UltraServer; set the ultraserver to get "
            "its NVLink "
            "domain");
        row("cluster.instance=a4; cluster.instances=1; cluster.gpus=1; workload.global_batch=4", "");
        row("cluster.instance=a4; cluster.instances=1; workload.global_batch=4",
            "warning /cluster/instance: The GPUs of a4 have no NVLink: traffic inside an instance goes over "
            "PCIe, at a rate "
            "that no published measurement confirms. Figures named NVLink refer to it");
        row("cluster.instance=h1; cluster.instances=2",
            "error /cluster/instance: The catalog has no network (EFA) for h1, and 2 GPUs do not fit in one "
            "NVLink domain of "
            "1; use fewer GPUs or a machine whose network is known");
        row("cluster.instance=; cluster.custom.gpu=turing; cluster.custom.gpus_per_node=2; "
            "cluster.instances=1",
            "error /cluster/custom: The catalog has neither NVLink nor PCIe for GPU turing; add a rate to "
            "its entry, or use "
            "one GPU");
        row("cluster.instance=; cluster.custom.gpu=hopper; cluster.instances=2",
            "error /cluster/custom: The catalog has no network (EFA) for custom GPU hopper, and 16 GPUs do "
            "not fit in one "
            "NVLink domain of 8; use fewer GPUs or a machine whose network is known");
        row("cluster.instance=; cluster.custom.gpu=hopper; cluster.instances=1", "");
    }
    void machinesByCircumstance() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, problems);
        const Scenario scenario = resolved(
            edited(smallTraining(), editOf(edit.toStdString() + "; cluster.dollars_per_instance_hour=1; "
                                                                "cluster.purchase=custom")));
        QCOMPARE(alidade::test::problemsOf(scenario), problems);
        QCOMPARE(scenario.modeled, !problems.contains("not modeled") && !problems.contains("neither NVLink"));
    }

    void ratesOverPcie() {
        Catalog catalog = resolvingCatalog();
        Instance& a4 = catalog.instances[2];
        const auto rate = [&] {
            return resolved(edited(smallTraining(), editOf("cluster.instance=a4; cluster.instances=1")),
                            catalog)
                .inputs[Input::nvlinkBandwidth];
        };
        QCOMPARE(rate(), 6.4e9); // 32 GB/s of generation 4, half of that of the host's 3, 40 % of it
        a4.gpuDirectRdma = true;
        QCOMPARE(rate(), 13.6e9); // 85 %
        a4.pcieGenerationHostToGpu = 2;
        QCOMPARE(rate(), 6.8e9);
        a4.pcieGenerationHostToGpu = 5;
        QCOMPARE(rate(), 27.2e9); // no faster than the GPU
        a4.pcieGenerationHostToGpu.reset();
        QCOMPARE(rate(), 27.2e9);
        catalog.ultraservers[0].instance.clear();
        QCOMPARE(refusalOf(edited(smallTraining(), editOf("cluster.ultraserver=rack")), catalog),
                 QByteArray("/cluster/ultraserver: the catalog does not list the instances of rack; add them "
                            "to its entry or "
                            "choose another UltraServer"));
        catalog.ultraservers[0].instance = "b44";
        QCOMPARE(refusalOf(edited(smallTraining(), editOf("cluster.ultraserver=rack")), catalog),
                 QByteArray(
                     "/cluster/ultraserver: there is no instance 'b44' in the catalog; the nearest is 'b4'"));
        ScenarioSpec two = smallTraining();
        two.cluster.ultraserver = "rack";
        QCOMPARE(refusalOf(two),
                 QByteArray("/cluster: more than one machine is set; keep one of instance, ultraserver and "
                            "custom"));
        catalog.topologies = {site()};
        QCOMPARE(
            refusalOf(edited(smallTraining(), editOf("cluster.topology=sites")), catalog),
            QByteArray("/cluster/topology: no topology 'sites' has been imported; the nearest is 'site'"));
    }

    /// 2 x 4 x 3 dense ranks have to be 2 x 3 x 4 of experts; without experts only the dense ones count.
    void layoutsOfRanks() {
        Scenario scenario;
        scenario.plan.tensorParallel = 2;
        scenario.plan.contextParallel = 4;
        scenario.plan.dataParallel = 3;
        scenario.plan.expertTensorParallel = 2;
        scenario.plan.expertParallel = 3;
        scenario.plan.expertDataParallel = 4;
        scenario.model.moe.emplace();
        QVERIFY(rankLayout(scenario));
        QCOMPARE(rankLayout(scenario)->ranks(), 24);
        scenario.plan.expertDataParallel = 2;
        QVERIFY(!rankLayout(scenario));
        scenario.model.moe.reset();
        QVERIFY(rankLayout(scenario));
    }

    void whatIsRented() {
        const ScenarioSpec plain = smallTraining();
        const ScenarioSpec racks = edited(plain, editOf("cluster.ultraserver=rack; cluster.ultraservers=3"));
        QCOMPARE(machineCount(plain), std::int64_t{4});
        QCOMPARE(machineCount(racks), std::int64_t{3});
        QCOMPARE(machineCount({}), std::int64_t{1});
        QVERIFY(isMachineCount("cluster.instances") && isMachineCount("cluster.ultraservers"));
        QVERIFY(!isMachineCount("cluster.gpus"));
        ScenarioSpec changed = racks;
        changed.cluster.instances = 9;
        setMachineCount(changed, 5);
        QVERIFY(changed.cluster.ultraservers == 5 && !changed.cluster.instances);
        changed.cluster.ultraserver.reset();
        setMachineCount(changed, 6);
        QVERIFY(changed.cluster.instances == 6 && !changed.cluster.ultraservers);
        QVERIFY((machineCountEdit(plain, 8) ==
                 Edit{{"cluster.instances", "8"}, {"cluster.gpus", ""}, {"plan.data_parallel", ""}}));
        const auto rl = [](const char* edit) { return edited(smallReinforcement(), editOf(edit)); };
        QVERIFY((machineCountEdit(rl("plan.placement=split; plan.rollout.gpus=12; plan.train.gpus=4"), 1) ==
                 Edit{{"cluster.instances", "1"},
                      {"cluster.gpus", ""},
                      {"plan.data_parallel", ""},
                      {"plan.rollout.gpus", "6"},
                      {"plan.train.gpus", ""}}));
        QVERIFY((machineCountEdit(rl("plan.placement=split; plan.train.gpus=1; plan.train.data_parallel=1"),
                                  1) == Edit{{"cluster.instances", "1"},
                                             {"cluster.gpus", ""},
                                             {"plan.data_parallel", ""},
                                             {"plan.rollout.gpus", ""},
                                             {"plan.train.gpus", "1"},
                                             {"plan.train.data_parallel", ""},
                                             {"plan.rollout.data_parallel", ""}}));
        QCOMPARE(gpusOfMachine(sharedCatalog(), "rack"), 16);
        QCOMPARE(gpusOfMachine(sharedCatalog(), "h8"), 8);
        QCOMPARE(gpusOfMachine(sharedCatalog(), "none"), 0);
        QCOMPARE(rentedGpus(plain, sharedCatalog()), std::int64_t{32});
        QCOMPARE(rentedGpus(racks, sharedCatalog()), std::int64_t{48});
        const ScenarioSpec custom =
            edited(plain, editOf("cluster.custom.gpu=hopper; cluster.custom.gpus_per_node=4; "
                                 "cluster.instances=3"));
        QCOMPARE(rentedGpus(custom, sharedCatalog()), std::int64_t{12});
        QVERIFY((machineEdit(sharedCatalog(), "rack", 2) == Edit{{"cluster.instance", ""},
                                                                 {"cluster.instances", ""},
                                                                 {"cluster.ultraserver", "rack"},
                                                                 {"cluster.ultraservers", "2"},
                                                                 {"cluster.gpus", ""},
                                                                 {"cluster.region", ""},
                                                                 {"plan.data_parallel", ""}}));
        QVERIFY((machineEdit(sharedCatalog(), "h8", 2) == Edit{{"cluster.instance", "h8"},
                                                               {"cluster.instances", "2"},
                                                               {"cluster.ultraserver", ""},
                                                               {"cluster.ultraservers", ""},
                                                               {"cluster.gpus", ""},
                                                               {"cluster.region", ""},
                                                               {"plan.data_parallel", ""}}));
        QVERIFY(withoutStatedPrice(plain).empty());
        QVERIFY(withoutStatedPrice(edited(plain, editOf("cluster.purchase=on_demand; "
                                                        "cluster.dollars_per_instance_hour=5")))
                    .empty());
        QCOMPARE(withoutStatedPrice(edited(plain, editOf("cluster.dollars_per_instance_hour=5"))).size(),
                 std::size_t{2});
        QCOMPARE(withoutStatedPrice(edited(plain, editOf("order.base.dollars_per_instance_hour=5"))).size(),
                 std::size_t{5});
        QVERIFY(trainingInstances(sharedCatalog()) == std::vector<std::string>{"h8"});
        QVERIFY((servingInstances(sharedCatalog()) == std::vector<std::string>{"h8", "h1"}));
    }
};

QTEST_APPLESS_MAIN(TestResolveHosts)

} // namespace tst_resolve_hosts

#include "tst_resolve_hosts.moc"
