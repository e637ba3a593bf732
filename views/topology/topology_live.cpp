// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_live.h"

#include "model/observation/data_gaps.h"
#include "model/observation/plan_actual.h"
#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace alidade::views {
namespace {

constexpr float unmeasuredValue = std::numeric_limits<float>::quiet_NaN();
/// A sample so much older than the instant that is looked at says nothing of it; s.
constexpr double mostAge = 300;
/// From so much more (or less) than the median on a node is as loud as can be.
constexpr double loudDeviation = 0.3;
constexpr double coolest = 30, hottest = 90; // degC

std::size_t placeOf(TopologyColor color) {
    return static_cast<std::size_t>(std::ranges::find(topologyLiveColors, color) -
                                    topologyLiveColors.begin());
}

/// "gpu-0007.cluster.example" is "gpu-0007" too.
std::string shortHost(const std::string& name) { return name.substr(0, name.find('.')); }

/// Finds the host of a cluster by the name that was measured.
class HostIndex {
public:
    explicit HostIndex(const ClusterMap& map) {
        // Full names first: they win over short ones.
        for (const auto* names : {&map.hostNames, &map.hostIds})
            for (std::size_t i = 0; i < names->size(); ++i)
                add((*names)[i], static_cast<int>(i));
        for (const auto* names : {&map.hostNames, &map.hostIds})
            for (std::size_t i = 0; i < names->size(); ++i)
                add(shortHost((*names)[i]), static_cast<int>(i));
    }
    int operator()(const std::string& measured) const {
        for (const std::string& name : {measured, shortHost(measured)})
            if (const auto found = hosts_.find(name); found != hosts_.end())
                return found->second;
        return -1;
    }

private:
    void add(const std::string& name, int host) {
        if (!name.empty())
            hosts_.try_emplace(name, host);
    }
    std::unordered_map<std::string, int> hosts_;
};

/// Index of the instant that is looked at.
std::size_t lookedAt(const TimeGrid& grid, double at) {
    if (grid.points == 0)
        return 0;
    if (!std::isfinite(at) || at >= grid.end())
        return grid.points - 1;
    return static_cast<std::size_t>(
        std::clamp(std::floor((at - grid.start) / grid.step), 0.0, static_cast<double>(grid.points - 1)));
}

/// The newest value at or before an instant, unless it is too old.
double newestAt(std::span<const double> row, const TimeGrid& grid, std::size_t at) {
    const auto most = static_cast<std::size_t>(mostAge / grid.step);
    for (std::size_t back = 0; back <= most && back <= at && at < row.size(); ++back)
        if (std::isfinite(row[at - back]))
            return row[at - back];
    return std::numeric_limits<double>::quiet_NaN();
}

/// Lays one table over the GPUs: rows of a GPU to that GPU, rows of a host or its devices, summed and shared
/// out, to all of the host.
struct Placed {
    const TopologyData& data;
    const HostIndex& hosts;
    const Observation& observation;
    std::size_t at;

