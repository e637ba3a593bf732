// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/node_card.h"

#include "views/live/live_text.h"

#include <QCoreApplication>

#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

QString say(const char* words) { return QCoreApplication::translate("NodeCard", words); }

struct Extreme {
    double value = std::numeric_limits<double>::quiet_NaN();
    int gpu = -1;
};

/// The smallest (or largest) value among the rows of a host at an instant.
Extreme extreme(const LiveResult& result, Signal signal, const std::string& host, std::size_t point,
                bool smallest) {
    Extreme found;
    const SignalTable* table = result.observation->table(signal);
    if (table == nullptr)
        return found;
    const std::size_t points = result.observation->grid.points;
    for (std::size_t i = 0; i < table->rows.size(); ++i) {
        if (table->rows[i].host != host)
            continue;
        const double value = table->row(i, points)[point];
        const bool better = smallest ? value < found.value : value > found.value;
        if (std::isfinite(value) && (!std::isfinite(found.value) || better))
            found = {value, table->rows[i].gpu};
    }
    return found;
}

} // namespace

CardContent nodeCard(const LiveResult& result, std::size_t host, std::size_t point) {
    const Observation& seen = *result.observation;
    const TimeGrid& grid = seen.grid;
    const std::string& name = result.nodes.hosts[host];
    const double time = grid.at(point);
    CardContent card;
    card.title = text(name) + QStringLiteral(", ") + clockText(time, grid.end() - grid.start);
    const double relative = result.nodes.values[host * grid.points + point];
    const std::size_t cell = host * grid.points + point;
    const bool isSilent = cell >= result.nodes.noData.size() || result.nodes.noData[cell] != 0;
    card.rows.append({say("Own time"), std::isfinite(relative)
                                           ? say("%1 × median").arg(quantity(relative, Dimension::number))
                                       : isSilent ? say("no data")
                                                  : say("no step")});
    const Extreme clock = extreme(result, Signal::smClock, name, point, true);
    if (std::isfinite(clock.value))
        card.rows.append(
            {say("Slowest GPU"),
             say("%1, at %2 MHz").arg(clock.gpu).arg(quantity(clock.value / 1e6, Dimension::number))});
    const Extreme heat = extreme(result, Signal::gpuTemperature, name, point, false);
    if (std::isfinite(heat.value)) {
        const Extreme violation = extreme(result, Signal::thermalViolation, name, point, false);
        QString words = say("%1 °C").arg(std::round(heat.value));
        if (violation.value > 0)
            words += say(", thermal violation");
        card.rows.append({say("Temperature"), words});
    }
    if (!result.comparison.charts.empty()) {
        const ChartLine& head = result.comparison.charts.front();
        const Dimension dimension = dimensionOf(head.unit);
        const double value =
            point < head.measured.size() ? head.measured[point] : std::numeric_limits<double>::quiet_NaN();
        QString words = std::isfinite(value) ? quantity(value, dimension) : say("no data");
        if (head.plan)
            words += say(", plan %1").arg(quantity(head.plan->value, dimension));
        card.rows.append({text(head.title), words});
    }
    for (const Finding& finding : result.findings) {
        const bool lasts = time >= finding.start - grid.step && time <= finding.end.value_or(grid.end());
        if (finding.where.host == name && lasts && card.rows.size() < 5) {
            const QString title = text(finding.title);
            const qsizetype colon = title.indexOf(QLatin1String(": "));
            card.rows.append({say("Fault"), colon < 0 ? title : title.mid(colon + 2)});
            break;
        }
    }
    return card;
}

} // namespace alidade::views
