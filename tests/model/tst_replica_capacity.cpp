// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/service_options.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <cmath>
#include <set>
#include <string>
#include <string_view>

namespace tst_replica_capacity {

using namespace alidade;
using namespace alidade::test;

namespace {

FleetPool poolOf(const char* machine) {
    FleetPool out;
    out.name = "main";
    out.machine = machine;
    out.maxInstances = 10;
    out.storage = "lustre"; // 10 GB/s for a client
    return out;
}

FleetService serviceOf(const ScenarioSpec& spec) {
    FleetService out;
    out.name = "chat";
    out.spec = spec;
    out.traffic.rates.assign(24, 1);
    out.scaling.instanceStart = 100;
    out.scaling.engineStart = 20;
    return out;
}

auto capacity(const FleetService& service, const char* machine = "a.8", int tensor = 0) {
    return serviceCapacity(service, poolOf(machine), smallCatalog(), smallCatalog().defaultProfile, tensor,
                           false);
}

} // namespace

/// What one replica of a service carries on a pool, or why it carries nothing.
class TestReplicaCapacity : public QObject {
    Q_OBJECT

private slots:
    /// 16 GB of weights on two GPUs of a machine that reads 10 GB/s; machines and engine start besides.
    void aReplica() {
        const auto [option, rejected] = capacity(serviceOf(servingSpec()));
        QVERIFY(option);
        QCOMPARE(option->layout, std::string("tensor 2"));
        QCOMPARE(option->gpus, std::int64_t{2});
        QCOMPARE(option->slot, std::int64_t{2});
        QVERIFY(option->loadSeconds > 1.5 && option->loadSeconds < 1.7);
        QVERIFY(std::abs(option->facts.lead - (120 + option->loadSeconds)) < 1e-9);
        QVERIFY(option->playable && !option->verified);
        // Without targets, as much of the stable rate as the closed form is trusted with.
        QVERIFY(option->facts.rate > 0 && option->facts.rate < option->facts.stableRate);
        const auto eight = capacity(serviceOf(servingSpec()), "a.8", 8).first;
        QCOMPARE(eight->layout, std::string("tensor 8"));
        QCOMPARE(eight->slot, std::int64_t{8});
        QVERIFY(eight->facts.stableRate > option->facts.stableRate);
        // Four samples of each request share its prompt: it carries fewer, but more than a quarter.
        FleetService samples = serviceOf(servingSpec());
        samples.spec.workload.testTime.samples = 4;
        const auto quarter = capacity(samples).first;
        QVERIFY(quarter);
        QVERIFY(quarter->facts.stableRate < 0.9 * option->facts.stableRate);
        QVERIFY(quarter->facts.stableRate > 0.25 * option->facts.stableRate);
    }

    void layoutsInWords() {
        FleetService service = serviceOf(servingSpec());
        service.spec.plan.pipelineParallel = 2;
        QCOMPARE(capacity(service).second.layout, std::string("tensor 2 x pipeline 2"));
        service.spec.plan.attentionDataParallel = 4;
        QCOMPARE(capacity(service).second.layout, std::string("tensor 2 x pipeline 2 x attention data 4"));
        service.spec.plan.pipelineParallel = service.spec.plan.attentionDataParallel = 1;
        QCOMPARE(capacity(service).second.layout, std::string("tensor 2"));
        service.spec.plan.tensorParallel.reset();
        QCOMPARE(capacity(service).second.layout, std::string("tensor 1"));
        PoolSpec& prefill = service.spec.plan.disaggregated.prefill;
        for (auto* each : {&prefill.workers, &prefill.tensorParallel, &prefill.attentionDataParallel,
                           &prefill.expertParallel}) {
            prefill = {};
            *each = 2;
            QCOMPARE(capacity(service).second.layout, std::string("disaggregated"));
        }
        prefill = {};
        prefill.instance = "a.8";
        QCOMPARE(capacity(service).second.layout, std::string("disaggregated"));
    }

    void whyThereIsNone() {
        FleetService service = serviceOf(servingSpec());
        service.spec.plan.tensorParallel = 3;
        auto [option, rejected] = capacity(service);
        QVERIFY(!option && rejected.reason == RejectionReason::notLegal && !rejected.detail.empty());
        QCOMPARE(rejected.layout, std::string("tensor 3"));
        service = serviceOf(servingSpec());
        service.spec.workload.model = "none";
        rejected = capacity(service).second;
        QVERIFY(rejected.reason == RejectionReason::notLegal && !rejected.detail.empty());
        service = serviceOf(servingSpec());
        service.spec.workload.inputTokens = 120'000; // 16 GB of cache beside 16 GB of weights, of 40 GB
        service.spec.workload.outputTokens = 11'000;
        service.spec.plan.tensorParallel = 1;
        service.spec.plan.memoryUtilization = 0.5;
        rejected = capacity(service, "b.8").second;
        QVERIFY(rejected.reason == RejectionReason::doesNotFit && rejected.detail.empty());
        service = serviceOf(servingSpec());
        service.spec.workload.ttftSloS = 1e-4;
        rejected = capacity(service).second;
        QVERIFY(rejected.reason == RejectionReason::missesTtft);
        QVERIFY2(rejected.detail.ends_with(" at p90 without load; the target is 100 µs"),
                 rejected.detail.c_str());
        service.spec.workload.itlSloS = 1e-5;
        QVERIFY(capacity(service).second.reason == RejectionReason::missesTtft);
        service.spec.workload.ttftSloS = 100;
        rejected = capacity(service).second;
        QVERIFY(rejected.reason == RejectionReason::missesItl);
        QVERIFY2(rejected.detail.ends_with("; the target is 10.0 µs"), rejected.detail.c_str());
        service.spec.workload.itlSloS = 100;
        QVERIFY(capacity(service).first);
    }

    /// Each reason has its own words.
    void reasonsInWords() {
        std::set<std::string_view> texts;
        int count = 0;
        for (const RejectionReason each :
             {RejectionReason::notLegal, RejectionReason::doesNotFit, RejectionReason::missesTtft,
              RejectionReason::missesItl, RejectionReason::late, RejectionReason::tooFewInstances,
              RejectionReason::noPrice, RejectionReason::dominated}) {
            texts.insert(reasonText(each));
            ++count;
        }
        QCOMPARE(static_cast<int>(texts.size()), count);
        QVERIFY(!texts.contains(""));
    }

    /// A target of the first token costs a part of the rate, and nothing of what is stable.
    void ratesWithinTargets() {
        FleetService free = serviceOf(servingSpec()), bound = free;
        bound.spec.workload.ttftSloS = 0.2;
        const auto most = capacity(free).first, some = capacity(bound).first;
        QVERIFY(most && some);
        QVERIFY(some->facts.rate < some->facts.stableRate);
        QCOMPARE(some->facts.stableRate, most->facts.stableRate);
    }
};

QTEST_GUILESS_MAIN(TestReplicaCapacity)

} // namespace tst_replica_capacity

#include "tst_replica_capacity.moc"
