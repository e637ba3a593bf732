// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_view.h"

#include "data/scenario/scenario_json.h"
#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "views/compare/compare_bars.h"
#include "views/compare/compare_grid.h"
#include "views/compare/compare_scatter.h"
#include "views/compare/compare_source.h"
#include "views/compare/compare_table.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace alidade::views {

using data::ListedScenario;

CompareView::CompareView(Document* document, QWidget* parent)
    : View(document, parent)
    , list_(new CompareList(this))
    , source_(new CompareSource(document->engine(), this))
    , machines_(this,
                [this](const auto& answer, bool finished) {
                    if (!finished)
                        return busy_->setProgress(answer->done);
                    renewBusy();
                    takeMachines(*answer);
                })
    , states_(new QStackedWidget)
    , empty_(
          new EmptyState(iconName(), tr("Nothing to compare"),
                         tr("Compare scenarios of the library, samples, and states of a plan side by side."),
                         tr("Add the Open Scenario")))
    , content_(new QWidget)
    , verdict_(new VerdictLabel)
    , detail_(new TextLabel(FontRole::small, Role::text2))
    , remark_(new TextLabel(FontRole::small, Role::warn))
    , everything_(new SegmentedButtons)
    , orientation_(new SegmentedButtons)
    , addMenu_(new QMenu(this))
    , table_(new CompareTable)
    , steps_(new CompareBarsPlot(QStringLiteral("compare-steps")))
    , memory_(new CompareBarsPlot(QStringLiteral("compare-memory")))
    , cost_(new CompareScatter) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    auto* strip = new QWidget;
    makeStrip(strip);
    auto* halves = new QSplitter(Qt::Vertical);
    halves->addWidget(table_);
    halves->addWidget(makePictures());
    halves->setChildrenCollapsible(false);
    halves->setHandleWidth(1);
    halves->setStretchFactor(0, 1);
    halves->setSizes({theme().px(520), theme().px(300)});
    auto* column = new QVBoxLayout(content_);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(halves);
    states_->addWidget(content_);
    states_->addWidget(empty_);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(strip);
    whole->addWidget(states_, 1);
    busy_ = new BusyOverlay(states_);
    makeActions();
    connectParts();
}

QToolButton* CompareView::button(const QString& words, const char* iconName, const QString& toolTip) {
    auto* out = new QToolButton;
    out->setText(words);
    out->setIcon(icon(QLatin1StringView(iconName)));
    out->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    out->setFocusPolicy(Qt::TabFocus);
    out->setToolTip(toolTip);
    return out;
}

void CompareView::makeStrip(QWidget* strip) {
    auto* lines = new QVBoxLayout(strip);
    const int side = theme().px(18);
    lines->setContentsMargins(side, theme().px(12), side, theme().px(10));
    lines->setSpacing(theme().px(6));
    detail_->setWordWrap(true);
    remark_->setWordWrap(true);
    remark_->hide();
    lines->addWidget(verdict_);
    lines->addWidget(detail_);
    lines->addWidget(remark_);
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().px(8));
    QToolButton* add = button(tr("Add"), "add", tr("Add a scenario to the comparison"));
    add->setPopupMode(QToolButton::InstantPopup);
    add->setMenu(addMenu_);
    row->addWidget(add);
    machinesButton_ =
        button(tr("Same Job on Every Machine"), "gpu",
               tr("Fill the comparison with the open scenario on each machine of the catalog, each with its "
                  "best plan"));
    row->addWidget(machinesButton_);
    row->addStretch(1);
    everything_->setOptions({tr("Differences"), tr("All Fields")});
    everything_->setCurrentIndex(0);
    everything_->setAccessibleName(tr("Rows"));
    row->addWidget(everything_);
    orientation_->setOptions({tr("Columns"), tr("Rows")});
    orientation_->setCurrentIndex(0);
    orientation_->setAccessibleName(tr("Scenarios as"));
    orientation_->setToolTip(tr("Scenarios as columns, or as rows that can be sorted"));
    row->addWidget(orientation_);
    QToolButton* copy = button(tr("Copy"), "copy", tr("Copy the whole comparison"));
    copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(copy);
    menu->addAction(tr("As Markdown"), this, [this] { copyAs(TableFormat::markdown); });
    menu->addAction(tr("As CSV, Figures in SI Units"), this, [this] { copyAs(TableFormat::csv); });
    menu->addAction(tr("As Picture"), this, [this] { copyPicture(); });
    copy->setMenu(menu);
    row->addWidget(copy);
    reportButton_ = button(tr("Report…"), "report", tr("Write a report of the comparison"));
    row->addWidget(reportButton_);
    lines->addLayout(row);
}

