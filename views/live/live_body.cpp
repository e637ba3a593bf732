// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_body.h"

#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/text_label.h"
#include "views/live/answer_panel.h"
#include "views/live/calibration_card.h"
#include "views/live/health_panel.h"
#include "views/live/live_charts.h"
#include "views/live/live_keys.h"
#include "views/live/node_dialog.h"
#include "views/live/node_map_view.h"
#include "views/theme/theme_controller.h"

#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double sideWidth = 340;
constexpr double narrowSide = 290, wideFrom = 1150; // width of the body
constexpr double lowBody = 760;                     // height
constexpr double aroundFinding = 0.5;               // of a finding's length, shown on each side
constexpr double leastAround = 300;                 // s

/// A flat button that opens a menu; without the mark that the style would lay over its words.
struct MenuButton {
    QToolButton* button;
    QMenu* menu;
};
MenuButton menuButton(const QString& words, const QString& hint) {
    auto* button = new QToolButton;
    auto* menu = new QMenu(button);
    button->setText(words);
    button->setToolTip(hint);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    QObject::connect(button, &QToolButton::clicked, menu, [button, menu] {
        menu->popup(
            button->mapToGlobal(QPoint(button->width() - menu->sizeHint().width(), button->height())));
    });
    return {button, menu};
}

} // namespace

LiveBody::LiveBody(LiveSession* session, LiveTime* time, QWidget* parent)
    : QWidget(parent)
    , session_(session)
    , time_(time)
    , charts_(new LiveCharts(time))
    , nodes_(new NodeMapView(time))
    , answer_(new AnswerPanel)
    , health_(new HealthPanel(session))
    , calibration_(new CalibrationCard) {
    auto* left = new QSplitter(Qt::Vertical);
    left->setHandleWidth(1);
    left->setChildrenCollapsible(false);
    left->addWidget(makeCharts());
    left->addWidget(makeNodes());
    left->setStretchFactor(0, 1);
    left->setStretchFactor(1, 1);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(left, 1);
    side_ = makeSide();
    row->addWidget(side_);
    connect(nodes_, &NodeMapView::hostChosen, this, &LiveBody::hostChosen);
    connect(health_, &HealthPanel::findingChosen, this, &LiveBody::goTo);
    connect(session, &LiveSession::excludedChanged, this, &LiveBody::showExcluded);
    connect(session, &LiveSession::pinnedChanged, this, &LiveBody::comparePinned);
    connect(charts_, &LiveCharts::leaveOutRequested, this, &LiveBody::leaveOut);
    connect(charts_, &LiveCharts::useAgainRequested, session, [session] { session->setLeftOut({}); });
    connect(charts_, &LiveCharts::prometheusRequested, this, &LiveBody::prometheusRequested);
    connect(charts_, &LiveCharts::grafanaRequested, this, &LiveBody::grafanaRequested);
    connect(health_, &HealthPanel::detailsRequested, this, &LiveBody::showNode);
}

QWidget* LiveBody::makeCharts() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    chartsTitle_ = new DockTitleBar({}, tr("Plan against actual"));
    chartsTitle_->setSubtitle(tr("one crosshair for all charts"));
    chartsTitle_->addRight(new ChartKey);
    const MenuButton notes = menuButton({}, tr("Values that could not be read or compared"));
    notesButton_ = notes.button;
    notesMenu_ = notes.menu;
    notesButton_->hide();
    chartsTitle_->addRight(notesButton_);
    pinButton_ = new QToolButton;
    pinButton_->setAutoRaise(true);
    pinButton_->setCheckable(true);
    pinButton_->setText(tr("Compare"));
    pinButton_->setToolTip(tr("Keep the current curves as a faint reference"));
    pinButton_->setFocusPolicy(Qt::TabFocus);
    connect(pinButton_, &QToolButton::clicked, this, [this](bool on) {
        if (on)
            session_->pin();
        else
            session_->unpin();
        comparePinned();
    });
    chartsTitle_->addRight(pinButton_);
    const MenuButton choose = menuButton(tr("Charts…"), tr("Charts to show"));
    connect(choose.button, &QToolButton::pressed, this,
            [this, menu = choose.menu] { charts_->fillMenu(menu); });
    chartsTitle_->addRight(choose.button);
    column->addWidget(chartsTitle_);
    auto* scroll = new QScrollArea;
    scroll->setWidget(charts_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    column->addWidget(scroll, 1);
    part->setMinimumHeight(theme().px(220));
    return part;
}

