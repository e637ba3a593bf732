// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_art.h"

#include "views/kit/plot_base.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double mostCap = 4;            // half the width of a whisker's end, logical pixels
constexpr double outlineAbove = 7;       // from the whisker to the outline, logical pixels
constexpr double numbersBelow = 5;       // from the axis to the numbers of the stages
constexpr double titleWidth = 60;        // of the axis title beyond the axis, logical pixels at 10 pt
constexpr double labelGap = 14;          // between the words of two limits
constexpr double leastBetweenLimits = 4; // logical pixels
constexpr double leastPart = 0.0005;     // of the axis: a smaller part is not named

/// Words on ground of their own, so that neither bars nor whiskers run through them.
void drawWords(QPainter& painter, const QRectF& box, const QString& words, const QColor& ground) {
    QColor pale = ground;
    pale.setAlphaF(0.85F);
    painter.fillRect(box.adjusted(-2, 0, 2, 0), pale);
    painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, words);
}

} // namespace

MemoryArt::MemoryArt(PlotBase& owner)
    : QCPAbstractItem(owner.plot())
    , owner_(owner) {
    setSelectable(false);
    setClipToAxisRect(false);         // the numbers of the stages stand below
    setLayer(QStringLiteral("axes")); // above the bars
}

QRectF MemoryArt::column(int stage) const {
    const QRectF rect = parentPlot()->axisRect()->rect();
    const double left = parentPlot()->xAxis->coordToPixel(stage - 0.5);
    const double right = parentPlot()->xAxis->coordToPixel(stage + 0.5);
    return {left, rect.top(), right - left, rect.height()};
}

QRectF MemoryArt::barRect(int stage) const {
    const QRectF whole = column(stage);
    const double inset = whole.width() * (1 - memoryBarWidth) / 2;
    const double top = pixelY(data_.stages[stage].total);
    return {whole.left() + inset, top, whole.width() - 2 * inset, pixelY(0) - top};
}

QRectF MemoryArt::partRect(int stage, int part) const {
    const QList<double>& parts = data_.stages[stage].parts;
    double below = 0;
    for (int i = 0; i < part; ++i)
        below += parts[i];
    QRectF rect = barRect(stage);
    rect.setTop(pixelY(below + parts[part]));
    rect.setBottom(pixelY(below));
    return rect;
}

void MemoryArt::drawExcess(QPainter& painter) const {
    const Theme& look = owner_.look();
    QColor veil = look.colour(Role::err);
    veil.setAlphaF(0.75F);
    for (int i = 0; i < data_.stages.size(); ++i) {
        const double usable = data_.stages[i].usable;
        if (data_.stages[i].total <= usable)
            continue;
        QRectF rect = barRect(i);
        rect.setBottom(pixelY(usable));
        painter.fillRect(rect, QBrush(veil, Qt::BDiagPattern));
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 2), look.colour(Role::err));
    }
}

void MemoryArt::drawWhiskers(QPainter& painter) const {
    painter.setPen(QPen(owner_.look().colour(Role::text), 1.25));
    for (int i = 0; i < data_.stages.size(); ++i) {
        const StageMemory& stage = data_.stages[i];
        const double x = column(i).center().x();
        const double low = pixelY(stage.low);
        const double high = pixelY(stage.high);
        const double cap = std::min(mostCap, column(i).width() * memoryBarWidth / 3);
        painter.drawLine(QPointF(x, low), QPointF(x, high));
        painter.drawLine(QPointF(x - cap, low), QPointF(x + cap, low));
        painter.drawLine(QPointF(x - cap, high), QPointF(x + cap, high));
    }
}

void MemoryArt::drawOutlines(QPainter& painter) const {
    const Theme& look = owner_.look();
    painter.setBrush(Qt::NoBrush);
    const auto outline = [&](int stage, const QPen& pen) {
        QRectF rect = column(stage).adjusted(0.5, 0, -0.5, 0);
        rect.setTop(std::max(pixelY(data_.stages[stage].high) - outlineAbove, rect.top() + 1));
        rect.setBottom(pixelY(0) + 1);
        painter.setPen(pen);
        painter.drawRoundedRect(rect, 2, 2);
    };
    // A single stage is the worst one without being told so.
    if (data_.stages.size() > 1 && data_.worst != stage_)
        outline(data_.worst, QPen(look.colour(data_.fits ? Role::text2 : Role::err), 1));
    if (stage_ < 0)
        return;
    outline(stage_, QPen(look.colour(Role::text), 2));
    if (part_ >= 0) {
        painter.setPen(QPen(look.colour(Role::text), 2));
        painter.drawRect(partRect(stage_, part_).adjusted(-1, 0, 1, 0));
    }
}