QWidget* CompareView::makePictures() {
    auto* parts = new QSplitter(Qt::Horizontal);
    struct Part {
        PlotBase* plot;
        const char* icon;
        QString title, subtitle;
    };
    for (const auto& [plot, iconName, words, note] :
         {Part{steps_, "layers", tr("Step"), tr("one axis; dashed: the baseline")},
          Part{memory_, "memory", tr("Memory"), tr("of the fullest GPU; red: usable")},
          Part{cost_, "cost", tr("Cost against time"), tr("whiskers: low – high")}}) {
        auto* half = new QWidget;
        auto* box = new QVBoxLayout(half);
        box->setContentsMargins(0, 0, 0, 0);
        box->setSpacing(0);
        auto* bar = new DockTitleBar(QLatin1StringView(iconName), words);
        bar->setSubtitle(note);
        box->addWidget(bar);
        box->addWidget(plot, 1);
        parts->addWidget(half);
    }
    parts->setChildrenCollapsible(false);
    parts->setHandleWidth(1);
    parts->setSizes({theme().px(560), theme().px(430), theme().px(480)});
    return parts;
}

void CompareView::makeActions() {
    const auto add = [this](const QString& words, const QKeySequence& keys, const auto& run) {
        auto* action = new QAction(words, table_);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, run);
        table_->addAction(action);
    };
    add(tr("Open This Scenario"), {}, [this] { openScenario(chosen()); });
    add(tr("Take as Baseline"), Qt::Key_B, [this] { takeBaseline(); });
    add(tr("Rename…"), Qt::Key_F2, [this] { renameCurrent(); });
    add(tr("Sort Scenarios by This Row"), Qt::Key_S, [this] { sortByCurrent(); });
    add(tr("Move Left"), Qt::ALT | Qt::Key_Left, [this] { moveCurrent(-1); });
    add(tr("Move Right"), Qt::ALT | Qt::Key_Right, [this] { moveCurrent(1); });
    add(tr("Remove from the Comparison"), QKeySequence::Delete, [this] { removeCurrent(); });
}

void CompareView::connectParts() {
    renew_.setSingleShot(true);
    renew_.setInterval(0);
    connect(&renew_, &QTimer::timeout, this, &CompareView::renewRequest);
    connect(list_, &CompareList::changed, this, &CompareView::outdate);
    connect(addMenu_, &QMenu::aboutToShow, this, &CompareView::fillAddMenu);
    connect(empty_, &Notice::triggered, this,
            [this] { addScenario({.kind = ListedScenario::Kind::open, .name = {}, .spec = {}}); });
    connect(machinesButton_, &QToolButton::clicked, this, &CompareView::sameJobOnEveryMachine);
    connect(reportButton_, &QToolButton::clicked, this, &CompareView::reportRequested);
    connect(everything_, &SegmentedButtons::currentEdited, this, &CompareView::renewGrid);
    connect(orientation_, &SegmentedButtons::currentEdited, this, &CompareView::renewGrid);
    connect(source_, &CompareSource::answered, this, &CompareView::renewAnswer);
    connect(source_, &CompareSource::busyChanged, this, [this](bool busy) {
        if (machines_.busy())
            return;
        if (busy)
            busy_->start(tr("Estimating the scenarios"));
        else
            busy_->stop();
    });
    connect(busy_, &BusyOverlay::cancelRequested, this, [this] {
        if (machines_.busy())
            stopMachines();
        else
            source_->cancel();
    });
    connect(table_, &CompareTable::moved, list_, &CompareList::move);
    connect(table_, &CompareTable::sortRequested, this, &CompareView::sortBy);
    connect(table_, &CompareTable::opened, this, &CompareView::openScenario);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { choose(table_->currentScenario()); });
    for (CompareBarsPlot* plot : {steps_, memory_})
        connect(plot, &CompareBarsPlot::chosen, this, &CompareView::choose);
    connect(cost_, &CompareScatter::chosen, this, &CompareView::choose);
    for (PlotBase* plot :
         {static_cast<PlotBase*>(steps_), static_cast<PlotBase*>(memory_), static_cast<PlotBase*>(cost_)})
        connect(plot, &PlotBase::showDataRequested, this,
                [this] { table_->setFocus(Qt::ShortcutFocusReason); });
    for (const auto signal : {&Document::specChanged, &Document::catalogChanged, &Document::fileNameChanged})
        connect(&document(), signal, this, &CompareView::outdate);
}

