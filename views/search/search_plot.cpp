// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_plot.h"

#include "model/search/plan_walker.h"
#include "model/search/search_words.h"
#include "views/document/text.h"
#include "views/kit/hover_card.h"
#include "views/kit/plot_art.h"
#include "views/kit/plot_parts.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QFontMetrics>
#include <QKeyEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace alidade::views {

namespace {

constexpr double reach = 8;       // logical pixels around a point that belong to it
constexpr double samplePoint = 2; // radii
constexpr double listedPoint = 3.5;
constexpr double presentRing = 7;
constexpr double sampleOpacity = 0.4;
constexpr float brushVeil = 0.12F;
constexpr double wideRange = 8; // highest / lowest value
constexpr double margin = 0.04; // around the plans, of the axis

double valueOf(const std::vector<std::pair<const PlanFigure*, double>>& figures, const PlanFigure* figure) {
    const auto found = std::ranges::find(figures, figure, &std::pair<const PlanFigure*, double>::first);
    return found == figures.end() ? std::nan("") : found->second;
}

bool isFinite(const QPointF& point) { return std::isfinite(point.x()) && std::isfinite(point.y()); }

} // namespace

/// What a SearchPlot shows.
class SearchArt : public PlotArt {
public:
    explicit SearchArt(PlotBase& owner)
        : PlotArt(owner, Clip::axes) {}

    QList<QPointF> sample, plans;                     ///< values of the two figures
    QList<std::optional<Bound>> sampleBounds, bounds; ///< of the sample, of the plans
    std::optional<QPointF> present, chosen;
    std::optional<QRectF> brush; ///< of the two figures
    bool front = false;          ///< the plans are joined by a line

    QPointF place(const QPointF& value) const { return pixel(value.x(), value.y()); }

protected:
    void draw(QCPPainter* painter) override {
        const Theme& look = owner_.look();
        painter->setRenderHint(QPainter::Antialiasing);
        drawBrush(painter);
        painter->setOpacity(sampleOpacity);
        for (qsizetype i = 0; i < sample.size(); ++i)
            if (isFinite(sample[i]))
                drawPlan(painter, place(sample[i]), sampleBounds[i], samplePoint);
        painter->setOpacity(1);
        painter->setPen(Qt::NoPen);
        if (front) {
            QPolygonF line;
            for (const QPointF& each : plans)
                line.append(place(each));
            painter->setPen(QPen(look.color(Role::text), look.px(1) * 1.2));
            painter->setBrush(Qt::NoBrush);
            painter->drawPolyline(line);
            painter->setPen(Qt::NoPen);
        }
        for (qsizetype i = 0; i < plans.size(); ++i)
            if (isFinite(plans[i]))
                drawPlan(painter, place(plans[i]), bounds[i], listedPoint);
        drawLegend(painter);
        painter->setPen(Qt::NoPen);
        painter->setBrush(Qt::NoBrush);
        if (present) {
            painter->setPen(QPen(look.color(Role::text), look.px(1) * 1.6));
            painter->drawEllipse(place(*present), look.px(1) * presentRing, look.px(1) * presentRing);
        }
        if (chosen && isFinite(*chosen)) {
            painter->setPen(QPen(look.color(Role::base), look.px(1) * 1.5));
            painter->setBrush(look.color(Role::accent));
            painter->drawEllipse(place(*chosen), look.px(1) * (listedPoint + 2),
                                 look.px(1) * (listedPoint + 2));
        }
    }

private:
    void drawPlan(QCPPainter* painter, const QPointF& at, std::optional<Bound> bound, double radius) const {
        const Theme& look = owner_.look();
        if (bound) {
            const QCPScatterStyle marker = classScatter(*bound, 2 * radius, look);
            marker.applyTo(painter, marker.pen());
            marker.drawShape(painter, at);
            return;
        }
        painter->setPen(Qt::NoPen);
        painter->setBrush(look.color(Role::text));
        painter->drawEllipse(at, look.px(1) * radius, look.px(1) * radius);
    }