void MemoryArt::drawLimits(QPainter& painter) const {
    const Theme& look = owner_.look();
    QPen dashes(look.colour(Role::warn), 1.25);
    dashes.setCapStyle(Qt::FlatCap);
    dashes.setDashPattern({7, 3});
    const auto limit = [&](const QPen& pen, const QRectF& over, double y) {
        painter.setPen(pen);
        painter.drawLine(QPointF(over.left(), y), QPointF(over.right(), y));
    };
    const bool each = data_.limitsDiffer();
    for (int i = 0; i < (each ? data_.stages.size() : 1); ++i) {
        const QRectF over = each ? column(i) : QRectF(parentPlot()->axisRect()->rect());
        const double capacity = std::round(pixelY(data_.stages[i].capacity)) + 0.5;
        const double usable = std::round(pixelY(data_.stages[i].usable)) + 0.5;
        limit(QPen(look.colour(Role::err), 1.5), over, capacity);
        if (data_.stages[i].hasReserve()) // two lines, however low the picture
            limit(dashes, over, std::max(usable, capacity + leastBetweenLimits));
    }
}

void MemoryArt::drawLimitWords(QPainter& painter) {
    const Theme& look = owner_.look();
    const QRectF rect = parentPlot()->axisRect()->rect();
    painter.setFont(look.font(FontRole::small));
    const QFontMetricsF metrics(painter.font());
    const StageMemory& worst = data_.stages[data_.worst];
    const QString capacity = MemoryText::tr("capacity %1").arg(gigabyteNumber(worst.capacity));
    const QString usable = worst.hasReserve()
                               ? MemoryText::tr("dashed: usable %1").arg(gigabyteNumber(worst.usable))
                               : QString();
    limitWords_ = usable.isEmpty() ? QStringList{capacity} : QStringList{usable, capacity};
    const double width = metrics.horizontalAdvance(capacity) +
                         (usable.isEmpty() ? 0 : look.px(labelGap) + metrics.horizontalAdvance(usable));
    const double line = pixelY(worst.capacity) - metrics.height() - 2;
    QRectF words(rect.right() - 2 - width, line, width, metrics.height());
    // Without room between line and edge, and over bars that are too high, the words stand above the plot.
    if (line < rect.top())
        words.moveBottom(rect.top() - 2);
    for (int i = 0; i < data_.stages.size(); ++i)
        if (pixelY(data_.stages[i].high) < words.bottom() && column(i).right() > words.left())
            words.moveBottom(rect.top() - 2);
    painter.setPen(look.colour(Role::err));
    painter.drawText(words, Qt::AlignRight | Qt::TextSingleLine, capacity);
    painter.setPen(look.colour(Role::warn));
    painter.drawText(words, Qt::AlignLeft | Qt::TextSingleLine, usable);
    if (data_.fits)
        return;
    const QString excess = MemoryText::tr("%1 too much").arg(gigabyteText(worst.total - worst.usable));
    painter.setFont(look.font(FontRole::strong));
    const QFontMetricsF strong(painter.font());
    QRectF box(0, rect.top() + 2, strong.horizontalAdvance(excess), strong.height());
    box.moveCenter({column(data_.worst).center().x(), box.center().y()});
    double leftmost = rect.left() + 2;
    double rightmost = rect.right();
    if (pixelY(worst.high) - outlineAbove < box.bottom()) {
        // No room over the bar: above the plot, between the title of the axis and other words.
        box.moveBottom(rect.top() - 2);
        leftmost = rect.left() + look.px(titleWidth);
        rightmost = words.bottom() < rect.top() ? words.left() - look.px(labelGap) : rightmost;
    }
    box.moveLeft(std::clamp(box.left(), leftmost, std::max(leftmost, rightmost - box.width())));
    painter.setPen(look.colour(Role::err));
    drawWords(painter, box, excess, look.colour(Role::base));
}

