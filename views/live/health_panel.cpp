// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/health_panel.h"

#include "model/units/constants.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/tag.h"
#include "views/kit/text_label.h"
#include "views/live/live_text.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QInputDialog>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr std::size_t shownAtFirst = 40; // cards

bool isSame(const Finding& a, const Finding& b) {
    return a.kind == b.kind && a.code == b.code && a.where == b.where && a.start == b.start;
}

} // namespace

HealthPanel::HealthPanel(LiveSession* session, QWidget* parent)
    : QWidget(parent)
    , session_(session)
    , urgent_(new Badge(BadgeKind::err))
    , watched_(new Badge(BadgeKind::warn))
    , policies_(new QComboBox)
    , scroll_(new QScrollArea)
    , none_(
          new TextLabel(FontRole::small, Role::text2, tr("No faults of this job's nodes in the time shown.")))
    , list_(new QVBoxLayout)
    , more_(new QPushButton)
    , exclude_(new QPushButton)
    , topology_(new QPushButton(tr("Show in topology")))
    , details_(new QPushButton(tr("Node…")))
    , muted_(new QPushButton) {
    const Theme& look = theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    auto* content = new QWidget;
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    list_->setContentsMargins(0, 0, 0, 0);
    list_->setSpacing(0);
    auto* label = static_cast<TextLabel*>(none_);
    label->setWordWrap(true);
    label->setContentsMargins(look.px(14), look.px(12), look.px(14), look.px(12));
    list_->addWidget(none_);
    more_->setFlat(true);
    more_->hide();
    list_->addWidget(more_);
    muted_->setFlat(true);
    muted_->hide();
    list_->addWidget(muted_);
    list_->addStretch(1);
    content->setLayout(list_);
    scroll_->setWidget(content);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setMinimumHeight(look.px(90));
    column->addWidget(scroll_, 1);
    auto* foot = new QWidget;
    foot->setAutoFillBackground(true);
    foot->setBackgroundRole(QPalette::Base);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(10));
    row->setSpacing(look.px(8));
    exclude_->setDefault(true);
    row->addWidget(exclude_);
    row->addWidget(topology_);
    row->addStretch(1);
    column->addWidget(foot);
    setAccessibleName(tr("Health"));
    connect(exclude_, &QPushButton::clicked, this, [this] { emit excludeRequested(replace_); });
    connect(topology_, &QPushButton::clicked, this, [this] { emit topologyRequested(ailing_); });
    connect(details_, &QPushButton::clicked, this, [this] {
        const auto& result = session_->state()->result;
        const QString first = !current_.isEmpty()  ? current_
                              : !ailing_.isEmpty() ? ailing_.front()
                              : result && !result->observation->hosts.empty()
                                  ? text(result->observation->hosts.front())
                                  : QString();
        if (!first.isEmpty())
            emit detailsRequested(first);
    });
    connect(muted_, &QPushButton::clicked, this, [this] {
        showMuted_ = !showMuted_;
        setFindings(std::vector<Finding>(findings_), rangeLength_);
    });
    connect(more_, &QPushButton::clicked, this, [this] {
        all_ = true;
        setFindings(std::vector<Finding>(findings_), rangeLength_);
    });
    connect(policies_, &QComboBox::activated, this, [this](int index) {
        const QString id = policies_->itemData(index).toString();
        if (!id.isEmpty())
            return session_->choosePolicy(id.toStdString());
        fillPolicies(); // back to the one that holds
        emit editPolicyRequested();
    });
    connect(session, &LiveSession::choicesChanged, this, &HealthPanel::fillPolicies);
    fillPolicies();
    showCounts();
}

