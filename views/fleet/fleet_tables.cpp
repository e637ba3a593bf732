// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_tables.h"

#include "model/scenario/choice_names.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/number_text.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace alidade::views {

namespace {

Cell wordCell(const QString& words) { return {.text = words, .value = {}, .bound = {}}; }
Cell valueCell(const QString& words, double value) { return {.text = words, .value = value, .bound = {}}; }

/// "430 ms of 1.00 s".
QString withTarget(double value, const std::optional<double>& target) {
    const QString shown = quantity(value, Dimension::seconds);
    return target ? FleetTables::tr("%1 of %2").arg(shown, quantity(*target, Dimension::seconds)) : shown;
}

QString range(int least, int most) {
    return least == most ? QString::number(most) : FleetTables::tr("%1 to %2").arg(least).arg(most);
}

} // namespace

FleetTables::FleetTables(QWidget* parent)
    : QTabWidget(parent)
    , services_(new CellTable)
    , bill_(new CellTable)
    , rejected_(new CellTable)
    , replays_(new CellTable)
    , routing_(new QComboBox)
    , play_(new QPushButton(tr("Play Traces")))
    , reason_(new TextLabel(FontRole::small, Role::text2)) {
    setDocumentMode(true);
    services_->setAccessibleName(tr("Services"));
    bill_->setAccessibleName(tr("Bill of a month"));
    rejected_->setAccessibleName(tr("Rejected options"));
    addTab(services_, tr("Services"));
    addTab(bill_, tr("Bill"));
    addTab(makeReplay(), tr("Replay"));
    addTab(rejected_, tr("Rejected options"));
}

QWidget* FleetTables::makeReplay() {
    replays_->setAccessibleName(tr("Replay"));
    routing_->setAccessibleName(tr("Routing"));
    routing_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    routing_->setToolTip(tr("Which replica gets a request"));
    routing_->addItem(tr("Least loaded"), static_cast<int>(Routing::leastLoaded));
    routing_->addItem(tr("Round robin"), static_cast<int>(Routing::roundRobin));
    routing_->addItem(tr("Prefix aware"), static_cast<int>(Routing::prefixAware));
    WheelGuard::install(routing_);
    play_->setAccessibleName(play_->text());
    play_->setToolTip(tr("Play the traces of the services, request by request, on the planned replicas"));
    connect(play_, &QPushButton::clicked, this, &FleetTables::replayRequested);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme().px(14), theme().px(6), theme().px(14), theme().px(6));
    auto* label = new QLabel(tr("Routing"));
    label->setBuddy(routing_);
    row->addWidget(label);
    row->addWidget(routing_);
    row->addWidget(play_);
    row->addWidget(reason_, 1);
    column->addWidget(bar);
    column->addWidget(replays_, 1);
    return page;
}

void FleetTables::setReplayable(bool can, const QString& why) {
    play_->setEnabled(can);
    reason_->setText(why);
}

Routing FleetTables::routing() const { return static_cast<Routing>(routing_->currentData().toInt()); }

void FleetTables::setPlan(const Fleet& fleet, const FleetAnswer* answer) {
    fleet_ = fleet;
    const FleetPlan* plan = answer != nullptr && answer->best ? &*answer->best : nullptr;
    showServices(plan);
    showBill(plan);
    showRejected(answer);
    setReplays({}, nullptr);
}

void FleetTables::setReplays(const std::vector<ServiceReplay>& replays, const FleetPlan* plan) {
    QList<CellRow> rows;
    for (const ServiceReplay& each : replays) {
        const PlacedService& placed = plan->services[each.service];
        const QString name = text(fleet_.services[each.service].name);
        const QString count =
            quantity(static_cast<double>(each.requests), Dimension::number, {.significant = 4});
        rows.append({name,
                     {wordCell(name),
                      valueCell(each.complete ? count : tr("%1 (part)").arg(count),
                                static_cast<double>(each.requests)),
                      valueCell(quantity(each.seconds, Dimension::seconds), each.seconds),
                      valueCell(range(each.leastReplicas, each.mostReplicas), each.mostReplicas),
                      valueCell(withTarget(each.ttftAtTarget, placed.ttftTarget), each.ttftAtTarget),
                      valueCell(withTarget(each.itlAtTarget, placed.itlTarget), each.itlAtTarget),
                      valueCell(quantity(each.onTime, Dimension::ratio), each.onTime),
                      valueCell(quantity(each.prefixHit, Dimension::ratio), each.prefixHit),
                      wordCell(each.meetsTargets ? tr("meets its targets") : tr("misses its targets"))}});
    }
    replays_->setTable({{tr("Service"), false, {}},
                        {tr("Requests"), true, tr("That were played")},
                        {tr("Time"), true, tr("Between the first and the last of them")},
                        {tr("Replicas"), true, tr("While they came")},
                        {tr("TTFT"), true, tr("At the target percentile, relative to the target")},
                        {tr("ITL"), true, tr("At the target percentile, relative to the target")},
                        {tr("TTFT on time"), true, tr("Requests within the target of TTFT")},
                        {tr("Prefix hit"), true, tr("Prompt tokens that the cache of the replica held")},
                        {tr("Result"), false, {}}},
                       rows);
    replays_->resizeColumnsToContents();
}

