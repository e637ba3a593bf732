// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/outcome_plot.h"

#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {

/// What an OutcomePlot shows.
class OutcomeArt : public PlotArt {
public:
    explicit OutcomeArt(PlotBase& owner)
        : PlotArt(owner) {}

    OutcomeFigure figure;
    std::optional<SearchLimit> limit;

    QRectF rectOf(std::size_t bin) const {
        const double left = figure.histogramLow + static_cast<double>(bin) * figure.histogramWidth;
        const double right = left + figure.histogramWidth;
        return QRectF(pixel(left, static_cast<double>(figure.histogram[bin])), pixel(right, 0)).normalized();
    }

protected:
    void draw(QCPPainter* painter) override {
        if (figure.figure == nullptr || figure.histogram.empty())
            return;
        const Theme& look = owner_.look();
        for (std::size_t i = 0; i < figure.histogram.size(); ++i) {
            const double middle =
                figure.histogramLow + (static_cast<double>(i) + 0.5) * figure.histogramWidth;
            const bool missed = limit && !limit->holds(middle);
            const QRectF bar = rectOf(i).adjusted(0.5, 0, -0.5, 0);
            painter->fillRect(bar, look.memoryColor(missed ? MemoryTone::passing1 : MemoryTone::held3));
            if (missed) // also without the color
                painter->fillRect(bar, QBrush(look.color(Role::base), Qt::BDiagPattern));
        }
        LabelPlacer labels(area().adjusted(0, -QFontMetricsF(look.font(FontRole::small)).height() - 2, 0, 0));
        labels.keepFree(owner_.titleRect(PlotAxis::y));
        mark(painter, labels, figure.p10, OutcomePlot::tr("P10"), Role::text2, true);
        mark(painter, labels, figure.p50, OutcomePlot::tr("P50"), Role::text, false);
        mark(painter, labels, figure.p90, OutcomePlot::tr("P90"), Role::text2, true);
        if (limit)
            mark(painter, labels, limit->value,
                 limit->atMost ? OutcomePlot::tr("at most") : OutcomePlot::tr("at least"), Role::err, false);
        labels.paint(*painter, look.color(Role::base));
    }

private:
    void mark(QCPPainter* painter, LabelPlacer& labels, double value, const QString& name, Role ink,
              bool dashed) const {
        const double x = pixelX(value);
        if (!std::isfinite(value) || x < area().left() || x > area().right())
            return;
        const Theme& look = owner_.look();
        QPen pen(look.color(ink), look.px(1) * (dashed ? 1.0 : 1.5));
        if (dashed)
            pen.setDashPattern({4, 3});
        painter->setPen(pen);
        const QLineF line(x, area().top(), x, area().bottom());
        painter->drawLine(line);
        labels.keepFree(line);
        QList<LabelPlacer::Spot> spots;
        const double row = QFontMetricsF(look.font(FontRole::small)).height(), gap = look.px(4);
        for (const int down : {0, 1, 2, 3}) {
            spots.append({QPointF(x + gap, area().top() + down * row), Qt::AlignLeft | Qt::AlignTop});
            spots.append({QPointF(x - gap, area().top() + down * row), Qt::AlignRight | Qt::AlignTop});
        }
        labels.addAt(spots, name + u' ' + glance(value, figure.figure->dimension),
                     {look.font(FontRole::small), look.color(ink)});
    }
};

OutcomePlot::OutcomePlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new OutcomeArt(*this)) {
    setAccessibleName(tr("Distribution of the figure"));
    setFileName(QStringLiteral("distribution"));
    setTickText(PlotAxis::y,
                [](double value) { return quantity(value, Dimension::number, {.trimZeros = true}); });
    setTableSource([this] {
        TextTable out{{tr("From"), tr("To"), tr("Draws")}, {}};
        for (std::size_t i = 0; i < art_->figure.histogram.size(); ++i) {
            const double from =
                art_->figure.histogramLow + static_cast<double>(i) * art_->figure.histogramWidth;
            out.rows.append({QString::number(from, 'g', 9),
                             QString::number(from + art_->figure.histogramWidth, 'g', 9),
                             QString::number(art_->figure.histogram[i])});
        }
        return out;
    });
}

void OutcomePlot::setAnswer(const std::shared_ptr<const OutcomeAnswer>& answer) {
    answer_ = answer;
    if (!answer->outcomes || answer->outcomes->figures.empty())
        return;
    const bool other = art_->figure.figure != answer->outcomes->figures.front().figure;
    art_->figure = answer->outcomes->figures.front();
    art_->limit.reset();
    for (const OutcomeLimit& each : answer->outcomes->limits)
        if (each.limit.figure == art_->figure.figure)
            art_->limit = each.limit;
    const OutcomeFigure& f = art_->figure;
    if (f.histogram.empty())
        return redraw();
    const Dimension dimension = f.figure->dimension;
    const double width = f.histogramWidth * static_cast<double>(f.histogram.size());
    double left = f.histogramLow, right = f.histogramLow + width;
    if (art_->limit) { // to be seen, if it is near
        left = std::max(std::min(left, art_->limit->value), left - width);
        right = std::min(std::max(right, art_->limit->value), right + width);
    }
    setAxisTitle(PlotAxis::x, text(f.figure->label));
    setAxisTitle(PlotAxis::y, tr("draws of %1")
                                  .arg(quantity(static_cast<double>(answer->outcomes->draws),
                                                Dimension::number, {.significant = 9, .trimZeros = true})));
    setTickText(PlotAxis::x, [dimension](double value) { return glance(value, dimension); });
    setDataRange(PlotAxis::x, left, right);
    setDataRange(PlotAxis::y, 0, static_cast<double>(*std::ranges::max_element(f.histogram)) * 1.15);
    setSummary(
        tr("8 of 10 draws are between %1 and %2").arg(glance(f.p10, dimension), glance(f.p90, dimension)));
    if (other)
        fit();
    redraw();
}

std::optional<PlotSpot> OutcomePlot::spotAt(const QPointF& position) const {
    for (std::size_t i = 0; i < art_->figure.histogram.size(); ++i) {
        const QRectF bar = art_->rectOf(i);
        if (position.x() < bar.left() || position.x() >= bar.right() || position.y() > bar.bottom())
            continue;
        const Dimension dimension = art_->figure.figure->dimension;
        const double from = art_->figure.histogramLow + static_cast<double>(i) * art_->figure.histogramWidth;
        CardContent card;
        card.title = glance(from, dimension) + QStringLiteral(" – ") +
                     glance(from + art_->figure.histogramWidth, dimension);
        card.rows.append({tr("Draws"), QString::number(art_->figure.histogram[i])});
        return PlotSpot{bar.toRect(), card};
    }
    return std::nullopt;
}

} // namespace alidade::views
