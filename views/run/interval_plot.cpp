// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/interval_plot.h"

#include "model/run/checkpoint_curve.h"
#include "views/document/text.h"
#include "views/kit/plot_art.h"
#include "views/run/run_words.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr int curvePointCount = 160;
constexpr double stepRatio = 1.1;  // of an arrow key
constexpr double leastDrop = 0.02; // of goodput that the axis shows below the best
constexpr double mostDrop = 0.25;
constexpr double optimumDot = 3.6, presentRing = 8.5; // radii, logical pixels
constexpr double same = 0.015;                        // relative: optima that are said in one label

bool areClose(double a, double b) { return std::abs(a - b) <= same * b; }

QString goodputText(double goodput) { return quantity(goodput, Dimension::ratio); }

/// Two digits, as a person would type it.
double rounded(double seconds) {
    const double unit = std::pow(10, std::floor(std::log10(seconds)) - 1);
    return std::round(seconds / unit) * unit;
}

} // namespace

/// What an IntervalPlot shows. Minutes and shares.
class IntervalArt : public PlotArt {
public:
    explicit IntervalArt(PlotBase& owner)
        : PlotArt(owner) {}

    std::vector<CheckpointPoint> curve;
    QPointF present, best;
    QString presentWords, presentGoodput, shortestWords;
    QStringList bestWords;
    double shortest = 0;
    mutable PlacedLabels placed;

protected:
    void draw(QCPPainter* painter) override {
        if (curve.empty() || area().width() < 20 || area().height() < 20)
            return;
        const Theme& look = owner_.look();
        painter->setRenderHint(QPainter::Antialiasing);
        LabelPlacer labels(area().adjusted(0, 0, 0, -1));
        labels.keepFree(owner_.titleRect(PlotAxis::y));
        painter->save();
        painter->setClipRect(area());
        drawShortest(painter);
        drawCurve(painter, labels);
        const QPointF at = pixel(present.x(), present.y()), top = pixel(best.x(), best.y());
        painter->setPen(Qt::NoPen);
        painter->setBrush(look.color(Role::text));
        painter->drawEllipse(top, look.px(1) * optimumDot, look.px(1) * optimumDot);
        drawPresent(painter, at);
        const double reach = look.px(presentRing);
        labels.keepFree(QRectF(at - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach)));
        labels.keepFree(QRectF(top - QPointF(reach, reach) / 2, QSizeF(reach, reach)));
        placeWords(labels, at, top);
        labels.paint(*painter, look.color(Role::base));
        placed = labels.placed();
        painter->restore();
    }