void CompareView::setScenarios(const Scenarios& scenarios) {
    scenarios_ = scenarios;
    outdate();
}

void CompareView::scenariosChanged() {
    if (std::ranges::any_of(list_->scenarios(), [](const ListedScenario& each) {
            return each.kind == ListedScenario::Kind::stored;
        }))
        outdate();
}

void CompareView::updateEstimate() { renew_.start(); }

void CompareView::fillAddMenu() {
    addMenu_->clear();
    const bool full = list_->size() >= CompareList::most;
    QAction* open = addMenu_->addAction(tr("Open Scenario, as It Changes"), this, [this] {
        addScenario({.kind = ListedScenario::Kind::open, .name = {}, .spec = {}});
    });
    open->setEnabled(!full && std::ranges::none_of(list_->scenarios(), [](const ListedScenario& each) {
        return each.kind == ListedScenario::Kind::open;
    }));
    addMenu_
        ->addAction(tr("Open Scenario, as It Is Now"), this,
                    [this] {
                        addScenario({.kind = ListedScenario::Kind::fixed,
                                     .name = document().displayName().toStdString(),
                                     .spec = document().shownSpec()});
                    })
        ->setEnabled(!full);
    QMenu* group = nullptr;
    for (const Choice& each : scenarios_.choices ? scenarios_.choices() : QList<Choice>()) {
        if (group == nullptr || group->title() != each.group)
            group = addMenu_->addMenu(each.group);
        group
            ->addAction(text(each.scenario.name), this,
                        [this, scenario = each.scenario] { addScenario(scenario); })
            ->setEnabled(!full);
    }
    if (full)
        addMenu_->addAction(tr("At most %1 scenarios").arg(CompareList::most))->setEnabled(false);
}

void CompareView::addScenario(const ListedScenario& scenario) {
    say({});
    if (list_->add({scenario}) > 0)
        say(tr("A comparison has at most %1 scenarios; remove one first.").arg(CompareList::most));
}

std::vector<ScenarioSpec> CompareView::specs() const {
    std::vector<ScenarioSpec> out;
    for (const ListedScenario& each : list_->scenarios()) {
        if (each.kind == ListedScenario::Kind::fixed) {
            out.push_back(each.spec);
            out.back().name = each.name;
        } else if (each.kind == ListedScenario::Kind::open) {
            out.push_back(document().shownSpec());
            out.back().name = document().displayName().toStdString();
        } else if (scenarios_.stored) {
            if (auto spec = scenarios_.stored(each.id))
                out.push_back(*std::move(spec));
        }
    }
    return out;
}

