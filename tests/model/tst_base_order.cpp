// SPDX-License-Identifier: GPL-3.0-or-later
// Machines that are bought in two ways: a base, and the rest, each to the cent.
#include "model/document/plan_document.h"
#include "model/estimate/reinforcement.h"
#include "tests/model/planned_scenario.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tst_base_order {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr const char* separate =
    "Base and rest are bought separately and may be in different Availability Zones; ask for one.";
constexpr const char* wholeTerm =
    "This order pays the whole term of the base, also where the machines are needed for less time.";

/// A line of the rent: what it is for, how much of it at which price.
struct Line {
    std::string name;
    double quantity = 0, price = 0, dollars = 0;
};

bool near(double a, double b, double absolute = 1e-6) { return std::abs(a - b) <= absolute; }

/// Use is billed by the second, hours are written up to the next thousandth.
double billed(double hours) { return std::ceil(hours * 1000 - 1e-6) / 1000; }

double cents(double dollars) { return std::round(dollars * 100) / 100; }

/// What of the lines of an estimate is not so; empty if all of it is.
QByteArray otherLines(const Estimate& estimate, const std::vector<Line>& expected) {
    const auto& lines = estimate.cost->lines;
    QByteArray out;
    for (std::size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
        if (i < lines.size() && i < expected.size() && lines[i].name == expected[i].name &&
            near(lines[i].quantity, expected[i].quantity) &&
            near(lines[i].dollarsPerUnit, expected[i].price) &&
            near(lines[i].dollars, expected[i].dollars, 1e-3))
            continue;
        out += i < lines.size() ? QByteArray::fromStdString(lines[i].name) + ' ' +
                                      QByteArray::number(lines[i].quantity, 'g', 9) + ' ' +
                                      QByteArray::number(lines[i].dollars, 'g', 9) + '\n'
                                : QByteArray("a line is missing\n");
    }
    return out;
}

double sumOf(const std::vector<Line>& lines) {
    double out = 0;
    for (const Line& each : lines)
        out += each.dollars;
    return out;
}

/// 4 instances at $40 an hour, at $30 in a Capacity Block, for five days less two hours.
Planned training(const char* order) {
    ScenarioSpec spec = trainingSpec();
    spec.cluster.instances = 4;
    return Planned(edited(spec, editOf(order)));
}

} // namespace

class TestBaseOrder : public QObject {
    Q_OBJECT

private slots:
    /// The base is paid for whole days, the rest for the time of the run.
    void aBaseInBlocks() {
        const Planned run = training("order.base.instances=1; order.base.purchase=capacity_block");
        const Cost& cost = *run.estimate.cost;
        const double hours = *run.estimate.training->runTime / 3600, used = billed(hours);
        QVERIFY(hours > 96 && hours < 119.5);
        const std::vector<Line> lines{
            {"Base: 1 x a.8", used, 30, cents(used * 30)},
            {"Base: Paid in Capacity Blocks, not used", 120 - used, 30, 120 * 30 - cents(used * 30)},
            {"Rest: 3 x a.8", 3 * used, 40, cents(3 * used * 40)}};
        QCOMPARE(otherLines(run.estimate, lines), QByteArray());
        for (const auto& line : cost.lines)
            QCOMPARE(line.unit, std::string("instance-hours"));
        QVERIFY(near(cost.dollarsPerHour, 30 + 3 * 40));
        QVERIFY(near(*cost.dollarsPerRun, sumOf(lines), 1e-3));
        QCOMPARE(cost.base->items, 1);
        QCOMPARE(cost.base->rest, 3);
        QCOMPARE(cost.base->purchase, std::string("capacity_block"));
        QCOMPARE(cost.purchase, std::string("on_demand"));
        const Order& order = *cost.order;
        QCOMPARE(order.lines.size(), std::size_t{2});
        QCOMPARE(order.lines[0].text, std::string("Base: Capacity Block, 1 x a.8, 5 days"));
        QCOMPARE(order.lines[0].amount, Cents{120 * 30 * 100});
        QCOMPARE(order.lines[1].text, std::string("Rest: 3 x a.8, on demand"));
        QCOMPARE(order.lines[1].amount, std::llround(3 * used * 40 * 100));
        QCOMPARE(order.bookedHours, std::llround((120 + 3 * used) * 1000));
        QCOMPARE(order.idleHours, std::llround((120 - used) * 1000));
        QCOMPARE(order.remarks.back(), std::string(separate));
        QVERIFY(near(static_cast<double>(*run.result.total) / 100, sumOf(lines), 0.01));
    }

