// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_plot.h"

#include "model/search/search_words.h"
#include "views/document/text.h"
#include "views/kit/hover_card.h"
#include "views/kit/plot_art.h"
#include "views/kit/plot_parts.h"
#include "views/theme/theme.h"

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
constexpr int sampleAlpha = 70; // of 255
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

    QList<QPointF> sample, plans;       ///< values of the two figures
    QList<std::optional<Bound>> bounds; ///< of the plans
    std::optional<QPointF> present;
    bool front = false; ///< the plans are joined by a line
    int chosen = -1;

    QPointF place(const QPointF& value) const { return pixel(value.x(), value.y()); }

protected:
    void draw(QCPPainter* painter) override {
        const Theme& look = owner_.look();
        painter->setRenderHint(QPainter::Antialiasing);
        QColor faint = look.colour(Role::text2);
        faint.setAlpha(sampleAlpha);
        painter->setPen(Qt::NoPen);
        painter->setBrush(faint);
        for (const QPointF& each : sample)
            if (isFinite(each))
                painter->drawEllipse(place(each), look.px(1) * samplePoint, look.px(1) * samplePoint);
        if (front) {
            QPolygonF line;
            for (const QPointF& each : plans)
                line.append(place(each));
            painter->setPen(QPen(look.colour(Role::text), look.px(1) * 1.2));
            painter->setBrush(Qt::NoBrush);
            painter->drawPolyline(line);
            painter->setPen(Qt::NoPen);
        }
        for (qsizetype i = 0; i < plans.size(); ++i)
            if (isFinite(plans[i]))
                drawListed(painter, place(plans[i]), bounds[i]);
        drawLegend(painter);
        painter->setPen(Qt::NoPen);
        painter->setBrush(Qt::NoBrush);
        if (present) {
            painter->setPen(QPen(look.colour(Role::text), look.px(1) * 1.6));
            painter->drawEllipse(place(*present), look.px(1) * presentRing, look.px(1) * presentRing);
        }
        if (chosen >= 0 && chosen < plans.size() && isFinite(plans[chosen])) {
            painter->setPen(QPen(look.colour(Role::base), look.px(1) * 1.5));
            painter->setBrush(look.colour(Role::accent));
            painter->drawEllipse(place(plans[chosen]), look.px(1) * (listedPoint + 2),
                                 look.px(1) * (listedPoint + 2));
        }
    }

private:
    void drawListed(QCPPainter* painter, const QPointF& at, std::optional<Bound> bound) const {
        const Theme& look = owner_.look();
        if (bound) {
            QCPScatterStyle marker = classScatter(*bound, 2 * listedPoint, look);
            marker.applyTo(painter, marker.pen());
            marker.drawShape(painter, at);
            return;
        }
        painter->setPen(Qt::NoPen);
        painter->setBrush(look.colour(Role::text));
        painter->drawEllipse(at, look.px(1) * listedPoint, look.px(1) * listedPoint);
    }

    /// The classes of the listed plans, at the upper right.
    void drawLegend(QCPPainter* painter) const {
        const Theme& look = owner_.look();
        const QRect area = owner_.plot()->axisRect()->rect();
        painter->setFont(look.font(FontRole::small));
        const QFontMetrics metrics(painter->font());
        const int line = metrics.height() + look.px(2), gap = look.px(8);
        int y = area.top() + line / 2 + look.px(2);
        for (const Bound bound : allBounds) {
            if (!bounds.contains(std::optional(bound)))
                continue;
            const QString words = look.classStyle(bound).name;
            const int width = metrics.horizontalAdvance(words);
            const QRect place(area.right() - width - look.px(4), y - line / 2, width + look.px(4), line);
            painter->setPen(Qt::NoPen);
            painter->setBrush(look.colour(Role::base));
            painter->drawRect(place.adjusted(-2 * gap, 0, 0, 0));
            drawListed(painter, QPointF(place.left() - gap, y), bound);
            painter->setPen(look.colour(Role::text2));
            painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words);
            y += line;
        }
    }
};

SearchPlot::SearchPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new SearchArt(*this)) {
    setAccessibleName(tr("Plans over two figures"));
    setFileName(QStringLiteral("search"));
    for (const PlotAxis each : {PlotAxis::x, PlotAxis::y})
        connect(axis(each), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
                &SearchPlot::viewChanged);
    connect(this, &PlotBase::zoomChanged, this, &SearchPlot::viewChanged);
}

