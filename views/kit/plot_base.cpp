// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/plot_base.h"

#include "views/kit/keyboard_focus.h"
#include "views/kit/paint.h"
#include "views/kit/plot_ticker.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double panShare = 0.15;   // of the axis for an arrow key
constexpr double zoomFactor = 0.8;  // for + and -
constexpr double fillsEnough = 0.5; // of the axis that data must fill to leave it as it is
constexpr double farthest = 0.1;    // of the data's range: how far beyond it a person can look
constexpr double closest = 1e-4;    // of the data's range: the least that a person can zoom into

/// Places on an axis are compared as they are seen.
double seen(double value, bool logarithmic) {
    return logarithmic ? std::log10(std::max(value, 1e-300)) : value;
}
double unseen(double place, bool logarithmic) { return logarithmic ? std::pow(10.0, place) : place; }

} // namespace

PlotBase::PlotBase(QWidget* parent)
    : QWidget(parent)
    , plot_(new QCustomPlot(this))
    , look_(theme()) {
    setFocusPolicy(Qt::StrongFocus);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(2, 2, 2, 2); // room for the focus ring
    box->addWidget(plot_);
    plot_->setMinimumSize(1, 1); // it cannot paint on nothing
    makeLayout();
    connectMouse();
    plot_->installEventFilter(this);
    applyTheme(look_);
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this](const Theme& look) {
        applyTheme(look);
        redraw();
    });
}

void PlotBase::makeLayout() {
    plot_->setNoAntialiasingOnDrag(true);
    QCPLayoutGrid* grid = plot_->plotLayout();
    grid->setRowSpacing(2);
    grid->insertRow(0);
    for (const PlotAxis which : {PlotAxis::x, PlotAxis::y}) {
        auto* title = new QCPTextElement(plot_);
        title->setTextFlags(
            static_cast<int>(Qt::AlignVCenter | (which == PlotAxis::y ? Qt::AlignLeft : Qt::AlignRight)));
        title->setVisible(false);
        takeRoom(*title, false);
        title->setLayer(QStringLiteral("axes"));
        state(which).title = title;
    }
    // The title is close above the axis; on the right half a tick label sticks out.
    plot_->axisRect()->setMinimumMargins(QMargins(15, 4, 15, 4));
    grid->addElement(0, 0, state(PlotAxis::y).title);
    grid->addElement(2, 0, state(PlotAxis::x).title);
    for (const PlotAxis which : {PlotAxis::x, PlotAxis::y}) {
        axis(which)->setSubTicks(false);
        axis(which)->setTickLength(0, 0);
        axis(which)->setTickLabelPadding(6);
        renewTicker(which);
        connect(axis(which), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
                [this, which] { keepNearData(which); });
    }
}

void PlotBase::connectMouse() {
    connect(plot_, &QCustomPlot::mouseWheel, this, [this](QWheelEvent* event) {
        Qt::Orientations axes = Qt::Horizontal | Qt::Vertical;
        if (event->modifiers() & Qt::ControlModifier)
            axes = Qt::Horizontal;
        else if (event->modifiers() & Qt::ShiftModifier)
            axes = Qt::Vertical;
        plot_->axisRect()->setRangeZoom(axes);
        setZoomed(true);
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { fit(); });
    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        if (event->buttons() & Qt::LeftButton && plot_->selectionRectMode() != QCP::srmCustom)
            setZoomed(true);
    });
    connect(plot_->selectionRect(), &QCPSelectionRect::accepted, this, [this](const QRect& area) {
        if (plot_->selectionRectMode() == QCP::srmCustom)
            emit brushed(area.normalized());
    });
    connect(plot_, &QCustomPlot::mouseRelease, this, [this] {
        // The rectangle zooms after this signal; it serves for one drag.
        QMetaObject::invokeMethod(this, [this] { armRubberBand(false); }, Qt::QueuedConnection);
    });
}

QCPAxis* PlotBase::axis(PlotAxis which) const { return which == PlotAxis::x ? plot_->xAxis : plot_->yAxis; }

void PlotBase::style(QObject* part, std::function<void(const Theme&)> dress) {
    dress(look_);
    parts_.append({part, std::move(dress)});
}

/// A title that is not shown would keep the height of a line.
void PlotBase::takeRoom(QCPTextElement& title, bool taken) {
    title.setMargins(taken ? QMargins(2, 2, 2, 2) : QMargins());
    title.setMinimumSize(taken ? QSize(0, 0) : QSize(1, 1));
    title.setMaximumSize(QWIDGETSIZE_MAX, taken ? QWIDGETSIZE_MAX : 1);
}

void PlotBase::setAxisTitle(PlotAxis which, const QString& title) {
    QCPTextElement* element = state(which).title;
    element->setText(title);
    element->setVisible(!title.isEmpty());
    takeRoom(*element, !title.isEmpty());
    redraw();
}

