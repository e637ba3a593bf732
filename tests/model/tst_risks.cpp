// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/plan_document.h"
#include "model/document/run_worth.h"
#include "model/estimate/resolved_estimate.h"
#include "model/estimate/run_order.h"
#include "tests/model/planned_scenario.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tst_risks {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }
const Profile& profile() { return smallCatalog().defaultProfile; }

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

std::vector<std::string> idsOf(const std::vector<Risk>& risks) {
    std::vector<std::string> out;
    for (const Risk& each : risks)
        out.push_back(each.id);
    return out;
}

const Risk& named(const std::vector<Risk>& risks, const char* id) {
    const auto found = std::ranges::find(risks, id, &Risk::id);
    if (found == risks.end())
        qFatal("no risk %s", id);
    return *found;
}

bool has(const std::vector<Risk>& risks, const char* id) {
    return std::ranges::find(risks, id, &Risk::id) != risks.end();
}

/// The change of a risk is the plan with its fields set, against the plan as it is.
void verifyDifferences(const Risk& risk, const Planned& planned) {
    const Planned changed(*applyEdit(planned.spec, risk.set));
    QVERIFY(changed.result.carries);
    QVERIFY(risk.days && near(*risk.days, *changed.result.days - *planned.result.days));
    QVERIFY(risk.total);
    QCOMPARE(*risk.total, *changed.result.total - *planned.result.total);
}

} // namespace

/// What may go otherwise than planned.
class TestRisks : public QObject {
    Q_OBJECT

private slots:
    void risksOfARun() {
        const Planned planned(trainingSpec());
        QVERIFY2(planned.result.carries, planned.result.why.c_str());
        const std::vector<Risk> risks = planned.risks();
        QCOMPARE(idsOf(risks),
                 (std::vector<std::string>{"fewer_machines", "gemm", "interruptions", "memory", "price"}));
        const Risk& fewer = named(risks, "fewer_machines");
        QCOMPARE(fewer.text, std::string("Only 1 of 2 instances at once"));
        QCOMPARE(fewer.remedy, std::string("Ask for a written offer of all; start with these"));
        QVERIFY(!fewer.odds);
        if (fewer.result.carries)
            verifyDifferences(fewer, planned);
        // 70 % at its 10 % quantile: 0.7 exp(-1.2816 x 0.058) = 65.0 %.
        const Risk& gemm = named(risks, "gemm");
        QCOMPARE(gemm.text,
                 std::string("Matrix products are slower than fitted: 65.0 % instead of 70.0 % of the peak"));
        QCOMPARE(gemm.remedy, std::string("Measure a step on one node before the order"));
        QCOMPARE(*gemm.odds, 0.1);
        QVERIFY(*gemm.days > 0 && *gemm.total > 0);
        // ln 2 / 0.5 standard deviations.
        const Risk& failures = named(risks, "interruptions");
        QVERIFY(std::abs(*failures.odds - 0.0828) < 1e-4);
        QVERIFY(failures.text.starts_with("Twice the interruptions: one every "));
        QVERIFY(failures.remedy.starts_with("Checkpoint every "));
        QVERIFY(*failures.days > 0);
        QCOMPARE(numberOf(failures.numbers[0].second).value_or(0), 51'000.0 / 2);
        const Risk& price = named(risks, "price");
        QCOMPARE(price.text, std::string("The price rises, for each 1 %"));
        QCOMPARE(price.remedy, std::string("Fix the price in the offer"));
        QVERIFY(
            near(static_cast<double>(*price.total), 0.01 * static_cast<double>(*planned.result.total), 1e-3));
        QVERIFY(std::abs(*price.days) < 1e-12 && !price.odds);
        const Risk& memory = named(risks, "memory");
        QVERIFY(memory.text.starts_with("Memory at its high end: ") && memory.text.ends_with(" usable"));
        QCOMPARE(planned.result.memoryHigh > planned.result.usableMemory,
                 memory.remedy.starts_with("The run stops at once"));
        QCOMPARE(memory.remedy.starts_with("None needed: "),
                 planned.result.memoryHigh <= planned.result.usableMemory);
        Planned none = planned;
        none.result.carries = false;
        QVERIFY(none.risks().empty());
    }

    /// Where the high end of the memory does not fit, full recomputation is the way out.
    void memoryThatMayNotFit() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.recompute = std::vector<std::string>{"none"};
        std::optional<Planned> tight;
        for (const std::int64_t microBatch : {1, 2, 4, 8, 16}) {
            spec.plan.microBatch = microBatch;
            for (const std::int64_t tensor : {2, 4, 8}) {
                spec.plan.tensorParallel = tensor;
                Planned each(spec);
                if (each.result.carries && each.result.memoryHigh > each.result.usableMemory)
                    tight.emplace(std::move(each));
            }
        }
        QVERIFY(tight);
        const std::vector<Risk> risks = tight->risks();
        const Risk& memory = named(risks, "memory");
        QVERIFY(memory.odds && *memory.odds > 0.1 && *memory.odds <= 0.5);
        QCOMPARE(memory.set, (Edit{{"plan.recompute", "full"}}));
        QVERIFY(memory.result.memory < tight->result.memory);
        QVERIFY2(memory.remedy.starts_with("The run stops at once; full recomputation lowers it to "),
                 memory.remedy.c_str());
        verifyDifferences(memory, *tight);
        // Where all is recomputed already, only a measurement helps.
        spec = tight->spec;
        spec.plan.recompute = std::vector<std::string>{"full"};
        Planned full(spec);
        full.result.memoryHigh = full.result.usableMemory * 1.01;
        const std::vector<Risk> left = full.risks();
        QCOMPARE(named(left, "memory").remedy,
                 std::string("The run stops at once; measure the peak before the order"));
        QVERIFY(!named(left, "memory").days && !named(left, "memory").total);
        full.result.memoryHigh = full.result.memory; // it is exact
        QVERIFY(!has(full.risks(), "memory"));
        full.result.memoryHigh = full.result.usableMemory;
        const Risk kept = named(full.risks(), "memory");
        QVERIFY(kept.remedy.starts_with("None needed: ") && kept.remedy.ends_with(" are left"));
        QCOMPARE(*kept.odds, 0.1);
    }