QWidget* HealthPanel::makeHead() {
    auto* head = new DockTitleBar({}, tr("Health"));
    head->addRight(urgent_);
    head->addRight(watched_);
    policies_->setAccessibleName(tr("Health policy"));
    policies_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    policies_->setMinimumContentsLength(8);
    auto* part = new QWidget;
    part->setAutoFillBackground(true);
    part->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(theme().px(12), theme().px(6), theme().px(10), theme().px(2));
    row->setSpacing(theme().px(8));
    row->addWidget(new TextLabel(FontRole::small, Role::text2, tr("Policy")));
    row->addWidget(policies_, 1);
    details_->setToolTip(tr("GPUs, EFA devices and exporters of the chosen node"));
    row->addWidget(details_);
    column->addLayout(row);
    return part;
}

void HealthPanel::fillPolicies() {
    const QSignalBlocker quiet(policies_);
    policies_->clear();
    for (const HealthPolicy& policy : session_->policies())
        policies_->addItem(text(policy.name), text(policy.id));
    const HealthPolicy* now = session_->policy();
    policies_->insertSeparator(policies_->count());
    policies_->addItem(tr("Edit the policy…"), QString());
    policies_->setCurrentIndex(now ? policies_->findData(text(now->id)) : -1);
    policies_->setToolTip(now ? tr("Health policy: %1").arg(text(now->name)) : QString());
}

void HealthPanel::setFindings(const std::vector<Finding>& findings, double rangeLength) {
    findings_ = findings;
    rangeLength_ = rangeLength;
    const std::vector<Finding> shown = showMuted_ ? findings_ : quiet();
    const std::size_t count = all_ ? shown.size() : std::min(shown.size(), shownAtFirst);
    QList<HealthCard*> old = cards_;
    cards_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const auto kept = std::ranges::find_if(
            old, [&](const HealthCard* card) { return isSame(card->finding(), shown[i]); });
        HealthCard* card = nullptr;
        if (kept != old.end()) {
            card = *kept;
            old.erase(kept);
        } else {
            card = new HealthCard;
            connect(card, &HealthCard::clicked, this, [this, card] { emit findingChosen(card->finding()); });
            card->setContextMenuPolicy(Qt::CustomContextMenu);
            connect(card, &QWidget::customContextMenuRequested, this,
                    [this, card](const QPoint& at) { showMarkMenu(card, card->mapToGlobal(at)); });
        }
        card->setFinding(shown[i], rangeLength);
        const auto mark = marks_.find(markKey(shown[i]));
        card->setMark(mark == marks_.end() ? FindingMark{} : mark->second, session_->now());
        if (list_->indexOf(card) != static_cast<int>(i)) {
            list_->removeWidget(card);
            list_->insertWidget(static_cast<int>(i), card);
        }
        cards_.append(card);
    }
    qDeleteAll(old);
    more_->setText(tr("Show all %1").arg(shown.size()));
    more_->setVisible(count < shown.size());
    none_->setVisible(shown.empty());
    const std::size_t muted = findings_.size() - quiet().size();
    muted_->setVisible(muted > 0);
    muted_->setText(showMuted_ ? tr("Hide what is muted") : tr("%1 muted").arg(muted));
    showCounts();
}

void HealthPanel::showCounts() {
    replace_.clear();
    ailing_.clear();
    int watched = 0, soon = 0, now = 0;
    QStringList others;
    for (const Finding& finding : quiet()) {
        const QString host = hostOf(finding);
        if (finding.action == HealthAction::replaceNode && !host.isEmpty() && !replace_.contains(host))
            replace_.append(host);
        if (finding.action != HealthAction::ignore && !host.isEmpty() && !ailing_.contains(host))
            ailing_.append(host);
        const FindingLevel level = levelOf(finding.action);
        now += level == FindingLevel::now ? 1 : 0;
        soon += level == FindingLevel::soon ? 1 : 0;
        watched += level == FindingLevel::watch ? 1 : 0;
        if (finding.action > HealthAction::watch && finding.action != HealthAction::replaceNode)
            others.append(text(finding.title) + QStringLiteral(": ") + actionText(finding.action));
    }
    const int nodes = static_cast<int>(replace_.size());
    urgent_->setState(BadgeKind::err, tr("%1 now").arg(now));
    urgent_->setVisible(now > 0);
    QStringList later;
    if (soon > 0)
        later.append(tr("%1 soon").arg(soon));
    if (watched > 0)
        later.append(tr("%1 to watch").arg(watched));
    if (later.isEmpty())
        watched_->setState(BadgeKind::ok, tr("healthy"));
    else
        watched_->setState(BadgeKind::warn, later.join(QStringLiteral(", ")));
    watched_->setVisible(!later.isEmpty() || now == 0);
    watched_->setToolTip(others.join(QLatin1Char('\n')));
    exclude_->setText(tr("Exclude %1 from plan").arg(counted(nodes, tr("node"), tr("nodes"))));
    exclude_->setToolTip(replace_.join(QStringLiteral(", ")));
    exclude_->setVisible(nodes > 0);
    topology_->setVisible(!ailing_.isEmpty());
}