    void drawBrush(QCPPainter* painter) const {
        if (!brush)
            return;
        const Theme& look = owner_.look();
        QColor veil = look.color(Role::accent);
        painter->setPen(QPen(veil, look.px(1)));
        veil.setAlphaF(brushVeil);
        painter->setBrush(veil);
        painter->drawRect(QRectF(place(brush->topLeft()), place(brush->bottomRight())).normalized());
    }

    /// The classes of the plans, at the upper right.
    void drawLegend(QCPPainter* painter) const {
        const Theme& look = owner_.look();
        const QRect area = owner_.plot()->axisRect()->rect();
        painter->setFont(look.font(FontRole::small));
        const QFontMetrics metrics(painter->font());
        const int line = metrics.height() + look.px(2), gap = look.px(8);
        int y = area.top() + line / 2 + look.px(2);
        for (const Bound bound : allBounds) {
            if (!bounds.contains(std::optional(bound)) && !sampleBounds.contains(std::optional(bound)))
                continue;
            const QString words = look.classStyle(bound).name;
            const int width = metrics.horizontalAdvance(words);
            const QRect place(area.right() - width - look.px(4), y - line / 2, width + look.px(4), line);
            painter->setPen(Qt::NoPen);
            painter->setBrush(look.color(Role::base));
            painter->drawRect(place.adjusted(-2 * gap, 0, 0, 0));
            drawPlan(painter, QPointF(place.left() - gap, y), bound, listedPoint);
            painter->setPen(look.color(Role::text2));
            painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words);
            y += line;
        }
    }
};

SearchPlot::SearchPlot(QWidget* parent)
    : PlotBase(parent)
    , brushAction_(new QAction(tr("Brush"), this))
    , art_(new SearchArt(*this)) {
    brushAction_->setCheckable(true);
    brushAction_->setToolTip(tr("Drag a rectangle: the list has the plans inside"));
    connect(brushAction_, &QAction::toggled, this, [this](bool on) {
        setBrushing(on);
        if (!on)
            clearBrush();
    });
    connect(plot(), &QCustomPlot::mouseDoubleClick, this, &SearchPlot::clearBrush);
    connect(this, &PlotBase::brushed, this, [this](const QRect& area) {
        const auto value = [this](const QPoint& at) {
            return QPointF(axis(PlotAxis::x)->pixelToCoord(at.x()), axis(PlotAxis::y)->pixelToCoord(at.y()));
        };
        brush_ = QRectF(value(area.topLeft()), value(area.bottomRight())).normalized();
        art_->brush = brush_;
        redraw();
        emit viewChanged();
    });
    setAccessibleName(tr("Plans over two figures"));
    setFileName(QStringLiteral("search"));
    for (const PlotAxis each : {PlotAxis::x, PlotAxis::y})
        connect(axis(each), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
                &SearchPlot::viewChanged);
    connect(this, &PlotBase::zoomChanged, this, &SearchPlot::viewChanged);
}

void SearchPlot::setAnswer(const std::shared_ptr<const CatalogSearch>& answer,
                           const std::vector<FoundPlan>& plans, bool more) {
    answer_ = answer;
    plans_ = plans;
    if (!more)
        clearBrush();
    renew(more);
}

void SearchPlot::clearBrush() {
    if (!brush_)
        return;
    brush_.reset();
    art_->brush.reset();
    redraw();
    emit viewChanged();
}

void SearchPlot::setAxes(const PlanFigure* up, const PlanFigure* right) {
    wantedUp_ = up;
    wantedRight_ = right;
    clearBrush();
    if (answer_)
        renew(false);
}

