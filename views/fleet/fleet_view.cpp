// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_view.h"

#include "data/json/file.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/explore/explore_panel.h"
#include "views/fleet/fleet_form.h"
#include "views/fleet/fleet_plot.h"
#include "views/fleet/fleet_tables.h"
#include "views/kit/states.h"
#include "views/kit/verdict_label.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace alidade::views {

namespace {

QString money(Cents cents) { return quantity(dollarsOf(cents), Dimension::dollars, {.significant = 4}); }

} // namespace

FleetView::FleetView(Document* document, QWidget* parent)
    : View(document, parent)
    , empty_(new EmptyState(iconName(), tr("No fleet is open"),
                            tr("A fleet is several services on shared pools of machines. Open a fleet file, "
                               "or start from the sample."),
                            tr("Open Sample")))
    , open_(new QPushButton(tr("Open Fleet…")))
    , save_(new QPushButton(tr("Save Fleet")))
    , trace_(new QPushButton(tr("Import Trace…")))
    , form_(new FleetForm)
    , panel_(new ExplorePanel(iconName(), tr("Instances in use")))
    , plot_(new FleetPlot)
    , tables_(new FleetTables)
    , page_(new QuestionPage(form_, panel_, tables_, empty_))
    , plan_(page_, [this](const std::shared_ptr<const Answered>& answered) { take(answered); })
    , replay_(page_, [this](const std::shared_ptr<const Replayed>& replayed) { takeReplay(replayed); }) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    open_->setAccessibleName(tr("Open a fleet file"));
    save_->setAccessibleName(tr("Save the fleet"));
    trace_->setAccessibleName(tr("Import a trace"));
    trace_->setToolTip(
        tr("Take the traffic of a service from recorded requests: Mooncake JSON Lines, BurstGPT "
           "CSV or Azure CSV"));
    panel_->addPage(plot_);
    panel_->connectPlot(plot_);
    for (QPushButton* each : {trace_, save_, open_})
        page_->addButton(each);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(page_);
    connect(empty_, &Notice::triggered, this, &FleetView::sampleRequested);
    connect(open_, &QPushButton::clicked, this, &FleetView::openRequested);
    connect(save_, &QPushButton::clicked, this, &FleetView::saveRequested);
    connect(trace_, &QPushButton::clicked, this, &FleetView::askTrace);
    connect(form_, &FleetForm::asked, this, &FleetView::ask);
    connect(form_, &FleetForm::committed, this, &FleetView::commit);
    connect(tables_, &FleetTables::replayRequested, this, &FleetView::replay);
    connect(&fleet_, &FleetDocument::opened, this, &FleetView::forgetAnswer);
    connect(&fleet_, &FleetDocument::changed, this, &FleetView::showFleet);
    connect(&fleet_, &FleetDocument::stateChanged, this, &FleetView::showState);
    showFleet();
    showAnswer();
}

FleetView::~FleetView() {
    fleet_.disconnect(this); // the stack empties itself when it goes
}

bool FleetView::isBusy() const { return plan_.busy() || replay_.busy() || reading_ > 0; }

QString FleetView::sentence() const { return page_->verdict()->sentence(); }
CellTable* FleetView::services() const { return tables_->services(); }
CellTable* FleetView::bill() const { return tables_->bill(); }

const FleetPlan* FleetView::best() const { return answer_ && answer_->best ? &*answer_->best : nullptr; }

void FleetView::openSample(const QString& id) {
    const std::vector<std::string> ids = data::sampleFleetIds();
    const std::string wanted = !id.isEmpty() || ids.empty() ? id.toStdString() : ids.front();
    open({.name = text(wanted), .read = [wanted] {
              const Result<std::string> content = data::sampleFleet(wanted);
              return content ? data::readFleet(*content, wanted)
                             : data::FleetReading{.file = {}, .faults = {content.error()}};
          }});
}

std::function<data::FleetReading()> readingOf(const QString& fileName) {
    return [file = fileName.toStdString()] {
        const Result<std::string> content = data::readFile(file);
        return content ? data::readFleet(*content, file)
                       : data::FleetReading{.file = {}, .faults = {file + ": " + content.error()}};
    };
}

void FleetView::openFile(const QString& fileName) {
    open({.name = QFileInfo(fileName).fileName(), .fileName = fileName, .read = readingOf(fileName)});
}

