// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_bars.h"

#include "views/compare/compare_grid.h"
#include "views/document/text.h"
#include "views/kit/plot_art.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double barShare = 0.62;    // of the room of a scenario
constexpr double mostBar = 26;       // logical pixels at 10 pt, as the others
constexpr double leastForTag = 22;   // width of a part that carries its letter
constexpr double gap = 8;            // around words
constexpr double cap = 4;            // half of a whisker's end
constexpr double room = 1.04;        // of the axis over the longest bar
constexpr double roomOfNames = 0.36; // of the picture, at most

} // namespace

/// What a CompareBarsPlot shows.
class CompareBarsArt : public PlotArt {
public:
    explicit CompareBarsArt(PlotBase& owner)
        : PlotArt(owner) {
        setLayer(QStringLiteral("axes"));
    }

    CompareBars data;
    int chosen = -1;

    QRectF row(int scenario) const {
        const double top = pixelY(scenario - 0.5), bottom = pixelY(scenario + 0.5);
        return {0, top, static_cast<double>(parentPlot()->width()), bottom - top};
    }
    QRectF bar(int scenario) const {
        const QRectF whole = row(scenario);
        const double height = std::min<double>(owner_.look().px(mostBar), whole.height() * barShare);
        const double left = pixelX(0);
        return {left, whole.center().y() - height / 2, pixelX(data.bars[scenario].total()) - left, height};
    }
    double nameWidth() const {
        const QFontMetricsF metrics(owner_.look().font(FontRole::body));
        double widest = 0;
        for (const CompareBar& each : data.bars)
            widest = std::max(widest, metrics.horizontalAdvance(each.name));
        return widest + 2 * owner_.look().px(gap);
    }
    double endWidth() const {
        const QFontMetricsF strong(owner_.look().font(FontRole::strong)),
            small(owner_.look().font(FontRole::small));
        double widest = 0;
        for (const CompareBar& each : data.bars)
            widest =
                std::max({widest, strong.horizontalAdvance(each.end), small.horizontalAdvance(each.endNote)});
        return widest + 2 * owner_.look().px(gap);
    }

protected:
    void draw(QCPPainter* painter) override {
        painter->setAntialiasing(false);
        for (int i = 0; i < data.bars.size(); ++i)
            drawBar(*painter, i);
        if (data.lineAtBaseline && data.baseline >= 0 && data.baseline < data.bars.size() &&
            data.bars[data.baseline].total() > 0 && data.bars.size() > 1) {
            QPen pen(owner_.look().color(Role::text), 1);
            pen.setDashPattern({6, 3});
            painter->setPen(pen);
            const double x = std::round(pixelX(data.bars[data.baseline].total()));
            painter->drawLine(QPointF(x, area().top()), QPointF(x, area().bottom()));
        }
    }

private:
    void drawBar(QPainter& painter, int i) const {
        const Theme& look = owner_.look();
        const CompareBar& each = data.bars[i];
        const QRectF whole = row(i), place = bar(i);
        drawName(painter, whole, each, i);
        if (each.capacity > 0)
            painter.fillRect(
                QRectF(place.left(), place.top(), pixelX(each.capacity) - place.left(), place.height()),
                look.color(Role::sunken));
        double from = 0;
        for (const ComparePart& part : each.parts) {
            const double left = pixelX(from), right = std::max(pixelX(from + part.value), left + 1);
            from += part.value;
            QRectF rect(left, place.top(), right - left, place.height());
            if (rect.width() > 3)
                rect.setRight(rect.right() - 1);
            if (!part.bound) {
                painter.fillRect(rect, look.memoryColor(part.tone));
                continue;
            }
            paintClassFill(painter, rect, *part.bound, 1, look);
            if (rect.width() >= look.px(leastForTag) && rect.height() >= tagSize())
                paintTag(painter, rect, *part.bound, look);
        }
        if (i == chosen && place.width() > 0) {
            painter.setPen(QPen(look.color(Role::text), 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(place.adjusted(-2, -2, 2, 2));
        }
        drawLimits(painter, each, place);
        drawEnd(painter, each, place);
    }

    void drawName(QPainter& painter, const QRectF& whole, const CompareBar& each, int i) const {
        const Theme& look = owner_.look();
        const QFont font = look.font(i == data.baseline ? FontRole::strong : FontRole::body);
        const QRectF box(look.px(gap), whole.top(), area().left() - 2 * look.px(gap), whole.height());
        painter.setFont(font);
        painter.setPen(look.color(Role::text));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         QFontMetricsF(font).elidedText(each.name, Qt::ElideRight, box.width()));
    }

    void drawLimits(QPainter& painter, const CompareBar& each, const QRectF& place) const {
        const Theme& look = owner_.look();
        const double middle = place.center().y();
        if (each.high > each.low) {
            painter.setPen(QPen(look.color(Role::text), 1.25));
            const double end = look.px(cap);
            painter.drawLine(QPointF(pixelX(each.low), middle), QPointF(pixelX(each.high), middle));
            for (const double x : {pixelX(each.low), pixelX(each.high)})
                painter.drawLine(QPointF(x, middle - end), QPointF(x, middle + end));
        }
        if (each.usable > 0) {
            painter.setPen(QPen(look.color(Role::err), 1.5));
            const double x = pixelX(each.usable);
            painter.drawLine(QPointF(x, place.top() - 2), QPointF(x, place.bottom() + 2));
        }
    }

    /// Behind the bar; where there is a limit, at the right edge.
    void drawEnd(QPainter& painter, const CompareBar& each, const QRectF& place) const {
        const Theme& look = owner_.look();
        const bool twoLines = !each.endNote.isEmpty();
        const QFont strong = look.font(FontRole::strong), small = look.font(FontRole::small);
        const double height = QFontMetricsF(strong).height(), below = QFontMetricsF(small).height();
        const double left = each.capacity > 0 ? area().right() + look.px(gap) : place.right() + look.px(gap);
        const bool fits = height + below <= row(0).height();
        const double top = place.center().y() - (twoLines && fits ? (height + below) / 2 : height / 2);
        painter.setFont(strong);
        painter.setPen(look.color(each.parts.isEmpty() ? Role::err : Role::text));
        painter.drawText(QRectF(left, top, parentPlot()->width() - left, height), Qt::AlignLeft, each.end);
        if (!twoLines)
            return;
        painter.setFont(small);
        painter.setPen(look.color(each.noteInk));
        if (fits)
            painter.drawText(QRectF(left, top + height, parentPlot()->width() - left, below), Qt::AlignLeft,
                             each.endNote);
    }
};

CompareBarsPlot::CompareBarsPlot(const QString& fileName, QWidget* parent)
    : PlotBase(parent)
    , art_(new CompareBarsArt(*this)) {
    setFileName(fileName);
    plot()->yAxis->setRangeReversed(true);
    plot()->yAxis->grid()->setVisible(false);
    plot()->yAxis->setTickLabels(false);
    plot()->yAxis->setTicks(false);
    plot()->axisRect()->setAutoMargins(QCP::msTop | QCP::msBottom);
    setTableSource([this] { return textTable(); });
}

void CompareBarsPlot::setBars(const CompareBars& bars) {
    art_->data = bars;
    setAccessibleName(bars.title);
    double most = 0;
    QStringList words;
    for (const CompareBar& each : bars.bars) {
        most = std::max({most, each.total(), each.capacity, each.high});
        words.append(each.name + QStringLiteral(": ") + each.end);
    }
    setSummary(words.join(QStringLiteral("; ")));
    const ScaledUnit unit = chooseUnit(bars.dimension, most);
    setTickText(PlotAxis::x, [unit, dimension = bars.dimension](double value) {
        return value == 0 ? quantity(value, dimension, {.trimZeros = true, .fixed = unit})
                          : quantity(value / unit.factor, Dimension::number, {.trimZeros = true});
    });
    setDataRange(PlotAxis::x, 0, most > 0 ? most * room : 1);
    setDataRange(PlotAxis::y, -0.6, static_cast<double>(bars.bars.size()) - 0.4);
    fitMargins();
    fit();
    redraw();
}

/// Names at the left and values at the right have the room that they need.
void CompareBarsPlot::fitMargins() {
    const int names = static_cast<int>(std::min(art_->nameWidth(), plot()->width() * roomOfNames));
    plot()->axisRect()->setMargins(QMargins(names, 0, static_cast<int>(art_->endWidth()), 0));
}

void CompareBarsPlot::resizeEvent(QResizeEvent* event) {
    PlotBase::resizeEvent(event);
    fitMargins();
}

void CompareBarsPlot::setChosen(int scenario) {
    art_->chosen = scenario;
    redraw();
}

QRectF CompareBarsPlot::barRect(int scenario) const { return art_->bar(scenario); }

TextTable CompareBarsPlot::textTable() const {
    TextTable out{.headers = {tr("Scenario"), tr("Part"),
                              art_->data.dimension == Dimension::bytes ? tr("Bytes") : tr("Seconds")},
                  .rows = {}};
    for (const CompareBar& bar : art_->data.bars)
        for (const ComparePart& part : bar.parts)
            out.rows.append({bar.name, part.name, QString::number(part.value, 'g', 9)});
    return out;
}

void CompareBarsPlot::clicked(const QPointF& position) {
    for (int i = 0; i < art_->data.bars.size(); ++i)
        if (art_->row(i).contains(position))
            emit chosen(i);
}

void CompareBarsPlot::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    const int last = static_cast<int>(art_->data.bars.size()) - 1;
    if (step == 0 || last < 0 || event->modifiers() != Qt::NoModifier)
        return PlotBase::keyPressEvent(event);
    emit chosen(std::clamp(art_->chosen + step, 0, last));
}

std::optional<PlotSpot> CompareBarsPlot::spotAt(const QPointF& position) const {
    for (int i = 0; i < art_->data.bars.size(); ++i) {
        const QRectF place = art_->bar(i);
        if (!place.contains(position))
            continue;
        const CompareBar& bar = art_->data.bars[i];
        CardContent card;
        card.title = bar.name + QStringLiteral(": ") + bar.end;
        const double total = bar.total();
        QList<ComparePart> parts = bar.parts;
        std::ranges::stable_sort(parts, std::ranges::greater{}, &ComparePart::value);
        constexpr qsizetype mostRows = 6;
        for (const ComparePart& part : parts.first(std::min(mostRows, parts.size())))
            card.rows.append(
                {part.name, glance(part.value, art_->data.dimension) + QStringLiteral(", ") +
                                quantity(part.value / total, Dimension::ratio, {.significant = 2})});
        return PlotSpot{place.toAlignedRect(), card};
    }
    return std::nullopt;
}

} // namespace alidade::views
