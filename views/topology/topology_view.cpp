// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_view.h"

#include "views/document/document.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/cell_table.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_crumbs.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_export.h"
#include "views/topology/topology_inspector.h"
#include "views/topology/topology_legend_bar.h"
#include "views/topology/topology_lines.h"
#include "views/topology/topology_overview.h"
#include "views/topology/topology_search.h"
#include "views/topology/topology_source.h"
#include "views/topology/topology_what_if_list.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr int inspectorFrom = 620; // logical pixels at 10 pt: width from which the inspector has a place
constexpr int searchWidth = 190;

/// The communication of the estimate that a kind of group does most: what the other views select with it.
void selectCommunication(Selection& selection, const Estimate& estimate) {
    const std::vector<Layer>* layers = estimate.training ? &estimate.training->layers
                                       : estimate.serving && estimate.serving->answers
                                           ? &estimate.serving->layers
                                       : estimate.serving ? &estimate.serving->prefillLayers
                                                          : nullptr;
    const Communication* longest = nullptr;
    const Layer* of = nullptr;
    if (layers != nullptr)
        for (const Layer& layer : *layers)
            for (const Communication& each : layer.communication) {
                if (text(each.group) != selection.group)
                    continue;
                if (text(layer.kind) == selection.layer && text(each.op) == selection.operation)
                    return; // it is selected already
                if (longest == nullptr || each.seconds * layer.count > longest->seconds * of->count) {
                    longest = &each;
                    of = &layer;
                }
            }
    selection.layer = of != nullptr ? text(of->kind) : QString();
    selection.operation = longest != nullptr ? text(longest->op) : QString();
    selection.phase.clear();
}

} // namespace

TopologyView::TopologyView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , source_(new TopologySource(this))
    , beforeSource_(new TopologySource(this))
    , canvas_(new TopologyCanvas)
    , inspector_(new TopologyInspector)
    , legend_(new TopologyLegendBar)
    , whatIf_(new TopologyWhatIfList(document))
    , crumbs_(new TopologyCrumbs)
    , color_(new QComboBox)
    , load_(new QComboBox)
    , search_(new QLineEdit)
    , hits_(new QStandardItemModel(this))
    , pages_(new QStackedWidget)
    , none_(new EmptyState(iconName(), QString()))
    , failure_(new TextLabel(FontRole::small, Role::err))
    , writer_(std::make_unique<LatestWorker>(this, Work::waiting)) {
    auto* picture = new QWidget;
    auto* column = new QVBoxLayout(picture);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    failure_->setContentsMargins(theme().px(14), 2, theme().px(14), 2);
    failure_->hide();
    column->addWidget(failure_);
    column->addWidget(legend_);
    column->addWidget(canvas_, 1);
    auto* edge = new QFrame;
    edge->setFixedWidth(1);
    edge->setAutoFillBackground(true);
    edge->setBackgroundRole(QPalette::Mid);
    auto* body = new QWidget;
    auto* row = new QHBoxLayout(body);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(picture, 1);
    row->addWidget(edge);
    row->addWidget(inspector_);
    inspector_->setMap(canvas_->overview());
    inspector_->addSection(tr("What if"), whatIf_);
    inspector_->setFixedWidth(inspector_->sizeHint().width());
    pages_->addWidget(body);
    pages_->addWidget(none_);
    pages_->setFocusProxy(canvas_);
    auto* content = new QWidget;
    auto* all = new QVBoxLayout(content);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(makeHead());
    all->addWidget(pages_, 1);
    offerWayBack();
    setContent(content);
    layingOut_ = new BusyOverlay(pages_);
    canvas_->setCards(
        [this](const TopologyThing& thing) { return topologyCard(*data_, canvas_->picture(), thing); });
    connect(source_, &TopologySource::laidOut, this, &TopologyView::take);
    connect(beforeSource_, &TopologySource::laidOut, this,
            [this](const std::shared_ptr<const TopologyData>& data) {
                before_ = data;
                updateSelection();
            });
    connect(layingOut_, &BusyOverlay::cancelRequested, this, [this] {
        source_->cancel();
        layingOut_->stop();
    });
    connect(canvas_, &TopologyCanvas::chosen, this, [this](const TopologyThing& thing) {
        const bool further = QGuiApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
        if (further && thing.gpu >= 0 && canvas_->picture().gpu >= 0)
            showPathTo(thing.gpu);
        else
            choose(thing);
    });
    connect(canvas_, &TopologyCanvas::cameraChanged, this, &TopologyView::renewCrumbs);
    connect(canvas_, &TopologyCanvas::groupStepped, this, &TopologyView::stepGroup);
    connect(canvas_, &TopologyCanvas::cleared, this, [this] {
        pathTo_ = -1;
        this->document().clearSelection();
    });
    connect(canvas_, &TopologyCanvas::searchRequested, search_, [this] {
        search_->setFocus(Qt::ShortcutFocusReason);
        search_->selectAll();
    });
    connect(canvas_, &TopologyCanvas::menuRequested, this, &TopologyView::showMenu);
    connect(inspector_, &TopologyInspector::groupChosen, this, [this](GroupKind kind) {
        chooseGroup(canvas_->picture().group == kind ? std::nullopt : std::optional(kind));
    });
    connect(crumbs_, &TopologyCrumbs::clicked, this, [this](int part) {
        canvas_->goTo(static_cast<TopologyLevel>(part), canvas_->levelHost());
        canvas_->setFocus(Qt::OtherFocusReason);
    });
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        if (data_)
            legend_->setLegend(topologyLegend(*data_, canvas_->picture(), theme()));
    });
    connect(dataAction(), &QAction::toggled, this, &TopologyView::fillTable);
}

