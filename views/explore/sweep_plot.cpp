// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/sweep_plot.h"

#include "model/base/calendar.h"
#include "model/kernels/bound.h"
#include "views/document/text.h"
#include "views/explore/explore_words.h"
#include "views/explore/sweep_art.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {

namespace {

constexpr double reach = 9;       // logical pixels around a point that belong to it
constexpr double wideAcross = 12; // highest / lowest value
constexpr double wideUp = 60;
constexpr double fromZero = 0.55; // lowest / highest above which the axis does not begin at zero
constexpr double headRoom = 0.08; // of the range, above

QString boundText(Bound bound) { return theme().classStyle(bound).name; }

SweepArt::Mark markOf(const SweepPoint& point, const PlanFigure& figure, double x) {
    SweepArt::Mark out{.x = x,
                       .value = {},
                       .low = {},
                       .high = {},
                       .runs = point.runs,
                       .fits = point.fits,
                       .shares = point.shares};
    const SweepFigure* value = point.figure(figure);
    if (value && std::isfinite(value->value)) {
        out.value = value->value;
        out.low = value->low;
        out.high = value->high;
    }
    return out;
}

/// Values that have no order are side by side.
double xOf(const SweepAxis& axis, const FieldValue& value) {
    if (const auto place = placeOf(axis.variable, value))
        return *place;
    const auto at = std::ranges::find(axis.values, value);
    return static_cast<double>(at - axis.values.begin());
}

/// "does not fit: 82 – 112 GB of 78.4"
QString unfitWords(const Sweep& sweep) {
    const PlanFigure *total = findPlanFigure("memory.total_bytes"),
                     *headroom = findPlanFigure("memory.headroom_bytes");
    double low = std::numeric_limits<double>::infinity(), high = 0, usable = 0;
    for (const SweepPoint& each : sweep.points) {
        const SweepFigure *bytes = each.figure(*total), *left = each.figure(*headroom);
        if (!each.runs || each.fits || !bytes || !left)
            continue;
        low = std::min(low, bytes->value);
        high = std::max(high, bytes->value);
        usable = bytes->value + left->value;
    }
    if (high <= 0)
        return {};
    const ScaledUnit unit = glanceUnit(Dimension::bytes, high);
    const auto number = [&](double bytes) {
        return text(formatParts(bytes, Dimension::bytes, {.fixed = unit}).number);
    };
    const QString range =
        number(low) == number(high) ? number(high) : SweepPlot::tr("%1 – %2").arg(number(low), number(high));
    return SweepPlot::tr("does not fit: %1 of %2 %3").arg(range, number(usable), text(unit.label));
}

} // namespace

CardContent cardOf(const SweepAnswer& answer, const SweepPoint& point, const PlanFigure& figure) {
    CardContent card;
    card.title = pointInWords(answer.sweep, point);
    if (!point.runs) {
        card.rows.append({SweepPlot::tr("Does not run"), text(point.why)});
        return card;
    }
    card.tag = point.bound;
    if (const SweepFigure* value = point.figure(figure)) {
        card.rows.append({text(figure.label), glance(value->value, figure.dimension)});
        if (value->low < value->high)
            card.rows.append({SweepPlot::tr("Low – high"), glance(value->low, figure.dimension) +
                                                               QStringLiteral(" – ") +
                                                               glance(value->high, figure.dimension)});
    }
    const SweepFigure* memory = point.figure(*findPlanFigure("memory.total_bytes"));
    if (!point.fits && memory)
        card.rows.append({SweepPlot::tr("Does not fit"), glance(memory->value, Dimension::bytes)});
    if (point.bound)
        card.rows.append({SweepPlot::tr("Largest share"), boundText(*point.bound)});
    if (!point.plan.empty())
        card.rows.append(
            {SweepPlot::tr("Best plan"), text(describeEdit(changesOf(answer.context->spec, point.plan)))});
    return card;
}

SweepPlot::SweepPlot(bool ribbon, QWidget* parent)
    : PlotBase(parent)
    , art_(new SweepArt(*this, ribbon)) {
    setAccessibleName(tr("One figure over one field"));
    setFileName(QStringLiteral("sweep"));
}

void SweepPlot::setAnswer(const std::shared_ptr<const SweepAnswer>& answer, const PlanFigure* figure) {
    const bool other = !answer_ || figure_ != figure || answer_->ask.across != answer->ask.across;
    answer_ = answer;
    figure_ = figure;
    const Sweep& sweep = answer->sweep;
    art_->marks.clear();
    art_->kinks.clear();
    art_->present.reset();
    art_->unfitText = unfitWords(sweep);
    if (other)
        art_->chosen = -1;
    if (sweep.axes.empty())
        return redraw();
    const SweepAxis& axis = sweep.axes.back();
    for (const SweepPoint& each : sweep.points)
        art_->marks.append(markOf(each, *figure, xOf(axis, each.values.back())));
    for (const SweepKink& each : sweep.kinks)
        art_->kinks.append({xOf(axis, each.values.back()), tr("%1 overtakes").arg(boundText(each.to)),
                            boundText(each.from)});
    if (!answer->present.values.empty())
        art_->present = markOf(answer->present, *figure, xOf(axis, answer->present.values.back()));
    showAxes();
    setSummary(text(sweepHeadline(sweep, *figure)));
    if (other)
        fit();
    redraw();
}