void FleetView::open(const FleetSource& source) {
    read(source.name, source.read, [this, source](const data::FleetFile& file) {
        fleet_.open(file, source.fileName, source.isModified);
        plansWhenShown_ = !source.isShown && !isVisible();
        if (!source.fileName.isEmpty())
            emit fileRead(source.fileName);
        if (!plansWhenShown_)
            ask();
    });
}

void FleetView::close() {
    ++readings_;
    plansWhenShown_ = false;
    fleet_.close();
}

/// A fleet that cannot be read leaves the one that is open; of several, the last one counts.
void FleetView::read(const QString& name, std::function<data::FleetReading()> reader,
                     std::function<void(const data::FleetFile&)> take) {
    ++reading_;
    runFor(this, Work::waiting, std::move(reader),
           [this, name, number = ++readings_, take = std::move(take)](const data::FleetReading& reading) {
               --reading_;
               if (number != readings_)
                   return;
               if (reading.file) {
                   take(*reading.file);
                   return;
               }
               page_->verdict()->setVerdict(BadgeKind::err, tr("%1 cannot be read").arg(name),
                                            text(reading.faults.front()));
               emit notRead();
               emit finished();
           });
}

void FleetView::askTrace() {
    QStringList names;
    for (const FleetService& each : fleet_.file().fleet.services)
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
    if (!commit() || service < 0 || service >= static_cast<int>(fleet_.file().fleet.services.size()))
        return;
    const auto at = static_cast<std::size_t>(service);
    read(
        QFileInfo(fileName).fileName(),
        [file = fleet_.file(), name = fileName.toStdString(), at] {
            data::FleetFile changed = file;
            std::string wrong = data::takeTrace(name, name, changed.fleet.services[at], changed.traffic[at]);
            if (!wrong.empty())
                return data::FleetReading{.file = {}, .faults = {std::move(wrong)}};
            data::alignPeriods(changed.fleet);
            return data::FleetReading{.file = std::move(changed), .faults = {}};
        },
        [this, at](const data::FleetFile& changed) {
            fleet_.edit(changed, tr("trace of %1").arg(text(changed.fleet.services[at].name)));
            ask();
        });
}

bool FleetView::commit(const QString& what) {
    if (!fleet_.isOpen())
        return false;
    const Result<data::FleetFile> edited = form_->edited();
    form_->setError(edited ? QString() : text(edited.error()));
    if (!edited)
        return false;
    fleet_.edit(*edited, what.isEmpty() ? tr("edit of the fleet") : tr("change %1").arg(what));
    return true;
}

void FleetView::ask() {
    if (!commit())
        return;
    const auto catalog = document().catalog();
    const auto profile = profileOf(document().spec(), *catalog);
    if (!profile) {
        form_->setError(text(profile.error()));
        return;
    }
    replay_.drop();
    plansWhenShown_ = false;
    plan_.start(tr("Comparing assignments"),
                [file = fleet_.file(), catalog, profile = **profile,
                 calibration = document().spec().calibration ? text((*profile)->name) : QString()](
                    const std::stop_token& stop, const QuestionTask<Answered>::Progress& progress) {
                    Answered out{.file = file, .answer = {}, .error = {}, .calibration = calibration};
                    const Result<FleetAnswer> answer =
                        planFleet(file.fleet, *catalog, profile, stop, progress);
                    if (answer)
                        out.answer = std::make_shared<const FleetAnswer>(*answer);
                    else
                        out.error = answer.error();
                    return out;
                });
    renewReplay();
}

void FleetView::take(const std::shared_ptr<const Answered>& answered) {
    if (!answered->error.empty()) {
        form_->setError(text(answered->error));
    } else {
        answered_ = answered;
        answer_ = answered->answer;
        planned_ = data::writeFleet(fleet_.asRead(), answered->file, fleet_.asRead().path);
        replays_.clear();
        showAnswer();
    }
    renewReplay();
    emit finished();
}

