// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_bar.h"

#include "views/icons/icon.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/text_label.h"
#include "views/live/live_text.h"
#include "views/live/range_dialog.h"
#include "views/live/source_combo.h"
#include "views/theme/theme_controller.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

#include <array>

namespace alidade::views {
namespace {

constexpr std::array rangeLengths{1800.0, 7200.0, 86400.0, 604800.0}; // s
constexpr int customRange = static_cast<int>(rangeLengths.size());
constexpr std::array refreshIntervals{5.0, 10.0, 30.0, 60.0, 300.0}; // s
constexpr double namedFrom = 1430; // width from which the buttons have words

QComboBox* makeCombo(const QString& name, double width) {
    auto* combo = new QComboBox;
    combo->setAccessibleName(name);
    combo->setToolTip(name);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    combo->setMinimumWidth(theme().px(90));
    combo->setMaximumWidth(theme().px(width));
    combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return combo;
}

} // namespace

LiveBar::LiveBar(LiveSession* session, QWidget* parent)
    : QWidget(parent)
    , session_(session)
    , sources_(new SourceCombo)
    , jobs_(makeCombo(tr("Job"), 220))
    , plans_(makeCombo(tr("Scenario to compare the job with"), 260))
    , refresh_(new QComboBox)
    , ranges_(new SegmentedButtons)
    , following_(new SegmentedButtons)
    , against_(new TextLabel(FontRole::body, Role::text2, tr("against"))) {
    makeParts();
    connect(session, &LiveSession::choicesChanged, this, &LiveBar::fill);
    connect(session, &LiveSession::stateChanged, this, [this] {
        renewAge();
        save_->setEnabled(session_->isCurrent());
    });
    fill();
    renewAge();
}

void LiveBar::makeParts() {
    const Theme& look = theme();
    sources_->setMinimumWidth(look.px(170));
    sources_->setMaximumWidth(look.px(280));
    sources_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    ranges_->setOptions(QStringList{tr("30 min"), tr("2 h"), tr("24 h"), tr("7 d"), tr("Other…")});
    ranges_->setAccessibleName(tr("Time range"));
    following_->setOptions(QStringList{tr("Follow"), tr("Pause")});
    following_->setAccessibleName(tr("Follow live data, or pause"));
    for (SegmentedButtons* buttons : {ranges_, following_})
        buttons->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(look.px(12), look.px(6), look.px(12), look.px(7));
    row->setSpacing(look.px(8));
    row->addWidget(sources_, 3);
    row->addWidget(jobs_, 2);
    row->addWidget(ranges_);
    row->addWidget(following_);
    refresh_->setAccessibleName(tr("Polling interval"));
    refresh_->setToolTip(tr("How often the server is queried while following live data"));
    refresh_->addItem(tr("Auto"), 0.0);
    for (const double seconds : refreshIntervals)
        refresh_->addItem(tr("Every %1").arg(lengthText(seconds)), seconds);
    row->addWidget(refresh_);
    row->addWidget(against_);
    row->addWidget(plans_, 2);
    row->addStretch(0);
    connect_ = addButton("add", tr("Connect…"), tr("Connect to a server, or change a connection"));
    mapping_ = addButton("settings", tr("Mapping…"), tr("How metrics are mapped to signals"));
    save_ = addButton("save", tr("Snapshot"), tr("Save a snapshot of this view to the workspace"));
    save_->setEnabled(false);
    connect(connect_, &QToolButton::clicked, this, &LiveBar::connectRequested);
    connect(mapping_, &QToolButton::clicked, this, &LiveBar::mappingRequested);
    connect(save_, &QToolButton::clicked, this, &LiveBar::saveSnapshotRequested);
    connect(sources_, &QComboBox::activated, this, [this](int index) {
        session_->chooseSource(sources_->itemData(index).toString().toStdString());
    });
    connect(jobs_, &QComboBox::activated, this,
            [this](int index) { session_->chooseJob(jobs_->itemData(index).toString().toStdString()); });
    connect(refresh_, &QComboBox::activated, this,
            [this](int index) { session_->setInterval(refresh_->itemData(index).toDouble()); });
    connect(plans_, &QComboBox::activated, this,
            [this](int index) { session_->choosePlan(plans_->itemData(index).toString().toStdString()); });
    connect(following_, &SegmentedButtons::currentEdited, this,
            [this](int index) { session_->setFollowing(index == 0); });
    connect(ranges_, &SegmentedButtons::currentEdited, this, [this](int index) {
        if (index == customRange)
            return askForRange();
        session_->setSpan({.last = rangeLengths[static_cast<std::size_t>(index)]});
    });
}

QToolButton* LiveBar::addButton(const char* iconName, const QString& text, const QString& hint) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setIcon(icon(QLatin1StringView(iconName)));
    button->setToolTip(hint);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    return button;
}