    std::vector<float> operator()(std::initializer_list<Signal> parts) const {
        std::vector<float> out(ix(data.gpus()), unmeasuredValue);
        for (const Signal each : parts)
            if (const SignalTable* table = observation.table(each))
                for (std::size_t row = 0; row < table->rows.size(); ++row)
                    add(out, table->rows[row],
                        newestAt(table->row(row, observation.grid.points), observation.grid, at));
        return out;
    }

private:
    void add(std::vector<float>& out, const Entity& where, double value) const {
        const int host = hosts(where.host), per = data.map.fabric.gpusPerHost;
        if (host < 0 || !std::isfinite(value) || where.gpu >= per)
            return;
        const auto put = [&](int gpu, double amount) {
            float& cell = out[ix(gpu)];
            cell = (std::isnan(cell) ? 0.0F : cell) + static_cast<float>(amount);
        };
        if (where.gpu >= 0)
            put(host * per + where.gpu, value);
        else
            for (int slot = 0; slot < per; ++slot)
                put(host * per + slot, value / per);
    }
};

std::vector<float> computeTimes(const TopologyData& data, const HostIndex& hosts,
                                const Observation& observation, std::size_t at) {
    std::vector<float> out(ix(data.gpus()), unmeasuredValue);
    const NodeMap map = relativeNodeTimes(observation);
    const int per = data.map.fabric.gpusPerHost;
    const std::span all(map.values);
    for (std::size_t i = 0; i < map.hosts.size(); ++i)
        if (const int host = hosts(map.hosts[i]); host >= 0)
            std::fill_n(
                out.begin() + host * per, per,
                static_cast<float>(newestAt(all.subspan(i * observation.grid.points, observation.grid.points),
                                            observation.grid, at)));
    return out;
}

bool lasts(const Finding& finding, double at) {
    return finding.start <= at && (!finding.end || *finding.end >= at);
}

void layHealth(TopologyLive& live, const TopologyData& data, const HostIndex& hosts,
               const TopologyMeasured& measured, double at) {
    std::vector<float>& values = live.figures[placeOf(TopologyColor::health)].values;
    values.assign(ix(data.gpus()), unmeasuredValue);
    const int per = data.map.fabric.gpusPerHost;
    for (const std::string& name : measured.observation->hosts)
        if (const int host = hosts(name); host >= 0)
            std::fill_n(values.begin() + host * per, per, -1.0F);
    for (const Finding& finding : measured.findings) {
        const int host = hosts(finding.where.host);
        if (host < 0 || !lasts(finding, at) || finding.where.gpu >= per)
            continue;
        QString& ails = live.ails[ix(host)];
        ails += (ails.isEmpty() ? QString() : QStringLiteral("; ")) + text(finding.title);
        const int first = finding.where.gpu >= 0 ? finding.where.gpu : 0;
        const int last = finding.where.gpu >= 0 ? finding.where.gpu : per - 1;
        for (int slot = first; slot <= last; ++slot) {
            float& cell = values[ix(host * per + slot)];
            cell = std::max(std::isnan(cell) ? -1.0F : cell, static_cast<float>(finding.action));
        }
    }
}

double highestOf(const std::vector<float>& values) {
    float most = 0;
    for (const float each : values)
        if (each > most)
            most = each;
    return most;
}

QString wordOf(HealthAction action) {
    switch (action) {
    case HealthAction::ignore:
        return TopologyText::tr("noted");
    case HealthAction::watch:
        return TopologyText::tr("watch");
    case HealthAction::restartJob:
        return TopologyText::tr("restart the job");
    case HealthAction::resetGpu:
        return TopologyText::tr("reset the GPU");
    case HealthAction::rebootNode:
        return TopologyText::tr("reboot the node");
    case HealthAction::replaceNode:
        break;
    }
    return TopologyText::tr("replace the node");
}

/// What is well stays quiet.
QRgb healthColor(float value, const Theme& look) {
    if (value < static_cast<float>(HealthAction::watch))
        return look.color(Role::okBg).rgb();
    return look.color(value < static_cast<float>(HealthAction::resetGpu) ? Role::warn : Role::err).rgb();
}

QString amount(TopologyColor color, double value) {
    switch (color) {
    case TopologyColor::computeTime:
        return TopologyText::tr("%1 × median").arg(value, 0, 'f', 2);
    case TopologyColor::tensorActivity:
    case TopologyColor::hbmActivity:
        return TopologyText::tr("%1 %").arg(std::lround(value * 100));
    case TopologyColor::nvlinkRate:
    case TopologyColor::efaRate:
        return quantity(value, Dimension::bytesPerSecond, {.significant = 3});
    case TopologyColor::power:
        return TopologyText::tr("%L1 W").arg(std::lround(value));
    case TopologyColor::temperature:
        return TopologyText::tr("%1 °C").arg(std::lround(value));
    default:
        return value < 0 ? TopologyText::tr("well")
                         : wordOf(static_cast<HealthAction>(static_cast<int>(value)));
    }
}

} // namespace