void SearchPlot::setAnswer(const std::shared_ptr<const CatalogSearch>& answer,
                           const std::vector<FoundPlan>& plans) {
    answer_ = answer;
    plans_ = plans;
    renew();
}

void SearchPlot::setAxes(const PlanFigure* up, const PlanFigure* right) {
    wantedUp_ = up;
    wantedRight_ = right;
    if (answer_)
        renew();
}

double SearchPlot::sampled(std::size_t plan, const PlanFigure& figure) const {
    if (answer_->picture.has(figure))
        return answer_->picture.value(plan, figure);
    const SearchResult& result = answer_->result;
    return result.sample[plan].values[&figure == result.axes[0] ? 0 : 1];
}

void SearchPlot::renew() {
    const SearchResult& result = answer_->result;
    const SearchPicture& picture = answer_->picture;
    up_ = wantedUp_ != nullptr && picture.has(*wantedUp_) ? wantedUp_ : result.axes[0];
    right_ = wantedRight_ != nullptr && picture.has(*wantedRight_) ? wantedRight_ : result.axes[1];
    art_->sample.clear();
    art_->plans.clear();
    art_->bounds.clear();
    art_->front = !result.front.empty() && up_ == result.axes[0] && right_ == result.axes[1];
    for (std::size_t i = 0; i < result.sample.size(); ++i)
        art_->sample.append({sampled(i, *right_), sampled(i, *up_)});
    for (const FoundPlan& each : plans_) {
        art_->plans.append({each.figure(*right_), each.figure(*up_)});
        const auto bound = picture.bottlenecks.find(each.index);
        art_->bounds.append(bound == picture.bottlenecks.end() ? std::nullopt : std::optional(bound->second));
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

void SearchPlot::setChosen(int plan) {
    art_->chosen = plan;
    redraw();
}

bool SearchPlot::isInView(int plan) const {
    const QPointF& value = art_->plans[plan];
    return !isZoomed() || !isFinite(value) ||
           (axis(PlotAxis::x)->range().contains(value.x()) && axis(PlotAxis::y)->range().contains(value.y()));
}

QPointF SearchPlot::placeOf(int plan) const { return art_->place(art_->plans[plan]); }

int SearchPlot::planAt(const QPointF& position) const {
    int nearest = -1;
    double best = look().px(1) * reach;
    for (int i = 0; i < art_->plans.size(); ++i) {
        if (!isFinite(art_->plans[i]))
            continue;
        const QPointF away = placeOf(i) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance <= best) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

PlotSpot SearchPlot::spotOf(int plan) const {
    const FoundPlan& each = plans_[static_cast<std::size_t>(plan)];
    CardContent card;
    card.title = tr("Plan %1").arg(plan + 1);
    for (const PlanFigure* figure : {up_, right_})
        card.rows.append({text(figure->label), glance(each.figure(*figure), figure->dimension)});
    for (const FreeField& field : answer_->question.free)
        card.rows.append({text(labelOfFree(field)), text(valueInWords(each, field))});
    if (const std::optional<Bound> bound = art_->bounds[plan])
        card.rows.append({tr("Largest part of a step"), look().classStyle(*bound).name});
    const int radius = look().px(static_cast<int>(reach));
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(placeOf(plan).toPoint());
    return {subject, card};
}

std::optional<PlotSpot> SearchPlot::spotAt(const QPointF& position) const {
    const int plan = planAt(position);
    return plan < 0 ? std::nullopt : std::optional(spotOf(plan));
}

void SearchPlot::clicked(const QPointF& position) {
    if (const int plan = planAt(position); plan >= 0)
        emit chosen(plan);
}

void SearchPlot::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                     : event->key() == Qt::Key_Left || event->key() == Qt::Key_Up  ? -1
                                                                                   : 0;
    const int last = static_cast<int>(art_->plans.size()) - 1;
    if (step == 0 || last < 0 || event->modifiers() != Qt::NoModifier)
        return PlotBase::keyPressEvent(event);
    emit chosen(std::clamp(art_->chosen + step, 0, last));
}

} // namespace alidade::views
