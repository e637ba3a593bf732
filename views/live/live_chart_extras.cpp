// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart of the live page offers next to its line: the time that it is compared with, time that a
// person leaves out of fits, links, and keys.
#include "views/live/live_chart.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double keyMove = 0.15, keyZoom = 0.8; // of what is to be seen

bool sameValues(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b,
                              [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

} // namespace

void LiveChart::setReference(const std::vector<double>& values, const TimeGrid& grid, const QString& name) {
    if (sameValues(values, reference_) && grid == referenceGrid_ && name == referenceName_)
        return;
    reference_ = values;
    referenceGrid_ = grid;
    referenceName_ = name;
    showReference();
    redraw();
}

/// The other time begins where this one does.
void LiveChart::showReference() {
    if (referenceLine_ == nullptr) {
        if (reference_.empty())
            return;
        referenceLine_ = plot()->addGraph();
        referenceLine_->setSelectable(QCP::stNone);
        style(referenceLine_, [this](const Theme& look) {
            QPen pen(look.color(Role::text3), 1.25);
            pen.setDashPattern({1, 2});
            referenceLine_->setPen(pen);
        });
    }
    QVector<double> times(static_cast<qsizetype>(reference_.size()));
    for (qsizetype i = 0; i < times.size(); ++i)
        times[i] = grid_.start + referenceGrid_.step * static_cast<double>(i);
    referenceLine_->setData(times, QVector<double>(reference_.begin(), reference_.end()), true);
}

double LiveChart::referenceAt(double time) const {
    const double place = std::round((time - grid_.start) / referenceGrid_.step);
    return place >= 0 && place < static_cast<double>(reference_.size())
               ? reference_[static_cast<std::size_t>(place)]
               : std::numeric_limits<double>::quiet_NaN();
}

void LiveChart::fillMenu(QMenu* menu) {
    PlotBase::fillMenu(menu);
    menu->addSeparator();
    const QString expression = text(line_.expression);
    QAction* prometheus = menu->addAction(tr("Open the query in Prometheus"), this, [this, expression] {
        emit prometheusRequested(expression, time_->start(), time_->end());
    });
    QAction* copied = menu->addAction(tr("Copy the query"), this,
                                      [expression] { QApplication::clipboard()->setText(expression); });
    for (QAction* action : {prometheus, copied})
        action->setEnabled(!expression.isEmpty());
    menu->addAction(tr("Open Grafana at this time"), this,
                    [this] { emit grafanaRequested(time_->start(), time_->end()); });
    menu->addSeparator();
    QAction* out = menu->addAction(tr("Exclude this range from calibration"), this,
                                   [this] { emit leaveOutRequested(time_->start(), time_->end()); });
    out->setEnabled(time_->isZoomed());
    out->setToolTip(tr("Or drag over it with Shift held"));
    menu->addAction(tr("Clear exclusion"), this, [this] { emit useAgainRequested(); });
}

void LiveChart::keyPressEvent(QKeyEvent* event) {
    const double middle = (time_->start() + time_->end()) / 2;
    const double about = time_->cursor().value_or(middle);
    const auto walk = [&](double steps) {
        const double to = std::clamp(about + steps * grid_.step, time_->start(), time_->end());
        time_->setCursor(to);
        const QRect area = plot()->axisRect()->rect();
        const int x = static_cast<int>(axis(PlotAxis::x)->coordToPixel(to));
        showCard({QRect(x - 8, area.top(), 16, area.height()), cardAt(to)});
    };
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    switch (event->key()) {
    case Qt::Key_Left:
        return shift ? time_->moveBy(-keyMove) : walk(-1);
    case Qt::Key_Right:
        return shift ? time_->moveBy(keyMove) : walk(1);
    case Qt::Key_PageUp:
        return time_->moveBy(-keyMove);
    case Qt::Key_PageDown:
        return time_->moveBy(keyMove);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return time_->zoomBy(keyZoom, about);
    case Qt::Key_Minus:
        return time_->zoomBy(1 / keyZoom, about);
    case Qt::Key_Home:
    case Qt::Key_F:
    case Qt::Key_Escape:
        time_->setCursor(std::nullopt);
        return time_->reset();
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Z:
        return event->ignore();
    default:
        PlotBase::keyPressEvent(event);
    }
}

} // namespace alidade::views