private:
    /// Below it a checkpoint would start before the last one is in storage.
    void drawShortest(QCPPainter* painter) const {
        const double x = pixelX(shortest);
        if (!(shortest > 0) || x <= area().left())
            return;
        QRectF out = area();
        out.setRight(std::min(x, area().right()));
        painter->fillRect(out, QBrush(owner_.look().color(Role::line), Qt::BDiagPattern));
    }

    void drawCurve(QCPPainter* painter, LabelPlacer& labels) const {
        painter->setPen(QPen(owner_.look().color(Role::text), owner_.look().px(1) * 1.8));
        for (std::size_t i = 1; i < curve.size(); ++i) {
            const QLineF line(pixel(curve[i - 1].interval / 60, curve[i - 1].goodput),
                              pixel(curve[i].interval / 60, curve[i].goodput));
            painter->drawLine(line);
            labels.keepFree(line);
        }
    }

    void drawPresent(QCPPainter* painter, const QPointF& at) const {
        const Theme& look = owner_.look();
        painter->setPen(QPen(look.color(Role::text), look.px(1) * 1.5));
        painter->setBrush(look.color(Role::base));
        painter->drawEllipse(at, look.px(1) * presentRing, look.px(1) * presentRing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(look.color(Role::accent));
        painter->drawEllipse(at, look.px(1) * 4.5, look.px(1) * 4.5);
    }

    void placeWords(LabelPlacer& labels, const QPointF& at, const QPointF& top) const {
        const Theme& look = owner_.look();
        const LabelPlacer::Look strong{look.font(FontRole::small), look.color(Role::text)},
            faint{look.font(FontRole::small), look.color(Role::text2)};
        const double row = QFontMetricsF(strong.font).height(), gap = look.px(presentRing) + look.px(5);
        if (!presentWords.isEmpty())
            labels.addAt({{at + QPointF(gap, -row), Qt::AlignLeft | Qt::AlignVCenter},
                          {at + QPointF(gap, row), Qt::AlignLeft | Qt::AlignVCenter},
                          {at + QPointF(-gap, -row), Qt::AlignRight | Qt::AlignVCenter},
                          {at + QPointF(-gap, row), Qt::AlignRight | Qt::AlignVCenter},
                          {at + QPointF(0, gap + row), Qt::AlignHCenter | Qt::AlignTop}},
                         presentWords, strong);
        double below = top.y() + look.px(26);
        for (const QString& each : bestWords) {
            labels.addAt({{QPointF(top.x(), below), Qt::AlignHCenter | Qt::AlignTop},
                          {QPointF(top.x() - look.px(presentRing), below), Qt::AlignLeft | Qt::AlignTop},
                          {QPointF(top.x(), below + row), Qt::AlignHCenter | Qt::AlignTop},
                          {QPointF(area().left() + 6, below), Qt::AlignLeft | Qt::AlignTop}},
                         each, strong);
            below += row + 1;
        }
        const double floor = area().bottom() - 4;
        labels.addAt({{QPointF(area().right() - 6, floor), Qt::AlignRight | Qt::AlignBottom},
                      {QPointF(area().center().x(), floor), Qt::AlignHCenter | Qt::AlignBottom}},
                     IntervalPlot::tr("too rarely: work is lost"), faint);
        if (!shortestWords.isEmpty())
            labels.addAt({{QPointF(area().left() + 6, floor), Qt::AlignLeft | Qt::AlignBottom}},
                         shortestWords, faint);
        else
            labels.addAt({{QPointF(area().left() + 6, area().top() + 2), Qt::AlignLeft | Qt::AlignTop},
                          {QPointF(area().left() + 6, floor), Qt::AlignLeft | Qt::AlignBottom}},
                         IntervalPlot::tr("too often: stalls"), faint);
    }
};

IntervalPlot::IntervalPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new IntervalArt(*this)) {
    setAccessibleName(tr("Goodput against the checkpoint interval"));
    setToolTip({});
    setFileName(QStringLiteral("checkpoint-interval"));
    setAxisTitle(PlotAxis::x, tr("minutes between checkpoints, log"));
    setAxisTitle(PlotAxis::y, tr("goodput"));
    setLogarithmic(PlotAxis::x, true);
    setTickText(PlotAxis::x, [](double value) { return QLocale::c().toString(value, 'g', 4); });
    setTickText(PlotAxis::y, [](double value) {
        return quantity(value, Dimension::ratio, {.significant = 3, .trimZeros = true});
    });
}