void CompareView::renewRequest() {
    states_->setCurrentWidget(list_->size() > 0 ? content_ : static_cast<QWidget*>(empty_));
    reportButton_->setEnabled(list_->size() > 1);
    if (list_->size() == 0) {
        source_->cancel();
        verdict_->setVerdict(BadgeKind::neutral, tr("No scenario to compare"));
        detail_->setText({});
        return;
    }
    std::vector<CompareSource::Request> requests;
    for (const ListedScenario& each : list_->scenarios()) {
        CompareSource::Request request{.name = each.name, .spec = each.spec};
        if (each.kind == ListedScenario::Kind::open) {
            request.name = document().displayName().toStdString();
            request.spec = document().shownSpec();
        } else if (each.kind == ListedScenario::Kind::stored) {
            auto spec = scenarios_.stored ? scenarios_.stored(each.id)
                                          : Result<ScenarioSpec>(Error{"no workspace is open"});
            if (spec) {
                request.spec = *std::move(spec);
                request.name = request.spec.name.value_or(each.name);
            } else {
                request.error = spec.error();
            }
        }
        requests.push_back(std::move(request));
    }
    source_->compare(requests, std::min(list_->baseline(), list_->size() - 1), document().catalog());
}

void CompareView::renewAnswer() {
    const CompareAnswer& answer = *source_->answer();
    const bool any = std::ranges::any_of(answer.items, [](const auto& item) {
        return item->estimate != nullptr && isUsable(*item->estimate);
    });
    verdict_->setVerdict(any ? BadgeKind::neutral : BadgeKind::err, text(answer.comparison.sentence));
    detail_->setText(text(answer.comparison.detail));
    detail_->setVisible(!answer.comparison.detail.empty());
    renewGrid();
    steps_->setBars(stepBars(answer));
    memory_->setBars(memoryBars(answer));
    cost_->setDots(costDots(answer));
    choose(table_->currentScenario());
}

void CompareView::renewGrid() {
    if (source_->answer())
        table_->setGrid(compareGrid(*source_->answer(), everything_->currentIndex() == 1),
                        orientation_->currentIndex() == 1);
}

void CompareView::choose(int scenario) {
    if (scenario >= 0 && table_->currentScenario() != scenario) {
        const QString key = table_->currentKey();
        table_->setCurrent(key.isEmpty() ? QStringLiteral("verdict") : key, scenario);
    }
    steps_->setChosen(scenario);
    memory_->setChosen(scenario);
    cost_->setChosen(scenario);
}

int CompareView::chosen() const { return table_->currentScenario(); }

void CompareView::sameJobOnEveryMachine() {
    say({});
    const auto profile = profileOf(document().spec(), *document().catalog());
    if (!profile)
        return say(text(profile.error()));
    machines_.start(machineJob(std::make_shared<const ExploreContext>(
        ExploreContext{document().spec(), document().catalog(), **profile})));
    renewBusy();
}

void CompareView::stopMachines() {
    machines_.drop();
    renewBusy();
}

void CompareView::renewBusy() {
    machinesButton_->setEnabled(!machines_.busy());
    if (machines_.busy())
        busy_->start(tr("Searching the best plan of each machine"));
    else
        busy_->stop();
}

/// The open scenario first, as baseline; then the machines, best first. Their plans are of the scenario that
/// was searched, which may have been edited since.
void CompareView::takeMachines(const MachineAnswer& answer) {
    if (!answer.plans)
        return say(tr("The machines cannot be searched: %1").arg(text(answer.plans.error())));
    const ScenarioSpec& searched = answer.context->spec;
    std::vector<ListedScenario> all{{.kind = ListedScenario::Kind::open, .name = {}, .spec = {}}};
    QStringList without;
    std::size_t left = 0;
    for (const MachinePlan& each : answer.plans->plans) {
        const auto spec = each.found() ? applyEdit(searched, each.set) : std::nullopt;
        if (!spec)
            without.append(tr("%1: %2").arg(text(each.machine), text(each.why)));
        else if (all.size() < static_cast<std::size_t>(CompareList::most))
            all.push_back({.kind = ListedScenario::Kind::fixed, .name = each.id, .spec = *spec});
        else
            ++left;
    }
    if (all.size() == 1)
        return say(tr("No machine can run this job. %1").arg(without.join(QStringLiteral("; "))));
    QStringList said;
    if (data::writeScenario(document().spec()) != data::writeScenario(searched))
        said.append(tr("The plans are based on the scenario at the start of the search."));
    if (!without.isEmpty())
        said.append(tr("Without a plan: %1.").arg(without.join(QStringLiteral("; "))));
    if (left > 0)
        said.append(tr("%1 more machines have plans that are not as good.").arg(left));
    list_->replace(all, 0, tr("compare every machine"));
    say(said.join(u' '));
}