QRectF PlotBase::titleRect(PlotAxis which) const {
    const QCPTextElement& title = *state(which).title;
    if (title.text().isEmpty())
        return {};
    QRectF words = title.rect();
    words.setWidth(QFontMetricsF(title.font()).horizontalAdvance(title.text()));
    if (which == PlotAxis::x)
        words.moveRight(title.rect().right());
    return words;
}

void PlotBase::setLogarithmic(PlotAxis which, bool on) {
    state(which).logarithmic = on;
    axis(which)->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    renewTicker(which);
}

void PlotBase::setTickText(PlotAxis which, std::function<QString(double)> text) {
    state(which).text = std::move(text);
    renewTicker(which);
}

void PlotBase::renewTicker(PlotAxis which) {
    axis(which)->setTicker(makeTicker(state(which).logarithmic, state(which).text));
    spaceTicks();
}

void PlotBase::setCategories(PlotAxis which, const QStringList& names) {
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (qsizetype i = 0; i < names.size(); ++i)
        ticker->addTick(static_cast<double>(i), names[i]);
    axis(which)->setTicker(ticker);
}

void PlotBase::setDataRange(PlotAxis which, double low, double high) {
    AxisState& axisState = state(which);
    const bool logarithmic = axisState.logarithmic;
    if (!std::isfinite(low) || !std::isfinite(high) || low > high || (logarithmic && low <= 0))
        return;
    if (low == high) {
        const double around = low == 0 ? 1 : std::abs(low) / 2;
        low -= around;
        high += around;
    }
    axisState.low = low;
    axisState.high = high;
    const QCPRange now = axis(which)->range();
    const double filled = (seen(high, logarithmic) - seen(low, logarithmic)) /
                          (seen(now.upper, logarithmic) - seen(now.lower, logarithmic));
    const bool stays = axisState.known && now.lower <= low && high <= now.upper && filled >= fillsEnough;
    axisState.known = true;
    // Without data there is nothing to move to.
    if (state(PlotAxis::x).known && state(PlotAxis::y).known)
        plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    if (!zoomed_ && !stays)
        axis(which)->setRange(low, high);
    keepNearData(which);
    redraw();
}

/// Zooming and panning end where there is nothing to see. The wheel, a drag, a rubber band and the keys all
/// come here.
void PlotBase::keepNearData(PlotAxis which) {
    AxisState& axisState = state(which);
    if (!zoomed_ || !axisState.known || axisState.limiting)
        return;
    const QScopedValueRollback guard(axisState.limiting, true);
    const bool logarithmic = axisState.logarithmic;
    const double low = seen(axisState.low, logarithmic), high = seen(axisState.high, logarithmic);
    const QCPRange now = axis(which)->range();
    const double from = seen(now.lower, logarithmic), to = seen(now.upper, logarithmic);
    const double edge = farthest * (high - low);
    // Amounts that are never negative have no axis below 0.
    const double lowest = !logarithmic && axisState.low >= 0 ? std::max(low - edge, 0.0) : low - edge;
    const double most = high + edge - lowest;
    double size = std::clamp(to - from, closest * (high - low), most);
    if (!std::isfinite(from) || !std::isfinite(to))
        size = most;
    const double middle = std::isfinite(from + to) ? (from + to) / 2 : (low + high) / 2;
    const double start = std::clamp(middle - size / 2, lowest, std::max(lowest, high + edge - size));
    const double rounding = 1e-9 * (high - low);
    if (std::abs(start - from) > rounding || std::abs(start + size - to) > rounding)
        axis(which)->setRange(unseen(start, logarithmic), unseen(start + size, logarithmic));
}

void PlotBase::fit() {
    for (const PlotAxis which : {PlotAxis::x, PlotAxis::y})
        if (state(which).known)
            axis(which)->setRange(state(which).low, state(which).high);
    setZoomed(false);
    redraw();
}

void PlotBase::refit(PlotAxis which) {
    if (state(which).known && !zoomed_)
        axis(which)->setRange(state(which).low, state(which).high);
    redraw();
}

void PlotBase::setTableSource(std::function<TextTable()> table) { table_ = std::move(table); }

void PlotBase::redraw() { plot_->replot(QCustomPlot::rpQueuedReplot); }

void PlotBase::setZoomed(bool zoomed) {
    zoomed_ = zoomed;
    emit zoomChanged();
}

void PlotBase::armRubberBand(bool on) {
    plot_->setSelectionRectMode(on ? QCP::srmZoom : brushing_ ? QCP::srmCustom : QCP::srmNone);
    plot_->setCursor(on || brushing_ ? Qt::CrossCursor : Qt::ArrowCursor);
}

void PlotBase::setBrushing(bool on) {
    brushing_ = on;
    armRubberBand(false);
}

void PlotBase::dressAxis(QCPAxis* axis, const Theme& look) {
    axis->setTickLabelFont(look.font(FontRole::small));
    axis->setTickLabelColor(look.color(Role::text2));
    axis->setBasePen(axis == plot_->xAxis ? QPen(look.color(Role::line2), 0) : QPen(Qt::NoPen));
    axis->setTickPen(Qt::NoPen);
    axis->grid()->setPen(QPen(look.color(Role::grid), 0));
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
}

