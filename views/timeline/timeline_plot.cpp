// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_plot.h"

#include "views/document/text.h"
#include "views/timeline/timeline_art.h"
#include "views/timeline/timeline_legend.h"
#include "views/timeline/timeline_text.h"

#include <QCursor>
#include <QKeyEvent>
#include <QLocale>
#include <QScopedValueRollback>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double keyZoom = 0.7;    // W; S is the inverse
constexpr double wheelZoom = 0.85; // a notch
constexpr double keyPan = 0.2;     // of what is to be seen, A and D
constexpr double closest = 4;      // of the shortest events over the whole width
constexpr double focusWidths = 12; // of the chosen block around it
constexpr double mergedReach = 2;  // px around the pointer that a card of merged blocks is about
constexpr double leastRows = 2;    // stages that are to be seen at least

} // namespace

TimelinePlot::TimelinePlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new TimelineArt(*this))
    , legend_(new TimelineLegend(*this)) {
    setAccessibleName(tr("Pipeline timeline"));
    setFileName(QStringLiteral("timeline"));
    QCPAxis* stages = axis(PlotAxis::y);
    stages->setRangeReversed(true);
    stages->grid()->setVisible(false);
    stages->setTickLabels(false); // the art writes the numbers of the stages
    // One line for the legend and the title of the time axis.
    QCPLayoutGrid* grid = plot()->plotLayout();
    QCPLayoutElement* title = grid->element(2, 0);
    grid->take(title);
    auto* line = new QCPLayoutGrid;
    line->addElement(0, 0, legend_);
    line->addElement(0, 1, title);
    line->setColumnStretchFactor(1, 0.001);
    grid->addElement(2, 0, line);
    grid->take(grid->element(0, 0)); // no title over the lanes
    grid->simplify();
    style(stages, [this](const Theme& look) {
        const int height = QFontMetrics(look.font(FontRole::small)).height();
        plot()->axisRect()->setMinimumMargins(QMargins(look.px(46), 2, look.px(14), height + look.px(8)));
    });
    plot()->axisRect()->setRangeDrag(Qt::Horizontal | Qt::Vertical);
    for (QCPAxis* each : {plot()->xAxis, plot()->yAxis})
        connect(each, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] { keepInside(); });
}

void TimelinePlot::applyTheme(const Theme& look) {
    PlotBase::applyTheme(look);
    if (art_)
        art_->applyTheme();
}

const TimelineData* TimelinePlot::data() const { return art_->data(); }
void TimelinePlot::setBaseline(double end, const QString& words) {
    art_->setBaseline(end, words);
    if (data() != nullptr && !data()->empty()) {
        setDataRange(PlotAxis::x, 0, longest());
        if (!isZoomed())
            fit();
        keepInside();
        emit timeRangeChanged();
    }
    redraw();
}

/// The schedule and that of the baseline are to be seen, s.
double TimelinePlot::longest() const {
    constexpr double roomForWords = 1.02;
    return data()->makespan() < baselineEnd() ? baselineEnd() * roomForWords : data()->makespan();
}

double TimelinePlot::baselineEnd() const { return art_->baselineEnd(); }

int TimelinePlot::selectedStage() const { return art_->selectedStage(); }
int TimelinePlot::selectedEvent() const { return art_->selectedEvent(); }
int TimelinePlot::drawnBlocks() const { return art_->drawnBlocks(); }
QRectF TimelinePlot::lane(int stage) const { return art_->lane(stage); }
QRectF TimelinePlot::blockRect(int event) const { return art_->blockRect(event); }
int TimelinePlot::labelStep() const { return art_->labelStep(); }

std::pair<double, double> TimelinePlot::timeRange() const {
    const QCPRange range = plot()->xAxis->range();
    return {range.lower, range.upper};
}

void TimelinePlot::setData(const std::shared_ptr<const TimelineData>& data) {
    const TimelineData* before = art_->data();
    const bool otherShape =
        !before || before->stages() != data->stages() || before->events().size() != data->events().size();
    const bool nearEnough = before && !otherShape && before->makespan() <= data->makespan() * 1.5 &&
                            data->makespan() <= before->makespan() * 1.5;
    art_->setData(data);
    legend_->setContents(data->chunks(), data->hasWeightWork());
    setDataRange(PlotAxis::x, 0, longest());
    setDataRange(PlotAxis::y, -0.5, data->stages() - 0.5);
    // A step always fills the width, unless a person looks at a part of it that is still the same part.
    if (!isZoomed() || !nearEnough)
        fit();
    keepInside();
    renewUnit();
    setSummary(timelineInWords(*data));
    emit timeRangeChanged();
    redraw();
}

