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
constexpr double labelGap = 14;          // between the words of two limits
constexpr double leastBetweenLimits = 4; // logical pixels
constexpr double leastPart = 0.0005;     // of the axis: a smaller part is not named
constexpr double nameGap = 16;           // from a bar to the names of its parts
constexpr double lineRoom = 3;           // around the line of a limit

/// Words on their own ground, so that neither bars nor whiskers run through them.
void drawWords(QPainter& painter, const QRectF& box, const QString& words, const QColor& ground) {
    QColor pale = ground;
    pale.setAlphaF(0.85F);
    painter.fillRect(box.adjusted(-2, 0, 2, 0), pale);
    painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, words);
}

} // namespace

MemoryArt::MemoryArt(PlotBase& owner)
    : PlotArt(owner) {
    setLayer(QStringLiteral("axes")); // above the bars
}

QRectF MemoryArt::column(int stage) const {
    const QRectF rect = area();
    const double left = pixelX(stage - 0.5);
    const double right = pixelX(stage + 0.5);
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
    QColor veil = look.color(Role::err);
    veil.setAlphaF(0.75F);
    for (int i = 0; i < data_.stages.size(); ++i) {
        const double usable = data_.stages[i].usable;
        if (data_.stages[i].total <= usable)
            continue;
        QRectF rect = barRect(i);
        rect.setBottom(pixelY(usable));
        painter.fillRect(rect, QBrush(veil, Qt::BDiagPattern));
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 2), look.color(Role::err));
    }
}

void MemoryArt::drawWhiskers(QPainter& painter) const {
    painter.setPen(QPen(owner_.look().color(Role::text), 1.25));
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
        outline(data_.worst, QPen(look.color(data_.fits ? Role::text2 : Role::err), 1));
    if (stage_ < 0)
        return;
    outline(stage_, QPen(look.color(Role::text), 2));
    if (part_ >= 0) {
        painter.setPen(QPen(look.color(Role::text), 2));
        painter.drawRect(partRect(stage_, part_).adjusted(-1, 0, 1, 0));
    }
}

/// Dashed outlines of what the baseline needs, or one line where its stages are others.
void MemoryArt::drawBaseline(QPainter& painter) const {
    QPen pen(owner_.look().color(Role::text), 1.25);
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern({4, 2.5});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    if (data_.baseline.size() == data_.stages.size()) {
        for (int i = 0; i < data_.stages.size(); ++i) {
            QRectF rect = barRect(i).adjusted(-2, 0, 2, 0);
            rect.setTop(pixelY(data_.baseline[i]));
            rect.setBottom(pixelY(0));
            painter.drawRect(rect);
        }
    } else if (!data_.baseline.isEmpty()) {
        const double y = pixelY(data_.baseline.constFirst());
        painter.drawLine(QPointF(area().left(), y), QPointF(area().right(), y));
    }
}

void MemoryArt::drawLimits(QPainter& painter) const {
    const Theme& look = owner_.look();
    QPen dashes(look.color(Role::warn), 1.25);
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
        limit(QPen(look.color(Role::err), 1.5), over, capacity);
        if (data_.stages[i].hasReserve()) // two lines, however low the picture
            limit(dashes, over, std::max(usable, capacity + leastBetweenLimits));
    }
}

void MemoryArt::drawLimitWords(QPainter& painter) {
    const Theme& look = owner_.look();
    const QRectF rect = area();
    limitWords_.clear();
    painter.setFont(look.font(FontRole::small));
    const QFontMetricsF metrics(painter.font());
    const StageMemory& worst = data_.stages[data_.worst];
    const QString capacity = MemoryText::tr("capacity %1").arg(gigabyteNumber(worst.capacity));
    const QString usable = worst.hasReserve()
                               ? MemoryText::tr("dashed: usable %1").arg(gigabyteNumber(worst.usable))
                               : QString();
    const double usableWidth = usable.isEmpty() ? 0 : metrics.horizontalAdvance(usable);
    const double width =
        metrics.horizontalAdvance(capacity) + (usable.isEmpty() ? 0 : look.px(labelGap) + usableWidth);
    const double line = pixelY(worst.capacity) - metrics.height() - 2;
    QRectF words(rect.right() - 2 - width, line, width, metrics.height());
    // Without room between line and edge, and over bars that are too high, the words are above the plot.
    if (line < rect.top())
        words.moveBottom(rect.top() - 2);
    for (int i = 0; i < data_.stages.size(); ++i)
        if (pixelY(data_.stages[i].high) < words.bottom() && column(i).right() > words.left())
            words.moveBottom(rect.top() - 2);
    const auto say = [&](const QString& text, Role ink, const QRectF& box) {
        painter.setPen(look.color(ink));
        painter.drawText(box, Qt::AlignLeft | Qt::TextSingleLine, text);
        limitWords_.append({text, box});
    };
    if (!usable.isEmpty())
        say(usable, Role::warn, {words.topLeft(), QSizeF(usableWidth, words.height())});
    const double capacityWidth = metrics.horizontalAdvance(capacity);
    say(capacity, Role::err, words.adjusted(words.width() - capacityWidth, 0, 0, 0));
    if (!data_.fits)
        drawExcessWords(painter, words);
}

/// \param limits where the words of the limits stand
void MemoryArt::drawExcessWords(QPainter& painter, const QRectF& limits) {
    const Theme& look = owner_.look();
    const QRectF rect = area();
    const StageMemory& worst = data_.stages[data_.worst];
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
        leftmost = owner_.titleRect(PlotAxis::y).right() + look.px(labelGap);
        rightmost = limits.bottom() < rect.top() ? limits.left() - look.px(labelGap) : rightmost;
    }
    box.moveLeft(std::clamp(box.left(), leftmost, std::max(leftmost, rightmost - box.width())));
    painter.setPen(look.color(Role::err));
    drawWords(painter, box, excess, look.color(Role::base));
    limitWords_.append({excess, box});
}

