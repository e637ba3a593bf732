// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/view.h"

#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/kit/states.h"

#include <QAction>
#include <QEvent>

namespace alidade::views {

View::View(Document* document, QWidget* parent)
    : QWidget(parent)
    , document_(document) {
    setFocusPolicy(Qt::ClickFocus); // a click anywhere in it makes it the view that keys and F1 are about
    connect(document, &Document::estimateChanged, this, &View::outdate);
    connect(&document->baselines(), &Baselines::differenceChanged, this, &View::outdate);
    connect(document, &Document::busyChanged, this, [this] {
        busyStale_ = true;
        refresh();
    });
    connect(document, &Document::selectionChanged, this, [this] {
        selectionStale_ = true;
        refresh();
    });
}

const BaselineDifference* View::baseline() const { return document_->baselines().difference().get(); }

void View::coverWhileBusy() {
    auto* overlay = new BusyOverlay(this);
    connect(document_, &Document::busyChanged, overlay, [overlay](bool busy) {
        if (busy)
            overlay->start(tr("Estimating"));
        else
            overlay->stop();
    });
    connect(overlay, &BusyOverlay::cancelRequested, document_, &Document::cancel);
}

void View::setNote(const QString& note) {
    if (note == note_)
        return;
    note_ = note;
    emit titleChanged();
}

void View::setAside(const QString& aside) {
    if (aside == aside_)
        return;
    aside_ = aside;
    emit titleChanged();
}

void View::addTitleAction(QAction* action) {
    action->setObjectName(QLatin1String(titleActionName));
    addAction(action);
}

void View::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

/// A dock behind another tab stays visible to Qt, which only moves it out of the window.
bool View::isSeen() const {
    if (!isVisible())
        return false;
    QRect part = rect();
    for (const QWidget* each = this; !each->isWindow() && each->parentWidget() != nullptr;
         each = each->parentWidget())
        part = part.translated(each->pos()).intersected(each->parentWidget()->rect());
    return !part.isEmpty();
}

void View::outdate() {
    stale_ = true;
    refresh();
}

bool View::event(QEvent* event) {
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::Resize)
        refresh();
    return handled;
}

void View::refresh() {
    if (!isSeen())
        return;
    if (stale_) {
        stale_ = false;
        busyStale_ = true;
        selectionStale_ = true;
        updateEstimate();
    }
    if (busyStale_) {
        busyStale_ = false;
        updateBusy();
    }
    if (selectionStale_) {
        selectionStale_ = false;
        updateSelection();
    }
}

} // namespace alidade::views