void PlotBase::applyTheme(const Theme& look) {
    look_ = look;
    plot_->setBackground(look.color(Role::base));
    plot_->plotLayout()->setMargins(QMargins(look.px(10), look.px(6), look.px(12), look.px(6)));
    for (QCPAxis* one : {plot_->xAxis, plot_->yAxis})
        dressAxis(one, look);
    for (const AxisState& axisState : axes_) {
        axisState.title->setFont(look.font(FontRole::small));
        axisState.title->setTextColor(look.color(Role::text2));
    }
    plot_->selectionRect()->setPen(QPen(look.color(Role::accent), 1));
    QColor veil = look.color(Role::accent);
    veil.setAlphaF(0.12F);
    plot_->selectionRect()->setBrush(veil);
    parts_.removeIf([](const Part& part) { return part.object.isNull(); });
    for (const Part& part : std::as_const(parts_))
        part.dress(look);
}

void PlotBase::pan(double x, double y) {
    if (!plot_->interactions())
        return;
    setZoomed(true); // before the axes move, so that they stay near the data
    for (const auto& [one, share] : {std::pair{plot_->xAxis, x}, {plot_->yAxis, y}}) {
        const QCPRange range = one->range();
        if (one->scaleType() == QCPAxis::stLogarithmic)
            one->setRange(range * std::pow(range.upper / range.lower, share));
        else
            one->moveRange(share * range.size());
    }
    redraw();
}

void PlotBase::zoom(double factor) {
    if (!plot_->interactions())
        return;
    setZoomed(true);
    for (QCPAxis* one : {plot_->xAxis, plot_->yAxis})
        one->scaleRange(factor);
    redraw();
}

void PlotBase::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_D) {
        emit showDataRequested();
        return;
    }
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Z:
        return armRubberBand(true);
    case Qt::Key_F:
    case Qt::Key_Home:
        return fit();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(zoomFactor);
    case Qt::Key_Minus:
        return zoom(1 / zoomFactor);
    case Qt::Key_Left:
        return pan(-panShare, 0);
    case Qt::Key_Right:
        return pan(panShare, 0);
    case Qt::Key_Up:
        return pan(0, panShare);
    case Qt::Key_Down:
        return pan(0, -panShare);
    case Qt::Key_Escape:
        if (plot_->selectionRectMode() != QCP::srmNone)
            return armRubberBand(false);
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void PlotBase::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), look_.color(Role::base));
    if (keyboardFocus(this))
        paintFocus(painter, rect());
}

QSize PlotBase::sizeHint() const { return {theme().px(420), theme().px(260)}; }
QSize PlotBase::minimumSizeHint() const { return {theme().px(180), theme().px(120)}; }

void PlotBase::spaceTicks() {
    // As many ticks as have room for their labels.
    plot_->xAxis->ticker()->setTickCount(std::clamp(width() / theme().px(90), 2, 8));
    plot_->yAxis->ticker()->setTickCount(std::clamp(height() / theme().px(45), 2, 7));
}

void PlotBase::resizeEvent(QResizeEvent* event) {
    spaceTicks();
    redraw(); // the plot itself was drawn in its new size before
    QWidget::resizeEvent(event);
}

void PlotBase::focusInEvent(QFocusEvent* event) {
    update();
    QWidget::focusInEvent(event);
}

std::optional<PlotSpot> PlotBase::spotAt(const QPointF&) const { return std::nullopt; }

void PlotBase::clicked(const QPointF&) {}

void PlotBase::showCard(const PlotSpot& spot) {
    HoverCard::showFor(this, spot.subject.translated(plot_->pos()), spot.card);
}

bool PlotBase::eventFilter(QObject* watched, QEvent* event) {
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    switch (event->type()) {
    case QEvent::MouseMove:
        if (const auto spot = mouse->buttons() == Qt::NoButton ? spotAt(mouse->position()) : std::nullopt)
            HoverCard::showFor(plot_, spot->subject, spot->card);
        else
            HoverCard::hideFor(plot_);
        break;
    case QEvent::MouseButtonPress:
        pressed_ = mouse->position();
        HoverCard::hideFor(plot_);
        break;
    case QEvent::MouseButtonRelease:
        if (mouse->button() == Qt::LeftButton &&
            (mouse->position() - pressed_).manhattanLength() < QApplication::startDragDistance())
            clicked(mouse->position());
        break;
    case QEvent::Leave:
    case QEvent::Wheel:
        HoverCard::hideFor(plot_);
        break;
    case QEvent::ContextMenu: // the plot library does not pass it on to its parent
        contextMenuEvent(static_cast<QContextMenuEvent*>(event));
        return true;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotBase::focusOutEvent(QFocusEvent* event) {
    HoverCard::hideFor(this);
    update();
    QWidget::focusOutEvent(event);
}

void PlotBase::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::EnabledChange)
        redraw();
}

} // namespace alidade::views