void SweepPlot::showAxes() {
    const Variable& variable = answer_->sweep.axes.back().variable;
    double left = std::numeric_limits<double>::infinity(), low = left, right = -left, high = -left;
    const auto take = [&](double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    };
    for (const SweepArt::Mark& each : art_->marks) {
        left = std::min(left, each.x);
        right = std::max(right, each.x);
        take(each.value.value_or(std::nan("")));
        take(each.low.value_or(std::nan("")));
        take(each.high.value_or(std::nan("")));
    }
    if (art_->target && *art_->target > low / 4 && *art_->target < high * 4)
        take(*art_->target);
    setAxisTitle(PlotAxis::x, labelOf(variable));
    if (variable.hasOrder()) {
        const bool wide =
            left > 0 && right / left > wideAcross && variable.field() && variable.field()->degree;
        setLogarithmic(PlotAxis::x, wide);
        setTickText(PlotAxis::x, [variable](double value) {
            if (variable.isDate())
                return text(dateText(static_cast<int>(std::lround(value))));
            return variable.isInteger()
                       ? quantity(value, Dimension::number, {.significant = 6, .trimZeros = true})
                       : quantity(value, variable.dimension(), {.trimZeros = true});
        });
        if (left < right) {
            const double room = wide ? 1 : 0.02 * (right - left);
            setDataRange(PlotAxis::x, wide ? left / 1.15 : left - room, wide ? right * 1.15 : right + room);
        }
    } else {
        QStringList names;
        for (const FieldValue& each : answer_->sweep.axes.back().values)
            names.append(valueInWords(variable, each));
        setCategories(PlotAxis::x, names);
        setDataRange(PlotAxis::x, -0.5, static_cast<double>(names.size()) - 0.5);
    }
    const Dimension dimension = figure_->dimension;
    setAxisTitle(PlotAxis::y, text(figure_->label));
    if (!(low <= high))
        return;
    const double share = art_->ribbonShare();
    const bool wide = low > 0 && high / low > wideUp;
    setLogarithmic(PlotAxis::y, wide);
    double bottom = low;
    if (wide) {
        const double range = std::log(high / low) * (1 + headRoom);
        setDataRange(PlotAxis::y, low / std::exp(range * share / (1 - share)), low * std::exp(range));
    } else {
        bottom = low > 0 && low < fromZero * high
                     ? 0
                     : low - 0.15 * (high - low > 0 ? high - low : std::abs(high));
        const double range = (high - bottom) * (1 + headRoom);
        setDataRange(PlotAxis::y, bottom - range * share / (1 - share), bottom + range);
    }
    // The lowest part of the axis belongs to the ribbon.
    setTickText(PlotAxis::y, [dimension, bottom, wide](double value) {
        if (value < bottom - 1e-9 * std::abs(bottom) || (wide && value < bottom / 1.01))
            return QString();
        return glance(value, dimension);
    });
}

void SweepPlot::setTarget(const std::optional<double>& target) {
    art_->target = target;
    art_->targetText =
        target && figure_ ? tr("goal, %1").arg(glance(*target, figure_->dimension)) : QString();
    redraw();
}

void SweepPlot::setChosen(int point) {
    art_->chosen = point;
    redraw();
}

QPointF SweepPlot::placeOf(int point) const { return art_->place(art_->marks[point]); }

int SweepPlot::pointAt(const QPointF& position) const {
    int nearest = -1;
    double best = look().px(1) * reach;
    for (int i = 0; i < art_->marks.size(); ++i) {
        const QPointF at = placeOf(i);
        // Where nothing is drawn, the column below belongs to the point.
        const double away = art_->marks[i].value ? std::hypot(at.x() - position.x(), at.y() - position.y())
                                                 : std::abs(at.x() - position.x());
        if (away <= best) {
            best = away;
            nearest = i;
        }
    }
    return nearest;
}

PlotSpot SweepPlot::spotOf(int point) const {
    const int radius = look().px(static_cast<int>(reach));
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(placeOf(point).toPoint());
    return {subject, cardOf(*answer_, answer_->sweep.points[static_cast<std::size_t>(point)], *figure_)};
}

std::optional<PlotSpot> SweepPlot::spotAt(const QPointF& position) const {
    const int point = pointAt(position);
    return point < 0 ? std::nullopt : std::optional(spotOf(point));
}

void SweepPlot::clicked(const QPointF& position) {
    if (const int point = pointAt(position); point >= 0)
        emit chosen(point);
}

void SweepPlot::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(art_->marks.size()) - 1;
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (last < 0 || event->modifiers() & ~Qt::KeypadModifier || (step == 0 && !enters))
        return PlotBase::keyPressEvent(event);
    if (enters) {
        if (art_->chosen >= 0)
            emit adopted(art_->chosen);
        return;
    }
    // From the present plan, where none is chosen yet.
    int from = art_->chosen;
    if (from < 0 && art_->present)
        for (int i = 0; i <= last; ++i)
            if (art_->marks[i].x == art_->present->x)
                from = i;
    const int next = std::clamp(from + step, 0, last);
    emit chosen(next);
    showCard(spotOf(next));
}

} // namespace alidade::views