QWidget* LiveBody::makeNodes() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    nodesTitle_ = new DockTitleBar({}, tr("Nodes"));
    nodesTitle_->addRight(new NodeKey);
    auto* order = new SegmentedButtons;
    order->setOptions(QStringList{tr("By name"), tr("Slowest first")});
    order->setCurrentIndex(0);
    order->setAccessibleName(tr("Order of the nodes"));
    order->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    nodesTitle_->addRight(order);
    connect(order, &SegmentedButtons::currentEdited, nodes_,
            [this](int index) { nodes_->setByWorst(index == 1); });
    column->addWidget(nodesTitle_);
    column->addWidget(nodes_, 1);
    return part;
}

QWidget* LiveBody::makeSide() {
    auto* side = new QFrame;
    side->setAutoFillBackground(true);
    side->setBackgroundRole(QPalette::Base);
    side->setObjectName(QStringLiteral("liveSide"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(1, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(answer_);
    column->addWidget(health_, 1);
    column->addWidget(calibration_);
    return side;
}

void LiveBody::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    calibration_->setCompact(height() < theme().px(lowBody)); // the findings need the room
    side_->setFixedWidth(theme().px(width() >= theme().px(wideFrom) ? sideWidth : narrowSide));
}

void LiveBody::show(const LiveState& state) {
    const bool stale = state.phase == LivePhase::stale;
    const auto& result = state.result;
    charts_->setStale(stale && result ? std::optional(std::isfinite(result->observation->newest)
                                                          ? result->observation->newest
                                                          : result->observation->grid.end())
                                      : std::nullopt);
    showNotes(state);
    if (!result || result == shown_)
        return;
    shown_ = result;
    if (!(span_ == session_->span()))
        time_->reset(); // another range is asked for to be seen whole
    span_ = session_->span();
    const TimeGrid& grid = result->observation->grid;
    const double length = grid.end() - grid.start;
    time_->setWhole(grid.start, std::max(grid.end(), grid.start + grid.step));
    nodes_->setResult(result);
    // Charts and map are aligned, so that one crosshair runs through them.
    const Theme& look = theme();
    const QFontMetrics small(look.font(FontRole::small));
    const int left = std::max(look.px(58), nodes_->nameWidth() + look.px(16));
    const int right = std::max(look.px(96), nodes_->nameWidth() + look.px(22));
    nodes_->setMargins(left, right);
    charts_->setMargins(left, right);
    showExcluded();
    charts_->setResult(*result);
    nodesTitle_->setSubtitle(text(result->nodes.title));
    // Engines that serve do not wait for each other: there is nothing to compare.
    nodes_->parentWidget()->setVisible(
        std::ranges::any_of(result->nodes.values, [](double each) { return std::isfinite(each); }));
    answer_->setComparison(result->comparison);
    health_->setFindings(result->findings, length);
    calibration_->setQuiet(result->quiet, length);
    comparePinned();
    renewNode();
}

void LiveBody::showExcluded() {
    std::vector<ExcludedWindow> all = session_->excluded();
    all.insert(all.end(), session_->leftOut().begin(), session_->leftOut().end());
    charts_->setExcluded(all);
}

void LiveBody::leaveOut(double start, double end) {
    std::vector<ExcludedWindow> windows = session_->leftOut();
    windows.push_back({start, end, tr("excluded manually").toStdString()});
    session_->setLeftOut(std::move(windows));
}

/// What is pinned is not a comparison to itself.
void LiveBody::comparePinned() {
    const auto& pinned = session_->pinned();
    const bool other = pinned && pinned != session_->state()->result;
    pinButton_->setChecked(pinned != nullptr);
    QString name;
    if (pinned) {
        const TimeGrid& grid = pinned->observation->grid;
        name = spanText(grid.start, grid.end(), 1e9);
        if (!pinned->request.job.empty())
            name = text(pinned->request.job) + QStringLiteral(", ") + name;
    }
    pinButton_->setText(pinned ? tr("Compared with %1").arg(name) : tr("Compare"));
    charts_->setReference(other ? pinned : nullptr, name);
}

NodeDialog* LiveBody::nodeDialog() const { return node_; }

void LiveBody::showNode(const QString& host) {
    if (!node_) {
        node_ = new NodeDialog(this);
        node_->setAttribute(Qt::WA_DeleteOnClose);
        connect(node_, &QDialog::finished, this, [this] { session_->setDetailHost({}); });
        connect(node_, &NodeDialog::hostChosen, this, [this](const QString& other) {
            emit hostChosen(other);
            showNode(other);
        });
    }
    node_->setProperty("host", host);
    session_->setDetailHost(host.toStdString());
    renewNode();
    node_->show();
    node_->raise();
}

void LiveBody::renewNode() {
    const auto& result = session_->state()->result;
    if (!node_ || !result)
        return;
    const Observation& seen = *result->observation;
    QStringList hosts;
    for (const std::string& host : seen.hosts)
        hosts.append(text(host));
    const QString host = node_->property("host").toString();
    node_->setHosts(hosts, host);
    const bool looked = result->detailHost == host.toStdString();
    node_->setDetail(nodeDetail(seen, host.toStdString(), result->findings,
                                looked ? result->traffic : std::vector<SignalTable>()),
                     seen.grid.end() - seen.grid.start);
}

void LiveBody::showNotes(const LiveState& state) {
    QStringList notes;
    if (state.result) {
        if (!state.result->planError.empty())
            notes.append(tr("The plan cannot be estimated: %1").arg(text(state.result->planError)));
        for (const std::string& note : state.result->comparison.notes)
            notes.append(text(note));
        for (const std::string& warning : state.result->observation->warnings)
            notes.append(text(warning));
        for (const MissingSignal& missing : state.result->observation->missing)
            if (!missing.why.empty())
                notes.append(text(signalInfo(missing.signal).label) + QStringLiteral(": ") +
                             text(missing.why));
    }
    notes.removeDuplicates();
    if (notes == notes_)
        return;
    notes_ = notes;
    notesButton_->setVisible(!notes.isEmpty());
    notesButton_->setText(counted(static_cast<int>(notes.size()), tr("note"), tr("notes")));
    notesButton_->setAccessibleDescription(notes.join(QLatin1Char('\n')));
    notesMenu_->clear();
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    for (const QString& note : notes.mid(0, 30)) {
        auto* label = new TextLabel(FontRole::small, Role::text, note);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        column->addWidget(label);
    }
    page->setFixedWidth(theme().px(420));
    auto* action = new QWidgetAction(notesMenu_);
    action->setDefaultWidget(page);
    notesMenu_->addAction(action);
}

void LiveBody::setSelectedHost(const QString& host) {
    nodes_->setSelectedHost(host);
    health_->setCurrentHost(host);
    if (host.isEmpty())
        nodes_->setMark({}, 0, 0);
}

/// A finding is seen with some time before and after.
void LiveBody::goTo(const Finding& finding) {
    const double end = finding.end.value_or(time_->wholeEnd());
    const double around = std::max(leastAround, aroundFinding * (end - finding.start));
    time_->zoomTo(finding.start - around, end + around);
    const QString host = text(finding.where.host);
    nodes_->setMark(host, finding.start, end);
    emit hostChosen(host);
}

} // namespace alidade::views