bool isLive(TopologyColor color) {
    return std::ranges::find(topologyLiveColors, color) != topologyLiveColors.end();
}

const TopologyLive::Figure& TopologyLive::figure(TopologyColor color) const {
    return figures[placeOf(color)];
}

QString TopologyLive::valueText(TopologyColor color, int gpu) const {
    const std::vector<float>& values = figure(color).values;
    if (gpu < 0 || ix(gpu) >= values.size() || std::isnan(values[ix(gpu)]))
        return {};
    return amount(color, values[ix(gpu)]);
}

TopologyLive topologyLive(const TopologyData& data, const TopologyMeasured& measured) {
    TopologyLive live;
    live.ails.resize(ix(data.hosts()));
    const auto refuse = [&](const QString& why) {
        for (TopologyLive::Figure& each : live.figures)
            each.missing = why;
        return live;
    };
    if (!measured.observation || measured.observation->grid.points == 0)
        return refuse(TopologyText::tr("No measurements. Connect on the Live page, or open a snapshot."));
    const Observation& seen = *measured.observation;
    const HostIndex hosts(data.map);
    for (const std::string& name : seen.hosts)
        live.matched += hosts(name) >= 0 ? 1 : 0;
    if (live.matched == 0)
        return refuse(TopologyText::tr("No host of this cluster has the name of a measured one; import the "
                                       "topology of the running cluster into the scenario."));
    const std::size_t at = lookedAt(seen.grid, measured.at);
    if (dataGaps(seen).at(at)) { // nothing is known, which is no reason to show something else
        live.gap = true;
        for (TopologyLive::Figure& each : live.figures)
            each.values.assign(ix(data.gpus()), unmeasuredValue);
        return live;
    }
    const Placed placed{data, hosts, seen, at};
    const auto set = [&](TopologyColor color, std::vector<float> values, double low, double high,
                         const QString& missing) {
        TopologyLive::Figure& figure = live.figures[placeOf(color)];
        const bool there = std::ranges::any_of(values, [](float each) { return !std::isnan(each); });
        figure = {std::move(values), low, high, there ? QString() : missing};
    };
    const auto none = [](const char* what) {
        return TopologyText::tr("%1 is not measured here.").arg(TopologyText::tr(what));
    };
    set(TopologyColor::computeTime, computeTimes(data, hosts, seen, at), -loudDeviation, loudDeviation,
        none(QT_TR_NOOP("compute time per step")));
    set(TopologyColor::tensorActivity, placed({Signal::tensorActive}), 0, 1,
        none(QT_TR_NOOP("tensor activity")));
    set(TopologyColor::hbmActivity, placed({Signal::dramActive}), 0, 1, none(QT_TR_NOOP("HBM activity")));
    const FabricSpeeds& speeds = data.map.fabric.speeds;
    for (const auto& [color, signal, capacity, what] :
         {std::tuple{TopologyColor::nvlinkRate, Signal::nvlinkTransmit, speeds.nvlinkBandwidth,
                     QT_TR_NOOP("NVLink traffic")},
          std::tuple{TopologyColor::efaRate, Signal::efaTransmit, speeds.networkBandwidth,
                     QT_TR_NOOP("EFA traffic")}}) {
        std::vector<float> values = placed({signal});
        const double high = capacity > 0 ? capacity : std::max(1.0, highestOf(values));
        set(color, std::move(values), 0, high, none(what));
    }
    std::vector<float> watts = placed({Signal::gpuPower});
    const double most = std::max(100.0, std::ceil(highestOf(watts) / 100) * 100);
    set(TopologyColor::power, std::move(watts), 0, most, none(QT_TR_NOOP("power")));
    set(TopologyColor::temperature, placed({Signal::gpuTemperature}), coolest, hottest,
        none(QT_TR_NOOP("temperature")));
    layHealth(live, data, hosts, measured, seen.grid.at(at));
    return live;
}

