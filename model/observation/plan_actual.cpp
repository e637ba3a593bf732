// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/plan_actual.h"

namespace alidade {

PlanActual comparePlan(const Observation& observation, const std::vector<Finding>&, const Estimate*) {
    PlanActual out;
    if (const SignalTable* steps = observation.table(Signal::stepTime);
        steps != nullptr && !steps->rows.empty()) {
        ChartLine chart;
        chart.id = "step_time";
        chart.title = "Step time";
        chart.unit = "s";
        const std::span<const double> row = steps->row(0, observation.grid.points);
        chart.measured.assign(row.begin(), row.end());
        out.charts.push_back(chart);
    }
    return out;
}

} // namespace alidade