void TimelinePlot::setSelected(int stage, int event) {
    if (stage == selectedStage() && event == selectedEvent())
        return;
    art_->setSelected(stage, event);
    if (data()) {
        const QString words = timelineInWords(*data());
        const QString about = event >= 0   ? HoverCard::words(eventCard(*data(), event))
                              : stage >= 0 ? HoverCard::words(stageCard(*data(), stage))
                                           : QString();
        setSummary(about.isEmpty() ? words : about + QStringLiteral(". ") + words);
    }
    if (event >= 0)
        bringIntoView(event);
    redraw();
}

/// Axes never leave the step, and never show less than a few of the shortest events.
void TimelinePlot::keepInside() {
    if (inside_ || !data() || data()->empty())
        return;
    const QScopedValueRollback guard(inside_, true);
    const auto bound = [](QCPAxis* axis, double low, double high, double least) {
        QCPRange range = axis->range();
        const double size = std::clamp(range.size(), std::min(least, high - low), high - low);
        const double from = std::clamp(range.center() - size / 2, low, high - size);
        axis->setRange(from, from + size);
    };
    bound(plot()->xAxis, 0, longest(), closest * data()->shortest());
    bound(plot()->yAxis, -0.5, data()->stages() - 0.5, leastRows);
    renewUnit();
    emit timeRangeChanged();
}

void TimelinePlot::renewUnit() {
    const double shown = plot()->xAxis->range().size();
    const ScaledUnit unit = chooseUnit(Dimension::seconds, shown);
    if (unit_ == unit.label)
        return;
    unit_ = unit.label;
    setTickText(PlotAxis::x,
                [unit](double seconds) { return QLocale::c().toString(seconds / unit.factor, 'g', 9); });
    setAxisTitle(PlotAxis::x, tr("%1 from the start of the step").arg(text(unit.label)));
}

void TimelinePlot::setTimeRange(double from, double to) {
    setZoomed(true);
    plot()->xAxis->setRange(from, to);
    redraw();
}

void TimelinePlot::zoomTime(double factor, double about) {
    const auto [from, to] = timeRange();
    const double size = std::max((to - from) * factor, data() ? closest * data()->shortest() : 0);
    const double place = (about - from) / (to - from);
    setTimeRange(about - place * size, about + (1 - place) * size);
}

double TimelinePlot::pointerTime() const {
    const QPoint pointer = plot()->mapFromGlobal(QCursor::pos());
    if (plot()->underMouse() && plot()->axisRect()->rect().contains(pointer))
        return plot()->xAxis->pixelToCoord(pointer.x());
    return plot()->xAxis->range().center();
}

void TimelinePlot::bringIntoView(int event) {
    const TimelineEvent& e = data()->events()[static_cast<std::size_t>(event)];
    const auto [from, to] = timeRange();
    if (e.start < from || e.end > to) {
        const double size = std::max(to - from, e.end - e.start);
        const double middle = (e.start + e.end) / 2;
        setTimeRange(middle - size / 2, middle + size / 2);
    }
    const QCPRange rows = plot()->yAxis->range();
    if (e.stage - 0.5 < rows.lower || e.stage + 0.5 > rows.upper)
        plot()->yAxis->setRange(e.stage - rows.size() / 2, e.stage + rows.size() / 2);
}

/// First the chosen block with what is around it, then all.
void TimelinePlot::showFit() {
    const int event = selectedEvent();
    if (event < 0)
        return fit();
    const TimelineEvent& e = data()->events()[static_cast<std::size_t>(event)];
    const double reach = focusWidths / 2 * (e.end - e.start);
    const double middle = (e.start + e.end) / 2;
    const auto before = timeRange();
    setTimeRange(middle - reach, middle + reach);
    const auto now = timeRange();
    if (std::abs(now.first - before.first) + std::abs(now.second - before.second) < 1e-6 * reach)
        fit();
}

void TimelinePlot::walkEvents(int steps) {
    if (!data() || data()->empty())
        return;
    int event = selectedEvent();
    if (event < 0) {
        const int stage = std::max(selectedStage(), 0);
        const auto [from, to] = timeRange();
        event = data()->nextFrom(stage, from);
        event = event < 0 ? data()->first(stage + 1) - 1 : event;
    } else {
        const int stage = data()->events()[static_cast<std::size_t>(event)].stage;
        event = std::clamp(event + steps, data()->first(stage), data()->first(stage + 1) - 1);
    }
    emit chosen(data()->events()[static_cast<std::size_t>(event)].stage, event);
    if (selectedEvent() >= 0)
        showCard(spotOf(selectedEvent()));
}

void TimelinePlot::walkStages(int steps) {
    if (!data() || data()->empty())
        return;
    const int now = selectedStage();
    const int stage =
        now < 0 ? (steps > 0 ? 0 : data()->stages() - 1) : std::clamp(now + steps, 0, data()->stages() - 1);
    int event = -1;
    if (selectedEvent() >= 0) {
        // The block at the same time, or the one that comes next.
        const TimelineEvent& e = data()->events()[static_cast<std::size_t>(selectedEvent())];
        event = data()->at(stage, (e.start + e.end) / 2);
        event = event < 0 ? data()->nextFrom(stage, e.start) : event;
        event = event < 0 ? data()->first(stage + 1) - 1 : event;
    }
    emit chosen(stage, event);
    if (selectedEvent() >= 0)
        showCard(spotOf(selectedEvent()));
}