int measuredHost(const TopologyData& data, const std::string& name) { return HostIndex(data.map)(name); }

QString topologyLiveName(TopologyColor color) {
    switch (color) {
    case TopologyColor::computeTime:
        return TopologyText::tr("Live: compute time per step");
    case TopologyColor::tensorActivity:
        return TopologyText::tr("Live: tensor activity");
    case TopologyColor::hbmActivity:
        return TopologyText::tr("Live: HBM activity");
    case TopologyColor::nvlinkRate:
        return TopologyText::tr("Live: NVLink sent");
    case TopologyColor::efaRate:
        return TopologyText::tr("Live: EFA sent");
    case TopologyColor::power:
        return TopologyText::tr("Live: power");
    case TopologyColor::temperature:
        return TopologyText::tr("Live: temperature");
    default:
        return TopologyText::tr("Live: health");
    }
}

void fillLive(TopologyLook& made, const TopologyLive& live, TopologyColor color, const Theme& look) {
    const TopologyLive::Figure& figure = live.figure(color);
    const QRgb nothing = look.color(Role::base).rgb();
    for (std::size_t gpu = 0; gpu < made.gpus.size(); ++gpu) {
        const float value = gpu < figure.values.size() ? figure.values[gpu] : unmeasuredValue;
        if (std::isnan(value)) {
            made.marks[gpu] = static_cast<std::uint8_t>(made.marks[gpu] | TopologyLook::unmeasured);
            made.gpus[gpu] = nothing;
        } else if (color == TopologyColor::health) {
            made.gpus[gpu] = healthColor(value, look);
        } else if (color == TopologyColor::computeTime) {
            made.gpus[gpu] = look.diverging(value - 1, loudDeviation).rgb();
        } else {
            made.gpus[gpu] = look.sequential((value - figure.low) / (figure.high - figure.low)).rgb();
        }
    }
}

TopologyLegend liveLegend(const TopologyLive& live, TopologyColor color, const Theme& look) {
    const TopologyLive::Figure& figure = live.figure(color);
    TopologyLegend legend{.title = topologyLiveName(color), .ramp = color != TopologyColor::health};
    if (live.gap) {
        legend.ramp = false;
        legend.steps.push_back({.fill = look.color(Role::line2).rgb(),
                                .text = TopologyText::tr("no data at this instant"),
                                .hatched = true});
        return legend;
    }
    if (color == TopologyColor::health)
        for (const auto& [value, words] : {std::pair{-1.0F, TopologyText::tr("well")},
                                           std::pair{static_cast<float>(HealthAction::watch),
                                                     TopologyText::tr("watch, or restart the job")},
                                           std::pair{static_cast<float>(HealthAction::replaceNode),
                                                     TopologyText::tr("reset, reboot or replace")}})
            legend.steps.push_back({.fill = healthColor(value, look), .text = words});
    else if (color == TopologyColor::computeTime)
        for (const double off : {-0.3, -0.15, 0.0, 0.15, 0.3})
            legend.steps.push_back({.fill = look.diverging(off, loudDeviation).rgb(),
                                    .text = off == 0 ? TopologyText::tr("median")
                                                     : TopologyText::tr("%1 ×").arg(1 + off, 0, 'f', 2)});
    else
        for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0})
            legend.steps.push_back({.fill = look.sequential(t).rgb(),
                                    .text = amount(color, figure.low + t * (figure.high - figure.low))});
    if (std::ranges::any_of(figure.values, [](float each) { return std::isnan(each); }))
        legend.steps.push_back({.fill = look.color(Role::line2).rgb(),
                                .text = TopologyText::tr("not measured"),
                                .hatched = true});
    return legend;
}

} // namespace alidade::views