void LiveBar::askForRange() {
    auto* dialog = new RangeDialog(session_->span(), session_->now(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RangeDialog::chosen, session_, &LiveSession::setSpan);
    connect(dialog, &QDialog::finished, this, &LiveBar::fill);
    dialog->open();
}

void LiveBar::fill() {
    save_->setEnabled(session_->isCurrent()); // what was chosen may not be what is shown
    const auto choose = [](QComboBox* combo, const QString& id) {
        combo->setCurrentIndex(combo->findData(id));
    };
    const auto refill = [&](QComboBox* combo, const QList<std::pair<QString, QString>>& entries,
                            const QString& now) {
        const QSignalBlocker quiet(combo);
        bool same = combo->count() == entries.size();
        for (int i = 0; same && i < combo->count(); ++i)
            same =
                combo->itemText(i) == entries[i].second && combo->itemData(i).toString() == entries[i].first;
        if (!same) {
            combo->clear();
            for (const auto& [id, name] : entries)
                combo->addItem(name, id);
        }
        choose(combo, now);
        combo->update();
    };
    QList<std::pair<QString, QString>> entries;
    for (const LiveSource& source : session_->sources())
        entries.append({text(source.id), text(source.name)});
    refill(sources_, entries, session_->source() ? text(session_->source()->id) : QString());
    entries.clear();
    for (const LiveJob& job : session_->state()->jobs)
        entries.append(
            {text(job.job), job.hosts > 0
                                ? tr("%1, %2").arg(text(job.job), counted(job.hosts, tr("node"), tr("nodes")))
                                : text(job.job)});
    entries.append({QString(), tr("Everything")}); // spares and idle nodes too
    refill(jobs_, entries, text(session_->job().value_or(std::string())));
    jobs_->setEnabled(session_->source() != nullptr && jobs_->count() > 1);
    entries = {{QString(), tr("No plan")}};
    for (const LivePlan& plan : session_->plans())
        entries.append({text(plan.id), text(plan.name)});
    refill(plans_, entries, session_->plan() ? text(session_->plan()->id) : QString());
    const LiveSpan& span = session_->span();
    const auto length = std::ranges::find(rangeLengths, span.last);
    const bool recorded = session_->source() && session_->source()->recorded;
    ranges_->setCurrentIndex(span.fixed ? customRange
                             : recorded || length == rangeLengths.end()
                                 ? -1
                                 : static_cast<int>(length - rangeLengths.begin()));
    following_->setCurrentIndex(span.fixed || recorded ? -1 : session_->isFollowing() ? 0 : 1);
    following_->setEnabled(!span.fixed && !recorded);
    refresh_->setEnabled(session_->isPolling());
    refresh_->setCurrentIndex(std::max(0, refresh_->findData(session_->interval())));
    following_->setToolTip(
        span.fixed || recorded ? tr("History does not change; choose the last hours to follow.") : QString());
    renewAge();
}

void LiveBar::renewAge() {
    const LiveState& state = *session_->state();
    const QString ago = tr("%1 ago").arg(lengthText(session_->age()));
    switch (state.phase) {
    case LivePhase::none:
        return sources_->setCondition(state.phase, {});
    case LivePhase::connecting:
        return sources_->setCondition(state.phase, tr("asking"));
    case LivePhase::failed:
        return sources_->setCondition(state.phase, tr("failed"));
    case LivePhase::stale:
        return sources_->setCondition(state.phase, tr("stale, %1").arg(lengthText(session_->age())));
    case LivePhase::connected:
        break;
    }
    if (session_->source() && session_->source()->recorded)
        return sources_->setCondition(state.phase, tr("snapshot"));
    if (session_->span().fixed)
        return sources_->setCondition(state.phase, tr("history"));
    sources_->setCondition(state.phase, session_->isFollowing() ? ago : tr("paused, %1").arg(ago));
}

void LiveBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool words = width() >= theme().px(namedFrom);
    for (QToolButton* button : {connect_, mapping_, save_})
        button->setToolButtonStyle(words ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
}

void LiveBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::header));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme().color(Role::line));
}

} // namespace alidade::views