/// Right of the bar, and below the lines of the limits, or above them and their words where that is more.
QRectF MemoryArt::partNamesArea() const {
    const StageMemory& stage = data_.stages[0];
    const QRectF rect = area();
    const double highest = pixelY(stage.capacity);
    double lowest = highest;
    if (stage.hasReserve())
        lowest = std::max(pixelY(stage.usable), highest + leastBetweenLimits);
    double above = rect.top(), limits = highest - lineRoom;
    for (const auto& [words, box] : limitWords_)
        if (box.bottom() > rect.top() && box.bottom() <= highest) {
            if (box.left() < barRect(0).right())
                above = std::max(above, box.bottom()); // what is too much, over its bar
            else
                limits = std::min(limits, box.top());
        }
    const double left = barRect(0).right() + nameGap;
    const double below = std::max(rect.top(), lowest + lineRoom);
    return limits - above > rect.bottom() - below
               ? QRectF(left, above, rect.right() - left, limits - above)
               : QRectF(left, below, rect.right() - left, rect.bottom() - below);
}

/// Next to the bar: each at its part, or as a legend in columns where the picture is too low for that.
void MemoryArt::drawPartNames(QPainter& painter) {
    partNames_.clear();
    if (data_.stages.size() != 1)
        return;
    painter.setFont(owner_.look().font(FontRole::small));
    const QFontMetricsF metrics(painter.font());
    const StageMemory& stage = data_.stages[0];
    const double line = metrics.ascent() + 2;
    QList<NamedPart> named;
    for (int i = 0; i < data_.parts.size(); ++i)
        if (stage.parts[i] >= leastPart * data_.top()) {
            const QString words = data_.parts[i].name + QLatin1Char(' ') + gigabyteText(stage.parts[i]);
            named.append({i, words, QSizeF(metrics.horizontalAdvance(words), line)});
        }
    const QRectF area = partNamesArea();
    if (static_cast<double>(named.size()) * line <= area.height())
        nameAtParts(painter, named, area);
    else
        nameInColumns(painter, std::move(named), area);
}

void MemoryArt::drawName(QPainter& painter, const NamedPart& part, const QPointF& corner) {
    const QRectF box(corner, part.size);
    painter.setPen(owner_.look().color(Role::text2));
    drawWords(painter, box, part.words, owner_.look().color(Role::base));
    partNames_.append({part.words, box});
}

void MemoryArt::nameInColumns(QPainter& painter, QList<NamedPart> named, const QRectF& area) {
    const Theme& look = owner_.look();
    const double swatch = look.px(9), indent = swatch + 5, line = named.constFirst().size.height();
    const auto rows = static_cast<qsizetype>(std::floor(area.height() / line));
    if (rows < 1)
        return;
    std::ranges::reverse(named); // the upper ones of the bar first
    QList<QPointF> corners;
    const auto fits = [&] {
        corners.clear();
        double left = area.left(), right = left;
        for (qsizetype i = 0; i < named.size(); ++i) {
            if (i > 0 && i % rows == 0)
                left = right + look.px(labelGap);
            corners.append({left, area.top() + static_cast<double>(i % rows) * line});
            right = std::max(right, left + indent + named[i].size.width());
        }
        return right < area.right();
    };
    // Without room for all, the largest have names: the card of the bar tells the others.
    while (!named.isEmpty() && !fits())
        named.erase(std::ranges::min_element(
            named, {}, [this](const NamedPart& part) { return data_.stages[0].parts[part.index]; }));
    for (qsizetype i = 0; i < named.size(); ++i) {
        const QRectF mark(corners[i].x(), corners[i].y() + (line - swatch) / 2, swatch, swatch);
        painter.fillRect(mark, look.memoryColor(data_.parts[named[i].index].tone));
        drawName(painter, named[i], corners[i] + QPointF(indent, 0));
    }
}

void MemoryArt::nameAtParts(QPainter& painter, const QList<NamedPart>& named, const QRectF& area) {
    const auto center = [this](const NamedPart& part) { return partRect(0, part.index).center().y(); };
    QList<double> places;
    double floor = area.bottom();
    for (const NamedPart& part : named) {
        places.append(std::min(center(part), floor - part.size.height() / 2));
        floor = places.constLast() - part.size.height() / 2;
    }
    double ceiling = area.top();
    for (qsizetype i = places.size() - 1; i >= 0; --i) {
        places[i] = std::max(places[i], ceiling + named[i].size.height() / 2);
        ceiling = places[i] + named[i].size.height() / 2;
    }
    for (qsizetype i = 0; i < named.size(); ++i) {
        painter.setPen(QPen(owner_.look().color(Role::line2), 1));
        painter.drawLine(QPointF(area.left() - nameGap + 2, center(named[i])),
                         QPointF(area.left() - 4, places[i]));
        drawName(painter, named[i], {area.left(), places[i] - named[i].size.height() / 2});
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
    const QRectF rect = area();
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
        painter.setPen(look.color(i == stage_ || i == data_.worst ? Role::text : Role::text2));
        painter.drawText(place, Qt::AlignCenter, number);
    }
    painter.setFont(plain);
    painter.setPen(look.color(Role::text2));
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
    drawBaseline(*painter);
    drawLimits(*painter);
    painter->restore();
    drawLimitWords(*painter);
    drawPartNames(*painter);
    drawStageNumbers(*painter);
}

} // namespace alidade::views
