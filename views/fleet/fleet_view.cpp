// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_view.h"

#include "data/json/file.h"
#include "model/fleet/request_trace.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/fleet/fleet_form.h"
#include "views/fleet/fleet_plot.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/states.h"
#include "views/kit/verdict_label.h"
#include "views/theme/theme_controller.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include <cmath>

namespace alidade::views {

namespace {

Cell wordCell(const QString& words) { return {.text = words, .value = {}, .bound = {}}; }
Cell valueCell(const QString& words, double value) { return {.text = words, .value = value, .bound = {}}; }

QString money(Cents cents) { return quantity(dollarsOf(cents), Dimension::dollars, {.significant = 4}); }

/// "430 ms of 1.00 s".
QString withTarget(double value, const std::optional<double>& target) {
    const QString shown = quantity(value, Dimension::seconds);
    return target ? FleetView::tr("%1 of %2").arg(shown, quantity(*target, Dimension::seconds)) : shown;
}

} // namespace

FleetView::FleetView(Document* document, QWidget* parent)
    : View(document, parent)
    , task_(this, [this](const std::shared_ptr<const Answered>& a, bool done) { take(a, done); })
    , states_(new QStackedWidget)
    , empty_(new EmptyState(iconName(), tr("No fleet is open"),
                            tr("A fleet is several services on shared pools of machines. Open a fleet file, "
                               "or start from the sample."),
                            tr("Open Sample")))
    , verdict_(new VerdictLabel)
    , open_(new QPushButton(tr("Open Fleet…")))
    , trace_(new QPushButton(tr("Import Trace…")))
    , form_(new FleetForm)
    , panel_(new ExplorePanel(iconName(), tr("Instances in use")))
    , plot_(new FleetPlot)
    , services_(new CellTable)
    , bill_(new CellTable)
    , rejected_(new CellTable) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    open_->setAccessibleName(tr("Open a fleet file"));
    trace_->setAccessibleName(tr("Import a trace"));
    trace_->setToolTip(
        tr("Take the traffic of a service from recorded requests: Mooncake JSON Lines, BurstGPT "
           "CSV or Azure CSV"));
    auto* strip = new QWidget;
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(theme().px(14), theme().px(10), theme().px(14), theme().px(10));
    row->addWidget(verdict_, 1);
    row->addWidget(trace_);
    row->addWidget(open_);
    states_->addWidget(empty_);
    states_->addWidget(makeContent());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip);
    column->addWidget(states_, 1);
    connect(empty_, &Notice::triggered, this, &FleetView::openSample);
    connect(open_, &QPushButton::clicked, this, &FleetView::askFile);
    connect(trace_, &QPushButton::clicked, this, &FleetView::askTrace);
    connect(form_, &FleetForm::asked, this, &FleetView::ask);
    connect(form_, &FleetForm::stopRequested, this, [this] { task_.stop(); });
    connect(panel_, &ExplorePanel::stopRequested, this, [this] { task_.stop(); });
    showAnswer();
}

FleetView::~FleetView() = default;

QWidget* FleetView::makeTables() {
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    services_->setAccessibleName(tr("Services"));
    bill_->setAccessibleName(tr("Bill of a month"));
    rejected_->setAccessibleName(tr("Rejected options"));
    tabs->addTab(services_, tr("Services"));
    tabs->addTab(bill_, tr("Bill"));
    tabs->addTab(rejected_, tr("Rejected options"));
    return tabs;
}

QWidget* FleetView::makeContent() {
    panel_->addPage(plot_);
    panel_->connectPlot(plot_);
    auto* right = new QSplitter(Qt::Vertical);
    auto* all = new QSplitter(Qt::Horizontal);
    right->addWidget(panel_);
    right->addWidget(makeTables());
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    all->addWidget(form_);
    all->addWidget(right);
    all->setStretchFactor(0, 0);
    all->setStretchFactor(1, 1);
    for (QSplitter* each : {right, all}) {
        each->setChildrenCollapsible(false);
        each->setHandleWidth(1);
    }
    return all;
}

bool FleetView::isBusy() const { return task_.busy() || reading_ > 0; }

QString FleetView::sentence() const { return verdict_->sentence(); }

