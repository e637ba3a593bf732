// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/cell_scrub.h"

#include "views/catalog/catalog_table.h"
#include "views/kit/scrubbed.h"

#include <QMouseEvent>
#include <QRegularExpression>
#include <QUndoStack>

#include <cmath>

namespace alidade::views {

namespace {

constexpr double pixelsPerStep = 4;
constexpr qint64 oneTurn = 800; // ms between turns of the wheel that belong together

} // namespace

CellScrub::CellScrub(CatalogTable* table, CatalogEditor* editor,
                     std::function<CatalogCell(const QModelIndex&)> cellOf)
    : QObject(table)
    , table_(table)
    , viewport_(table->viewport())
    , editor_(editor)
    , cellOf_(std::move(cellOf)) {
    viewport_->installEventFilter(this);
}

/// \returns false: the cell is not a number that may be changed
bool CellScrub::begin(const QModelIndex& index) {
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEditable) || !editor_->readOnly().isEmpty())
        return false;
    cell_ = cellOf_(index);
    static const QRegularExpression form(QStringLiteral("^([^0-9]*)([0-9][0-9,]*(?:\\.[0-9]+)?)(\\D*)$"));
    const QRegularExpressionMatch found = form.match(editor_->editText(cell_));
    if (!found.hasMatch())
        return false;
    before_ = found.captured(1);
    after_ = found.captured(3);
    number_ = found.captured(2).remove(u',').toDouble();
    size_ = number_ > 0 ? std::pow(10, std::floor(std::log10(number_)) - 1) : 1;
    steps_ = 0;
    pushed_ = -1;
    if (!textAt(1)) // a count
        size_ = std::max(1.0, std::round(size_));
    return textAt(1) || textAt(-1);
}

/// nullopt: no value of the cell.
std::optional<QString> CellScrub::textAt(int steps) const {
    const double next = number_ + steps * size_;
    if (!(next > 0))
        return std::nullopt;
    const QString typed = before_ + QString::number(next, 'g', 12) + after_;
    return editor_->read(cell_, typed) ? std::optional(typed) : std::nullopt;
}

void CellScrub::to(int steps) {
    const auto typed = textAt(steps);
    if (steps == steps_ || !typed)
        return;
    steps_ = steps;
    // The step before belongs to the same drag: this one takes its place.
    if (pushed_ >= 0 && editor_->undoStack()->index() == pushed_)
        editor_->undoStack()->undo();
    const int before = editor_->undoStack()->index();
    editor_->setText(cell_, *typed);
    const int now = editor_->undoStack()->index();
    pushed_ = now > before ? now : -1;
}

bool CellScrub::eventFilter(QObject* watched, QEvent* event) {
    if (watched != viewport_) // which has events even while the table is being destroyed
        return false;
    if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        const int turned = altNotches(*wheel);
        if (turned == 0)
            return false;
        const QModelIndex index = table_->indexAt(wheel->position().toPoint());
        const bool goesOn = sinceTurn_.isValid() && sinceTurn_.elapsed() < oneTurn && index.isValid() &&
                            cellOf_(index) == cell_;
        if (!goesOn && !begin(index))
            return false;
        sinceTurn_.start();
        to(steps_ + turned);
        return true;
    }
    const bool isMouse = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseMove ||
                         event->type() == QEvent::MouseButtonRelease;
    if (!isMouse)
        return false;
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (event->type() == QEvent::MouseButtonPress) {
        if (mouse->button() != Qt::LeftButton || !(mouse->modifiers() & Qt::AltModifier) ||
            !begin(table_->indexAt(mouse->position().toPoint())))
            return false;
        dragging_ = true;
        sinceTurn_.invalidate();
        start_ = mouse->position().x();
        return true;
    }
    if (!dragging_)
        return false;
    if (event->type() == QEvent::MouseMove) {
        const int steps = static_cast<int>((mouse->position().x() - start_) / pixelsPerStep);
        to(mouse->modifiers() & Qt::ShiftModifier ? 10 * steps : steps);
    } else {
        dragging_ = false;
    }
    return true;
}

} // namespace alidade::views
