// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/finish_plot.h"

#include "model/estimate/estimate.h"
#include "views/document/text.h"
#include "views/kit/plot_art.h"
#include "views/run/run_words.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double highestBar = 0.26; // of the axis
constexpr double quantileDot = 3.5; // radius, logical pixels
constexpr int curvePoints = 240;
constexpr double tailGap = 0.6, tailWidth = 1.4; ///< of the bars of all that is beyond, in widths of a bar

QString shortDays(double days) { return quantity(days, Dimension::number) + FinishPlot::tr(" d"); }
QString shareOfAll(double share) {
    return quantity(share, Dimension::ratio, {.significant = 2, .trimZeros = true});
}

} // namespace

/// What a FinishPlot shows. Days and shares.
class FinishArt : public PlotArt {
public:
    explicit FinishArt(PlotBase& owner)
        : PlotArt(owner) {}

    RunStoryPtr story;
    std::optional<double> deadline;
    QString deadlineDay;
    double inTime = 0;
    int times = 1;
    mutable PlacedLabels placed;

    OutcomeBars bars;

    double share(std::size_t count) const {
        return static_cast<double>(count) / static_cast<double>(story->ended.size());
    }
    double shareOf(std::size_t bin) const { return share(bars.counts[bin]); }
    QRectF rectOf(std::size_t bin) const {
        const double left = bars.low + static_cast<double>(bin) * bars.width;
        return QRectF(pixel(left, shareOf(bin) * times), pixel(left + bars.width, 0)).normalized();
    }
    /// The bar of the outcomes that end later (or earlier) than the others have room for, apart from them.
    QRectF tailRect(bool after) const {
        const double near = after ? bars.high + tailGap * bars.width : bars.low - tailGap * bars.width;
        const double far = near + (after ? tailWidth : -tailWidth) * bars.width;
        return QRectF(pixel(near, share(after ? bars.after : bars.before) * times), pixel(far, 0))
            .normalized();
    }

protected:
    void draw(QCPPainter* painter) override {
        if (!story || story->ended.empty() || area().width() < 20 || area().height() < 20)
            return;
        const Theme& look = owner_.look();
        painter->setRenderHint(QPainter::Antialiasing);
        LabelPlacer labels(area());
        labels.keepFree(owner_.titleRect(PlotAxis::y));
        painter->save();
        painter->setClipRect(area().adjusted(-1, -1, 1, 1));
        drawBars(painter);
        for (const bool after : {false, true})
            drawTail(painter, labels, after);
        drawCurve(painter, labels);
        drawDeadline(painter, labels);
        // Those of the estimate: the outcomes agree with them, and the page has one set of figures.
        const auto& s = *story->estimate->run->days;
        for (const auto& [share, days] : {std::pair{0.1, s.p10}, {0.5, s.p50}, {0.9, s.p90}})
            drawQuantile(painter, labels, share, days);
        labels.paint(*painter, look.color(Role::base));
        placed = labels.placed();
        painter->restore();
    }

private:
    void drawBars(QCPPainter* painter) const {
        for (std::size_t i = 0; i < bars.counts.size(); ++i)
            drawBar(painter, rectOf(i).adjusted(0.5, 0, -0.5, 0),
                    bars.low + (static_cast<double>(i) + 0.5) * bars.width);
    }

    void drawBar(QCPPainter* painter, const QRectF& bar, double days) const {
        const Theme& look = owner_.look();
        const bool late = deadline && days > *deadline;
        QColor fill = late ? look.color(Role::err) : look.memoryColor(MemoryTone::held3);
        fill.setAlphaF(late ? 0.4F : 0.65F);
        painter->fillRect(bar, fill);
        if (late) // also without the color
            painter->fillRect(bar, QBrush(look.color(Role::base), Qt::BDiagPattern));
    }

    /// All that is beyond the bars: no days of its own, so it stands apart and says what it holds.
    void drawTail(QCPPainter* painter, LabelPlacer& labels, bool after) const {
        if ((after ? bars.after : bars.before) == 0)
            return;
        const Theme& look = owner_.look();
        const QRectF bar = tailRect(after);
        drawBar(painter, bar, after ? bars.high : bars.low);
        painter->setPen(QPen(look.color(Role::text2), look.px(1), Qt::DotLine));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(bar);
        labels.keepFree(bar);
        const double gap = look.px(3);
        const Qt::Alignment side = after ? Qt::AlignRight : Qt::AlignLeft;
        const double x = after ? bar.right() : bar.left();
        labels.addAt({{QPointF(x, bar.top() - gap), side | Qt::AlignBottom},
                      {QPointF(x, bar.top() - 5 * gap), side | Qt::AlignBottom},
                      {QPointF(x, bar.top() - 9 * gap), side | Qt::AlignBottom}},
                     after ? FinishPlot::tr("> %1").arg(shortDays(bars.high))
                           : FinishPlot::tr("< %1").arg(shortDays(bars.low)),
                     {look.font(FontRole::small), look.color(Role::text2)});
    }

