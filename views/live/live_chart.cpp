// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_chart.h"

#include "views/kit/plot_parts.h"
#include "views/live/live_chart_parts.h"

#include <QMouseEvent>
#include <QWheelEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace alidade::views {
namespace {

constexpr int shortestDrag = 5; // pixels, of a zoom
constexpr double wheelZoom = 0.8;

/// NaN equals NaN: a gap that stays is not a change.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

bool same(const std::optional<PlannedFigure>& a, const std::optional<PlannedFigure>& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->value == b->value && a->low == b->low && a->high == b->high));
}

QCPItemText* addValue(PlotBase& plot, Role ink, FontRole font) {
    QCPItemText* label = addLabel(plot, 1, 0, {}, ink);
    label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    label->setClipToAxisRect(false);
    label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    label->setTextAlignment(Qt::AlignLeft);
    label->setPadding(QMargins(6, 0, 0, 0));
    plot.style(label, [label, font](const Theme& look) { label->setFont(look.font(font)); });
    return label;
}

QCPItemRect* addColumn(PlotBase& plot) {
    auto* column = new QCPItemRect(plot.plot());
    column->setLayer(QStringLiteral("background"));
    column->setSelectable(false);
    column->setPen(Qt::NoPen);
    column->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
    column->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
    return column;
}

void place(QCPItemRect* column, double from, double to, double shortest) {
    column->topLeft->setCoords(from, 0);
    column->bottomRight->setCoords(std::max(to, from + shortest), 1);
    column->setVisible(true);
}

QCPItemStraightLine* addUpright(PlotBase& plot, Role ink, const QList<qreal>& dash) {
    auto* line = new QCPItemStraightLine(plot.plot());
    line->setSelectable(false);
    line->setVisible(false);
    plot.style(line, [line, ink, dash](const Theme& look) {
        QPen pen(look.color(ink), 1);
        pen.setDashPattern(dash);
        line->setPen(pen);
    });
    return line;
}

void placeUpright(QCPItemStraightLine* line, std::optional<double> at) {
    line->setVisible(at.has_value());
    line->point1->setCoords(at.value_or(0), 0);
    line->point2->setCoords(at.value_or(0), 1);
}

} // namespace

LiveChart::LiveChart(LiveTime* time, Kind kind, QWidget* parent)
    : PlotBase(parent)
    , time_(time)
    , kind_(kind) {
    plot()->setInteractions(QCP::Interactions());
    plot()->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    makeParts();
    axis(PlotAxis::x)->setTicker(makeTimeTicker());
    axis(PlotAxis::x)->setPadding(0);
    // No title below: times say what they are.
    QCPLayoutElement* below = plot()->plotLayout()->element(plot()->plotLayout()->rowCount() - 1, 0);
    below->setMinimumSize(1, 1);
    below->setMaximumSize(QWIDGETSIZE_MAX, 1);
    setTickText(PlotAxis::y, [this](double value) {
        return quantity(value / unit_.factor, Dimension::number, {.trimZeros = true});
    });
    connect(plot(), &QCustomPlot::afterReplot, this, [this] { ++replots_; });
    connect(time, &LiveTime::rangeChanged, this, &LiveChart::showRange);
    connect(plot(), &QCustomPlot::afterLayout, this, &LiveChart::fitLayout);
    connect(time, &LiveTime::cursorChanged, this, [this] {
        showCursor();
        if (isVisible())
            plot()->layer(QStringLiteral("overlay"))->replot();
    });
    setTableSource([this] {
        TextTable table;
        table.headers = {tr("Time"), text(line_.title) + QStringLiteral(", ") + text(unit_.label)};
        for (std::size_t i = 0; i < line_.measured.size(); ++i)
            table.rows.append({QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(grid_.at(i) * 1000))
                                   .toString(Qt::ISODate),
                               QString::number(line_.measured[i] / unit_.factor)});
        return table;
    });
    showRange();
}

