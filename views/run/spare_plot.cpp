// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/spare_plot.h"

#include "model/estimate/estimate.h"
#include "views/document/text.h"
#include "views/kit/plot_art.h"
#include "views/run/run_words.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double overMinimum = 4; // times the minimum: what the axis shows of the curve
constexpr double spareDot = 4, spareRing = 8;
constexpr double spareReach = 8; // logical pixels around a number of spares

} // namespace

/// What a SparePlot shows.
class SpareArt : public PlotArt {
public:
    explicit SpareArt(PlotBase& owner)
        : PlotArt(owner) {}

    RunStoryPtr story;
    std::size_t best = 0;
    QString bestWords, presentWords;
    std::optional<std::size_t> present;
    mutable PlacedLabels placed;

    const SpareCost& at(std::size_t i) const { return story->spares[i]; }
    QPointF place(std::size_t i, double value) const {
        return {pixelX(at(i).spares), std::clamp(pixelY(value), -1e5, 1e5)};
    }

protected:
    void draw(QCPPainter* painter) override {
        if (!story || story->spares.empty() || area().width() < 20 || area().height() < 20)
            return;
        const Theme& look = owner_.look();
        painter->setRenderHint(QPainter::Antialiasing);
        LabelPlacer labels(area());
        labels.keepFree(owner_.titleRect(PlotAxis::y));
        painter->save();
        painter->setClipRect(area().adjusted(-1, -1, 1, 1));
        QPen dashed(look.color(Role::text2), look.px(1) * 1.25), dotted = dashed;
        dashed.setDashPattern({6, 3});
        dotted.setDashPattern({2, 2});
        drawCurve(painter, labels, dashed, &SpareCost::rent);
        drawCurve(painter, labels, dotted, &SpareCost::waiting);
        painter->setPen(QPen(look.color(Role::text), look.px(1) * 1.8));
        for (std::size_t i = 1; i < story->spares.size(); ++i)
            drawPart(painter, labels, {place(i - 1, at(i - 1).total()), place(i, at(i).total())});
        drawMarks(painter, labels);
        const LabelPlacer::Look faint{look.font(FontRole::small), look.color(Role::text2)},
            strong{look.font(FontRole::small), look.color(Role::text)};
        nameCurve(labels, SparePlot::tr("both together"), strong, -1,
                  [this](std::size_t i) { return at(i).total(); });
        nameCurve(labels, SparePlot::tr("rent, dashed"), faint, 1,
                  [this](std::size_t i) { return at(i).rent; });
        nameCurve(labels, SparePlot::tr("waiting, dotted"), faint, -1,
                  [this](std::size_t i) { return at(i).waiting; });
        labels.paint(*painter, look.color(Role::base));
        placed = labels.placed();
        painter->restore();
    }

private:
    void drawPart(QCPPainter* painter, LabelPlacer& labels, const QLineF& line) const {
        painter->drawLine(line);
        if (area().intersects(QRectF(line.p1(), line.p2()).normalized().adjusted(-1, -1, 1, 1)))
            labels.keepFree(line);
    }

    void drawCurve(QCPPainter* painter, LabelPlacer& labels, const QPen& pen,
                   double SpareCost::* value) const {
        painter->setPen(pen);
        QPolygonF line;
        for (std::size_t i = 0; i < story->spares.size(); ++i)
            line.append(place(i, at(i).*value));
        painter->drawPolyline(line); // in one, so that the dashes go on
        for (qsizetype i = 1; i < line.size(); ++i)
            if (area().contains(line[i]))
                labels.keepFree(QLineF(line[i - 1], line[i]));
    }