    void aRestInBlocks() {
        const Planned run = training("cluster.purchase=capacity_block; order.base.instances=1; "
                                     "order.base.purchase=on_demand");
        const double used = billed(*run.estimate.training->runTime / 3600);
        const std::vector<Line> lines{{"Base: 1 x a.8", used, 40, cents(used * 40)},
                                      {"Rest: 3 x a.8", 3 * used, 30, cents(3 * used * 30)},
                                      {"Rest: Paid in Capacity Blocks, not used", 3 * (120 - used), 30,
                                       3 * 120 * 30 - cents(3 * used * 30)}};
        QCOMPARE(otherLines(run.estimate, lines), QByteArray());
        QVERIFY(near(run.estimate.cost->dollarsPerHour, 40 + 3 * 30));
        QVERIFY(near(*run.estimate.cost->dollarsPerRun, sumOf(lines), 1e-3));
        QCOMPARE(run.estimate.cost->purchase, std::string("capacity_block"));
    }

    /// Then there is no rest, and one purchase: all of it is the base.
    void aBaseOfAll() {
        const Planned run = training("order.base.instances=4; order.base.purchase=capacity_block");
        const double used = billed(*run.estimate.training->runTime / 3600);
        const std::vector<Line> lines{{"Base: 4 x a.8", 4 * used, 30, cents(4 * used * 30)},
                                      {"Base: Paid in Capacity Blocks, not used", 4 * (120 - used), 30,
                                       4 * 120 * 30 - cents(4 * used * 30)}};
        QCOMPARE(otherLines(run.estimate, lines), QByteArray());
        const Cost& cost = *run.estimate.cost;
        QVERIFY(near(cost.dollarsPerHour, 4 * 30));
        QVERIFY(near(*cost.dollarsPerRun, 4 * 120 * 30, 1e-3));
        QCOMPARE(cost.base->rest, 0);
        QCOMPARE(cost.order->lines.size(), std::size_t{1});
        QVERIFY(cost.order->remarks.back() != separate);
    }

    /// A commitment of a year is paid for 8,760 hours, however short the run is.
    void aBaseForATerm() {
        const Planned run = training("order.base.instances=3; order.base.purchase=savings_plan; "
                                     "order.base.dollars_per_instance_hour=20; "
                                     "order.base.commitment=1_year_no_upfront");
        QVERIFY2(run.estimate.cost && run.estimate.cost->dollarsPerRun, problemsOf(run.scenario).constData());
        const double used = billed(*run.estimate.training->runTime / 3600);
        const std::vector<Line> lines{{"Base: 3 x a.8", 3 * used, 20, cents(3 * used * 20)},
                                      {"Base: Paid until the end of the term, not used", 3 * (8760 - used),
                                       20, 3 * 8760 * 20 - cents(3 * used * 20)},
                                      {"Rest: 1 x a.8", used, 40, cents(used * 40)}};
        QCOMPARE(otherLines(run.estimate, lines), QByteArray());
        const Order& order = *run.estimate.cost->order;
        QCOMPARE(order.remarks.back(), std::string(wholeTerm));
        QCOMPARE(order.remarks[order.remarks.size() - 2], std::string(separate));
        QVERIFY2(order.lines[0].text.starts_with("Base: "), order.lines[0].text.c_str());
        QVERIFY2(order.lines[0].text.find("1 year, no upfront") != std::string::npos,
                 order.lines[0].text.c_str());
        QCOMPARE(order.lines[0].amount, Cents{3 * 8760 * 20 * 100});
        // The document counts the hours of what is paid longest.
        const auto document =
            planDocument(run.spec, smallCatalog(), smallCatalog().defaultProfile, run.estimate,
                         {.options = false, .risks = false, .assumptions = false});
        QVERIFY2(document, document.error().c_str());
        QCOMPARE(document->orderHours, 8760.0);
    }

    void ultraServers() {
        ScenarioSpec spec = trainingSpec();
        spec.cluster.instance.reset();
        spec.cluster.instances.reset();
        spec.cluster.ultraserver = "u-a.16";
        spec.cluster.ultraservers = 2;
        const Planned run(edited(spec, editOf("order.base.instances=1; order.base.purchase=savings_plan; "
                                              "order.base.dollars_per_instance_hour=60; "
                                              "order.base.commitment=1_year_all_upfront")));
        QVERIFY2(run.estimate.cost && run.estimate.cost->dollarsPerRun, problemsOf(run.scenario).constData());
        const double used = billed(*run.estimate.training->runTime / 3600);
        QCOMPARE(otherLines(run.estimate, {{"Base: 1 x u-a.16", used, 60, cents(used * 60)},
                                           {"Base: Paid until the end of the term, not used", 8760 - used, 60,
                                            8760 * 60 - cents(used * 60)},
                                           {"Rest: 1 x u-a.16", used, 100, cents(used * 100)}}),
                 QByteArray());
        QCOMPARE(run.estimate.cost->lines[0].unit, std::string("UltraServer-hours"));
    }