void IntervalPlot::setRun(const Run& run) {
    run_ = run;
    const auto& c = run.checkpoint;
    // Wide enough to see both ways of going wrong.
    const double least = shortestInterval(run);
    const double from = std::max({std::min(c.bestInterval / 4, c.interval / 2), least / 1.6, 1.0});
    const double to = std::max({c.bestInterval * 9, c.interval * 2.5, from * 20});
    art_->curve = checkpointCurve(run, std::max(from, least), to, curvePointCount);
    const double top = goodputAt(run, c.bestInterval);
    art_->present = {c.interval / 60, goodputAt(run, c.interval)};
    art_->best = {c.bestInterval / 60, top};
    art_->shortest = least / 60;
    const bool isBest = areClose(c.interval, c.bestInterval);
    art_->presentWords =
        isBest ? QString()
               : tr("present %1: %2").arg(givenTime(c.interval), goodputText(goodputAt(run, c.interval)));
    const bool writes = areClose(c.bestInterval, least); // as often as the storage can take them
    const bool isDaly = areClose(c.bestInterval, c.daly) && !writes;
    const QString what = writes   ? tr("best %1, limited by writing")
                         : isDaly ? tr("exact and Daly %1")
                                  : tr("exact %1");
    const QString words = what.arg(givenTime(c.bestInterval));
    art_->bestWords = {isBest ? tr("present, %1").arg(words) : words};
    if (!isDaly)
        art_->bestWords.append(tr("Daly %1").arg(givenTime(c.daly)));
    art_->bestWords.append(tr("Young %1").arg(givenTime(c.young)));
    art_->bestWords.append(run.days
                               ? tr("%1, %2").arg(goodputText(top), daysText(daysAt(run, c.bestInterval)))
                               : goodputText(top));
    art_->shortestWords = least > from ? tr("not written in time") : QString();
    double bottom = 1;
    for (const CheckpointPoint& each : art_->curve)
        bottom = std::min(bottom, each.goodput);
    bottom = std::clamp(bottom, std::max(0.0, top - mostDrop), std::max(0.0, top - leastDrop));
    bottom = std::min(bottom, art_->present.y() - 0.1 * (top - bottom));
    setDataRange(PlotAxis::x, from / 60, to / 60);
    setDataRange(PlotAxis::y, bottom, top + 0.16 * (top - bottom));
    setSummary(tr("Present %1 with a goodput of %2; best %3 with %4; Young %5, Daly %6")
                   .arg(givenTime(c.interval), goodputText(art_->present.y()), givenTime(c.bestInterval),
                        goodputText(top), givenTime(c.young), givenTime(c.daly)));
    redraw();
}

QPointF IntervalPlot::presentMark() const { return art_->present; }
QPointF IntervalPlot::bestMark() const { return art_->best; }
PlacedLabels IntervalPlot::labels() const { return art_->placed; }

QPointF IntervalPlot::placeOf(double seconds) const {
    return {plot()->xAxis->coordToPixel(seconds / 60),
            plot()->yAxis->coordToPixel(run_ ? goodputAt(*run_, seconds) : 0)};
}

PlotSpot IntervalPlot::spotOf(double seconds) const {
    const int radius = look().px(presentRing);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(placeOf(seconds).toPoint());
    CardContent card;
    card.title = tr("A checkpoint every %1").arg(givenTime(seconds));
    card.rows.append({tr("Goodput"), goodputText(goodputAt(*run_, seconds))});
    if (run_->days) {
        card.rows.append({tr("Run"), daysText(daysAt(*run_, seconds))});
        card.rows.append(
            {tr("Compared with the present one"),
             difference((daysAt(*run_, seconds) - run_->days->p50) * secondsPerDay, Dimension::seconds)});
    }
    return {subject, card};
}

std::optional<PlotSpot> IntervalPlot::spotAt(const QPointF& position) const {
    const QRect inside = plot()->axisRect()->rect();
    if (!run_ || !inside.contains(position.toPoint()))
        return std::nullopt;
    const double seconds = plot()->xAxis->pixelToCoord(position.x()) * 60;
    if (seconds < shortestInterval(*run_) ||
        std::abs(placeOf(seconds).y() - position.y()) > 2.5 * look().px(presentRing))
        return std::nullopt;
    return spotOf(rounded(seconds));
}

void IntervalPlot::choose(double seconds) {
    emit chosen(rounded(std::max(seconds, shortestInterval(*run_))));
}

void IntervalPlot::clicked(const QPointF& position) {
    if (run_ && plot()->axisRect()->rect().contains(position.toPoint()))
        choose(plot()->xAxis->pixelToCoord(position.x()) * 60);
}

void IntervalPlot::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!run_ || event->modifiers() & ~Qt::KeypadModifier || (step == 0 && !enters))
        return PlotBase::keyPressEvent(event);
    if (enters) {
        emit adopted();
        return;
    }
    const double next = run_->checkpoint.interval * (step > 0 ? stepRatio : 1 / stepRatio);
    choose(next);
    showCard(spotOf(rounded(next)));
}

} // namespace alidade::views