void LiveChart::makeParts() {
    band_ = new QCPItemRect(plot());
    band_->setLayer(QStringLiteral("background"));
    band_->setSelectable(false);
    band_->setPen(Qt::NoPen);
    band_->setVisible(false);
    for (QCPItemPosition* corner : {band_->topLeft, band_->bottomRight})
        corner->setTypeX(QCPItemPosition::ptAxisRectRatio);
    style(band_, [this](const Theme& look) {
        QColor fill = look.color(Role::accent);
        fill.setAlphaF(0.2F);
        band_->setBrush(fill);
    });
    planLine_ = new QCPItemStraightLine(plot());
    planLine_->setSelectable(false);
    planLine_->setVisible(false);
    style(planLine_, [this](const Theme& look) {
        QPen pen(look.color(Role::accent), 1.5);
        pen.setDashPattern({6, 3});
        planLine_->setPen(pen);
    });
    measured_ = plot()->addGraph();
    measured_->setSelectable(QCP::stNone);
    style(measured_, [this](const Theme& look) {
        QPen pen(look.color(Role::measured), 1.25);
        if (stale_)
            pen.setDashPattern({4, 3});
        measured_->setPen(pen);
    });
    staleEnd_ = addUpright(*this, Role::warn, {4, 3});
    now_ = addValue(*this, Role::measured, FontRole::small);
    plan_ = addValue(*this, Role::accent, FontRole::small);
    range_ = addValue(*this, Role::accent, FontRole::small);
    // The crosshair and what is dragged are in a separate layer, which is painted without the rest.
    cursor_ = addUpright(*this, Role::text2, {2, 2});
    readout_ = addLabel(*this, 1, 0, {}, Role::text);
    readout_->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    readout_->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    readout_->position->setCoords(1, 0); // a change of type keeps the pixel and not the number
    readout_->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    readout_->setPadding(QMargins(0, 0, 0, 8));
    readout_->setClipToAxisRect(false);
    zoomBand_ = addColumn(*this);
    zoomBand_->setVisible(false);
    style(zoomBand_, [this](const Theme& look) {
        QColor veil = look.color(Role::accent);
        veil.setAlphaF(0.16F);
        zoomBand_->setBrush(veil);
        zoomBand_->setPen(QPen(look.color(Role::accent), 1));
    });
    for (QCPAbstractItem* item : std::initializer_list<QCPAbstractItem*>{cursor_, readout_, zoomBand_})
        item->setLayer(QStringLiteral("overlay"));
}

void LiveChart::setMargins(int left, int right) {
    if (left == left_ && right == right_)
        return;
    left_ = left;
    right_ = right;
    dressMargins(look());
    spaceTicks();
    redraw();
}

void LiveChart::dressMargins(const Theme& look) {
    // The box around the plot has 2 pixels for the focus ring; the layout has its own margins.
    const int names = QFontMetrics(look.font(FontRole::small)).height();
    const int top = kind_ == Kind::headline ? names + 2 : 4;
    plot()->axisRect()->setMinimumMargins(
        QMargins(std::max(15, left_ - 2 - look.px(10)), top, std::max(12, right_ - 2 - look.px(12)), 4));
}

void LiveChart::applyTheme(const Theme& look) {
    PlotBase::applyTheme(look);
    dressMargins(look);
    if (measured_ != nullptr) {
        showFaults();
        showEnds();
    }
}

void LiveChart::setLine(const ChartLine& line, const TimeGrid& grid, double unitFor) {
    const bool sameLine = line.id == line_.id && line.title == line_.title && grid == grid_ &&
                          same(line.measured, line_.measured) && same(line.plan, line_.plan) &&
                          line.now == line_.now && unitFor == unitFor_;
    if (sameLine)
        return;
    const bool other = line.id != line_.id;
    line_ = line;
    grid_ = grid;
    unitFor_ = unitFor;
    showValues();
    if (other)
        fit();
    showFaults();
    showRange();
    redraw();
}

void LiveChart::showValues() {
    dimension_ = dimensionOf(line_.unit);
    double most = line_.plan ? line_.plan->high : 0;
    for (const double value : line_.measured)
        if (std::isfinite(value))
            most = std::max(most, std::abs(value));
    unit_ = glanceUnit(dimension_, std::max(most, unitFor_));
    const QString label = text(unit_.label);
    const QString title = text(line_.title);
    setAccessibleName(title);
    setFileName(text(line_.id));
    setAxisTitle(PlotAxis::y, label.isEmpty() ? title : title + QStringLiteral(", ") + label);
    QVector<double> times(static_cast<qsizetype>(line_.measured.size()));
    for (qsizetype i = 0; i < times.size(); ++i)
        times[i] = grid_.at(static_cast<std::size_t>(i));
    measured_->setData(times, QVector<double>(line_.measured.begin(), line_.measured.end()), true);
    const auto& plan = line_.plan;
    const auto [low, high] = valueRange(line_.measured, plan ? std::optional(plan->low) : std::nullopt,
                                        plan ? std::optional(plan->high) : std::nullopt);
    setDataRange(PlotAxis::y, low, high);
    band_->setVisible(plan && plan->high > plan->low);
    planLine_->setVisible(plan.has_value());
    if (plan) {
        band_->topLeft->setCoords(0, plan->high);
        band_->bottomRight->setCoords(1, plan->low);
        planLine_->point1->setCoords(0, plan->value);
        planLine_->point2->setCoords(1, plan->value);
    }
    QString words = line_.now ? tr("now %1").arg(valueText(*line_.now)) : tr("not measured now");
    if (plan)
        words += tr(", plan %1, from %2 to %3")
                     .arg(valueText(plan->value), valueText(plan->low), valueText(plan->high));
    setSummary(words + (line_.how.empty() ? QString() : QStringLiteral(". ") + text(line_.how)));
    showReference();
    showEnds();
    showCursor();
}