    void drawCurve(QCPPainter* painter, LabelPlacer& labels) const {
        painter->setPen(QPen(owner_.look().color(Role::text), owner_.look().px(1) * 1.8));
        const std::size_t n = story->ended.size();
        QPointF last;
        for (int i = 0; i <= curvePoints; ++i) {
            const auto at = std::min(n - 1, n * static_cast<std::size_t>(i) / curvePoints);
            const QPointF next =
                pixel(story->ended[at], static_cast<double>(at + 1) / static_cast<double>(n));
            if (i > 0) {
                painter->drawLine(QLineF(last, next));
                labels.keepFree(QLineF(last, next));
            }
            last = next;
        }
    }

    void drawDeadline(QCPPainter* painter, LabelPlacer& labels) const {
        if (!deadline)
            return;
        const Theme& look = owner_.look();
        const QColor red = look.color(Role::err);
        const QPointF at = pixel(*deadline, inTime);
        QPen pen(red, look.px(1) * 1.5);
        pen.setDashPattern({7, 3});
        painter->setPen(pen);
        const QLineF line(at.x(), area().top(), at.x(), area().bottom());
        painter->drawLine(line);
        pen = QPen(red, look.px(1));
        pen.setDashPattern({2, 2});
        painter->setPen(pen);
        const QLineF across(QPointF(area().left(), at.y()), at);
        painter->drawLine(across);
        painter->setPen(Qt::NoPen);
        painter->setBrush(red);
        painter->drawEllipse(at, look.px(1) * quantileDot, look.px(1) * quantileDot);
        labels.keepFree(line);
        labels.keepFree(across);
        const LabelPlacer::Look words{look.font(FontRole::small), red};
        const double row = QFontMetricsF(words.font).height(), gap = look.px(6);
        labels.addAt({{QPointF(area().left() + gap, at.y() - 2), Qt::AlignLeft | Qt::AlignBottom},
                      {QPointF(area().left() + gap, at.y() + 2), Qt::AlignLeft | Qt::AlignTop},
                      {QPointF(at.x() + gap, at.y() + row), Qt::AlignLeft | Qt::AlignVCenter}},
                     FinishPlot::tr("%1 end in time").arg(shareOfAll(inTime)), words);
        QList<LabelPlacer::Spot> spots;
        for (const double down : {0.55, 0.45, 0.65, 0.35, 0.25, 0.1}) {
            const double y = area().top() + down * area().height();
            spots.append({QPointF(at.x() + gap, y), Qt::AlignLeft | Qt::AlignVCenter});
            spots.append({QPointF(at.x() - gap, y), Qt::AlignRight | Qt::AlignVCenter});
        }
        labels.addAt(spots, FinishPlot::tr("deadline %1").arg(deadlineDay), words);
    }

    void drawQuantile(QCPPainter* painter, LabelPlacer& labels, double share, double days) const {
        if (!std::isfinite(days))
            return;
        const Theme& look = owner_.look();
        const QPointF at = pixel(days, share);
        painter->setPen(Qt::NoPen);
        painter->setBrush(look.color(Role::text));
        painter->drawEllipse(at, look.px(1) * quantileDot, look.px(1) * quantileDot);
        const double gap = look.px(9), radius = look.px(quantileDot);
        labels.keepFree(QRectF(at - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)));
        const QString words =
            FinishPlot::tr("P%1 %2").arg(static_cast<int>(std::lround(share * 100))).arg(shortDays(days));
        labels.addAt({{at + QPointF(gap, gap), Qt::AlignLeft | Qt::AlignTop},
                      {at + QPointF(gap, 0), Qt::AlignLeft | Qt::AlignVCenter},
                      {at + QPointF(-gap, -gap), Qt::AlignRight | Qt::AlignBottom},
                      {at + QPointF(-gap, 0), Qt::AlignRight | Qt::AlignVCenter},
                      {at + QPointF(gap, 2.5 * gap), Qt::AlignLeft | Qt::AlignTop}},
                     words, {look.font(FontRole::small), look.color(Role::text)});
    }
};