QWidget* TopologyView::makeHead() {
    auto* head = new QWidget;
    head->setObjectName(QStringLiteral("topologyHead"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(theme().px(12), theme().px(6), theme().px(10), theme().px(6));
    row->setSpacing(theme().px(8));
    row->addWidget(crumbs_, 1);
    color_->setAccessibleName(tr("Color by"));
    color_->setToolTip(tr("GPU color"));
    load_->setAccessibleName(tr("Load of links"));
    load_->setToolTip(tr("Link load to draw"));
    load_->addItem(tr("Load in use"), static_cast<int>(TopologyLoad::active));
    load_->addItem(tr("Mean load"), static_cast<int>(TopologyLoad::mean));
    color_->setMinimumContentsLength(18);
    load_->setMinimumContentsLength(11);
    search_->setAccessibleName(tr("Search the cluster"));
    search_->setPlaceholderText(tr("Host, instance, rank"));
    search_->setToolTip(tr("Host, instance id, rank or switch (/)"));
    search_->setClearButtonEnabled(true);
    search_->setFixedWidth(theme().px(searchWidth));
    search_->addAction(icon(QLatin1StringView("search")), QLineEdit::LeadingPosition);
    auto* completer = new QCompleter(hits_, search_);
    completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    completer->popup()->setAccessibleName(tr("Found in the cluster"));
    search_->setCompleter(completer);
    connect(search_, &QLineEdit::textEdited, this, &TopologyView::renewHits);
    connect(search_, &QLineEdit::returnPressed, this, [this] {
        if (goToWords(search_->text()))
            canvas_->setFocus(Qt::OtherFocusReason);
    });
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this, [this](const QString& words) {
        if (goToWords(words.section(QStringLiteral("  "), 0, 0)))
            canvas_->setFocus(Qt::OtherFocusReason);
    });
    row->addWidget(search_);
    row->addWidget(color_);
    row->addWidget(load_);
    const auto addButton = [&](const char* name, const QString& words, const QString& tip) {
        auto* button = new QToolButton;
        button->setIcon(icon(QLatin1StringView(name)));
        button->setAccessibleName(words);
        button->setToolTip(tip);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
        return button;
    };
    connect(addButton("fit", tr("Fit"), tr("Show the whole cluster (F)")), &QToolButton::clicked, canvas_,
            &TopologyCanvas::fit);
    QToolButton* exporting =
        addButton("export", tr("Export"), tr("Write the picture or the hosts to a file"));
    exporting->setPopupMode(QToolButton::InstantPopup);
    auto* exports = new QMenu(this);
    fillExportMenu(exports);
    exporting->setMenu(exports);
    QToolButton* table = addButton("table", dataAction()->text(), dataAction()->toolTip());
    table->setCheckable(true);
    connect(table, &QToolButton::clicked, dataAction(), &QAction::setChecked);
    connect(dataAction(), &QAction::toggled, table, &QToolButton::setChecked);
    connect(color_, &QComboBox::activated, this, &TopologyView::renewPicture);
    connect(load_, &QComboBox::activated, this, &TopologyView::renewPicture);
    fillColors();
    return head;
}

/// Dimensions that the plan does not divide by are not offered.
void TopologyView::fillColors() {
    const QVariant kept = color_->currentData();
    color_->clear();
    const auto add = [this](const QString& words, TopologyColor color) {
        color_->addItem(words, static_cast<int>(color));
    };
    add(tr("Groups of selection"), TopologyColor::groups);
    const Degrees degrees = data_ ? data_->degrees : Degrees();
    if (degrees.tensor > 1)
        add(tr("Tensor rank"), TopologyColor::tensor);
    if (degrees.context > 1)
        add(tr("Context rank"), TopologyColor::context);
    if (degrees.expert > 1)
        add(tr("Expert rank"), TopologyColor::expert);
    if (data_ && data_->replicas() > 1)
        add(data_->map.serving ? tr("Replica") : tr("Data rank"), TopologyColor::data);
    if (degrees.pipeline > 1)
        add(tr("Pipeline stage"), TopologyColor::pipeline);
    add(tr("Link load"), TopologyColor::load);
    add(tr("Memory"), TopologyColor::memory);
    add(tr("Distance from GPU"), TopologyColor::hops);
    addLiveColors();
    color_->setCurrentIndex(std::max(0, color_->findData(kept)));
}

/// What cannot be shown now stays in the list and says why.
void TopologyView::addLiveColors() {
    if (!live_)
        return;
    color_->insertSeparator(color_->count());
    for (const TopologyColor color : topologyLiveColors) {
        color_->addItem(topologyLiveName(color), static_cast<int>(color));
        const QString& missing = live_->figure(color).missing;
        const int row = color_->count() - 1;
        color_->setItemData(row, missing, Qt::ToolTipRole);
        if (auto* model = qobject_cast<QStandardItemModel*>(color_->model()))
            model->item(row)->setEnabled(missing.isEmpty());
    }
}

void TopologyView::renewLive() {
    live_ = data_ ? std::make_shared<const TopologyLive>(topologyLive(*data_, measured_)) : nullptr;
}

void TopologyView::setMeasured(const TopologyMeasured& measured) {
    measured_ = measured;
    const auto reasons = [this] {
        QStringList out;
        for (const TopologyColor each : topologyLiveColors)
            out.append(live_ ? live_->figure(each).missing : QString());
        return out;
    };
    const QStringList before = reasons();
    renewLive();
    if (reasons() != before) // else the list stays as it is, open or not
        fillColors();
    updateSelection();
}

TopologyView::~TopologyView() = default;

bool TopologyView::isLayingOut() const { return source_->busy(); }

bool TopologyView::canShow(const Estimate&) const { return true; }

void TopologyView::showEstimate() {
    layingOut_->start(tr("Laying out the cluster"));
    if (!data_) {
        none_->setText(tr("Laying out the cluster"), QString());
        pages_->setCurrentWidget(none_);
    }
    source_->ask(document().shownSpec(), document().catalog(), shown());
    showDifference();
}

void TopologyView::take(const std::shared_ptr<const TopologyData>& data, const QString& error) {
    layingOut_->stop();
    data_ = data;
    if (!data_) {
        canvas_->setData(nullptr);
        whatIf_->setAbout(nullptr, {});
        none_->setText(tr("This cluster cannot be drawn"), error);
        pages_->setCurrentWidget(none_);
        dataTable()->setTable({}, {});
        return;
    }
    setNote(text(data_->map.source));
    renewLive();
    fillColors();
    pages_->setCurrentIndex(0);
    canvas_->setData(data_);
    fillTable();
    updateSelection();
    renewCrumbs();
    if (const QString wanted = std::exchange(wantedHost_, {}); !wanted.isEmpty())
        goToHost(wanted);
}

TopologyFocus TopologyView::focusOf(const Selection& selection) const {
    TopologyFocus focus;
    focus.color = static_cast<TopologyColor>(color_->currentData().toInt());
    focus.load = static_cast<TopologyLoad>(load_->currentData().toInt());
    const auto inside = [](const std::optional<int>& index, int count) {
        return index && *index >= 0 && *index < count ? *index : -1;
    };
    focus.live = live_;
    focus.gpu = inside(selection.gpu, data_->gpus());
    focus.host = focus.gpu < 0 ? inside(selection.node, data_->hosts()) : -1;
    if (selection.link && selection.link->index >= 0 &&
        selection.link->index < data_->map.fabric.linkCount(selection.link->kind)) {
        if (selection.link->kind == LinkKind::trunk && data_->map.fabric.parentOf(selection.link->index) < 0)
            focus.node = selection.link->index;
        else
            focus.link = selection.link;
        if (selection.link->kind == LinkKind::trunk)
            focus.node = selection.link->index;
    }
    for (const GroupKind kind : data_->kinds)
        if (text(groupWord(kind)) == selection.group)
            focus.group = kind;
    if (focus.gpu >= 0 && pathTo_ != focus.gpu && pathTo_ < data_->gpus())
        focus.pathTo = pathTo_;
    return focus;
}

void TopologyView::updateSelection() {
    if (!data_)
        return;
    const TopologyFocus focus = focusOf(document().selection());
    canvas_->setPicture(focus);
    TopologyFacts facts = topologyFacts(*data_, focus);
    if (before_ && (focus.link || (focus.gpu < 0 && focus.host < 0 && focus.node < 0)))
        tellBaseline(facts, *before_, focus);
    inspector_->setFacts(facts, focus.group);
    whatIf_->setAbout(data_, focus);
    canvas_->setAccessibleDescription(topologyWords(facts));
    legend_->setLegend(topologyLegend(*data_, focus, theme()));
    const int host = focus.gpu >= 0 ? data_->map.fabric.hostOf(focus.gpu) : focus.host;
    dataTable()->setCurrentKey(host >= 0 ? QString::number(host) : QString());
    renewCrumbs();
}

void TopologyView::renewPicture() { updateSelection(); }

void TopologyView::choose(const TopologyThing& thing) {
    Selection selection = document().selection();
    const std::optional<int> before = selection.gpu;
    selection.gpu.reset();
    selection.node.reset();
    selection.link = thing.link;
    if (thing.gpu >= 0)
        selection.gpu = thing.gpu;
    else if (thing.host >= 0)
        selection.node = thing.host;
    else if (thing.node >= 0)
        selection.link = LinkId{LinkKind::trunk, thing.node};
    else if (thing.card >= 0 && data_ && data_->scene.cards()[ix(thing.card)].node >= 0)
        selection.link = LinkId{LinkKind::trunk, data_->scene.cards()[ix(thing.card)].node};
    if (selection.gpu != before)
        pathTo_ = -1;
    document().setSelection(selection);
}

void TopologyView::chooseGroup(std::optional<GroupKind> kind) {
    Selection selection = document().selection();
    selection.group = kind ? text(groupWord(*kind)) : QString();
    pathTo_ = -1;
    if (kind && shown())
        selectCommunication(selection, *shown());
    document().setSelection(selection);
    updateSelection();
}

void TopologyView::stepGroup(int step) {
    if (!data_)
        return;
    const auto count = static_cast<int>(data_->kinds.size()) + 1; // and all of them together
    const auto& group = canvas_->picture().group;
    const auto found = group ? std::ranges::find(data_->kinds, *group) : data_->kinds.end();
    const int now = found == data_->kinds.end() ? 0 : static_cast<int>(found - data_->kinds.begin()) + 1;
    const int next = (now + step + count) % count;
    chooseGroup(next == 0 ? std::nullopt : std::optional(data_->kinds[ix(next - 1)]));
}

void TopologyView::showPathTo(int gpu) {
    pathTo_ = gpu;
    updateSelection();
}

bool TopologyView::goToWords(const QString& words) {
    if (!data_)
        return false;
    const QList<TopologyHit> found = searchTopology(*data_, words, 1);
    if (found.isEmpty())
        return false;
    choose(found.first().thing);
    canvas_->goTo(found.first().thing);
    return true;
}

bool TopologyView::goToHost(const QString& name) {
    if (!data_) {
        wantedHost_ = name;
        return true;
    }
    const int host = measuredHost(*data_, name.toStdString());
    if (host < 0)
        return false;
    const TopologyThing thing{.host = host, .link = {}};
    choose(thing);
    canvas_->goTo(thing);
    canvas_->setFocus(Qt::OtherFocusReason);
    return true;
}

void TopologyView::renewHits() {
    hits_->clear();
    if (!data_)
        return;
    for (const TopologyHit& hit : searchTopology(*data_, search_->text()))
        hits_->appendRow(new QStandardItem(hit.name + QStringLiteral("  ") + hit.detail));
}

void TopologyView::renewCrumbs() {
    if (!data_)
        return;
    QStringList path{data_->map.fabric.nodes() > 0 ? tr("UltraCluster") : tr("Cluster")};
    const TopologyLevel level = canvas_->level();
    const int host = canvas_->levelHost();
    if (level != TopologyLevel::cluster && host >= 0) {
        path.append(shortName(data_->cardName(data_->scene.cardOf(host)), 22));
        if (level != TopologyLevel::card)
            path.append(shortName(data_->hostName(host), 22));
        if (level == TopologyLevel::gpu) {
            const int gpu = canvas_->picture().gpu;
            path.append(gpu >= 0 && data_->map.fabric.hostOf(gpu) == host ? data_->gpuName(gpu) : tr("GPUs"));
        }
    } else
        path[0] += data_->gpus() == 1 ? tr(", 1 GPU") : tr(", %L1 GPUs").arg(data_->gpus());
    crumbs_->setPath(path);
}

void TopologyView::fillTable() {
    if (!data_ || !isDataShown())
        return;
    dataTable()->setTable(topologyColumns(), topologyRows(*data_, canvas_->picture().load));
}

void TopologyView::chooseRow(const QString& key) {
    bool isHost = false;
    const int host = key.toInt(&isHost);
    if (isHost)
        choose({.host = host, .link = {}});
}

void TopologyView::showMenu(const QPoint& globalPosition) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QPoint place = canvas_->mapFromGlobal(globalPosition);
    const TopologyThing thing = canvas_->rect().contains(place) ? canvas_->thingAt(place) : TopologyThing();
    if (thing.gpu >= 0 && canvas_->picture().gpu >= 0 && thing.gpu != canvas_->picture().gpu)
        connect(menu->addAction(tr("Path to %1").arg(data_->gpuName(thing.gpu))), &QAction::triggered, this,
                [this, gpu = thing.gpu] { showPathTo(gpu); });
    connect(menu->addAction(tr("Go in")), &QAction::triggered, canvas_, &TopologyCanvas::enter);
    connect(menu->addAction(tr("Go out")), &QAction::triggered, canvas_, &TopologyCanvas::leave);
    connect(menu->addAction(icon(QLatin1StringView("fit")), tr("Fit")), &QAction::triggered, canvas_,
            &TopologyCanvas::fit);
    fillExportMenu(menu->addMenu(icon(QLatin1StringView("export")), tr("Export")));
    menu->popup(globalPosition);
}

