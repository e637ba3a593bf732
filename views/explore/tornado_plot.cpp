// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/tornado_plot.h"

#include "views/document/text.h"
#include "views/explore/explore_words.h"
#include "views/kit/plot_art.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr int mostBars = 14;
constexpr double rowHeight = 24, thickness = 14, side = 34; // logical pixels; side: room for numbers
constexpr int shortName = 30;                               // characters

QString inputName(const Variable& variable) {
    const QString name = labelOf(variable);
    return name.size() > shortName ? name.left(shortName - 1) + u'…' : name;
}

} // namespace

/// What a TornadoPlot shows.
class TornadoArt : public PlotArt {
public:
    explicit TornadoArt(PlotBase& owner)
        : PlotArt(owner) {}

    std::shared_ptr<const SensitivityAnswer> answer;
    int count = 0, chosen = -1;

    /// The widest bar is on top.
    double y(int bar) const { return pixelY(count - 1 - bar); }
    QRectF rectOf(int bar) const {
        const double half = owner_.look().px(thickness) / 2.0;
        return {area().left(), y(bar) - half, area().width(), 2 * half};
    }

protected:
    void draw(QCPPainter* painter) override {
        if (!answer || !answer->sensitivity)
            return;
        const Theme& look = owner_.look();
        const Sensitivity& s = *answer->sensitivity;
        const double now = pixelX(s.value);
        painter->setFont(look.font(FontRole::small));
        // Values may be written next to the axes, rows above or below them may not.
        for (int i = 0; i < count; ++i)
            if (y(i) > area().top() && y(i) < area().bottom())
                drawBar(painter, s, s.inputs[static_cast<std::size_t>(i)], i, now);
        painter->setPen(QPen(look.color(Role::text), look.px(1) * 1.5));
        painter->drawLine(QPointF(now, area().top()), QPointF(now, area().bottom()));
    }

private:
    void drawBar(QCPPainter* painter, const Sensitivity& s, const SensitivityBar& bar, int i,
                 double now) const {
        const Theme& look = owner_.look();
        const QRectF row = rectOf(i);
        if (i == chosen) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(look.color(Role::sel));
            painter->drawRect(row.adjusted(-look.px(2), -look.px(4), look.px(2), look.px(4)));
        }
        for (const bool high : {false, true}) {
            const auto& value = high ? bar.high : bar.low;
            if (!value)
                continue;
            const double x = pixelX(*value);
            painter->fillRect(QRectF(std::min(now, x), row.top(), std::abs(x - now), row.height()),
                              look.memoryColor(high ? MemoryTone::held2 : MemoryTone::held3));
            // The number of the end, on the far side of the line; one of two on the same side.
            const auto& other = high ? bar.low : bar.high;
            const bool behind = other && (*other > s.value) == (*value > s.value) &&
                                std::abs(*other - s.value) > std::abs(*value - s.value);
            if (behind || *value == s.value)
                continue;
            painter->setPen(look.color(Role::text2));
            const double room = look.px(70), gap = look.px(4);
            const QRectF words = *value < s.value ? QRectF(x - room - gap, row.top(), room, row.height())
                                                  : QRectF(x + gap, row.top(), room, row.height());
            const Qt::Alignment end = *value < s.value ? Qt::AlignRight : Qt::AlignLeft;
            painter->drawText(words, static_cast<int>((Qt::AlignVCenter | end).toInt()),
                              glance(*value, s.dimension));
        }
    }
};

TornadoPlot::TornadoPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new TornadoArt(*this)) {
    setAccessibleName(tr("Effect of each input on the figure"));
    setFileName(QStringLiteral("sensitivity"));
    plot()->axisRect()->setRangeDrag(Qt::Horizontal); // all rows are always there
}

void TornadoPlot::setAnswer(const std::shared_ptr<const SensitivityAnswer>& answer) {
    answer_ = answer;
    art_->answer = answer;
    art_->chosen = -1;
    renew();
    fit();
}