    void drawMarks(QCPPainter* painter, LabelPlacer& labels) const {
        const Theme& look = owner_.look();
        const LabelPlacer::Look words{look.font(FontRole::small), look.color(Role::text)};
        const double gap = look.px(spareRing) + look.px(3);
        if (present) {
            const QPointF now = place(*present, at(*present).total());
            if (area().contains(now)) {
                painter->setPen(QPen(look.color(Role::text), look.px(1) * 1.5));
                painter->setBrush(look.color(Role::base));
                painter->drawEllipse(now, look.px(spareRing), look.px(spareRing));
                painter->setPen(Qt::NoPen);
                painter->setBrush(look.color(Role::accent));
                painter->drawEllipse(now, look.px(spareDot), look.px(spareDot));
                labels.keepFree(QRectF(now.x() - gap, now.y() - gap, 2 * gap, 2 * gap));
                if (*present != best)
                    labels.addAt({{now + QPointF(0, -gap), Qt::AlignHCenter | Qt::AlignBottom},
                                  {now + QPointF(gap, -gap), Qt::AlignLeft | Qt::AlignBottom},
                                  {now + QPointF(gap, 0), Qt::AlignLeft | Qt::AlignVCenter}},
                                 presentWords, words);
            }
        }
        const QPointF least = place(best, at(best).total());
        if (!present || *present != best) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(look.color(Role::text));
            painter->drawEllipse(least, look.px(spareDot), look.px(spareDot));
        }
        labels.keepFree(QRectF(least.x() - spareDot, least.y() - spareDot, 2 * spareDot, 2 * spareDot));
        labels.addAt({{least + QPointF(0, -gap), Qt::AlignHCenter | Qt::AlignBottom},
                      {least + QPointF(gap, -gap), Qt::AlignLeft | Qt::AlignBottom},
                      {least + QPointF(gap, -3 * gap), Qt::AlignLeft | Qt::AlignBottom},
                      {least + QPointF(-gap, -gap), Qt::AlignRight | Qt::AlignBottom}},
                     bestWords, words);
    }

    /// At the right end of the curve, where there is room; above (-1) it or below (1).
    template <class Value>
    void nameCurve(LabelPlacer& labels, const QString& words, const LabelPlacer::Look& look, int side,
                   Value value) const {
        QList<LabelPlacer::Spot> spots;
        for (const double along : {1.0, 0.85, 0.7, 0.55}) {
            const auto i = static_cast<std::size_t>(along * static_cast<double>(story->spares.size() - 1));
            for (const int way : {side, -side})
                spots.append({place(i, value(i)) + QPointF(-2, way * owner_.look().px(4)),
                              Qt::AlignRight | (way < 0 ? Qt::AlignBottom : Qt::AlignTop)});
        }
        labels.addAt(spots, words, look);
    }
};

SparePlot::SparePlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new SpareArt(*this)) {
    setAccessibleName(tr("Cost of spares and of waiting"));
    setFileName(QStringLiteral("spares"));
    setAxisTitle(PlotAxis::x, tr("spare instances"));
    setTickText(PlotAxis::x, [](double value) {
        return quantity(value, Dimension::number, {.significant = 4, .trimZeros = true});
    });
}

void SparePlot::setStory(const RunStoryPtr& story) {
    const bool first = !story_;
    story_ = story;
    art_->story = story;
    const auto& all = story->spares;
    art_->best = static_cast<std::size_t>(std::ranges::min_element(all, {}, &SpareCost::total) - all.begin());
    const SpareCost& best = all[art_->best];
    const auto present = static_cast<std::size_t>(std::max(0.0, std::round(story->estimate->run->spares)));
    art_->present = present < all.size() ? std::optional(present) : std::nullopt;
    art_->bestWords =
        tr("%1: %2").arg(counted(best.spares, tr("spare"), tr("spares")), spareMoney(*story, best.total()));
    art_->presentWords = art_->present ? tr("present %1").arg(present) : QString();
    const bool money = story->facts.nodeDollarsPerHour > 0;
    const double top = std::max({overMinimum * best.total(), 1.15 * all.back().rent, 1e-9});
    const ScaledUnit unit = glanceUnit(Dimension::dollars, top);
    setAxisTitle(PlotAxis::y, money ? text(unit.label) : tr("node-days"));
    setTickText(PlotAxis::y, [money, unit](double value) {
        const double shown = money ? value / unit.factor : value;
        return quantity(shown, Dimension::number, {.significant = 3, .trimZeros = true});
    });
    setDataRange(PlotAxis::x, 0, all.back().spares * 1.02);
    setDataRange(PlotAxis::y, 0, top);
    setSummary(tr("Cheapest with %1; now %2").arg(art_->bestWords).arg(present));
    if (first)
        fit();
    redraw();
}

int SparePlot::bestSpares() const { return story_ ? art_->at(art_->best).spares : 0; }
PlacedLabels SparePlot::labels() const { return art_->placed; }

std::optional<PlotSpot> SparePlot::spotAt(const QPointF& position) const {
    if (!story_ || !plot()->axisRect()->rect().contains(position.toPoint()))
        return std::nullopt;
    const double spares = std::round(plot()->xAxis->pixelToCoord(position.x()));
    if (spares < 0 || spares >= static_cast<double>(story_->spares.size()))
        return std::nullopt;
    const SpareCost& cost = art_->at(static_cast<std::size_t>(spares));
    CardContent card;
    card.title = counted(cost.spares, tr("spare instance"), tr("spare instances"));
    card.rows.append({tr("Rent of the spares"), spareMoney(*story_, cost.rent)});
    card.rows.append({tr("Waiting for a repair"), spareMoney(*story_, cost.waiting)});
    card.rows.append({tr("Both"), spareMoney(*story_, cost.total())});
    const QPointF at = art_->place(static_cast<std::size_t>(spares), cost.total());
    const int radius = look().px(spareReach);
    return PlotSpot{QRect(static_cast<int>(at.x()) - radius, static_cast<int>(position.y()) - radius,
                          2 * radius, 2 * radius),
                    card};
}

} // namespace alidade::views