void FleetView::openSample() {
    read(tr("the sample"), [] {
        const std::vector<std::string> ids = data::sampleFleetIds();
        const Result<std::string> content =
            ids.empty() ? Result<std::string>(Error{"there is no sample"}) : data::sampleFleet(ids.front());
        return content ? data::readFleet(*content, ids.front())
                       : data::FleetReading{.file = {}, .faults = {content.error()}};
    });
}

void FleetView::openFile(const QString& fileName) {
    read(fileName, [file = fileName.toStdString()] {
        const Result<std::string> content = data::readFile(file);
        return content ? data::readFleet(*content, file)
                       : data::FleetReading{.file = {}, .faults = {file + ": " + content.error()}};
    });
}

/// A fleet that cannot be read leaves the one that is open.
void FleetView::read(const QString& fileName, std::function<data::FleetReading()> reader) {
    ++reading_;
    runFor(this, Work::waiting, std::move(reader), [this, fileName](const data::FleetReading& reading) {
        --reading_;
        if (reading.file) {
            task_.drop();
            answer_.reset();
            file_ = *reading.file;
            form_->setFile(file_);
            showAnswer();
            ask();
            return;
        }
        verdict_->setVerdict(BadgeKind::err, tr("%1 cannot be read").arg(QFileInfo(fileName).fileName()),
                             text(reading.faults.front()));
        emit finished();
    });
}