void FleetTables::showServices(const FleetPlan* plan) {
    QList<CellRow> rows;
    for (const PlacedService& each : plan ? plan->services : std::vector<PlacedService>{}) {
        const FleetService& service = fleet_.services[each.service];
        const ReplicaPlan& replicas = each.option.plan;
        const int least = replicas.least(), most = replicas.most();
        rows.append(
            {text(service.name),
             {wordCell(text(service.name)), wordCell(text(fleet_.pools[each.option.pool].machine)),
              wordCell(text(each.option.layout)), valueCell(range(least, most), most),
              valueCell(quantity(each.utilization, Dimension::ratio), each.utilization),
              valueCell(withTarget(each.ttft, each.ttftTarget), each.ttft),
              valueCell(withTarget(each.itl, each.itlTarget), each.itl),
              valueCell(quantity(replicas.onTime(), Dimension::ratio), replicas.onTime()),
              valueCell(quantity(each.dollarsPerMillionTokens, Dimension::dollars),
                        each.dollarsPerMillionTokens),
              valueCell(quantity(each.option.facts.lead, Dimension::seconds), each.option.facts.lead)}});
    }
    services_->setTable(
        {{tr("Service"), false, {}},
         {tr("Machine"), false, {}},
         {tr("Layout"), false, {}},
         {tr("Replicas"), true, tr("Over the week")},
         {tr("Load at peak"), true, tr("Of the largest rate that is stable")},
         {tr("TTFT at peak"), true, tr("At the target percentile, relative to the target")},
         {tr("ITL at peak"), true, tr("At the target percentile, relative to the target")},
         {tr("On time"), true, tr("Requests that come while targets are met")},
         {tr("$/M tokens"), true, tr("Input and output tokens")},
         {tr("Start"), false, // the last one is as wide as the table
          tr("Of a replica, from the decision to the first token: the instance and the engine, "
             "which are assumed, and reading the weights from the storage of the pool")}},
        rows);
    services_->resizeColumnsToContents();
}

void FleetTables::showBill(const FleetPlan* plan) {
    QList<CellRow> rows;
    for (const PlannedPool& pool : plan ? plan->pools : std::vector<PlannedPool>{})
        for (const OrderLine& line : pool.lines)
            rows.append(
                {text(line.text),
                 {wordCell(text(line.text)),
                  valueCell(grouped(text(thousandthsText(line.quantity))),
                            static_cast<double>(line.quantity) / 1000),
                  valueCell(grouped(text(priceText(line.price))), static_cast<double>(line.price) * 1e-9),
                  valueCell(grouped(text(centsText(line.amount))), dollarsOf(line.amount))}});
    if (plan)
        rows.append({QStringLiteral("total"),
                     {wordCell(tr("Total")), wordCell({}), wordCell({}),
                      valueCell(grouped(text(centsText(plan->total))), dollarsOf(plan->total))}});
    bill_->setTable({{tr("Line"), false, {}},
                     {tr("Instance-hours"), true, tr("In a month of 730 hours")},
                     {tr("$/h"), true, {}},
                     {tr("$ per month"), true, {}}},
                    rows);
    bill_->resizeColumnsToContents();
}

void FleetTables::showRejected(const FleetAnswer* answer) {
    QList<CellRow> rows;
    for (const RejectedOption& each : answer ? answer->rejected : std::vector<RejectedOption>{})
        rows.append({QString::number(rows.size()),
                     {wordCell(text(fleet_.services[each.service].name)),
                      wordCell(text(fleet_.pools[each.pool].name)), wordCell(text(each.layout)),
                      wordCell(text(reasonText(each.reason))), wordCell(text(each.detail))}});
    rejected_->setTable({{tr("Service"), false, {}},
                         {tr("Pool"), false, {}},
                         {tr("Layout"), false, {}},
                         {tr("Why not"), false, {}},
                         {tr("Detail"), false, {}}},
                        rows);
    rejected_->resizeColumnsToContents();
}

} // namespace alidade::views
