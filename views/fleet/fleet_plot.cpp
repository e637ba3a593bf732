// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_plot.h"

#include "model/units/constants.h"
#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double hoursOfDay = 24;

MemoryTone toneOf(std::size_t pool) {
    constexpr std::array tones{MemoryTone::held1,    MemoryTone::passing1, MemoryTone::held3,
                               MemoryTone::passing2, MemoryTone::held2,    MemoryTone::overhead};
    return tones[pool % tones.size()];
}

/// "Tue 14:00", or "14:00" of a day.
QString hourText(double hour, bool week) {
    const auto minutes = static_cast<int>(std::lround(hour * 60));
    const QString clock = QStringLiteral("%1:%2")
                              .arg(minutes / 60 % 24, 2, 10, QLatin1Char('0'))
                              .arg(minutes % 60, 2, 10, QLatin1Char('0'));
    if (!week)
        return clock;
    const std::array days{FleetPlot::tr("Mon"), FleetPlot::tr("Tue"), FleetPlot::tr("Wed"),
                          FleetPlot::tr("Thu"), FleetPlot::tr("Fri"), FleetPlot::tr("Sat"),
                          FleetPlot::tr("Sun")};
    const auto day = static_cast<std::size_t>(std::max(0, minutes / 1440)) % days.size();
    return minutes % 1440 == 0 ? days[day] : days[day] + QLatin1Char(' ') + clock;
}

} // namespace

/// What a FleetPlot shows. x is in hours of a day, or in days of a week.
class FleetArt : public PlotArt {
public:
    explicit FleetArt(PlotBase& owner)
        : PlotArt(owner, Clip::axes) {}

    std::shared_ptr<const FleetPlan> plan;
    Fleet fleet;

    bool isWeek() const { return hours() > hoursOfDay; }
    double hours() const { return plan ? plan->pools.front().demand.hours() : hoursOfDay; }
    double unit() const { return isWeek() ? hoursOfDay : 1; } ///< hours of one on the axis

    int countAt(std::size_t pool, double hour) const {
        const InstanceDemand& demand = plan->pools[pool].demand;
        const auto last = static_cast<double>(demand.counts.size() - 1);
        const double step = std::clamp(hour * secondsPerHour / demand.step, 0.0, last);
        return demand.counts[static_cast<std::size_t>(step)];
    }
    int most() const {
        int out = 0;
        for (std::size_t i = 0; plan && i < plan->pools.front().demand.counts.size(); ++i) {
            int sum = 0;
            for (const PlannedPool& pool : plan->pools)
                sum += pool.demand.counts[i];
            out = std::max(out, sum);
        }
        return std::max(out, base());
    }
    int base() const {
        int out = 0;
        for (std::size_t pool = 0; plan && pool < plan->pools.size(); ++pool)
            out += plan->pools[pool].split.base;
        return out;
    }
    QString poolName(std::size_t pool) const { return text(fleet.pools[plan->pools[pool].pool].name); }

protected:
    void draw(QCPPainter* painter) override {
        if (!plan)
            return;
        const Theme& look = owner_.look();
        LabelPlacer labels(area());
        const QRectF room = area();
        std::vector<double> below(static_cast<std::size_t>(std::max(1.0, room.width())) + 2, 0);
        for (std::size_t pool = 0; pool < plan->pools.size(); ++pool) {
            const QPolygonF band = bandOf(pool, room, below);
            QColor fill = look.memoryColor(toneOf(pool));
            painter->setPen(Qt::NoPen);
            painter->setBrush(fill);
            painter->drawPolygon(band);
            if (plan->pools.size() > 1)
                nameBand(labels, look, pool, room, below);
        }
        if (const int paid = base(); paid > 0) {
            if (plan->pools.size() == 1) // of several, one may burst while another has room
                drawBurst(*painter, look, room, below, pixelY(paid));
            QPen pen(look.color(Role::text), look.px(2));
            pen.setDashPattern({4, 3});
            painter->setPen(pen);
            const double y = pixelY(paid);
            painter->drawLine(QPointF(room.left(), y), QPointF(room.right(), y));
        }
        labels.paint(*painter, look.color(Role::base));
    }

private:
    double hourAt(double x) const { return parentPlot()->xAxis->pixelToCoord(x) * unit(); }

    /// A column a pixel; `below` grows by the band.
    QPolygonF bandOf(std::size_t pool, const QRectF& room, std::vector<double>& below) const {
        QPolygonF top, bottom;
        const double end = hours();
        for (std::size_t i = 0; i < below.size(); ++i) {
            const double x = room.left() + static_cast<double>(i), hour = hourAt(x);
            if (hour < 0 || hour > end)
                continue;
            bottom.prepend(QPointF(x, pixelY(below[i])));
            below[i] += countAt(pool, hour);
            top.append(QPointF(x, pixelY(below[i])));
        }
        return top + bottom;
    }