QString LiveChart::valueText(double value) const { return quantity(value, dimension_, {.fixed = unit_}); }

/// "now", "plan" and the band next to the end of the line in the large chart, over its right end in a small
/// one.
void LiveChart::showEnds() {
    const auto& plan = line_.plan;
    const bool beside = kind_ == Kind::headline;
    const auto number = [this](double value) { return numberIn(value, dimension_, unit_); };
    plan_->setVisible(beside && plan);
    range_->setVisible(beside && plan && plan->high > plan->low);
    now_->setVisible(beside && line_.now);
    if (!beside)
        return;
    if (line_.now)
        now_->setText((stale_ ? tr("last %1") : tr("now %1")).arg(number(*line_.now)));
    if (plan) {
        plan_->setText(tr("plan %1").arg(number(plan->value)));
        range_->setText(number(plan->low) + QStringLiteral("\u2009–\u2009") + number(plan->high));
    }
    // In pixels once the axis stands: the three must not meet.
    const QRect area = plot()->axisRect()->rect();
    const double line = QFontMetricsF(look().font(FontRole::small)).height();
    const auto y = [&](double value) {
        return std::clamp(plot()->yAxis->coordToPixel(value), area.top() + line / 2,
                          area.bottom() - line / 2 + 0.0);
    };
    double planY = plan ? y(plan->value) : 0;
    double nowY = line_.now ? y(*line_.now) : planY - line;
    if (plan) {
        const bool over = !line_.now || *line_.now >= plan->value;
        planY = std::clamp(planY, area.top() + 1.5 * line, area.bottom() - 1.5 * line);
        if (over)
            nowY = std::min(nowY, planY - line);
        else
            nowY = std::max(nowY, planY + 2 * line);
    }
    for (const auto& [label, place] : {std::pair{now_, nowY}, {plan_, planY}, {range_, planY + line}}) {
        label->position->setTypeY(QCPItemPosition::ptAbsolute);
        label->position->setCoords(1, place);
    }
}

void LiveChart::setFaults(const std::vector<FaultSpan>& faults) {
    if (faults == faults_)
        return;
    faults_ = faults;
    showFaults();
    redraw();
}

void LiveChart::setExcluded(const std::vector<ExcludedWindow>& windows) {
    const bool unchanged = std::ranges::equal(windows, excluded_, [](const auto& a, const auto& b) {
        return a.start == b.start && a.end == b.end && a.why == b.why;
    });
    if (unchanged)
        return;
    excluded_ = windows;
    showFaults();
    redraw();
}

void LiveChart::showFaults() {
    while (tints_.size() < faults_.size())
        tints_.push_back(addColumn(*this));
    while (hatches_.size() < excluded_.size())
        hatches_.push_back(addColumn(*this));
    for (QCPItemRect* column : tints_)
        column->setVisible(false);
    for (QCPItemRect* column : hatches_)
        column->setVisible(false);
    const double pixel = (time_->end() - time_->start()) / std::max(100, plot()->axisRect()->width());
    for (std::size_t i = 0; i < faults_.size(); ++i) {
        tints_[i]->setBrush(tintOf(faults_[i].tone, look()));
        place(tints_[i], faults_[i].start, faults_[i].end, 2 * pixel);
    }
    for (std::size_t i = 0; i < excluded_.size(); ++i) {
        QColor ink = look().color(Role::text3);
        ink.setAlphaF(0.45F);
        hatches_[i]->setBrush(QBrush(ink, Qt::BDiagPattern));
        place(hatches_[i], excluded_[i].start, excluded_[i].end, 2 * pixel);
    }
    placeNames();
}

