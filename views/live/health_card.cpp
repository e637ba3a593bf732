// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/health_card.h"

#include "views/icons/icon.h"
#include "views/kit/keyboard_focus.h"
#include "views/kit/paint.h"
#include "views/kit/text_label.h"
#include "views/live/live_text.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QPainter>

#include <cmath>

namespace alidade::views {
namespace {

QString costText(const Finding& finding) {
    if (!finding.cost || finding.cost->seconds <= 0)
        return {};
    QStringList parts;
    if (finding.cost->steps >= 0.5)
        parts.append(counted(static_cast<int>(std::lround(finding.cost->steps)), HealthCard::tr("step"),
                             HealthCard::tr("steps")));
    else
        parts.append(quantity(finding.cost->seconds, Dimension::seconds));
    if (finding.cost->share > 0)
        parts.append(quantity(finding.cost->share, Dimension::ratio, {.significant = 2}));
    if (finding.cost->dollars)
        parts.append(glance(*finding.cost->dollars, Dimension::dollars));
    return HealthCard::tr("Cost %1.").arg(parts.join(QStringLiteral(", ")));
}

QString sentence(QString words) {
    words = words.trimmed();
    if (!words.isEmpty() && !words.endsWith(QLatin1Char('.')))
        words += QLatin1Char('.');
    return words;
}

} // namespace

HealthCard::HealthCard(QWidget* parent)
    : QAbstractButton(parent)
    , icon_(new QLabel)
    , title_(new TextLabel(FontRole::strong, Role::text))
    , time_(new TextLabel(FontRole::small, Role::text))
    , detail_(new TextLabel(FontRole::small, Role::text2))
    , others_(new TextLabel(FontRole::small, Role::accent))
    , cost_(new TextLabel(FontRole::small, Role::text))
    , mark_(new TextLabel(FontRole::small, Role::text2)) {
    const Theme& look = theme();
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8));
    grid->setHorizontalSpacing(look.px(8));
    grid->setVerticalSpacing(look.px(2));
    grid->setColumnStretch(1, 1);
    grid->addWidget(icon_, 0, 0, Qt::AlignTop);
    grid->addWidget(title_, 0, 1, Qt::AlignTop);
    grid->addWidget(time_, 0, 2, Qt::AlignTop);
    for (TextLabel* label : {title_, detail_, others_, cost_, mark_})
        label->setWordWrap(true);
    grid->addWidget(detail_, 1, 1, 1, 2);
    grid->addWidget(others_, 2, 1, 1, 2);
    grid->addWidget(cost_, 3, 1, 1, 2);
    grid->addWidget(mark_, 4, 1, 1, 2);
    mark_->hide();
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    for (QLabel* label :
         {icon_, static_cast<QLabel*>(title_), static_cast<QLabel*>(time_), static_cast<QLabel*>(detail_),
          static_cast<QLabel*>(others_), static_cast<QLabel*>(cost_), static_cast<QLabel*>(mark_)})
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(&ThemeController::instance(), &ThemeController::changed, this, &HealthCard::renewIcon);
}

void HealthCard::setFinding(const Finding& finding, double rangeLength) {
    finding_ = finding;
    const auto say = [](TextLabel* label, const QString& words) {
        if (label->text() != words)
            label->setText(words);
        label->setVisible(!words.isEmpty());
    };
    say(title_, views::text(finding.title));
    say(time_, spanText(finding, rangeLength));
    QStringList parts;
    for (const std::string& part : {finding.evidence, finding.advice})
        if (!part.empty())
            parts.append(sentence(views::text(part)));
    say(detail_, parts.join(QLatin1Char(' ')));
    QStringList others;
    for (const std::string& other : finding.otherAdvice)
        others.append(views::text(other));
    say(others_, others.join(QStringLiteral("; ")));
    say(cost_, costText(finding));
    setAccessibleName(tr("%1: %2").arg(title_->text(), actionText(finding.action)));
    setAccessibleDescription(time_->text() + QStringLiteral(". ") + detail_->text() + QLatin1Char(' ') +
                             others_->text() + QLatin1Char(' ') + cost_->text());
    setToolTip(tr("%1. A click shows the time and the node.").arg(actionText(finding.action)));
    renewIcon();
    updateGeometry();
}

QString HealthCard::markText() const { return mark_->text(); }

void HealthCard::setMark(const FindingMark& mark, double now) {
    QStringList parts;
    if (mark.acknowledged)
        parts.append(tr("acknowledged %1").arg(clockText(mark.at, 1e9)));
    if (isMuted(mark, now))
        parts.append(std::isfinite(*mark.mutedUntil)
                         ? tr("muted until %1").arg(clockText(*mark.mutedUntil, 1e9))
                         : tr("muted"));
    if (!mark.note.empty())
        parts.append(QStringLiteral("\u201c") + views::text(mark.note) + QStringLiteral("\u201d"));
    const QString words = parts.join(QStringLiteral(", "));
    if (words == mark_->text())
        return;
    mark_->setText(words);
    mark_->setVisible(!words.isEmpty());
    setAccessibleDescription(accessibleDescription() + QLatin1Char(' ') + words);
    updateGeometry();
}

void HealthCard::renewIcon() {
    const bool urgent = isUrgent(finding_.action);
    const char* name = urgent ? "error" : finding_.action == HealthAction::ignore ? "info" : "warning";
    const Role ink = urgent ? Role::err : finding_.action == HealthAction::ignore ? Role::text2 : Role::warn;
    const QSize size(theme().px(16), theme().px(16));
    icon_->setPixmap(views::icon(QLatin1StringView(name), ink).pixmap(size, devicePixelRatioF()));
}

void HealthCard::setCurrent(bool on) {
    if (on == current_)
        return;
    current_ = on;
    update();
}

QSize HealthCard::sizeHint() const { return layout()->sizeHint(); }
QSize HealthCard::minimumSizeHint() const { return {theme().px(160), layout()->minimumSize().height()}; }
int HealthCard::heightForWidth(int width) const { return layout()->heightForWidth(width); }

void HealthCard::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.fillRect(rect(), look.color(current_ ? Role::sel : underMouse() ? Role::alt : Role::base));
    painter.fillRect(QRect(0, height() - 1, width(), 1), look.color(Role::grid));
    if (keyboardFocus(this))
        paintFocus(painter, QRectF(rect()).adjusted(1, 1, -1, -2));
}

void HealthCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return click();
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        focusNextPrevChild(event->key() == Qt::Key_Down);
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

void HealthCard::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void HealthCard::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

} // namespace alidade::views
