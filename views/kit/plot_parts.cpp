// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/plot_parts.h"

#include "views/kit/paint.h"

#include <qcustomplot.h>

#include <cmath>

namespace alidade::views {
namespace {

QCPScatterStyle::ScatterShape shapeOf(Marker marker) {
    switch (marker) {
    case Marker::disc:
        return QCPScatterStyle::ssDisc;
    case Marker::square:
        return QCPScatterStyle::ssSquare;
    case Marker::triangle:
        return QCPScatterStyle::ssTriangle;
    case Marker::diamond:
        return QCPScatterStyle::ssDiamond;
    case Marker::triangleDown:
        return QCPScatterStyle::ssTriangleInverted;
    case Marker::cross:
        return QCPScatterStyle::ssCross;
    case Marker::ring:
        return QCPScatterStyle::ssCircle;
    case Marker::ringPlus:
        return QCPScatterStyle::ssPlusCircle;
    case Marker::plus:
        return QCPScatterStyle::ssPlus;
    case Marker::star:
        return QCPScatterStyle::ssStar;
    }
    Q_UNREACHABLE();
}

bool isFilled(Marker marker) {
    return marker == Marker::disc || marker == Marker::square || marker == Marker::triangle ||
           marker == Marker::diamond || marker == Marker::triangleDown;
}

constexpr double leastForHairline = 4; // logical pixels

/// Bars that fill their own rectangles, so that the fill suits the device and stacked parts have a hairline
/// between.
class FilledBars : public QCPBars {
public:
    using Fill = std::function<void(QCPPainter&, const QRectF&, const Theme&)>;
    FilledBars(PlotBase& owner, Fill fill)
        : QCPBars(owner.axis(PlotAxis::x), owner.axis(PlotAxis::y))
        , owner_(owner)
        , fill_(std::move(fill)) {
        setPen(Qt::NoPen);
    }

protected:
    void draw(QCPPainter* painter) override {
        QCPBarsDataContainer::const_iterator begin;
        QCPBarsDataContainer::const_iterator end;
        getVisibleDataBounds(begin, end);
        for (auto bar = begin; bar != end; ++bar) {
            QRectF rect = getBarRect(bar->key, bar->value).normalized();
            // On whole pixels, else hairlines blur; where they would take what is drawn, there is none.
            rect.setTop(std::round(rect.top()));
            rect.setBottom(std::round(rect.bottom()));
            if (rect.height() > leastForHairline)
                rect.setTop(rect.top() + 1);
            fill_(*painter, rect, owner_.look());
        }
    }

private:
    PlotBase& owner_;
    Fill fill_;
};

/// The line of a limit; it owns its words.
class LimitLine : public QCPItemStraightLine {
public:
    LimitLine(QCustomPlot* plot, const Limit& limit)
        : QCPItemStraightLine(plot)
        , words_(new QCPItemText(plot))
        , onY_(limit.axis == PlotAxis::y)
        , place_(limit.place)
        , wordsAbove_(limit.wordsAbove) {
        words_->setPositionAlignment(onY_ ? Qt::AlignRight | Qt::AlignBottom : Qt::AlignLeft | Qt::AlignTop);
        words_->setPadding(QMargins(3, 0, 3, 2));
        words_->position->setTypeX(onY_ ? QCPItemPosition::ptAxisRectRatio : QCPItemPosition::ptPlotCoords);
        words_->position->setTypeY(onY_ ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
        for (QCPAbstractItem* item :
             {static_cast<QCPAbstractItem*>(this), static_cast<QCPAbstractItem*>(words_)})
            item->setSelectable(false);
        move(limit.value, limit.text);
    }

    void move(double value, const QString& text) {
        point1->setCoords(onY_ ? 0 : value, onY_ ? value : 0);
        point2->setCoords(onY_ ? 1 : value, onY_ ? value : 1);
        const double above = wordsAbove_.value_or(value);
        words_->position->setCoords(onY_ ? place_ : above, onY_ ? above : 1 - place_);
        words_->setText(text);
    }

    QCPItemText* words() const { return words_; }

private:
    QCPItemText* words_;
    bool onY_;
    double place_;
    std::optional<double> wordsAbove_;
};

} // namespace

QCPScatterStyle classScatter(Bound bound, double size, const Theme& look) {
    const ClassStyle style = look.classStyle(bound);
    const QBrush fill = isFilled(style.marker) ? QBrush(style.color) : QBrush(Qt::NoBrush);
    const double pen = isFilled(style.marker) ? 0 : 2;
    return {shapeOf(style.marker), pen > 0 ? QPen(style.color, pen) : QPen(style.color, 1), fill, size};
}

QCPBars* addClassBars(PlotBase& plot, Bound bound) {
    auto* bars = new FilledBars(plot, [bound](QCPPainter& painter, const QRectF& rect, const Theme& look) {
        paintClassFill(painter, rect, bound, 1, look);
    });
    plot.style(bars, [bars, bound](const Theme& look) {
        bars->setName(look.classStyle(bound).name);
        bars->setBrush(look.classStyle(bound).color);
    });
    return bars;
}

QCPBars* addMemoryBars(PlotBase& plot, MemoryTone tone) {
    auto* bars = new FilledBars(plot, [tone](QCPPainter& painter, const QRectF& rect, const Theme& look) {
        painter.fillRect(rect, look.memoryColor(tone));
    });
    plot.style(bars, [bars, tone](const Theme& look) { bars->setBrush(look.memoryColor(tone)); });
    return bars;
}

QObject* addLimit(PlotBase& plot, const Limit& limit) {
    auto* line = new LimitLine(plot.plot(), limit);
    plot.style(line, [line, limit](const Theme& look) {
        QPen pen(look.color(limit.ink), limit.dashed ? 1 : 1.5);
        if (limit.dashed)
            pen.setDashPattern({7, 3});
        line->setPen(pen);
        line->words()->setColor(look.color(limit.ink));
        line->words()->setFont(look.font(FontRole::small));
    });
    return line;
}

void updateLimit(QObject* line, double value, const QString& text) {
    static_cast<LimitLine*>(line)->move(value, text);
}

QCPItemText* addLabel(PlotBase& plot, double x, double y, const QString& text, Role ink) {
    auto* label = new QCPItemText(plot.plot());
    label->position->setCoords(x, y);
    label->setText(text);
    label->setSelectable(false);
    plot.style(label, [label, ink](const Theme& look) {
        label->setFont(look.font(FontRole::small));
        label->setColor(look.color(ink));
    });
    return label;
}

} // namespace alidade::views