    void aGivenGoodput() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.goodput = 0.9;
        const Planned planned(spec);
        const std::vector<Risk> risks = planned.risks();
        const Risk& goodput = named(risks, "goodput");
        QCOMPARE(goodput.text, std::string("Goodput is 85.0 % instead of 90.0 %"));
        QCOMPARE(goodput.set, (Edit{{"plan.goodput", "85 %"}}));
        verifyDifferences(goodput, planned);
        QVERIFY(!has(risks, "interruptions"));
        spec.plan.goodput = 0.05; // five points less is nothing
        QVERIFY(!has(Planned(spec).risks(), "goodput"));
        spec.plan.goodput = 0.07;
        QCOMPARE(named(Planned(spec).risks(), "goodput").text,
                 std::string("Goodput is 2.00 % instead of 7.00 %"));
    }

    void deadlinesAndBlocks() {
        ScenarioSpec spec = trainingSpec();
        spec.run.start = "2027-01-04";
        spec.run.deadline = "2027-01-10"; // seven days
        const Planned planned(spec);
        QCOMPARE(*planned.result.deadlineDays, 7.0);
        const Risk late = named(planned.risks(), "deadline");
        QCOMPARE(late.text, std::string("It ends after 2027-01-10"));
        QCOMPARE(late.remedy, std::string("Start earlier, or order more; see the options considered"));
        QVERIFY(near(*late.odds, 1 - chanceWithin(*planned.estimate.run->days, 7)));
        QVERIFY(!late.days && !late.total);
        spec.cluster.purchase = "capacity_block";
        QCOMPARE(named(Planned(spec).risks(), "price").remedy,
                 std::string("Buy before the next change of rates"));
        spec.cluster.purchase = "on_demand";
        spec.cluster.region = "us-west-2";
        spec.cluster.instance = "b.8"; // without a price
        spec.workload.model = "small";
        const std::vector<Risk> unpriced = Planned(spec).risks();
        QVERIFY(!has(unpriced, "price") && has(unpriced, "deadline"));
    }

    void risksOfAService() {
        ScenarioSpec spec = servingSpec(8);
        spec.cluster.instances = 2;
        const Planned planned(spec);
        QVERIFY(planned.result.carries);
        const std::vector<Risk> risks = planned.risks();
        QCOMPARE(idsOf(risks),
                 (std::vector<std::string>{"load", "gemm", "memory_bandwidth", "fewer_machines", "price"}));
        QCOMPARE(risks[0].text, std::string("A fifth more load than planned"));
        QCOMPARE(numberOf(risks[0].numbers[0].second).value_or(0), 8 * 1.2);
        QVERIFY(*risks[0].result.firstToken > *planned.result.firstToken);
        // 0.74 exp(-1.2816 x 0.075) = 67.2 %; 0.89 exp(-1.2816 x 0.03) = 85.6 %.
        QCOMPARE(risks[1].text,
                 std::string("Matrix products are slower than fitted: 67.2 % instead of 74.0 % of the peak"));
        QCOMPARE(risks[2].text,
                 std::string("Reading weights and KV cache is slower than fitted: 85.6 % instead "
                             "of 89.0 % of the HBM bandwidth"));
        QCOMPARE(risks[2].remedy, std::string("Measure one replica before the order"));
        QVERIFY(*risks[2].result.gap > *planned.result.gap);
        QCOMPARE(risks[3].text, std::string("Only 1 of 2 instances at once"));
        QCOMPARE(risks[3].remedy, std::string("Reserve the capacity; keep one instance spare"));
        // One machine cannot be one less; a closed loop has more users instead.
        ScenarioSpec loop = servingSpec();
        loop.workload.requestRatePerS.reset();
        loop.workload.concurrency = 10;
        const std::vector<Risk> users = Planned(loop).risks();
        QCOMPARE(users[0].id, std::string("load"));
        QCOMPARE(users[0].numbers[0].first.path(), std::string("workload.concurrency"));
        QCOMPARE(numberOf(users[0].numbers[0].second).value_or(0), 12.0);
        QVERIFY(!has(users, "fewer_machines"));
        spec.cluster.instance.reset();
        spec.cluster.instances.reset();
        spec.cluster.ultraserver = "u-a.16";
        spec.cluster.ultraservers = 3;
        const Risk rack = named(Planned(spec).risks(), "fewer_machines");
        QCOMPARE(rack.text, std::string("Only 2 of 3 UltraServers at once"));
        QCOMPARE(rack.remedy, std::string("Reserve the capacity; keep one UltraServer spare"));
    }

    void risksOfReinforcementLearning() {
        const Planned planned(reinforcementSpec());
        QVERIFY2(planned.result.carries, planned.result.why.c_str());
        const std::vector<Risk> risks = planned.risks();
        QCOMPARE(idsOf(risks), (std::vector<std::string>{"responses", "fewer_machines", "price"}));
        QCOMPARE(risks[0].text, std::string("Responses are a fifth longer than planned"));
        QCOMPARE(numberOf(risks[0].numbers[0].second).value_or(0), 2400.0);
        QVERIFY(*risks[0].days > 0);
        QCOMPARE(risks[1].text, std::string("Only 1 of 2 instances at once"));
    }

    /// One more spare, and finding failures and starting again in half the time.
    void worthOfChanges() {
        ScenarioSpec spec = trainingSpec();
        spec.cluster.instances = 8;
        spec.run.spares = 1;
        const Planned planned(spec);
        QVERIFY2(planned.result.carries, planned.result.why.c_str());
        const auto worths = runWorths(spec, catalog(), profile(), planned.scenario, planned.estimate);
        QCOMPARE(worths.size(), std::size_t{2});
        QCOMPARE(worths[0].text, std::string("One more spare instance than 1"));
        ScenarioSpec two = spec;
        two.run.spares = 2;
        const Planned more(two);
        QVERIFY(near(worths[0].days, *more.result.days - *planned.result.days));
        QCOMPARE(*worths[0].total, *more.result.total - *planned.result.total);
        QCOMPARE(worths[1].text, std::string("Finding failures and restarting in half the time"));
        QVERIFY(worths[1].days < 0 && *worths[1].total < 0);
        spec.run.spares.reset();
        const Planned open(spec);
        const auto least = runWorths(spec, catalog(), profile(), open.scenario, open.estimate);
        QVERIFY2(least[0].text.ends_with(", which cost least"), least[0].text.c_str());
        spec.plan.goodput = 0.9;
        const Planned given(spec);
        QVERIFY(runWorths(spec, catalog(), profile(), given.scenario, given.estimate).empty());
        spec = trainingSpec();
        spec.workload.tokens.reset();
        const Planned endless(spec);
        QVERIFY(runWorths(spec, catalog(), profile(), endless.scenario, endless.estimate).empty());
    }
};

QTEST_GUILESS_MAIN(TestRisks)

} // namespace tst_risks

#include "tst_risks.moc"
