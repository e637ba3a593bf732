// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_windows.h"

#include "model/base/not_measured.h"
#include "model/observation/data_gaps.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alidade {

namespace {

constexpr double checkpointing = 0.003; ///< share of time in checkpoints that counts as one
constexpr double throttled = 0.02;      ///< share of time throttled by heat
constexpr double standstill = 0.05;     ///< of the usual pace
constexpr double xidSeconds = 300;      ///< an error code sticks, what it does to the pace does not
constexpr double warmUpSteps = 5, leastWarmUp = 60;

/// Seconds of "[90s]", "[2m]", "[1h30m]", "[20m:30s]"; 0: no such window.
double windowAt(const std::string& text, std::size_t open) {
    double seconds = 0, number = 0;
    for (std::size_t i = open + 1; i < text.size(); ++i) {
        const char c = text[i];
        if (c >= '0' && c <= '9') {
            number = 10 * number + (c - '0');
            continue;
        }
        const bool milli = c == 'm' && i + 1 < text.size() && text[i + 1] == 's';
        const double unit = milli      ? 1e-3
                            : c == 's' ? 1
                            : c == 'm' ? 60
                            : c == 'h' ? secondsPerHour
                            : c == 'd' ? secondsPerDay
                                       : 0;
        if (unit <= 0)
            break;
        seconds += number * unit;
        number = 0;
        i += milli ? 1 : 0;
    }
    return seconds;
}

/// Why the time of such a finding is left out; empty: it does not change the pace.
std::string reasonOf(const Finding& finding) {
    const std::string at = finding.where.host.empty() ? std::string() : " " + finding.where.host;
    switch (finding.kind) {
    case FaultKind::xid:
        return "XID " + std::to_string(finding.code) + at;
    case FaultKind::doubleBitErrors:
        return "double-bit errors" + at;
    case FaultKind::thermal:
        return "thermal throttling" + at;
    case FaultKind::missingGpu:
        return "missing GPU" + at;
    case FaultKind::missingTarget:
        return "target down" + at;
    case FaultKind::efaRetransmits:
        return "EFA retransmits" + at;
    case FaultKind::efaConnections:
        return "EFA connections" + at;
    case FaultKind::straggler:
        return "straggler" + at;
    case FaultKind::stall:
        return "standstill";
    case FaultKind::restart:
        return "restart and warm-up";
    case FaultKind::engineRestart:
        return "engine restart" + at;
    case FaultKind::blankValues:
        return "blank values" + at;
    case FaultKind::singleBitErrors:
    case FaultKind::rowRemap:
    case FaultKind::power: // the usual state of a busy GPU
    case FaultKind::badLoss:
        break;
    }
    return {};
}

bool happensOnce(FaultKind kind) {
    return kind == FaultKind::xid || kind == FaultKind::doubleBitErrors || kind == FaultKind::restart ||
           kind == FaultKind::engineRestart;
}

/// Reasons at each point of the grid; the first one counts.
class Marks {
public:
    Marks(const TimeGrid& grid, double lookback)
        : grid_(grid)
        , lookback_(lookback)
        , why_(grid.points) {}

    /// From `start` to `end` (Unix s), and as long as rates look back at it.
    void add(double start, double end, const std::string& why) {
        for (std::size_t i = 0; i < why_.size(); ++i) {
            const double t = grid_.at(i);
            if (t > start && t <= end + lookback_ && why_[i].empty())
                why_[i] = why;
        }
    }
    void addPoint(std::size_t i, const std::string& why) {
        if (why_[i].empty())
            why_[i] = why;
    }
    /// A value that looks back shows it by itself; an instantaneous one is as old as a step.
    void addInstant(std::size_t i, const std::string& why) {
        add(grid_.at(i) - 1.01 * grid_.step, grid_.at(i), why);
    }