bool TimelinePlot::walk(int key) {
    switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Comma:
        walkEvents(-1);
        return true;
    case Qt::Key_Right:
    case Qt::Key_Period:
        walkEvents(1);
        return true;
    case Qt::Key_Up:
        walkStages(-1);
        return true;
    case Qt::Key_Down:
        walkStages(1);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const int needed = selectedEvent() < 0 ? -1 : data()->needs(selectedEvent()); needed >= 0)
            emit chosen(data()->events()[static_cast<std::size_t>(needed)].stage, needed);
        return true;
    default:
        return false;
    }
}

bool TimelinePlot::key(int key) {
    const auto [from, to] = timeRange();
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomTime(keyZoom, pointerTime());
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoomTime(1 / keyZoom, pointerTime());
        return true;
    case Qt::Key_A:
        setTimeRange(from - keyPan * (to - from), to - keyPan * (to - from));
        return true;
    case Qt::Key_D:
        setTimeRange(from + keyPan * (to - from), to + keyPan * (to - from));
        return true;
    case Qt::Key_F:
        showFit();
        return true;
    case Qt::Key_0:
    case Qt::Key_Home:
        fit();
        return true;
    default:
        return walk(key);
    }
}

void TimelinePlot::keyPressEvent(QKeyEvent* event) {
    const Qt::KeyboardModifiers held = event->modifiers() & ~Qt::KeypadModifier;
    if (held == Qt::NoModifier && key(event->key()))
        return;
    PlotBase::keyPressEvent(event);
}

TimelinePlot::Hit TimelinePlot::hitAt(const QPointF& position) const {
    if (!data() || data()->empty() || !plot()->axisRect()->rect().contains(position.toPoint()))
        return {};
    const int stage = static_cast<int>(std::lround(plot()->yAxis->pixelToCoord(position.y())));
    if (stage < 0 || stage >= data()->stages() || !art_->lane(stage).contains(position))
        return {};
    const double time = plot()->xAxis->pixelToCoord(position.x());
    int event = data()->at(stage, time);
    if (event >= 0 && data()->tracks(event) > 1) {
        const QRectF lane = art_->lane(stage);
        const double share = (position.y() - lane.top()) / lane.height();
        event = data()->at(stage, time, static_cast<int>(share * data()->tracks(event)));
    }
    return {stage, event};
}

PlotSpot TimelinePlot::spotOf(int event) const {
    const QRectF seen = art_->blockRect(event).intersected(plot()->axisRect()->rect());
    return {seen.toAlignedRect(), eventCard(*data(), event)};
}

std::optional<PlotSpot> TimelinePlot::spotAt(const QPointF& position) const {
    const Hit hit = hitAt(position);
    const double time = plot()->xAxis->pixelToCoord(position.x());
    if (hit.stage < 0 || time < 0 || time > data()->makespan())
        return std::nullopt;
    if (hit.event >= 0 && art_->blockRect(hit.event).width() >= leastBlock)
        return spotOf(hit.event);
    QRectF subject = art_->lane(hit.stage);
    if (hit.event < 0) {
        subject.setLeft(position.x());
        subject.setWidth(1);
        return PlotSpot{subject.toAlignedRect(), waitingCard(*data(), hit.stage, time)};
    }
    const double reach = mergedReach * plot()->xAxis->range().size() / plot()->axisRect()->width();
    subject.setLeft(position.x() - mergedReach);
    subject.setWidth(2 * mergedReach);
    return PlotSpot{subject.toAlignedRect(), mergedCard(*data(), hit.stage, time - reach, time + reach)};
}

void TimelinePlot::clicked(const QPointF& position) {
    if (const Hit hit = hitAt(position); hit.stage >= 0)
        emit chosen(hit.stage, hit.event);
}

bool TimelinePlot::eventFilter(QObject* watched, QEvent* event) {
    const bool done = PlotBase::eventFilter(watched, event);
    if (event->type() != QEvent::Wheel)
        return done;
    const auto* turned = static_cast<QWheelEvent*>(event);
    const int notches = turned->angleDelta().y() != 0 ? turned->angleDelta().y() : turned->angleDelta().x();
    if (!data() || data()->empty() || (turned->modifiers() & Qt::ShiftModifier))
        return done; // the stages, as in every plot
    zoomTime(std::pow(wheelZoom, notches / 120.0), plot()->xAxis->pixelToCoord(turned->position().x()));
    return true;
}

} // namespace alidade::views