TopologyPicture TopologyView::snapshot() const {
    return {data_, canvas_->picture(), canvas_->camera(), canvas_->size(), theme().fontScale()};
}

QString TopologyView::exportTo(const QString& file, bool whole) {
    if (!data_)
        return tr("there is no cluster to write");
    return exportTopology(snapshot(), file, whole);
}

void TopologyView::askForFile(const QString& suffix, const std::function<QString(const QString&)>& write) {
    auto* dialog = new QFileDialog(this, tr("Export the topology"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(suffix.toUpper() + QStringLiteral(" (*.") + suffix + QLatin1Char(')'));
    dialog->selectFile(QStringLiteral("topology.") + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, write](const QString& file) {
        writer_->start([this, write, file, pending = PendingWrite()](const LatestWorker::Turn& turn) {
            const QString reason = write(file);
            turn.post([this, reason] {
                failure_->setText(reason.isEmpty() ? QString() : tr("Not written: %1").arg(reason));
                failure_->setVisible(!reason.isEmpty());
            });
        });
    });
    dialog->open();
}

/// No focus proxy: Tab would go from the page to the picture, over all that is in between.
void TopologyView::focusInEvent(QFocusEvent* event) { canvas_->setFocus(event->reason()); }

void TopologyView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Slash && event->modifiers() == Qt::NoModifier) {
        search_->setFocus(Qt::ShortcutFocusReason);
        search_->selectAll();
        return;
    }
    if (event->key() == Qt::Key_Escape && search_->hasFocus()) {
        search_->clear();
        canvas_->setFocus(Qt::OtherFocusReason);
        return;
    }
    EstimateView::keyPressEvent(event);
}

void TopologyView::resizeEvent(QResizeEvent* event) {
    EstimateView::resizeEvent(event);
    inspector_->setVisible(width() >= theme().px(inspectorFrom));
}

} // namespace alidade::views