double SearchPlot::sampled(std::size_t plan, const PlanFigure& figure) const {
    if (answer_->picture.has(figure))
        return answer_->picture.value(plan, figure);
    const SearchResult& result = answer_->result;
    return result.sample[plan].values[&figure == result.axes[0] ? 0 : 1];
}

void SearchPlot::renew(bool more) {
    const SearchResult& result = answer_->result;
    const SearchPicture& picture = answer_->picture;
    up_ = wantedUp_ != nullptr && picture.has(*wantedUp_) ? wantedUp_ : result.axes[0];
    right_ = wantedRight_ != nullptr && picture.has(*wantedRight_) ? wantedRight_ : result.axes[1];
    const auto boundOf = [&picture](std::uint64_t index) {
        const auto found = picture.bottlenecks.find(index);
        return found == picture.bottlenecks.end() ? std::nullopt : std::optional(found->second);
    };
    art_->sample.clear();
    art_->sampleBounds.clear();
    art_->plans.clear();
    art_->bounds.clear();
    art_->front = !result.front.empty() && up_ == result.axes[0] && right_ == result.axes[1];
    for (std::size_t i = 0; i < result.sample.size(); ++i) {
        art_->sample.append({sampled(i, *right_), sampled(i, *up_)});
        art_->sampleBounds.append(boundOf(result.sample[i].index));
    }
    for (const FoundPlan& each : plans_) {
        art_->plans.append({each.figure(*right_), each.figure(*up_)});
        art_->bounds.append(boundOf(each.index));
    }
    const QPointF now(valueOf(result.present.figures, right_), valueOf(result.present.figures, up_));
    art_->present = isFinite(now) ? std::optional(now) : std::nullopt;

    double left = std::numeric_limits<double>::infinity(), low = left, far = -left, high = -left;
    const auto include = [&](const QPointF& p) {
        if (!isFinite(p))
            return;
        left = std::min(left, p.x());
        far = std::max(far, p.x());
        low = std::min(low, p.y());
        high = std::max(high, p.y());
    };
    for (const QList<QPointF>& list : {art_->sample, art_->plans})
        std::ranges::for_each(list, include);
    if (art_->present)
        include(*art_->present);
    setAxisTitle(PlotAxis::x, text(right_->label));
    setAxisTitle(PlotAxis::y, text(up_->label));
    for (const auto& [axis, figure] : {std::pair(PlotAxis::x, right_), std::pair(PlotAxis::y, up_)})
        setTickText(axis, [figure = figure](double v) {
            return quantity(v, figure->dimension, {.trimZeros = true});
        });
    if (left <= far && low <= high) {
        showRange(PlotAxis::x, left, far);
        showRange(PlotAxis::y, low, high);
    }
    setSummary(text(searchHeadline(answer_->question, result)));
    setChosen(chosen_);
    if (!more)
        fit();
    redraw();
}

/// All of the plans with some room around. Over a wide range an axis is logarithmic, so that the best plans
/// are not crowded by the worst.
void SearchPlot::showRange(PlotAxis which, double low, double high) {
    const bool wide = low > 0 && high / low > wideRange;
    setLogarithmic(which, wide);
    if (wide) {
        const double room = std::pow(high / low, margin);
        setDataRange(which, low / room, high * room);
    } else {
        const double room = margin * (high > low ? high - low : std::max(std::abs(low), 1.0));
        setDataRange(which, low - room, high + room);
    }
}

void SearchPlot::setChosen(const std::optional<FoundPlan>& plan) {
    chosen_ = plan;
    art_->chosen.reset();
    if (plan && answer_)
        art_->chosen = {plan->figure(*right_), plan->figure(*up_)};
    redraw();
}

bool SearchPlot::isInView(int plan) const {
    const QPointF& value = art_->plans[plan];
    if (brush_ && (!isFinite(value) || value.x() < brush_->left() || value.x() > brush_->right() ||
                   value.y() < brush_->top() || value.y() > brush_->bottom()))
        return false;
    return !isZoomed() || !isFinite(value) ||
           (axis(PlotAxis::x)->range().contains(value.x()) && axis(PlotAxis::y)->range().contains(value.y()));
}

