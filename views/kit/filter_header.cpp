// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/filter_header.h"

#include "views/theme/theme_controller.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <QTimer>

namespace alidade::views {
namespace {

constexpr int filterDelay = 150; // ms after the last key

} // namespace

FilterHeader::FilterHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
    setHighlightSections(false);
    setSectionsMovable(true);
    connect(this, &QHeaderView::sectionResized, this, &FilterHeader::placeEditors);
    connect(this, &QHeaderView::sectionMoved, this, &FilterHeader::placeEditors);
    connect(this, &QHeaderView::sectionCountChanged, this, &FilterHeader::renewEditors);
}

void FilterHeader::setFiltersVisible(bool visible) {
    visible_ = visible;
    renewEditors();
    emit geometriesChanged();
    updateGeometries();
}

int FilterHeader::titleHeight() const { return std::max(theme().px(26), QHeaderView::sizeHint().height()); }

QSize FilterHeader::sizeHint() const {
    QSize size = QHeaderView::sizeHint();
    size.setHeight(titleHeight() + (visible_ ? theme().fieldHeight() + 6 : 0));
    return size;
}

void FilterHeader::renewEditors() {
    const int wanted = visible_ && model() ? count() : 0;
    for (int i = wanted; i < 4096 && editors_.contains(i); ++i)
        delete editors_.take(i);
    for (int i = 0; i < wanted; ++i) {
        if (editors_.contains(i))
            continue;
        auto* field = new QLineEdit(this);
        field->setAccessibleName(tr("Filter %1").arg(model()->headerData(i, Qt::Horizontal).toString()));
        field->installEventFilter(this);
        auto* timer = new QTimer(field);
        timer->setSingleShot(true);
        timer->setInterval(filterDelay);
        connect(field, &QLineEdit::textChanged, timer, qOverload<>(&QTimer::start));
        connect(timer, &QTimer::timeout, this, [this, field, i] { emit filterChanged(i, field->text()); });
        editors_.insert(i, field);
    }
    placeEditors();
}

void FilterHeader::placeEditors() {
    for (auto it = editors_.cbegin(); it != editors_.cend(); ++it) {
        const int column = it.key();
        QLineEdit* field = it.value();
        const int left = sectionViewportPosition(column);
        field->setGeometry(left + 2, titleHeight() + 2, sectionSize(column) - 4, theme().fieldHeight());
        field->setVisible(visible_ && !isSectionHidden(column));
    }
}

void FilterHeader::updateGeometries() {
    QHeaderView::updateGeometries();
    placeEditors();
}

void FilterHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const {
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    if (!model() || model()->headerData(logicalIndex, Qt::Horizontal, Qt::TextAlignmentRole).isValid())
        return;
    const QVariant cells = model()->index(0, logicalIndex).data(Qt::TextAlignmentRole);
    if (cells.isValid())
        option->textAlignment = Qt::Alignment(cells.toInt());
}

void FilterHeader::paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const {
    QRect title = rect;
    if (visible_)
        title.setHeight(titleHeight());
    QHeaderView::paintSection(painter, title, logicalIndex);
}

bool FilterHeader::eventFilter(QObject* watched, QEvent* event) {
    auto* field = qobject_cast<QLineEdit*>(watched);
    if (field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            field->clear();
            emit left();
            return true;
        }
        if (key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter) {
            emit left();
            return true;
        }
    }
    return QHeaderView::eventFilter(watched, event);
}

} // namespace alidade::views
