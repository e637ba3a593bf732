// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters whose instances are bought in two ways: a group of instances for each, as many as are ordered.
#include "data/jobs/import_job.h"
#include "model/scenario/fields.h"
#include "tests/data/handed_over.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tst_handoff_purchase {

using namespace alidade;
using namespace tests;
using data::Handoff;

namespace {

const char* const training = "llama-3.1-70b-64xp5.48xlarge";

/// Instances of a group, and how they are bought as its target says it.
struct Group {
    int count = 0;
    bool block = false;
    std::string reservation; ///< placeholder; empty: none is named
    bool operator==(const Group&) const = default;
};

Planned bought(const std::string& main, const std::string& base, const std::string& instances,
               std::map<std::string, std::string> more = {}) {
    more.insert(
        {{"cluster.purchase", main}, {"order.base.instances", instances}, {"order.base.purchase", base}});
    return changed(training, more);
}

void keysOf(const json& value, const std::string& path, std::set<std::string>& out) {
    out.insert(path);
    if (value.is_object())
        for (const auto& [key, each] : value.items())
            keysOf(each, path.empty() ? key : path + "." + key, out);
    else if (value.is_array())
        for (const json& each : value)
            keysOf(each, path + "[]", out);
}

/// Keys that the version of ParallelCluster does not know.
std::string unknownKeys(const json& value) {
    const std::set<std::string> known = namesOf("parallelcluster");
    std::set<std::string> keys;
    keysOf(value, "", keys);
    std::string out;
    for (const std::string& key : keys) {
        const bool free = key.starts_with("Scheduling.SlurmSettings.CustomSlurmSettings[]");
        if (!key.empty() && !free &&
            std::ranges::none_of(known, [&key](const std::string& each) { return each.starts_with(key); }))
            out += key + "\n";
    }
    return out;
}

std::vector<Group> parallelCluster(const Handoff& handoff) {
    const json cluster = toJson(YAML::Load(fileOf(handoff, "cluster.yaml").text));
    const std::string unknown = unknownKeys(cluster);
    if (!unknown.empty())
        qFatal("%s", unknown.c_str());
    std::vector<Group> out;
    std::vector<std::string> nodes;
    for (const json& queue : cluster["Scheduling"]["SlurmQueues"])
        for (const json& each : queue["ComputeResources"]) {
            if (each["MinCount"] != each["MaxCount"]) // as Capacity Blocks require
                qFatal("%s", each.dump().c_str());
            out.push_back({each["MaxCount"], queue["CapacityType"] == "CAPACITY_BLOCK",
                           each.contains("CapacityReservationTarget")
                               ? each["CapacityReservationTarget"]["CapacityReservationId"]
                               : ""});
            nodes.push_back(queue["Name"].get<std::string>() + "-st-" + each["Name"].get<std::string>() +
                            "-[1-" + std::to_string(out.back().count) + "]");
        }
    // A job runs in one partition, which has to have the nodes of both queues.
    if (cluster["Scheduling"]["SlurmQueues"].size() > 1) {
        const json& all = cluster["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"][0];
        if (all["PartitionName"] != "gpu" || all["Nodes"] != nodes[0] + "," + nodes[1])
            qFatal("%s", all.dump().c_str());
    }
    return out;
}

std::vector<Group> eksctl(const Handoff& handoff) {
    const json config = toJson(YAML::Load(fileOf(handoff, "nodegroup.yaml").text));
    std::set<std::string> names;
    for (const json& each : config["managedNodeGroups"])
        if (!names.insert(each["name"]).second)
            qFatal("%s", config.dump().c_str());
    std::vector<Group> out;
    for (const json& each : config["managedNodeGroups"])
        out.push_back({each["desiredCapacity"], each.contains("instanceMarketOptions"),
                       each.contains("capacityReservation")
                           ? each["capacityReservation"]["capacityReservationTarget"]["capacityReservationID"]
                           : ""});
    return out;
}

std::vector<Group> karpenter(const Handoff& handoff) {
    const SchemaCheck schemas(handoffFolder + "crds/");
    const auto documents = documentsOf(fileOf(handoff, "karpenter.yaml").text);
    for (const json& each : documents)
        if (const std::string fault = schemas.fault(each); !fault.empty())
            qFatal("%s", fault.c_str());
    std::vector<Group> out;
    for (const json& pool : ofKind(documents, "NodePool")) {
        const json& spec = pool["spec"]["template"]["spec"];
        const auto nodes = ofKind(documents, "EC2NodeClass");
        const auto made = std::ranges::find_if(nodes, [&spec](const json& each) {
            return each["metadata"]["name"] == spec["nodeClassRef"]["name"];
        });
        const bool reserved = spec["requirements"].dump().find("\"reserved\"") != std::string::npos;
        if (made == nodes.end() || (*made)["spec"].contains("capacityReservationSelectorTerms") != reserved)
            qFatal("%s", pool.dump().c_str());
        out.push_back({pool["spec"]["limits"]["nvidia.com/gpu"].get<int>() / 8, false,
                       reserved ? (*made)["spec"]["capacityReservationSelectorTerms"][0]["id"] : ""});
    }
    return out;
}

std::vector<Group> pcs(const Handoff& handoff) {
    const json all = toJson(YAML::Load(fileOf(handoff, "pcs.yaml").text))["Resources"];
    std::vector<Group> out;
    for (const json& each : all["Queue"]["Properties"]["ComputeNodeGroupConfigurations"]) {
        const json& group = all.at(each["ComputeNodeGroupId"]["Fn::GetAtt"][0])["Properties"];
        const json& data =
            all.at(group["CustomLaunchTemplate"]["TemplateId"]["Ref"])["Properties"]["LaunchTemplateData"];
        const bool block = group["PurchaseOption"] == "CAPACITY_BLOCK";
        const bool reserved = data.contains("CapacityReservationSpecification");
        if (block != data.contains("InstanceMarketOptions") || reserved == data.contains("Placement"))
            qFatal("%s", data.dump().c_str());
        out.push_back({group["ScalingConfiguration"]["MaxInstanceCount"], block,
                       reserved ? data["CapacityReservationSpecification"]["CapacityReservationTarget"]
                                      ["CapacityReservationId"]
                                : ""});
    }
    return out;
}

std::vector<Group> hyperPod(const Handoff& handoff) {
    const json groups = json::parse(fileOf(handoff, "create-cluster.json").text)["InstanceGroups"];
    const json parameters = json::parse(fileOf(handoff, "provisioning_parameters.json").text);
    std::vector<Group> out;
    for (const json& worker : parameters["worker_groups"]) {
        const auto group = std::ranges::find_if(groups, [&worker](const json& each) {
            return each["InstanceGroupName"] == worker["instance_group_name"];
        });
        if (group == groups.end() || worker["partition_name"] != "gpu")
            qFatal("%s", parameters.dump().c_str());
        out.push_back({(*group)["InstanceCount"], false, group->value("TrainingPlanArn", "")});
    }
    if (groups.size() != out.size() + 1) // and the controller
        qFatal("%s", groups.dump().c_str());
    return out;
}

struct Target {
    const char* id;
    std::vector<Group> (*read)(const Handoff& handoff);
    bool saysBlock;
    std::string reservation;
};

const std::vector<Target>& targets() {
    static const std::vector<Target> all{{"parallelcluster", parallelCluster, true, "RESERVATION"},
                                         {"eksctl", eksctl, true, "RESERVATION"},
                                         {"karpenter", karpenter, false, "RESERVATION"},
                                         {"pcs", pcs, true, "RESERVATION"},
                                         {"hyperpod-slurm", hyperPod, false, "TRAINING_PLAN"}};
    return all;
}

} // namespace