/// Over the tints of the large chart, which names them for all.
void LiveChart::placeNames() {
    for (QCPItemText* name : names_)
        name->setVisible(false);
    if (kind_ != Kind::headline)
        return;
    const QFont font = look().font(FontRole::small);
    const QFontMetricsF metrics(font);
    const QCPAxis* x = axis(PlotAxis::x);
    const QRect area = plot()->axisRect()->rect();
    std::vector<NameWish> wishes;
    for (const FaultSpan& fault : faults_) {
        const double from = x->coordToPixel(fault.start), to = x->coordToPixel(fault.end);
        const double left = std::clamp<double>(from, area.left(), area.right());
        const double right = std::clamp<double>(to, area.left(), area.right());
        wishes.push_back({(left + right) / 2, metrics.horizontalAdvance(fault.name), from, to});
    }
    // The upper row is that of the title.
    const double title = plot()->plotLayout()->element(0, 0)->rect().left() +
                         metrics.horizontalAdvance(text(line_.title) + text(unit_.label)) + look().px(30);
    const auto placed = views::placeNames(wishes, {area.left() + 0.0, std::max<double>(area.left(), title)},
                                          area.right(), look().px(8));
    while (names_.size() < placed.size()) {
        QCPItemText* name = addLabel(*this, 0, 0, {}, Role::text2);
        name->position->setType(QCPItemPosition::ptAbsolute);
        name->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
        name->setClipToAxisRect(false);
        names_.push_back(name);
    }
    for (std::size_t i = 0; i < placed.size(); ++i) {
        names_[i]->setText(faults_[placed[i].index].name);
        names_[i]->position->setCoords(placed[i].left, area.top() - 2 - placed[i].row * metrics.height());
        names_[i]->setVisible(true);
    }
}

std::vector<std::pair<QString, QRect>> LiveChart::faultLabels() const {
    std::vector<std::pair<QString, QRect>> labels;
    const QFontMetrics metrics(look().font(FontRole::small));
    for (const QCPItemText* name : names_)
        if (name->visible()) {
            const QPoint corner = name->position->pixelPosition().toPoint();
            labels.emplace_back(name->text(),
                                QRect(corner.x(), corner.y() - metrics.height(),
                                      metrics.horizontalAdvance(name->text()), metrics.height()));
        }
    std::ranges::sort(labels, {}, [](const auto& label) { return label.second.left(); });
    return labels;
}

void LiveChart::setStale(std::optional<double> since) {
    if (since == stale_)
        return;
    stale_ = since;
    QPen pen(look().color(Role::measured), 1.25);
    if (stale_)
        pen.setDashPattern({4, 3});
    measured_->setPen(pen);
    placeUpright(staleEnd_, stale_);
    showEnds();
    redraw();
}

void LiveChart::showRange() {
    QCPAxis* x = axis(PlotAxis::x);
    const QCPRange range(time_->start(), time_->end());
    if (x->range() == range)
        return;
    x->setRange(range);
    showFaults();
    redraw();
}

void LiveChart::resizeEvent(QResizeEvent* event) {
    PlotBase::resizeEvent(event);
    spaceTicks();
}

/// Ticks are chosen before the layout is made, so that they go by what the margins will leave.
void LiveChart::spaceTicks() {
    const bool large = kind_ == Kind::headline;
    const int across = width() - (large ? left_ + right_ : look().px(60));
    const int down = height() - look().px(large ? 80 : 64);
    axis(PlotAxis::x)->ticker()->setTickCount(std::clamp(across / look().px(large ? 90 : 70), 2, 12));
    axis(PlotAxis::y)->ticker()->setTickCount(std::clamp(down / look().px(26), 2, 6));
}

/// What is at places in pixels follows the layout, before it is painted.
void LiveChart::fitLayout() {
    const QRect area = plot()->axisRect()->rect();
    if (area == laidOut_)
        return;
    laidOut_ = area;
    showFaults();
    showEnds();
    showCursor();
}

double LiveChart::valueAt(double time) const {
    const double place = std::round((time - grid_.start) / grid_.step);
    if (!(place >= 0) || place >= static_cast<double>(line_.measured.size()))
        return std::numeric_limits<double>::quiet_NaN();
    return line_.measured[static_cast<std::size_t>(place)];
}

double LiveChart::timeAt(double x) const { return axis(PlotAxis::x)->pixelToCoord(x); }

double LiveChart::crosshairX() const {
    return cursor_->visible() ? axis(PlotAxis::x)->coordToPixel(cursor_->point1->coords().x())
                              : std::numeric_limits<double>::quiet_NaN();
}