void TornadoPlot::renew() {
    if (!answer_ || !answer_->sensitivity)
        return redraw();
    const Sensitivity& s = *answer_->sensitivity;
    const int room = std::max(3, static_cast<int>((height() - look().px(60)) / look().px(rowHeight)));
    art_->count = std::min({static_cast<int>(s.inputs.size()), mostBars, room});
    double low = s.value, high = s.value;
    QStringList names;
    for (int i = 0; i < art_->count; ++i) {
        const SensitivityBar& bar = s.inputs[static_cast<std::size_t>(i)];
        names.prepend(inputName(bar.variable));
        for (const auto& each : {bar.low, bar.high})
            if (each) {
                low = std::min(low, *each);
                high = std::max(high, *each);
            }
    }
    const double around = std::max({high - low, 1e-6 * std::abs(s.value)}) * side / 140;
    setCategories(PlotAxis::y, names);
    setDataRange(PlotAxis::y, -0.6, art_->count - 0.4);
    setDataRange(PlotAxis::x, low - around, high + around);
    const PlanFigure* figure = findPlanFigure(s.figure);
    const Dimension dimension = s.dimension;
    setTickText(PlotAxis::x, [dimension](double value) { return glance(value, dimension); });
    setAxisTitle(PlotAxis::y,
                 answer_->range.ownError
                     ? tr("low and high end of each constant; now %1").arg(glance(s.value, dimension))
                     : tr("each 10 % lower and higher; now %1").arg(glance(s.value, dimension)));
    setAxisTitle(PlotAxis::x, figure ? text(figure->label) : QString());
    if (!s.inputs.empty())
        setSummary(tr("%1 has the largest effect").arg(labelOf(s.inputs.front().variable)));
    redraw();
}

void TornadoPlot::resizeEvent(QResizeEvent* event) {
    PlotBase::resizeEvent(event);
    renew();
    if (!isZoomed())
        fit();
}

int TornadoPlot::barCount() const { return art_->count; }

QPointF TornadoPlot::placeOf(int bar) const { return art_->rectOf(bar).center(); }

int TornadoPlot::barAt(const QPointF& position) const {
    for (int i = 0; i < art_->count; ++i)
        if (std::abs(position.y() - art_->y(i)) <= look().px(rowHeight) / 2.0 && position.x() > 0)
            return i;
    return -1;
}

PlotSpot TornadoPlot::spotOf(int bar) const {
    const Sensitivity& s = *answer_->sensitivity;
    const SensitivityBar& each = s.inputs[static_cast<std::size_t>(bar)];
    CardContent card;
    card.title =
        labelOf(each.variable) + u' ' + valueInWords(each.variable, each.variable.valueOf(each.value));
    const auto row = [&](double at, const std::optional<double>& value, const std::optional<Bound>& bound) {
        const QString limit = bound ? u", " + theme().classStyle(*bound).name : QString();
        card.rows.append({valueInWords(each.variable, each.variable.valueOf(at)),
                          value ? glance(*value, s.dimension) + u" (" +
                                      difference(*value / s.value - 1, Dimension::ratio) + u')' + limit
                                : tr("does not run")});
    };
    row(each.lowValue, each.low, each.lowBound);
    row(each.highValue, each.high, each.highBound);
    if (each.saturatesAt)
        card.rows.append({tr("Helps little beyond"),
                          valueInWords(each.variable, each.variable.valueOf(*each.saturatesAt))});
    card.rows.append({tr("Kind"), each.variable.kind() == Variable::Kind::field ? tr("field of the scenario")
                                  : each.variable.kind() == Variable::Kind::catalog
                                      ? tr("number of the catalog")
                                      : tr("constant of the calibration")});
    return {art_->rectOf(bar).toRect(), card};
}

std::optional<PlotSpot> TornadoPlot::spotAt(const QPointF& position) const {
    const int bar = barAt(position);
    return bar < 0 ? std::nullopt : std::optional(spotOf(bar));
}

void TornadoPlot::clicked(const QPointF& position) {
    if (const int bar = barAt(position); bar >= 0)
        emit sweepRequested(
            text(answer_->sensitivity->inputs[static_cast<std::size_t>(bar)].variable.path()));
}

void TornadoPlot::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (art_->count == 0 || event->modifiers() & ~Qt::KeypadModifier || (step == 0 && !enters))
        return PlotBase::keyPressEvent(event);
    if (enters) {
        if (art_->chosen >= 0)
            clicked(placeOf(art_->chosen));
        return;
    }
    art_->chosen = std::clamp(art_->chosen + step, 0, art_->count - 1);
    redraw();
    showCard(spotOf(art_->chosen));
}

} // namespace alidade::views