class TestHandoffPurchase : public QObject {
    Q_OBJECT

private slots:
    void eachPurchaseHasItsGroup_data() {
        QTest::addColumn<int>("target");
        for (std::size_t i = 0; i < targets().size(); ++i)
            QTest::newRow(targets()[i].id) << static_cast<int>(i);
    }
    void eachPurchaseHasItsGroup() {
        QFETCH(int, target);
        const Target& to = targets()[static_cast<std::size_t>(target)];
        const auto groups = [&to](const Planned& source) {
            const auto handoff = handedOff(source, {to.id});
            if (!handoff)
                qFatal("%s", handoff.error().c_str());
            return to.read(*handoff);
        };
        const auto block = [&to](int count, const std::string& part) {
            return Group{count, to.saysBlock, "CHANGE_ME_" + part + to.reservation};
        };
        using Groups = std::vector<Group>;
        QVERIFY((groups(bought("on_demand", "capacity_block", "16")) ==
                 Groups{block(16, "BASE_"), Group{48, false, ""}}));
        QVERIFY((groups(bought("capacity_block", "on_demand", "40")) ==
                 Groups{Group{40, false, ""}, block(24, "REST_")}));
        QVERIFY((groups(bought("capacity_block", "capacity_block", "32")) ==
                 Groups{block(32, "BASE_"), block(32, "REST_")}));
        // What has no separate capacity is two groups of one type of capacity.
        QVERIFY((groups(bought("on_demand", "savings_plan", "16", {{"order.base.discount", "0.4"}})) ==
                 Groups{Group{16, false, ""}, Group{48, false, ""}}));
        // The base is all there is.
        QVERIFY((groups(bought("on_demand", "capacity_block", "64")) == Groups{block(64, "")}));
        QVERIFY((groups(bought("capacity_block", "on_demand", "64")) == Groups{Group{64, false, ""}}));
        // Spares are rented like the others, so that they can be of the base.
        QVERIFY((groups(bought("on_demand", "capacity_block", "66", {{"run.spares", "4"}})) ==
                 Groups{block(66, "BASE_"), Group{2, false, ""}}));
        QVERIFY((groups(changed(training, {{"run.spares", "4"}, {"cluster.purchase", "on_demand"}})) ==
                 Groups{Group{68, false, ""}}));
    }