void HealthPanel::setMarks(const FindingMarks& marks) {
    marks_ = marks;
    setFindings(std::vector<Finding>(findings_), rangeLength_);
}

/// Without those that are muted.
std::vector<Finding> HealthPanel::quiet() const {
    std::vector<Finding> out;
    const double now = session_->now();
    std::ranges::copy_if(findings_, std::back_inserter(out), [&](const Finding& finding) {
        const auto mark = marks_.find(markKey(finding));
        return mark == marks_.end() || !isMuted(mark->second, now);
    });
    return out;
}

void HealthPanel::showMarkMenu(HealthCard* card, const QPoint& at) {
    const QString key = text(markKey(card->finding()));
    const auto found = marks_.find(key.toStdString());
    const FindingMark mark = found == marks_.end() ? FindingMark{} : found->second;
    const double now = session_->now();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto change = [this, key, mark, now](auto edit) {
        return [this, key, changed = mark, now, edit]() mutable {
            edit(changed);
            changed.at = now;
            emit markRequested(key, changed);
        };
    };
    menu->addAction(mark.acknowledged ? tr("Not acknowledged") : tr("Acknowledge"), this,
                    change([](FindingMark& m) { m.acknowledged = !m.acknowledged; }));
    QMenu* mute = menu->addMenu(tr("Mute"));
    for (const double hours : {1.0, 8.0, 24.0, 168.0})
        mute->addAction(tr("For %1").arg(lengthText(hours * secondsPerHour)), this,
                        change([=](FindingMark& m) { m.mutedUntil = now + hours * secondsPerHour; }));
    mute->addAction(tr("Permanently"), this,
                    change([](FindingMark& m) { m.mutedUntil = std::numeric_limits<double>::infinity(); }));
    if (isMuted(mark, now))
        menu->addAction(tr("No longer muted"), this, change([](FindingMark& m) { m.mutedUntil.reset(); }));
    menu->addAction(mark.note.empty() ? tr("Annotate…") : tr("Change the note…"), this,
                    [this, key] { annotate(key); });
    if (const QString host = hostOf(card->finding()); !host.isEmpty()) {
        menu->addSeparator();
        menu->addAction(tr("Node…"), this, [this, host] { emit detailsRequested(host); });
    }
    menu->popup(at);
}

void HealthPanel::annotate(const QString& key) {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Note"));
    dialog->setLabelText(tr("Note on this finding; leave empty to remove it:"));
    const auto found = marks_.find(key.toStdString());
    const FindingMark mark = found == marks_.end() ? FindingMark{} : found->second;
    dialog->setTextValue(text(mark.note));
    connect(dialog, &QInputDialog::textValueSelected, this, [this, key, mark](const QString& note) {
        FindingMark changed = mark;
        changed.note = note.trimmed().toStdString();
        changed.at = session_->now();
        emit markRequested(key, changed);
    });
    dialog->open();
}

void HealthPanel::setCurrentHost(const QString& host) {
    current_ = host;
    for (HealthCard* card : std::as_const(cards_))
        card->setCurrent(!host.isEmpty() && hostOf(card->finding()) == host);
}

} // namespace alidade::views
