// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/view.h"

#include "views/document/document.h"
#include "views/kit/states.h"

#include <QAction>

namespace alidade::views {

View::View(Document* document, QWidget* parent)
    : QWidget(parent)
    , document_(document) {
    setFocusPolicy(Qt::ClickFocus); // a click anywhere in it makes it the view that keys and F1 are about
    const auto estimateIsStale = [this] {
        stale_ = true;
        refresh();
    };
    connect(document, &Document::estimateChanged, this, estimateIsStale);
    connect(document, &Document::busyChanged, this, estimateIsStale);
    connect(document, &Document::selectionChanged, this, [this] {
        selectionStale_ = true;
        refresh();
    });
}

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

void View::refresh() {
    if (!isVisible())
        return;
    if (stale_) {
        stale_ = false;
        selectionStale_ = true;
        updateEstimate();
    }
    if (selectionStale_) {
        selectionStale_ = false;
        updateSelection();
    }
}

} // namespace alidade::views