void CompareView::say(const QString& note) {
    remark_->setText(note);
    remark_->setVisible(!note.isEmpty());
}

QString CompareView::remark() const { return remark_->text(); }

QString CompareView::sentence() const { return verdict_->sentence(); }

/// The best first; once more: the other way round. Scenarios without the figure come last.
void CompareView::sortBy(const QString& key) {
    if (!source_->answer())
        return;
    const QList<ComparisonRow>& rows = table_->cells().grid().rows;
    const auto row = std::ranges::find_if(rows, [&key](const ComparisonRow& each) {
        return each.kind != ComparisonRow::Kind::group && each.key == key;
    });
    if (row == rows.end() || row->cells.size() != list_->size())
        return;
    std::vector<int> order(static_cast<std::size_t>(list_->size()));
    std::iota(order.begin(), order.end(), 0);
    const auto sorted = [&](bool more) {
        std::vector<int> out = order;
        std::ranges::stable_sort(out, [&](int a, int b) {
            const ComparisonCell &first = row->cells[a], &second = row->cells[b];
            if (first.value.has_value() != second.value.has_value())
                return first.value.has_value();
            if (!first.value)
                return more ? first.text > second.text : first.text < second.text;
            return more ? *first.value > *second.value : *first.value < *second.value;
        });
        return out;
    };
    std::vector<int> next = sorted(row->moreIsBetter);
    if (next == order)
        next = sorted(!row->moreIsBetter);
    list_->arrange(next, tr("sort by %1").arg(row->label));
}

void CompareView::sortByCurrent() { sortBy(table_->currentKey()); }

void CompareView::removeCurrent() { list_->remove(chosen()); }

void CompareView::takeBaseline() { list_->setBaseline(chosen()); }

void CompareView::moveCurrent(int by) {
    const QString key = table_->currentKey();
    const int from = chosen();
    list_->move(from, from + by);
    if (from >= 0 && from + by >= 0 && from + by < list_->size())
        table_->setCurrent(key, from + by);
}

void CompareView::openScenario(int scenario) {
    if (scenario >= 0 && scenario < list_->size())
        emit openRequested(list_->scenarios()[static_cast<std::size_t>(scenario)]);
}

void CompareView::renameCurrent() {
    const int scenario = chosen();
    if (scenario < 0)
        return;
    if (list_->scenarios()[static_cast<std::size_t>(scenario)].kind != ListedScenario::Kind::fixed)
        return say(tr("This one is named by its scenario; rename it in the library."));
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename"));
    dialog->setLabelText(tr("Name in the comparison:"));
    dialog->setTextValue(text(list_->scenarios()[static_cast<std::size_t>(scenario)].name));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, scenario](const QString& name) { list_->rename(scenario, name); });
    dialog->open();
}

void CompareView::copyAs(TableFormat format) const {
    const bool transposed = orientation_->currentIndex() == 1;
    const CompareGrid& grid = table_->cells().grid();
    QApplication::clipboard()->setText(tableText(
        format == TableFormat::csv ? plainTable(grid, transposed) : shownTable(grid, transposed), format));
}

void CompareView::copyPicture() const { QApplication::clipboard()->setPixmap(content_->grab()); }

void CompareView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && machines_.busy())
        stopMachines();
    else
        View::keyPressEvent(event);
}

} // namespace alidade::views