void LiveChart::showCursor() {
    const auto at = time_->cursor();
    placeUpright(cursor_, at);
    if (at) {
        const double value = valueAt(*at);
        readout_->setText(clockText(*at, time_->end() - time_->start()) + QStringLiteral("  ") +
                          (std::isfinite(value) ? valueText(value) : tr("no data")));
    } else if (kind_ == Kind::small && line_.now) {
        readout_->setText(line_.plan ? tr("%1, plan %2")
                                           .arg(numberIn(*line_.now, dimension_, unit_),
                                                numberIn(line_.plan->value, dimension_, unit_))
                                     : numberIn(*line_.now, dimension_, unit_));
    } else
        readout_->setText(QString());
    // The title is on the same line in a small chart: the value gives way.
    if (kind_ == Kind::small) {
        const QFontMetricsF metrics(look().font(FontRole::small));
        const double needed =
            metrics.horizontalAdvance(readout_->text() + text(line_.title) + text(unit_.label));
        readout_->setVisible(needed + look().px(40) < width());
    } else
        readout_->setVisible(false);
}

CardContent LiveChart::cardAt(double time) const {
    CardContent card;
    card.title = text(line_.title) + QStringLiteral(", ") + clockText(time, time_->end() - time_->start());
    const double value = valueAt(time);
    card.rows.append({tr("Measured"), std::isfinite(value) ? valueText(value) : tr("no data")});
    if (line_.plan) {
        card.rows.append({tr("Plan"), valueText(line_.plan->value)});
        card.rows.append({tr("Low – high"), valueText(line_.plan->low) + QStringLiteral("\u2009–\u2009") +
                                                valueText(line_.plan->high)});
    }
    if (const double before = referenceAt(time); std::isfinite(before))
        card.rows.append({referenceName_, valueText(before)});
    for (const FaultSpan& fault : faults_)
        if (time >= fault.start && time <= fault.end && card.rows.size() < 5)
            card.rows.append({tr("Fault"), fault.name});
    for (const ExcludedWindow& window : excluded_)
        if (time >= window.start && time <= window.end && card.rows.size() < 5)
            card.rows.append({tr("Left out of the fit"), text(window.why)});
    return card;
}

std::optional<PlotSpot> LiveChart::spotAt(const QPointF& position) const {
    const QRect area = plot()->axisRect()->rect();
    if (!area.contains(position.toPoint()) || line_.measured.empty())
        return std::nullopt;
    const double time = timeAt(position.x());
    const int reach = look().px(8);
    return PlotSpot{QRect(static_cast<int>(position.x()) - reach, area.top(), 2 * reach, area.height()),
                    cardAt(time)};
}

bool LiveChart::eventFilter(QObject* watched, QEvent* event) {
    const QRect area = plot()->axisRect()->rect();
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    switch (event->type()) {
    case QEvent::MouseMove: {
        const double time = std::clamp(timeAt(mouse->position().x()), time_->start(), time_->end());
        if (dragFrom_ && (mouse->buttons() & Qt::LeftButton) != 0) {
            const double from = timeAt(dragFrom_->x());
            place(zoomBand_, std::min(from, time), std::max(from, time), 0);
            plot()->layer(QStringLiteral("overlay"))->replot();
            return true;
        }
        time_->setCursor(area.contains(mouse->position().toPoint()) ? std::optional(time) : std::nullopt);
        if (mouse->buttons() != Qt::NoButton)
            return true; // a drag from elsewhere is none here
        break;
    }
    case QEvent::MouseButtonPress:
        if (mouse->button() == Qt::LeftButton && area.contains(mouse->position().toPoint()))
            dragFrom_ = mouse->position();
        break;
    case QEvent::MouseButtonRelease:
        if (dragFrom_) {
            const double from = dragFrom_->x(), to = mouse->position().x();
            dragFrom_.reset();
            zoomBand_->setVisible(false);
            const bool leavesOut = (mouse->modifiers() & Qt::ShiftModifier) != 0;
            if (std::abs(to - from) >= shortestDrag && leavesOut)
                emit leaveOutRequested(timeAt(std::min(from, to)), timeAt(std::max(from, to)));
            else if (std::abs(to - from) >= shortestDrag)
                time_->zoomTo(timeAt(std::min(from, to)), timeAt(std::max(from, to)));
            else
                plot()->layer(QStringLiteral("overlay"))->replot();
        }
        break;
    case QEvent::MouseButtonDblClick:
        dragFrom_.reset();
        time_->reset();
        return true; // not the fit of a single chart
    case QEvent::Wheel: {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (wheel->angleDelta().y() == 0)
            return true;
        time_->zoomBy(wheel->angleDelta().y() > 0 ? wheelZoom : 1 / wheelZoom, timeAt(wheel->position().x()));
        return true;
    }
    case QEvent::Leave:
        time_->setCursor(std::nullopt);
        break;
    default:
        break;
    }
    return PlotBase::eventFilter(watched, event);
}

} // namespace alidade::views
