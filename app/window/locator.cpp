// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/locator.h"

#include "views/icons/icon.h"
#include "views/theme/theme_controller.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QListWidget>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>

#include <algorithm>

namespace alidade::app {

using views::FontRole;
using views::Role;
using views::theme;

namespace {

constexpr int mostListed = 12;
constexpr int detailRole = Qt::UserRole;
constexpr int keysRole = Qt::UserRole + 1;

/// Text, its place in small type, and the shortcut at the right end.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {theme().px(200), theme().rowHeight() + theme().px(6)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const bool selected = option.state & QStyle::State_Selected;
        if (selected)
            painter->fillRect(option.rect, theme().color(Role::sel));
        QRect rect = option.rect.adjusted(theme().px(10), 0, -theme().px(10), 0);
        const int side = theme().px(18);
        const auto icon = index.data(Qt::DecorationRole).value<QIcon>();
        icon.paint(painter, QRect(rect.left(), rect.center().y() - side / 2, side, side));
        rect.setLeft(rect.left() + side + theme().px(10));

        painter->setFont(theme().font(FontRole::small));
        painter->setPen(theme().color(selected ? Role::text2 : Role::text3));
        const QString keys = index.data(keysRole).toString();
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, keys);
        rect.setRight(rect.right() - painter->fontMetrics().horizontalAdvance(keys) - theme().px(10));

        painter->setFont(theme().font(FontRole::body));
        const QFontMetrics metrics = painter->fontMetrics();
        const QString text = metrics.elidedText(index.data().toString(), Qt::ElideRight, rect.width());
        painter->setPen(theme().color(Role::text));
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, text);
        rect.setLeft(rect.left() + metrics.horizontalAdvance(text) + theme().px(10));

        painter->setFont(theme().font(FontRole::small));
        painter->setPen(theme().color(selected ? Role::text2 : Role::text3));
        const QString detail = painter->fontMetrics().elidedText(index.data(detailRole).toString(),
                                                                 Qt::ElideRight, std::max(0, rect.width()));
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, detail);
    }
};

} // namespace

int matchScore(const QString& pattern, const QString& text) {
    if (pattern.isEmpty())
        return 1;
    int score = 0;
    qsizetype from = 0;
    qsizetype last = -2;
    for (const QChar c : pattern) {
        if (c.isSpace())
            continue;
        const qsizetype at = text.indexOf(c, from, Qt::CaseInsensitive);
        if (at < 0)
            return 0;
        const bool wordStart = at == 0 || !text[at - 1].isLetterOrNumber();
        score += at == last + 1 ? 6 : wordStart ? 5 : 1;
        last = at;
        from = at + 1;
    }
    if (text.contains(pattern, Qt::CaseInsensitive))
        score += 10;
    if (text.startsWith(pattern, Qt::CaseInsensitive))
        score += 10;
    return score;
}

Locator::Locator(std::function<QList<LocatorEntry>()> entries, QWidget* window)
    : QLineEdit(window)
    , provider_(std::move(entries))
    , list_(new QListWidget(window)) {
    setPlaceholderText(tr("Go to anything…"));
    setAccessibleName(tr("Go to anything"));
    setAccessibleDescription(
        tr("Type a part of the name of a page, view, command, setting, field, scenario or catalog entry"));
    setTextMargins(theme().px(24), 0, 0, 0);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    list_->setObjectName(QStringLiteral("locatorList"));
    list_->setAccessibleName(tr("Matches"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setFrameShape(QFrame::StyledPanel);
    list_->setUniformItemSizes(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setItemDelegate(new EntryDelegate(list_));
    list_->hide();
    connect(this, &QLineEdit::textEdited, this, &Locator::list);
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { go(list_->row(item)); });
}

QSize Locator::sizeHint() const { return {theme().px(270), QLineEdit::sizeHint().height()}; }

QStringList Locator::shown() const {
    QStringList texts;
    for (const int i : order_)
        texts.append(entries_[i].text);
    return texts;
}

void Locator::open() {
    if (!hasFocus())
        before_ = window()->focusWidget();
    setFocus(Qt::ShortcutFocusReason);
}

void Locator::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (event->reason() == Qt::ActiveWindowFocusReason || event->reason() == Qt::PopupFocusReason)
        return;
    entries_ = provider_();
    list(text());
}

void Locator::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        closeList();
}

void Locator::list(const QString& pattern) {
    QList<std::pair<int, int>> ranked; // score, index
    for (int i = 0; i < entries_.size(); ++i) {
        const LocatorEntry& entry = entries_[i];
        const int score = std::max({2 * matchScore(pattern, entry.text),
                                    matchScore(pattern, entry.detail + QLatin1Char(' ') + entry.text),
                                    matchScore(pattern, entry.words)});
        if (score > 0)
            ranked.append({score, i});
    }
    std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
    order_.clear();
    list_->clear();
    for (const auto& [score, i] : ranked) {
        if (order_.size() == mostListed)
            break;
        order_.append(i);
        auto* item = new QListWidgetItem(entries_[i].icon, entries_[i].text, list_);
        item->setData(detailRole, entries_[i].detail);
        item->setData(keysRole, entries_[i].keys);
    }
    list_->setCurrentRow(0);
    list_->setVisible(!order_.isEmpty());
    if (list_->isVisible())
        place();
}

void Locator::place() {
    const int width = std::max(this->width(), theme().px(460));
    const int height = list_->sizeHintForRow(0) * static_cast<int>(order_.size()) + 2 * list_->frameWidth();
    const QPoint corner = mapTo(list_->parentWidget(), QPoint(this->width() - width, this->height() + 4));
    list_->setGeometry(corner.x(), corner.y(), width, height);
    list_->raise();
}

void Locator::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(order_.size());
    switch (event->key()) {
    case Qt::Key_Down:
    case Qt::Key_Up:
        if (count > 0) {
            const int step = event->key() == Qt::Key_Down ? 1 : count - 1;
            list_->setCurrentRow((list_->currentRow() + step) % count);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        go(list_->currentRow());
        return;
    case Qt::Key_Escape:
        closeList();
        return;
    default:
        QLineEdit::keyPressEvent(event);
    }
}

void Locator::go(int row) {
    if (row < 0 || row >= order_.size())
        return;
    const std::function<void()> action = entries_[order_[row]].go;
    closeList();
    action();
}

void Locator::closeList() {
    if (closing_)
        return;
    const QScopedValueRollback once(closing_, true);
    list_->hide();
    clear();
    if (hasFocus()) {
        const bool back = before_ != nullptr && before_ != this && before_->isVisible();
        (back ? before_.data() : window())->setFocus(Qt::OtherFocusReason);
    }
    before_ = nullptr;
    emit closed();
}

void Locator::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const int side = theme().px(15);
    views::paintIcon(painter, QRectF(theme().px(8), (height() - side) / 2.0, side, side),
                     QLatin1StringView("search"), theme().color(Role::text2));
    if (hasFocus() || !text().isEmpty())
        return;
    painter.setFont(theme().font(FontRole::small));
    painter.setPen(theme().color(Role::text2));
    painter.drawText(rect().adjusted(0, 0, -theme().px(9), 0), Qt::AlignRight | Qt::AlignVCenter,
                     QKeySequence(Qt::CTRL | Qt::Key_K).toString(QKeySequence::NativeText));
}

} // namespace alidade::app