FinishPlot::FinishPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new FinishArt(*this)) {
    setAccessibleName(tr("Days to finish"));
    setFileName(QStringLiteral("days-to-finish"));
    setAxisTitle(PlotAxis::y, tr("share of the outcomes that has ended"));
    setTickText(PlotAxis::x, [](double value) {
        return quantity(value, Dimension::number, {.significant = 4, .trimZeros = true});
    });
    setTickText(PlotAxis::y,
                [](double value) { return value > 1.001 || value < -0.001 ? QString() : shareOfAll(value); });
}

void FinishPlot::setStory(const RunStoryPtr& story) {
    const bool first = !story_;
    story_ = story;
    art_->story = story;
    const Run& run = *story->estimate->run;
    const RunDates dates(run);
    art_->deadline = dates.deadline();
    art_->deadlineDay = dates.deadlineDay();
    art_->inTime = art_->deadline ? shareWithin(story->ended, *art_->deadline) : 0;
    art_->bars = outcomeBars(*story);
    const OutcomeBars& bars = art_->bars;
    double highest = art_->share(std::max(bars.before, bars.after)), left = bars.low, right = bars.high;
    for (std::size_t i = 0; i < bars.counts.size(); ++i)
        highest = std::max(highest, art_->shareOf(i));
    left -= bars.before > 0 ? (tailGap + tailWidth) * bars.width : 0;
    right += bars.after > 0 ? (tailGap + tailWidth) * bars.width : 0;
    if (!(right > left)) { // every outcome is the same
        left *= 0.95;
        right = right * 1.05 + 1e-3;
    }
    // The quantiles are of few outcomes at first: a little room keeps the axis from moving with each batch.
    const double room = 0.05 * (right - left);
    left -= room;
    right += room;
    if (art_->deadline && *art_->deadline > left - 4 * room && *art_->deadline < right + 8 * room) {
        left = std::min(left, *art_->deadline - room);
        right = std::max(right, *art_->deadline + room);
    }
    art_->times = std::max(1, static_cast<int>(highestBar / std::max(highest, 1e-9)));
    setAxisTitle(PlotAxis::x,
                 dates.known() ? tr("days from %1").arg(dates.day(0)) : tr("days from the start"));
    setDataRange(PlotAxis::x, std::max(0.0, left), right);
    setDataRange(PlotAxis::y, 0, 1.02);
    const auto& told = *story->estimate->run->days;
    QString words = tr("8 of 10 outcomes take from %1 to %2, half of them at most %3")
                        .arg(shortDays(told.p10), shortDays(told.p90), shortDays(told.p50));
    if (art_->deadline)
        words += tr("; %1 meet the deadline of %2").arg(shareOfAll(art_->inTime), art_->deadlineDay);
    setSummary(words);
    if (first)
        fit();
    redraw();
}

std::optional<double> FinishPlot::inTime() const {
    return art_->deadline && story_ ? std::optional(art_->inTime) : std::nullopt;
}
int FinishPlot::barTimes() const { return art_->times; }
PlacedLabels FinishPlot::labels() const { return art_->placed; }

std::optional<PlotSpot> FinishPlot::spotAt(const QPointF& position) const {
    if (!story_ || !plot()->axisRect()->rect().contains(position.toPoint()))
        return std::nullopt;
    const OutcomeBars& bars = art_->bars;
    for (const bool after : {false, true}) {
        const std::size_t count = after ? bars.after : bars.before;
        const QRectF bar = art_->tailRect(after);
        if (count == 0 || position.x() < bar.left() || position.x() >= bar.right())
            continue;
        CardContent card;
        card.title =
            after ? tr("%1 or later, until %2").arg(shortDays(bars.high), shortDays(story_->ended.back()))
                  : tr("before %1, from %2").arg(shortDays(bars.low), shortDays(story_->ended.front()));
        card.rows.append({tr("Outcomes"), shareOfAll(art_->share(count))});
        return PlotSpot{bar.toRect(), card};
    }
    for (std::size_t i = 0; i < bars.counts.size(); ++i) {
        const QRectF bar = art_->rectOf(i);
        if (position.x() < bar.left() || position.x() >= bar.right())
            continue;
        const double from = bars.low + static_cast<double>(i) * bars.width, to = from + bars.width;
        CardContent card;
        card.title = shortDays(from) + QStringLiteral(" – ") + shortDays(to);
        card.rows.append({tr("Outcomes"), shareOfAll(art_->shareOf(i))});
        card.rows.append({tr("Ended by then"), shareOfAll(shareWithin(story_->ended, to))});
        if (const RunDates dates(*story_->estimate->run); dates.known())
            card.rows.append({tr("Ends on"), dates.end(to)});
        return PlotSpot{bar.toRect(), card};
    }
    return std::nullopt;
}

} // namespace alidade::views