    /// What is in use beyond the base, hatched in the color of the ground.
    void drawBurst(QCPPainter& painter, const Theme& look, const QRectF& room, const std::vector<double>& top,
                   double base) const {
        QPolygonF area;
        area.append(QPointF(room.left(), base));
        for (std::size_t i = 0; i < top.size(); ++i)
            area.append(QPointF(room.left() + static_cast<double>(i), std::min(base, pixelY(top[i]))));
        area.append(QPointF(room.right(), base));
        painter.setPen(Qt::NoPen);
        painter.setBrush(QBrush(look.color(Role::base), Qt::BDiagPattern));
        painter.drawPolygon(area);
    }

    void nameBand(LabelPlacer& labels, const Theme& look, std::size_t pool, const QRectF& room,
                  const std::vector<double>& top) const {
        // Where the band is highest there is most room for its name.
        std::size_t best = 0;
        int most = -1;
        for (std::size_t i = 0; i < top.size(); ++i) {
            const double hour = hourAt(room.left() + static_cast<double>(i));
            const int count = hour >= 0 && hour <= hours() ? countAt(pool, hour) : -1;
            if (count > most) {
                most = count;
                best = i;
            }
        }
        const QPointF at(room.left() + static_cast<double>(best), pixelY(top[best] - 0.5 * most));
        labels.addAt({{at, Qt::AlignHCenter | Qt::AlignVCenter}}, poolName(pool),
                     {look.font(FontRole::small), look.color(Role::text)});
    }
};

FleetPlot::FleetPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new FleetArt(*this)) {
    setAccessibleName(tr("Instances in use"));
    setFileName(QStringLiteral("fleet"));
    setTickText(PlotAxis::x, [this](double value) { return hourText(value * art_->unit(), art_->isWeek()); });
    setTickText(PlotAxis::y, [](double value) { // there is no half instance
        return std::abs(value - std::round(value)) < 1e-6 ? QString::number(std::lround(value)) : QString();
    });
    setTableSource([this] {
        TextTable out{{tr("Hour"), tr("Pool"), tr("Instances, at most"), tr("Base")}, {}};
        for (std::size_t pool = 0; art_->plan && pool < art_->plan->pools.size(); ++pool) {
            const PlannedPool& planned = art_->plan->pools[pool];
            const auto each = static_cast<std::size_t>(std::lround(secondsPerHour / planned.demand.step));
            const std::vector<int>& counts = planned.demand.counts;
            for (std::size_t i = 0; i < counts.size(); i += std::max<std::size_t>(1, each)) {
                const auto first = counts.begin() + static_cast<std::ptrdiff_t>(i);
                const auto last = first + static_cast<std::ptrdiff_t>(std::min(each, counts.size() - i));
                out.rows.append(
                    {hourText(static_cast<double>(i) * planned.demand.step / secondsPerHour, art_->isWeek()),
                     art_->poolName(pool), QString::number(*std::max_element(first, last)),
                     QString::number(planned.split.base)});
            }
        }
        return out;
    });
    setPlan({}, {});
}

void FleetPlot::setPlan(const std::shared_ptr<const FleetPlan>& plan, const Fleet& fleet) {
    art_->plan = plan;
    art_->fleet = fleet;
    const int base = art_->base();
    setAxisTitle(
        PlotAxis::y,
        base == 0 ? tr("instances, spares included")
        : plan->pools.size() == 1
            ? tr("instances, spares included; dashed: base of %1, paid all the time; hatched: burst")
                  .arg(base)
            : tr("instances, spares included; dashed: base of all pools, %1, paid all the time").arg(base));
    setAxisTitle(PlotAxis::x, art_->isWeek() ? tr("a week, from Monday on") : tr("a day"));
    setDataRange(PlotAxis::x, 0, art_->hours() / art_->unit());
    setDataRange(PlotAxis::y, 0, std::max(1.0, 1.1 * art_->most()));
    fit();
    setSummary(
        plan ? tr("At most %1 instances at a time, %2 of them paid all the time").arg(art_->most()).arg(base)
             : QString());
    redraw();
}

std::optional<PlotSpot> FleetPlot::spotAt(const QPointF& position) const {
    const QRectF room = plot()->axisRect()->rect();
    if (!art_->plan || !room.contains(position))
        return std::nullopt;
    const double hour = axis(PlotAxis::x)->pixelToCoord(position.x()) * art_->unit();
    if (hour < 0 || hour > art_->hours())
        return std::nullopt;
    CardContent card;
    card.title = hourText(std::floor(hour * 4) / 4, art_->isWeek());
    for (std::size_t pool = 0; pool < art_->plan->pools.size(); ++pool) {
        const PlannedPool& planned = art_->plan->pools[pool];
        const int count = art_->countAt(pool, hour), base = planned.split.base;
        card.rows.append({art_->poolName(pool),
                          count > base && base > 0
                              ? tr("%1 instances: base %2, burst %3").arg(count).arg(base).arg(count - base)
                          : base > 0 ? tr("%1 instances of a base of %2").arg(count).arg(base)
                                     : tr("%1 instances").arg(count)});
    }
    return PlotSpot{QRectF(position.x() - 3, room.top(), 6, room.height()).toRect(), card};
}

} // namespace alidade::views
