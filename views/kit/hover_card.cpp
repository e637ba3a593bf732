// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/hover_card.h"

#include "views/kit/tag.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QCursor>
#include <QGridLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr int showAfter = 120; // ms
constexpr int shadowWidth = 8;
constexpr int gap = 10; // between the subject and the card
constexpr qsizetype mostRows = 5;
constexpr double widestValue = 340; // logical pixels at 10 pt; what is longer wraps

QPointer<HoverCard>& shared() {
    static QPointer<HoverCard> card;
    return card;
}

} // namespace

HoverCard::HoverCard(QWidget* window)
    : QFrame(window)
    , grid_(new QGridLayout(this))
    , delay_(new QTimer(this)) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    const int margin = shadowWidth + 11;
    grid_->setContentsMargins(margin, margin - 2, margin, margin - 2);
    grid_->setHorizontalSpacing(12);
    grid_->setVerticalSpacing(3);
    grid_->setColumnStretch(1, 1);
    delay_->setSingleShot(true);
    delay_->setInterval(showAfter);
    connect(delay_, &QTimer::timeout, this, [this] {
        if (!owner_)
            return;
        fill();
        place();
        raise();
        QFrame::show();
    });
    QFrame::hide();
}

void HoverCard::showFor(QWidget* owner, const QRect& subject, const CardContent& content) {
    QPointer<HoverCard>& card = shared();
    if (card && card->kept_)
        return;
    if (card && card->parentWidget() != owner->window())
        delete card.data();
    if (!card)
        card = new HoverCard(owner->window());
    const bool same = card->owner_ == owner && card->content_ == content && card->isVisible();
    card->owner_ = owner;
    card->subject_ = subject;
    card->content_ = content;
    if (same)
        card->place();
    else {
        card->QFrame::hide();
        card->delay_->start();
    }
}

void HoverCard::hideFor(QWidget* owner) {
    HoverCard* card = shared();
    if (!card || card->owner_ != owner || card->kept_)
        return;
    if (card->isVisible() && QGuiApplication::keyboardModifiers() & Qt::ControlModifier)
        card->keep();
    else
        card->close();
}

HoverCard* HoverCard::current() { return shared() && shared()->isVisible() ? shared().data() : nullptr; }

QString HoverCard::words(const CardContent& content) {
    QStringList lines{content.title};
    if (content.tag)
        lines.append(theme().classStyle(*content.tag).name);
    for (const auto& [label, value] : content.rows)
        lines.append(label + QStringLiteral(": ") + value);
    return lines.join(QStringLiteral("; "));
}

void HoverCard::fill() {
    while (QLayoutItem* item = grid_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 3);
    row->setSpacing(6);
    row->addWidget(new TextLabel(FontRole::strong, Role::text, content_.title));
    if (content_.tag)
        row->addWidget(new Tag(*content_.tag));
    row->addStretch(1);
    grid_->addWidget(head, 0, 0, 1, 2);
    const int widest = theme().px(widestValue);
    bool sentences = false; // formulas and sources are read from the left
    for (const auto& row : std::as_const(content_.rows))
        sentences =
            sentences || QFontMetrics(theme().font(FontRole::small)).horizontalAdvance(row.second) > widest;
    for (qsizetype i = 0; i < std::min(content_.rows.size(), mostRows); ++i) {
        auto* value = new TextLabel(FontRole::small, Role::text, content_.rows[i].second);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto* label = new TextLabel(FontRole::small, Role::text2, content_.rows[i].first);
        if (sentences) {
            value->setWordWrap(true);
            value->setFixedWidth(widest);
            value->setAlignment(Qt::AlignLeft | Qt::AlignTop);
            label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        }
        grid_->addWidget(label, static_cast<int>(i) + 1, 0);
        grid_->addWidget(value, static_cast<int>(i) + 1, 1);
    }
    setAccessibleName(content_.title);
    setAccessibleDescription(words(content_));
    // Children that were made while the card was hidden count in the size only once they are shown.
    for (QWidget* child : findChildren<QWidget*>())
        child->setVisible(true);
    grid_->activate();
    adjustSize();
}

void HoverCard::place() {
    const QWidget* window = parentWidget();
    const QRect subject(owner_->mapTo(window, subject_.topLeft()), subject_.size());
    const QPoint pointer = window->mapFromGlobal(QCursor::pos());
    const int reach = gap - shadowWidth;
    const QList<QPoint> corners{
        {subject.right() + reach, subject.bottom() + reach},
        {subject.right() + reach, subject.top() - reach - height()},
        {subject.left() - reach - width(), subject.bottom() + reach},
        {subject.left() - reach - width(), subject.top() - reach - height()},
    };
    const auto fits = [&](const QPoint& corner) {
        const QRect card(corner, size());
        return window->rect().contains(card) && !card.contains(pointer);
    };
    const auto good = std::ranges::find_if(corners, fits);
    if (good != corners.end())
        return move(*good);
    // Nowhere whole: inside the window, above or below the subject, whichever has more room.
    const bool below = window->height() - subject.bottom() > subject.top();
    move(std::clamp(subject.center().x() - width() / 2, 0, std::max(0, window->width() - width())),
         below ? subject.bottom() + reach : subject.top() - reach - height());
}

void HoverCard::keep() {
    kept_ = true;
    setAttribute(Qt::WA_TransparentForMouseEvents, false);
    for (TextLabel* label : findChildren<TextLabel*>())
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    qApp->installEventFilter(this);
}

void HoverCard::close() {
    kept_ = false;
    qApp->removeEventFilter(this);
    setAttribute(Qt::WA_TransparentForMouseEvents, true);
    delay_->stop();
    QFrame::hide();
}

bool HoverCard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        close();
        return true;
    }
    if (event->type() == QEvent::MouseButtonPress) {
        const QPoint at = static_cast<QMouseEvent*>(event)->globalPosition().toPoint();
        if (!rect().contains(mapFromGlobal(at)))
            close();
    }
    return QFrame::eventFilter(watched, event);
}

void HoverCard::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF card = QRectF(rect()).adjusted(shadowWidth, shadowWidth, -shadowWidth, -shadowWidth);
    QColor shade = look.color(Role::shadow);
    shade.setAlphaF(shade.alphaF() / shadowWidth);
    painter.setBrush(shade);
    for (int i = 0; i < shadowWidth; ++i)
        painter.drawRoundedRect(card.adjusted(-i, -i + 3, i, i + 0.0), 6 + i, 6 + i);
    painter.setBrush(look.color(Role::raised));
    painter.setPen(QPen(look.color(Role::line2), 1));
    painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace alidade::views