/// As `alidade fleet --replay`: each service that has a trace, one after the other.
void FleetView::replay() {
    const auto catalog = document().catalog();
    const auto profile = profileOf(document().spec(), *catalog);
    if (!profile || best() == nullptr)
        return;
    replay_.start(tr("Playing traces"),
                  [answered = answered_, catalog, profile = **profile, routing = tables_->routing()](
                      const std::stop_token& stop, const QuestionTask<Replayed>::Progress& progress) {
                      Replayed out;
                      const std::vector<data::ServiceTraffic>& traffic = answered->file.traffic;
                      const auto traces = static_cast<double>(std::ranges::count_if(
                          traffic, [](const data::ServiceTraffic& each) { return each.trace != nullptr; }));
                      double before = 0;
                      for (std::size_t i = 0; i < traffic.size() && !stop.stop_requested(); ++i) {
                          if (!traffic[i].trace)
                              continue;
                          const ReplayOptions options{.routing = routing,
                                                      .prefixCacheTokens = traffic[i].prefixCacheTokens,
                                                      .scale = traffic[i].scale};
                          auto played = replayTrace(traffic[i].trace->trace,
                                                    answered->answer->best->services[i], *catalog, profile,
                                                    options, stop, [&progress, before, traces](double share) {
                                                        progress((before + share) / traces);
                                                    });
                          if (played)
                              out.replays.push_back(*std::move(played));
                          else
                              out.notPlayed.push_back(answered->file.fleet.services[i].name);
                          ++before;
                      }
                      return out;
                  });
    renewReplay();
}

void FleetView::takeReplay(const std::shared_ptr<const Replayed>& replayed) {
    replays_ = replayed->replays;
    tables_->setReplays(replays_, best());
    renewReplay();
    if (!replayed->notPlayed.empty())
        tables_->setReplayable(true, tr("%1 cannot be replayed: prefill and decode use separate pools, or a "
                                        "request draws several samples")
                                         .arg(text(replayed->notPlayed.front())));
    emit finished();
}

void FleetView::renewReplay() {
    const bool hasTrace =
        answered_ && std::ranges::any_of(answered_->file.traffic, [](const data::ServiceTraffic& each) {
            return each.trace != nullptr;
        });
    QString why;
    if (best() != nullptr && !hasTrace)
        why = tr("No service has a trace; import one");
    tables_->setReplayable(best() != nullptr && hasTrace && !plan_.busy() && !replay_.busy(), why);
}

/// Of the fleet that was open before.
void FleetView::forgetAnswer() {
    plan_.drop();
    replay_.drop();
    answered_.reset();
    answer_.reset();
    replays_.clear();
    planned_.clear();
    if (fleet_.isOpen())
        form_->setFile(fleet_.file());
    showAnswer();
    renewReplay();
}

void FleetView::showFleet() {
    const bool isOpen = fleet_.isOpen();
    page_->showEmpty(!isOpen);
    trace_->setEnabled(isOpen);
    if (isOpen)
        form_->setFile(fleet_.file());
    showState();
}

/// Name and state of the file, and whether the answer is about what the form shows.
void FleetView::showState() {
    VerdictLabel* verdict = page_->verdict();
    save_->setEnabled(fleet_.isOpen());
    verdict->setNote(!fleet_.isOpen()      ? QString()
                     : fleet_.isModified() ? tr("%1, modified").arg(fleet_.displayName())
                                           : fleet_.displayName());
    QList<VerdictLabel::State> badges;
    if (answer_ && fleet_.isOpen() && fleet_.document() != planned_)
        badges.append({BadgeKind::warn, tr("edited since; plan again")});
    verdict->setBadges(badges);
}

void FleetView::showAnswer() {
    const FleetPlan* plan = best();
    const Fleet fleet = answered_ ? answered_->file.fleet : Fleet();
    plot_->setPlan(plan != nullptr ? std::shared_ptr<const FleetPlan>(answer_, plan) : nullptr, fleet);
    VerdictLabel* verdict = page_->verdict();
    if (plan != nullptr) {
        QStringList detail;
        if (answer_->second)
            detail.append(
                tr("the next best plan costs %1 more").arg(money(answer_->second->total - plan->total)));
        if (!answered_->calibration.isEmpty())
            detail.append(tr("calibration %1").arg(answered_->calibration));
        verdict->setVerdict(answer_->complete ? BadgeKind::ok : BadgeKind::warn,
                            tr("%1 a month, all targets met").arg(money(plan->total)),
                            detail.join(QStringLiteral("; ")));
    } else if (answer_) {
        verdict->setVerdict(BadgeKind::err, tr("No plan"), text(answer_->whyNot));
    } else {
        verdict->setVerdict(BadgeKind::neutral,
                            fleet_.isOpen() ? text(fleet_.file().fleet.name) : tr("A fleet of services"));
    }
    tables_->setPlan(fleet, answer_.get());
    showState();
}

void FleetView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (std::exchange(plansWhenShown_, false))
        ask();
}

} // namespace alidade::views