void FleetView::askFile() {
    auto* dialog = new QFileDialog(this, tr("Open a fleet"), {}, tr("Fleets (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &FleetView::openFile);
    dialog->open();
}

void FleetView::askTrace() {
    QStringList names;
    for (const FleetService& each : file_.fleet.services)
        names.append(text(each.name));
    auto* question = new QInputDialog(this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setWindowTitle(tr("Import a trace"));
    question->setLabelText(tr("Traffic of which service?"));
    question->setComboBoxItems(names);
    connect(question, &QInputDialog::textValueSelected, this, [this, names](const QString& name) {
        auto* dialog =
            new QFileDialog(this, tr("Import a trace"), {}, tr("Traces (*.jsonl *.csv);;All files (*)"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        const auto service = static_cast<int>(names.indexOf(name));
        connect(dialog, &QFileDialog::fileSelected, this,
                [this, service](const QString& file) { importTrace(service, file); });
        dialog->open();
    });
    question->open();
}

void FleetView::importTrace(int service, const QString& fileName) {
    const Result<data::FleetFile> edited = form_->edited();
    if (!edited || service < 0 || service >= static_cast<int>(edited->fleet.services.size())) {
        form_->setError(edited ? QString() : text(edited.error()));
        return;
    }
    read(fileName, [file = *edited, name = fileName.toStdString(), at = static_cast<std::size_t>(service)] {
        data::FleetFile changed = file;
        std::string wrong = data::takeTrace(name, name, changed.fleet.services[at], changed.traffic[at]);
        if (!wrong.empty())
            return data::FleetReading{.file = {}, .faults = {std::move(wrong)}};
        data::alignPeriods(changed.fleet);
        return data::FleetReading{.file = std::move(changed), .faults = {}};
    });
}

void FleetView::ask() {
    const Result<data::FleetFile> edited = form_->edited();
    form_->setError(edited ? QString() : text(edited.error()));
    if (!edited)
        return;
    const auto catalog = document().catalog();
    task_.start(
        [file = *edited, catalog](const std::stop_token& stop, const ExploreTask<Answered>::Partly& partly) {
            auto out = std::make_shared<Answered>();
            out->file = file;
            const Result<FleetAnswer> answer =
                planFleet(file.fleet, *catalog, catalog->defaultProfile, stop, [&partly](double done) {
                    auto part = std::make_shared<Answered>();
                    part->done = done;
                    partly(part);
                });
            if (answer)
                out->answer = std::make_shared<const FleetAnswer>(*answer);
            else
                out->error = answer.error();
            return std::shared_ptr<const Answered>(out);
        });
    form_->setBusy(true);
    panel_->setBusy(true, tr("Comparing assignments"));
}

void FleetView::take(const std::shared_ptr<const Answered>& answered, bool finished) {
    if (!finished) {
        panel_->overlay()->setProgress(answered->done);
        return;
    }
    form_->setBusy(false);
    panel_->setBusy(false, {});
    if (!answered->error.empty()) {
        form_->setError(text(answered->error));
    } else {
        file_ = answered->file;
        answer_ = answered->answer;
        showAnswer();
    }
    emit this->finished();
}

void FleetView::showAnswer() {
    const bool isOpen = !file_.fleet.services.empty();
    states_->setCurrentIndex(isOpen ? 1 : 0);
    trace_->setEnabled(isOpen);
    const FleetPlan* best = answer_ && answer_->best ? &*answer_->best : nullptr;
    plot_->setPlan(best ? std::shared_ptr<const FleetPlan>(answer_, best) : nullptr, file_.fleet);
    if (best) {
        QString detail;
        if (answer_->second)
            detail = tr("the next best plan costs %1 more").arg(money(answer_->second->total - best->total));
        verdict_->setVerdict(answer_->complete ? BadgeKind::ok : BadgeKind::warn,
                             tr("%1 a month, all targets met").arg(money(best->total)), detail);
    } else if (answer_) {
        verdict_->setVerdict(BadgeKind::err, tr("No plan"), text(answer_->whyNot));
    } else {
        verdict_->setVerdict(BadgeKind::neutral, isOpen ? text(file_.fleet.name) : tr("A fleet of services"));
    }
    showServices(best);
    showBill(best);
    showRejected();
}

void FleetView::showServices(const FleetPlan* plan) {
    QList<CellRow> rows;
    for (const PlacedService& each : plan ? plan->services : std::vector<PlacedService>{}) {
        const FleetService& service = file_.fleet.services[each.service];
        const ReplicaPlan& replicas = each.option.plan;
        const int least = replicas.least(), most = replicas.most();
        rows.append(
            {text(service.name),
             {wordCell(text(service.name)), wordCell(text(file_.fleet.pools[each.option.pool].machine)),
              wordCell(text(each.option.layout)),
              valueCell(least == most ? QString::number(most) : tr("%1 to %2").arg(least).arg(most), most),
              valueCell(quantity(each.utilization, Dimension::ratio), each.utilization),
              valueCell(withTarget(each.ttft, each.ttftTarget), each.ttft),
              valueCell(withTarget(each.itl, each.itlTarget), each.itl),
              valueCell(quantity(replicas.onTime(), Dimension::ratio), replicas.onTime()),
              valueCell(quantity(each.dollarsPerMillionTokens, Dimension::dollars),
                        each.dollarsPerMillionTokens)}});
    }
    services_->setTable({{tr("Service"), false, {}},
                         {tr("Machine"), false, {}},
                         {tr("Layout"), false, {}},
                         {tr("Replicas"), true, tr("Over the week")},
                         {tr("Load at peak"), true, tr("Of the largest rate that is stable")},
                         {tr("TTFT at peak"), true, tr("At the percentile of the targets, of the target")},
                         {tr("ITL at peak"), true, tr("At the percentile of the targets, of the target")},
                         {tr("On time"), true, tr("Requests that come while targets are met")},
                         {tr("$/M tokens"), true, tr("Input and output tokens")}},
                        rows);
    services_->resizeColumnsToContents();
}

void FleetView::showBill(const FleetPlan* plan) {
    QList<CellRow> rows;
    for (const PlannedPool& pool : plan ? plan->pools : std::vector<PlannedPool>{})
        for (const OrderLine& line : pool.lines)
            rows.append(
                {text(line.text),
                 {wordCell(text(line.text)),
                  valueCell(text(thousandthsText(line.quantity)), static_cast<double>(line.quantity) / 1000),
                  valueCell(text(priceText(line.price)), static_cast<double>(line.price) * 1e-9),
                  valueCell(text(centsText(line.amount)), dollarsOf(line.amount))}});
    if (plan)
        rows.append({QStringLiteral("total"),
                     {wordCell(tr("Total")), wordCell({}), wordCell({}),
                      valueCell(text(centsText(plan->total)), dollarsOf(plan->total))}});
    bill_->setTable({{tr("Line"), false, {}},
                     {tr("Instance-hours"), true, tr("Of a month of 730 hours")},
                     {tr("$/h"), true, {}},
                     {tr("$ a month"), true, {}}},
                    rows);
    bill_->resizeColumnsToContents();
}

void FleetView::showRejected() {
    QList<CellRow> rows;
    for (const RejectedOption& each : answer_ ? answer_->rejected : std::vector<RejectedOption>{})
        rows.append({QString::number(rows.size()),
                     {wordCell(text(file_.fleet.services[each.service].name)),
                      wordCell(text(file_.fleet.pools[each.pool].name)), wordCell(text(each.layout)),
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