/// Beside the bar: each at its part, or as a legend in columns where the picture is too low for that.
void MemoryArt::drawPartNames(QPainter& painter) {
    partNames_.clear();
    if (data_.stages.size() != 1)
        return;
    const Theme& look = owner_.look();
    painter.setFont(look.font(FontRole::small));
    const QFontMetricsF metrics(painter.font());
    const StageMemory& stage = data_.stages[0];
    const QRectF rect = parentPlot()->axisRect()->rect();
    const double line = metrics.ascent() + 2;
    QList<int> named;
    for (int i = 0; i < data_.parts.size(); ++i)
        if (stage.parts[i] >= leastPart * data_.top())
            named.append(i);
    double limits = pixelY(stage.capacity);
    if (stage.hasReserve())
        limits = std::max(pixelY(stage.usable), limits + leastBetweenLimits);
    // Not over the lines of the limits, unless the bar itself reaches them.
    const double top = pixelY(stage.total) > limits ? std::max(rect.top(), limits + 3) : rect.top();
    const auto wordsOf = [&](int part) {
        return QString(data_.parts[part].name + QLatin1Char(' ') + gigabyteText(stage.parts[part]));
    };
    const double edge = barRect(0).right();
    const auto rows = static_cast<qsizetype>(std::max(1.0, std::floor((rect.bottom() - top) / line)));
    if (named.size() > rows) {
        double left = edge + 16, widest = 0;
        const double swatch = look.px(9);
        for (qsizetype i = 0; i < named.size(); ++i) {
            const int part = named[named.size() - 1 - i]; // the upper ones of the bar first
            if (i > 0 && i % rows == 0) {
                left += widest + look.px(labelGap);
                widest = 0;
            }
            const double y = top + static_cast<double>(i % rows) * line;
            const QRectF mark(left, y + (line - swatch) / 2, swatch, swatch);
            const QRectF words(left + swatch + 5, y, metrics.horizontalAdvance(wordsOf(part)), line);
            painter.fillRect(mark, look.memoryColour(data_.parts[part].tone));
            painter.setPen(look.colour(Role::text2));
            drawWords(painter, words, wordsOf(part), look.colour(Role::base));
            partNames_.append({wordsOf(part), words});
            widest = std::max(widest, words.right() - left);
        }
        return;
    }
    QList<double> places;
    double floor = rect.bottom() - line / 2;
    for (const int part : std::as_const(named)) {
        places.append(std::min(partRect(0, part).center().y(), floor));
        floor = places.constLast() - line;
    }
    double ceiling = top + line / 2;
    for (qsizetype i = places.size() - 1; i >= 0; --i) {
        places[i] = std::max(places[i], ceiling);
        ceiling = places[i] + line;
    }
    for (qsizetype i = 0; i < named.size(); ++i) {
        const int part = named[i];
        const QRectF words(edge + 16, places[i] - line / 2, metrics.horizontalAdvance(wordsOf(part)), line);
        painter.setPen(QPen(look.colour(Role::line2), 1));
        painter.drawLine(QPointF(edge + 2, partRect(0, part).center().y()), QPointF(edge + 12, places[i]));
        painter.setPen(look.colour(Role::text2));
        drawWords(painter, words, wordsOf(part), look.colour(Role::base));
        partNames_.append({wordsOf(part), words});
    }
}

int MemoryArt::labelStep() const {
    if (data_.stages.isEmpty())
        return 1;
    const QFontMetricsF metrics(owner_.look().font(FontRole::small));
    const double needed = metrics.horizontalAdvance(data_.stages.last().mark) + 8;
    for (const int step : {1, 2, 4, 8, 16, 32, 64})
        if (step * column(0).width() >= needed)
            return step;
    return 128;
}

void MemoryArt::drawStageNumbers(QPainter& painter) const {
    const Theme& look = owner_.look();
    const QRectF rect = parentPlot()->axisRect()->rect();
    const int step = labelStep();
    const QFont plain = look.font(FontRole::small);
    QFont strong = plain;
    strong.setWeight(QFont::Medium);
    const double height = QFontMetricsF(plain).height();
    const auto box = [&](int stage, const QString& number) {
        const double width = QFontMetricsF(strong).horizontalAdvance(number) + 6;
        return QRectF(column(stage).center().x() - width / 2, rect.bottom() + numbersBelow, width, height);
    };
    // The chosen and the worst stage have their number always; others give way to them.
    QList<int> order;
    for (const int first : {stage_, data_.worst})
        if (first >= 0 && !order.contains(first))
            order.append(first);
    for (int i = 0; i < data_.stages.size(); i += step)
        if (!order.contains(i))
            order.append(i);
    QList<QRectF> taken;
    for (const int i : std::as_const(order)) {
        const QString& number = data_.stages[i].mark;
        const QRectF place = box(i, number);
        if (place.center().x() < rect.left() || place.center().x() > rect.right() ||
            std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(place); }))
            continue;
        taken.append(place);
        painter.setFont(i == stage_ ? strong : plain);
        painter.setPen(look.colour(i == stage_ || i == data_.worst ? Role::text : Role::text2));
        painter.drawText(place, Qt::AlignCenter, number);
    }
    painter.setFont(plain);
    painter.setPen(look.colour(Role::text2));
    if (!data_.stagesCount())
        return; // the columns have names
    const QString word = MemoryText::tr("stage");
    const double width = QFontMetricsF(plain).horizontalAdvance(word);
    const QRectF place(parentPlot()->plotLayout()->margins().left(), rect.bottom() + numbersBelow, width,
                       height);
    if (std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(place); }))
        painter.drawText(place, Qt::AlignLeft, word);
}

void MemoryArt::draw(QCPPainter* painter) {
    if (data_.stages.isEmpty())
        return;
    painter->setAntialiasing(true);
    painter->save();
    painter->setClipRect(parentPlot()->axisRect()->rect().adjusted(0, 0, 1, 2));
    drawExcess(*painter);
    drawWhiskers(*painter);
    drawOutlines(*painter);
    drawLimits(*painter);
    drawPartNames(*painter);
    painter->restore();
    drawLimitWords(*painter);
    drawStageNumbers(*painter);
}

} // namespace alidade::views