    /// A base of whole UltraServers has all their instances.
    void aBaseOfUltraServersHasTheirInstances() {
        const Planned source =
            changed("deepseek-v3-8xu-p6e-gb200x72",
                    {{"order.base.instances", "3"}, {"order.base.purchase", "capacity_block"}});
        const auto handoff = handedOff(source, {"pcs"});
        QVERIFY2(handoff, handoff.error().c_str());
        const auto groups = pcs(*handoff);
        QCOMPARE(groups.size(), std::size_t{2});
        QCOMPARE(groups[0].count, 3 * 18);
        QCOMPARE(groups[1].count, 5 * 18);
    }

    /// The files say all of it, or what they do not say.
    void whatIsNotExpressedIsSaid() {
        const Planned source = bought("on_demand", "capacity_block", "16");
        for (const Target& each : targets()) {
            const auto handoff = handedOff(source, {each.id});
            QVERIFY2(!leftOut(*handoff, "cluster.purchase"), each.id);
            QVERIFY2(!leftOut(*handoff, "order.base.instances"), each.id);
            QVERIFY2(warns(*handoff, "EFA does not cross Availability Zones"), each.id);
        }
        for (const char* target : {"slurm", "jobset", "kueue"}) {
            const auto handoff = handedOff(source, {target});
            QVERIFY2(leftOut(*handoff, "order.base.instances"), target);
            QVERIFY2(!warns(*handoff, "EFA does not cross Availability Zones"), target);
        }
        const auto plan =
            handedOff(bought("on_demand", "savings_plan", "16", {{"order.base.discount", "0.4"}}), {"pcs"});
        QCOMPARE(leftOut(*plan, "order.base.purchase")->value, std::string("savings_plan"));
        const auto all = handedOff(bought("on_demand", "capacity_block", "64"), {"pcs"});
        QCOMPARE(leftOut(*all, "cluster.purchase")->why, std::string("all instances are bought as the base"));
        QVERIFY(!warns(*all, "EFA does not cross Availability Zones"));
    }

    void aClusterIsReadAsItWasWritten() {
        const auto read = [](const Planned& source) {
            const auto handoff = handedOff(source, {"parallelcluster"});
            return data::readJob(fileOf(*handoff, "cluster.yaml").text, "cluster.yaml", catalog(), {}).spec;
        };
        for (const auto& [main, base] : {std::pair("on_demand", "capacity_block"),
                                         {"capacity_block", "on_demand"},
                                         {"capacity_block", "capacity_block"},
                                         {"on_demand", "on_demand"}}) {
            const ScenarioSpec spec = read(bought(main, base, "16"));
            QCOMPARE(*spec.cluster.instances, std::int64_t{64});
            QCOMPARE(*spec.order.base.instances, std::int64_t{16});
            QCOMPARE(*spec.cluster.purchase, std::string(main));
            QCOMPARE(*spec.order.base.purchase, std::string(base));
        }
        const ScenarioSpec all = read(bought("on_demand", "capacity_block", "64"));
        QCOMPARE(*all.cluster.instances, std::int64_t{64});
        QCOMPARE(*all.cluster.purchase, std::string("capacity_block"));
        QVERIFY(!all.order.base.instances);
    }
};

QTEST_GUILESS_MAIN(TestHandoffPurchase)

} // namespace tst_handoff_purchase

#include "tst_handoff_purchase.moc"