    /// Learning by reinforcement for three and a half hours: a day of the block.
    void learningByReinforcement() {
        const Planned run(edited(reinforcementSpec(),
                                 editOf("order.base.instances=1; order.base.purchase=capacity_block")));
        const double used = billed(*run.estimate.reinforcement->runTime / 3600);
        QVERIFY(used < 23);
        const std::vector<Line> lines{
            {"Base: 1 x a.8", used, 30, cents(used * 30)},
            {"Base: Paid in Capacity Blocks, not used", 24 - used, 30, 24 * 30 - cents(used * 30)},
            {"Rest: 1 x a.8", used, 40, cents(used * 40)}};
        QCOMPARE(otherLines(run.estimate, lines), QByteArray());
        QVERIFY(near(*run.estimate.cost->dollarsPerRun, sumOf(lines), 1e-3));
        QVERIFY(near(run.estimate.cost->dollarsPerHour, 70));
        const Planned onDemand(
            edited(reinforcementSpec(), editOf("order.base.instances=1; order.base.purchase=on_demand")));
        QCOMPARE(otherLines(onDemand.estimate, {{"Base: 1 x a.8", used, 40, cents(used * 40)},
                                                {"Rest: 1 x a.8", used, 40, cents(used * 40)}}),
                 QByteArray());
    }

    /// A month of 730 hours needs a block of 35 days (beyond 14 days blocks are of whole weeks), of which
    /// the last half hour cannot be used; the rest is ordered for as long as the base lasts.
    void services_data() {
        QTest::addColumn<QByteArray>("apart");
        QTest::newRow("one pool") << QByteArray();
        QTest::newRow("two pools") << QByteArray("plan.disaggregated.prefill.workers=4; "
                                                 "plan.disaggregated.decode.workers=4; ");
    }
    void services() {
        QFETCH(QByteArray, apart);
        ScenarioSpec spec = servingSpec();
        spec.cluster.instances = 2;
        const auto with = [&](const char* order) {
            return Planned(edited(spec, editOf(QByteArray(apart + order).toStdString())));
        };
        const Planned service = with("order.base.instances=1; order.base.purchase=capacity_block");
        QCOMPARE(otherLines(service.estimate, {{"Base: 1 x a.8", 1, 30, 30}, {"Rest: 1 x a.8", 1, 40, 40}}),
                 QByteArray());
        QVERIFY(near(service.estimate.cost->dollarsPerHour, 70));
        QCOMPARE(service.estimate.cost->lines[0].unit, std::string("instances for an hour"));
        const Order& order = *service.estimate.cost->order;
        QCOMPARE(order.lines.size(), std::size_t{2});
        QCOMPARE(order.lines[0].text, std::string("Base: Capacity Block, 1 x a.8, 35 days"));
        QCOMPARE(order.lines[0].amount, Cents{35 * 24 * 30 * 100});
        QCOMPARE(order.lines[1].text, std::string("Rest: 1 x a.8, on demand"));
        QCOMPARE(order.lines[1].amount, Cents{(35 * 24 * 10 - 5) * 40 * 10});
        QCOMPARE(order.remarks.back(), std::string(separate));
        // Without a rest there is one line, for the same time.
        const Planned all = with("order.base.instances=2; order.base.purchase=capacity_block");
        QCOMPARE(otherLines(all.estimate, {{"Base: 2 x a.8", 2, 30, 60}}), QByteArray());
        QCOMPARE(all.estimate.cost->order->lines[0].amount, Cents{2 * 35 * 24 * 30 * 100});
        QVERIFY(near(all.estimate.cost->dollarsPerHour, 60));
        // For as long as a scenario says.
        const Planned month = with("order.base.instances=1; order.base.purchase=on_demand; order.days=10");
        QCOMPARE(month.estimate.cost->order->beforeTax, Cents{2 * 10 * 24 * 40 * 100});
    }
};

QTEST_GUILESS_MAIN(TestBaseOrder)

} // namespace tst_base_order

#include "tst_base_order.moc"