    UsableTime take() {
        UsableTime out;
        out.lookback = lookback_;
        for (std::size_t i = 0; i < why_.size(); ++i) {
            out.used.push_back(why_[i].empty());
            if (why_[i].empty())
                continue;
            const double from = grid_.at(i) - grid_.step;
            if (i > 0 && why_[i - 1] == why_[i])
                out.excluded.back().end = grid_.at(i);
            else
                out.excluded.push_back({std::max(from, grid_.start), grid_.at(i), why_[i]});
        }
        return out;
    }

private:
    TimeGrid grid_;
    double lookback_;
    std::vector<std::string> why_;
};

void markFindings(const std::vector<Finding>& findings, const std::set<std::string>& hosts, bool training,
                  double warmUp, const TimeGrid& grid, Marks& marks) {
    for (const Finding& each : findings) {
        const std::string why = reasonOf(each);
        // A finding without a host is one of the training job.
        const bool elsewhere =
            each.where.host.empty() ? !training : !hosts.empty() && !hosts.contains(each.where.host);
        if (why.empty() || elsewhere)
            continue;
        double end = each.end.value_or(grid.end());
        if (happensOnce(each.kind))
            end = std::min(end, each.start + xidSeconds) + warmUp;
        else if (each.kind == FaultKind::stall && each.end)
            end += warmUp;
        marks.add(each.start - grid.step, end, why);
    }
}

/// The pace of the job itself: checkpoints, standstill and what follows it.
void markPace(const Observation& o, double warmUp, Marks& marks) {
    const std::size_t n = o.grid.points;
    if (const SignalTable* table = o.table(Signal::checkpointShare)) {
        for (std::size_t r = 0; r < table->rows.size(); ++r) {
            for (std::size_t i = 0; i < n; ++i)
                if (table->row(r, n)[i] > checkpointing)
                    marks.addPoint(i, "checkpoint");
        }
    }
    const SignalTable* table = o.table(Signal::stepsPerSecond);
    if (!table || table->rows.empty())
        return;
    const std::vector<double> pace = meanOfRows(*table, n);
    const double usual = spreadOf(pace).median;
    bool standing = false;
    for (std::size_t i = 0; i < n; ++i) {
        const bool stands = std::isnan(pace[i]) || pace[i] < standstill * usual;
        if (stands)
            marks.addPoint(i, "standstill");
        else if (standing)
            marks.add(o.grid.at(i) - o.grid.step, o.grid.at(i) + warmUp, "restart and warm-up");
        standing = stands;
    }
}

void markMachines(const Observation& o, const std::set<std::string>& hosts, Marks& marks) {
    const std::size_t n = o.grid.points;
    const auto counts = [&hosts](const Entity& row) { return hosts.empty() || hosts.contains(row.host); };
    if (const SignalTable* up = o.table(Signal::targetUp)) {
        for (std::size_t r = 0; r < up->rows.size(); ++r) {
            for (std::size_t i = 0; i < n && counts(up->rows[r]); ++i)
                if (up->row(r, n)[i] < 1)
                    marks.addInstant(i, "target down " + up->rows[r].host);
        }
    }
    if (const SignalTable* hot = o.table(Signal::thermalViolation)) {
        for (std::size_t r = 0; r < hot->rows.size(); ++r) {
            for (std::size_t i = 0; i < n && counts(hot->rows[r]); ++i)
                if (hot->row(r, n)[i] > throttled)
                    marks.addPoint(i, "thermal throttling " + hot->rows[r].host);
        }
    }
}

} // namespace

std::size_t UsableTime::points() const { return static_cast<std::size_t>(std::ranges::count(used, true)); }

double lookbackOf(const Observation& observation) {
    double out = observation.grid.step;
    for (const SignalTable& table : observation.tables) {
        out = std::max(out, table.window);
        for (std::size_t at = table.expression.find('['); at != std::string::npos;
             at = table.expression.find('[', at + 1)) {
            out = std::max(out, windowAt(table.expression, at));
        }
    }
    return out;
}

UsableTime usableTime(const Observation& observation, const std::vector<Finding>& findings,
                      const std::set<std::string>& hosts, bool training,
                      const std::vector<ExcludedWindow>& leftOut) {
    Marks marks(observation.grid, lookbackOf(observation));
    double step = 0;
    if (const SignalTable* table = observation.table(Signal::stepTime))
        step = spreadOf(meanOfRows(*table, observation.grid.points)).median;
    const double warmUp = std::max(leastWarmUp, step > 0 ? warmUpSteps * step : 0.0);
    for (const DataGap& gap : dataGaps(observation).gaps)
        marks.add(gap.before ? gap.start - observation.grid.step : gap.start, gap.end, "no data");
    for (const ExcludedWindow& window : leftOut)
        marks.add(window.start - observation.grid.step, window.end, window.why);
    markFindings(findings, hosts, training, warmUp, observation.grid, marks);
    markMachines(observation, hosts, marks);
    if (training)
        markPace(observation, warmUp, marks);
    return marks.take();
}

std::vector<double> usedValues(const UsableTime& time, std::span<const double> row) {
    std::vector<double> out;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (time.used[i] && std::isfinite(row[i]))
            out.push_back(row[i]);
    return out;
}

std::vector<double> meanOfRows(const SignalTable& table, std::size_t points,
                               const std::function<bool(const Entity&)>& keep) {
    std::vector<double> sum(points, 0), count(points, 0);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        if (keep && !keep(table.rows[r]))
            continue;
        const std::span<const double> row = table.row(r, points);
        for (std::size_t i = 0; i < points; ++i) {
            if (std::isfinite(row[i])) {
                sum[i] += row[i];
                ++count[i];
            }
        }
    }
    for (std::size_t i = 0; i < points; ++i)
        sum[i] = count[i] > 0 ? sum[i] / count[i] : notMeasured;
    return sum;
}

std::vector<std::pair<std::size_t, std::size_t>> blocksOf(const UsableTime& time, const TimeGrid& grid,
                                                          double seconds) {
    const auto length = static_cast<std::size_t>(std::max(1.0, std::ceil(seconds / grid.step - 1e-9)));
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < grid.points; i += length) {
        const std::size_t end = std::min(grid.points, i + length);
        std::size_t used = 0;
        for (std::size_t k = i; k < end; ++k)
            used += time.used[k] ? 1 : 0;
        if (used > 0)
            out.emplace_back(i, end);
    }
    return out;
}

Spread spreadOf(std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    if (values.empty())
        return {notMeasured, notMeasured};
    std::ranges::sort(values);
    const auto quantile = [&values](double q) {
        const double at = q * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
    };
    const double median = quantile(0.5);
    return {median, median != 0 ? (quantile(0.75) - quantile(0.25)) / (2 * std::abs(median)) : 0};
}

double meanOf(const std::vector<double>& values) {
    return values.empty()
               ? notMeasured
               : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace alidade