QPointF SearchPlot::placeOf(int plan) const { return art_->place(art_->plans[plan]); }

QPointF SearchPlot::placeOfSampled(std::size_t plan) const {
    return art_->place(art_->sample[static_cast<qsizetype>(plan)]);
}

std::optional<Bound> SearchPlot::boundOfSampled(std::size_t plan) const {
    return art_->sampleBounds[static_cast<qsizetype>(plan)];
}

std::optional<std::uint64_t> SearchPlot::planAt(const QPointF& position) const {
    std::optional<std::uint64_t> nearest;
    double best = look().px(1) * reach;
    const auto consider = [&](const QPointF& value, std::uint64_t index) {
        if (!isFinite(value))
            return;
        const QPointF away = art_->place(value) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance <= best) {
            best = distance;
            nearest = index;
        }
    };
    for (std::size_t i = 0; i < plans_.size(); ++i)
        consider(art_->plans[static_cast<qsizetype>(i)], plans_[i].index);
    if (nearest || !answer_)
        return nearest;
    for (std::size_t i = 0; i < answer_->result.sample.size(); ++i)
        consider(art_->sample[static_cast<qsizetype>(i)], answer_->result.sample[i].index);
    return nearest;
}

int SearchPlot::listed(std::uint64_t index) const {
    const auto found = std::ranges::find(plans_, index, &FoundPlan::index);
    return found == plans_.end() ? -1 : static_cast<int>(found - plans_.begin());
}

PlotSpot SearchPlot::spotOf(std::uint64_t index) const {
    CardContent card;
    QPointF value;
    const int place = listed(index);
    const auto& sample = answer_->result.sample;
    const FoundPlan plan =
        place >= 0
            ? plans_[static_cast<std::size_t>(place)]
            : FoundPlan{.index = index, .set = editOf(answer_->question, index), .figures = {}, .marks = {}};
    if (place >= 0) {
        card.title = tr("Plan %1").arg(place + 1);
        value = art_->plans[place];
    } else {
        card.title = tr("A plan that is not in the list");
        value = art_->sample[std::ranges::find(sample, index, &SampledPlan::index) - sample.begin()];
    }
    card.rows.append({text(up_->label), glance(value.y(), up_->dimension)});
    card.rows.append({text(right_->label), glance(value.x(), right_->dimension)});
    for (const FreeField& field : answer_->question.free)
        card.rows.append({text(labelOfFree(field)), text(valueInWords(plan, field))});
    const auto bound = answer_->picture.bottlenecks.find(index);
    if (bound != answer_->picture.bottlenecks.end())
        card.rows.append({tr("Largest part of a step"), look().classStyle(bound->second).name});
    const int radius = look().px(static_cast<int>(reach));
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(art_->place(value).toPoint());
    return {subject, card};
}

std::optional<PlotSpot> SearchPlot::spotAt(const QPointF& position) const {
    const auto plan = planAt(position);
    return plan ? std::optional(spotOf(*plan)) : std::nullopt;
}

void SearchPlot::clicked(const QPointF& position) {
    if (const auto plan = planAt(position))
        emit chosen(*plan);
}

void SearchPlot::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && brush_)
        return clearBrush();
    const int step = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                     : event->key() == Qt::Key_Left || event->key() == Qt::Key_Up  ? -1
                                                                                   : 0;
    const int last = static_cast<int>(plans_.size()) - 1;
    if (step == 0 || last < 0 || event->modifiers() != Qt::NoModifier)
        return PlotBase::keyPressEvent(event);
    const int now = chosen_ ? listed(chosen_->index) : -1;
    emit chosen(plans_[static_cast<std::size_t>(std::clamp(now + step, 0, last))].index);
}

} // namespace alidade::views
