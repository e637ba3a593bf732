// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_plot.h"

#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/roofline/roofline_art.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alidade::views {
namespace {

constexpr double cardReach = 8;   // logical pixels around a point that its card leaves free
constexpr double wordsApart = 4;  // logical pixels next to the height of words above a roof
constexpr double mostWords = 0.4; // of the height

} // namespace

RooflinePlot::RooflinePlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new RooflineArt(*this)) {
    setAccessibleName(tr("Roofline"));
    setFileName(QStringLiteral("roofline"));
    setLogarithmic(PlotAxis::x, true);
    setLogarithmic(PlotAxis::y, true);
    setAxisTitle(PlotAxis::x, tr("FLOP per byte"));
    setAxisTitle(PlotAxis::y, tr("TFLOP/s per GPU"));
    setTickText(PlotAxis::x, [this](double intensity) {
        // Under the strip there is no axis.
        return axis(PlotAxis::x)->coordToPixel(intensity) < art_->stripEnd() - 1
                   ? QString()
                   : quantity(intensity, Dimension::number, {.trimZeros = true});
    });
    setTickText(PlotAxis::y, [](double rate) {
        return text(formatParts(rate, Dimension::flopPerSecond,
                                {.trimZeros = true, .fixed = ScaledUnit{1e12, "TFLOP/s"}})
                        .number);
    });
}

const RooflineData& RooflinePlot::data() const { return art_->data(); }

void RooflinePlot::setData(const RooflineData& data) {
    art_->setData(data);
    const double strip = art_->stripShare();
    const AxisEnds& x = data.intensities;
    setDataRange(PlotAxis::x, x.low / std::pow(x.high / x.low, strip / (1 - strip)), x.high);
    showRates();
    setSummary(rooflineInWords(data));
    if (art_->selected() >= data.points.size())
        art_->setSelected(-1);
    redraw();
}

/// With room for words above the highest roof, however low the picture is.
void RooflinePlot::showRates() {
    const RooflineData& shown = data();
    if (shown.precisions.isEmpty())
        return setDataRange(PlotAxis::y, shown.rates.low, shown.rates.high);
    const double highest = shown.precisions.constLast().flopsPerSecond;
    const double words = QFontMetricsF(look().font(FontRole::small)).height() + look().px(wordsApart);
    const double share = std::min(mostWords, words / std::max(1, plot()->axisRect()->height()));
    const double room = std::pow(highest / shown.rates.low, share / (1 - share));
    setDataRange(PlotAxis::y, shown.rates.low, std::max(shown.rates.high, highest * room));
}

void RooflinePlot::resizeEvent(QResizeEvent* event) {
    PlotBase::resizeEvent(event);
    showRates();
    refit(PlotAxis::y); // the other axis stays as it is
}

const PlacedLabels& RooflinePlot::labels() const { return art_->labels(); }

int RooflinePlot::selected() const { return art_->selected(); }

void RooflinePlot::setSelected(int point) {
    if (point == art_->selected())
        return;
    art_->setSelected(point);
    const QString words = rooflineInWords(data());
    setSummary(point < 0 ? words
                         : HoverCard::words(data().points[point].card) + QStringLiteral(". ") + words);
    redraw();
}

QPointF RooflinePlot::placeOf(int point) const { return art_->place(point); }

PlotSpot RooflinePlot::spotOf(int point) const {
    const int radius = look().px(cardReach);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(art_->place(point).toPoint());
    return {subject, data().points[point].card};
}

void RooflinePlot::walk(int steps) {
    const int count = static_cast<int>(data().points.size());
    if (count == 0)
        return;
    QList<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [this](int i) { return art_->place(i).x(); });
    const auto now = order.indexOf(selected());
    const auto next =
        now < 0 ? (steps > 0 ? 0 : count - 1) : std::clamp<qsizetype>(now + steps, 0, count - 1);
    emit pointChosen(order[next]);
    if (selected() >= 0)
        showCard(spotOf(selected()));
}

void RooflinePlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    if (plain && (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down))
        return walk(1);
    if (plain && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up))
        return walk(-1);
    if (plain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && selected() >= 0) {
        emit explainRequested(selected());
        return;
    }
    PlotBase::keyPressEvent(event);
}

/// The menu is about the point under the pointer.
void RooflinePlot::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse)
        clicked(plot()->mapFrom(this, event->pos()));
    PlotBase::contextMenuEvent(event);
}

void RooflinePlot::fillMenu(QMenu* menu) {
    if (const int point = selected(); point >= 0) {
        menu->addAction(icon(QLatin1StringView("explain")),
                        tr("Explain %1").arg(data().points[point].card.title), this,
                        [this, point] { emit explainRequested(point); });
        menu->addSeparator();
    }
    PlotBase::fillMenu(menu);
}

std::optional<PlotSpot> RooflinePlot::spotAt(const QPointF& position) const {
    const int point = art_->pointAt(position);
    if (point >= 0)
        return spotOf(point);
    const auto roof = art_->roofAt(position);
    if (!roof)
        return std::nullopt;
    const int radius = look().px(cardReach);
    return PlotSpot{QRect(position.toPoint() - QPoint(radius, radius), QSize(2 * radius, 2 * radius)), *roof};
}

void RooflinePlot::clicked(const QPointF& position) {
    if (const int point = art_->pointAt(position); point >= 0)
        emit pointChosen(point);
}

} // namespace alidade::views
