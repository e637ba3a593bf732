// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fleet_page.h"

#include "app/cli/cells.h"
#include "app/cli/page.h"
#include "model/base/text.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::cli {

namespace {

std::string countText(std::int64_t value) { return formatCount(value); }
std::string money(Cents cents) {
    return formatQuantity(dollarsOf(cents), Dimension::dollars, {.significant = 4});
}

std::string range(int least, int most) {
    return least == most ? countText(most) : countText(least) + " to " + countText(most);
}

std::string withTarget(double value, const std::optional<double>& target) {
    return cells::seconds(value) + (target ? " of " + cells::seconds(*target) : std::string());
}

std::string servicesText(const data::FleetFile& file, const FleetPlan& plan, const Terminal& terminal) {
    data::Table table = cells::table({"Service", "Pool", "Layout", "Replicas", "Peak", "Load", "TTFT at peak",
                                      "ITL at peak", "On time", "$/M tokens"});
    for (const PlacedService& each : plan.services) {
        const FleetService& service = file.fleet.services[each.service];
        const ServiceOption& option = each.option;
        table.rows.push_back(
            {words(service.name), words(file.fleet.pools[option.pool].name), words(option.layout),
             words(range(option.plan.least(), option.plan.most())),
             words(cells::number(service.traffic.peak()) + " req/s"), words(cells::share(each.utilization)),
             words(withTarget(each.ttft, each.ttftTarget)), words(withTarget(each.itl, each.itlTarget)),
             words(cells::share(option.plan.onTime())),
             words(formatQuantity(each.dollarsPerMillionTokens, Dimension::dollars))});
    }
    return tableText(std::move(table), terminal);
}

/// What the lead time of new replicas is made of, and which part is assumed.
std::string startText(const data::FleetFile& file, const FleetPlan& plan) {
    std::string out = "Start of a replica: ";
    for (const PlacedService& each : plan.services) {
        const FleetService& service = file.fleet.services[each.service];
        out += (&each == &plan.services.front() ? "" : ", ") + service.name + " " +
               cells::seconds(each.option.facts.lead) + " (weights " +
               cells::seconds(each.option.loadSeconds) + ")";
    }
    const ScalingPolicy& first = file.fleet.services.front().scaling;
    const bool same = std::ranges::all_of(file.fleet.services, [&](const FleetService& each) {
        return each.scaling.instanceStart == first.instanceStart &&
               each.scaling.engineStart == first.engineStart;
    });
    return out + ". The times of instance" +
           (same ? " (" + cells::seconds(first.instanceStart) + ")" : std::string()) + " and engine" +
           (same ? " (" + cells::seconds(first.engineStart) + ")" : std::string()) + " are assumptions.";
}

/// A line of bars: the instances in use in each hour of a day, the mean over the days.
std::string dayText(const PlannedPool& pool, const Terminal& terminal) {
    constexpr int hours = 24, columns = 30;
    std::vector<double> sum(hours, 0), steps(hours, 0);
    for (std::size_t i = 0; i < pool.demand.counts.size(); ++i) {
        const auto hour =
            static_cast<std::size_t>(static_cast<double>(i) * pool.demand.step / secondsPerHour) % hours;
        sum[hour] += pool.demand.counts[i];
        steps[hour] += 1;
    }
    data::Table table = cells::table({"Hour", "Instances", ""});
    for (std::size_t hour = 0; hour < hours; hour += 3) {
        const double mean = steps[hour] > 0 ? sum[hour] / steps[hour] : 0;
        table.rows.push_back({words((hour < 10 ? "0" : "") + std::to_string(hour) + ":00"),
                              words(formatQuantity(mean, Dimension::number, {.significant = 2})),
                              words(bar(mean / std::max(1, pool.most), columns))});
    }
    return tableText(std::move(table), terminal);
}

std::string billText(const FleetPlan& plan, const Terminal& terminal) {
    data::Table table = cells::table({"Line", "Instance-hours", "$/h", "$ per month"});
    for (const PlannedPool& pool : plan.pools) {
        for (const OrderLine& line : pool.lines) {
            table.rows.push_back({words(line.text), words(thousandthsText(line.quantity)),
                                  words(priceText(line.price)), words(centsText(line.amount))});
        }
    }
    table.rows.push_back({words("Total", data::Emphasis::strong), words(""), words(""),
                          words(centsText(plan.total), data::Emphasis::strong)});
    table.totalRow = true;
    return tableText(std::move(table), terminal);
}

std::string poolText(const data::FleetFile& file, const PlannedPool& pool) {
    const FleetPool& asked = file.fleet.pools[pool.pool];
    std::string out = asked.name + " (" + asked.machine + "): " + range(pool.least, pool.most) + " of " +
                      countText(asked.maxInstances) + " instances";
    if (asked.spares > 0)
        out += ", " + countText(asked.spares) + " of them spare";
    const PurchaseSplit& split = pool.split;
    out += "; base " + countText(split.base);
    if (split.blocks > 0)
        out += ", Capacity Blocks up to " + countText(split.blocks);
    if (split.onDemand > 0)
        out += ", burst up to " + countText(split.onDemand);
    const double paid = split.baseHours + split.blockHours + split.onDemandHours;
    return out + "; " + cells::share(paid > 0 ? split.usedHours / paid : 1) + " of the paid hours are used.";
}

std::string rejectedText(const data::FleetFile& file, const FleetAnswer& answer, const Terminal& terminal) {
    data::Table table = cells::table({"Service", "Pool", "Layout", "Why not", ""});
    std::map<RejectionReason, int> counts;
    for (const RejectedOption& each : answer.rejected) {
        ++counts[each.reason];
        if (each.reason != RejectionReason::dominated) {
            table.rows.push_back({words(file.fleet.services[each.service].name),
                                  words(file.fleet.pools[each.pool].name), words(each.layout),
                                  words(std::string(reasonText(each.reason))), words(each.detail)});
        }
    }
    std::string summary;
    for (const auto& [reason, times] : counts)
        summary += (summary.empty() ? "" : ", ") + countText(times) + " " + std::string(reasonText(reason));
    std::string out = headingText("Rejected options", terminal) + paragraphText(summary, terminal);
    return table.rows.empty() ? out : out + tableText(std::move(table), terminal);
}

std::string secondText(const data::FleetFile& file, const FleetAnswer& answer) {
    std::string out;
    for (std::size_t s = 0; s < answer.second->services.size(); ++s) {
        const ServiceOption& best = answer.best->services[s].option;
        const ServiceOption& other = answer.second->services[s].option;
        if (best.pool != other.pool || best.layout != other.layout) {
            out += (out.empty() ? "" : ", ") + file.fleet.services[s].name + " on " +
                   file.fleet.pools[other.pool].name + " (" + other.layout + ")";
        }
    }
    const Cents more = answer.second->total - answer.best->total;
    return "The next best plan has " + out + " and costs " +
           (more > 0 ? money(more) + " more a month." : "the same.");
}

std::string replayText(const data::FleetFile& file, const std::vector<ServiceReplay>& replays,
                       const FleetPlan& plan, const Terminal& terminal) {
    data::Table table = cells::table(
        {"Service", "Requests", "Time", "Replicas", "TTFT", "ITL", "TTFT on time", "Prefix hit", ""});
    for (const ServiceReplay& each : replays) {
        const PlacedService& placed = plan.services[each.service];
        table.rows.push_back(
            {words(file.fleet.services[each.service].name),
             words(countText(static_cast<std::int64_t>(each.requests)) + (each.complete ? "" : " (part)")),
             words(cells::seconds(each.seconds)), words(range(each.leastReplicas, each.mostReplicas)),
             words(withTarget(each.ttftAtTarget, placed.ttftTarget)),
             words(withTarget(each.itlAtTarget, placed.itlTarget)), words(cells::share(each.onTime)),
             words(cells::share(each.prefixHit)), words(each.meetsTargets ? "meets" : "misses")});
    }
    return headingText("Replay", terminal) + tableText(std::move(table), terminal);
}

} // namespace

std::string fleetText(const data::FleetFile& file, const FleetAnswer& answer,
                      const std::vector<ServiceReplay>& replays, const Terminal& terminal) {
    std::string out;
    if (!file.fleet.name.empty())
        out += paragraphText(file.fleet.name, terminal, Style::strong);
    if (!answer.complete) {
        out +=
            styled(terminal, "Partial: stopped before all assignments were compared", Style::warning) + "\n";
    }
    for (const std::string& note : answer.notes)
        out += paragraphText(note, terminal, Style::warning);
    if (!answer.best) {
        out += paragraphText("No plan: " + answer.whyNot + ".", terminal, Style::bad);
    } else {
        const FleetPlan& plan = *answer.best;
        out += paragraphText(money(plan.total) + " a month (730 hours), all targets met", terminal,
                             Style::strong);
        out += headingText("Services", terminal) + servicesText(file, plan, terminal);
        out += paragraphText(startText(file, plan), terminal, Style::quiet);
        out += headingText("Pools", terminal);
        for (const PlannedPool& pool : plan.pools)
            out += paragraphText(poolText(file, pool), terminal) + dayText(pool, terminal);
        out += headingText("Bill of a month", terminal) + billText(plan, terminal);
        if (answer.second)
            out += paragraphText(secondText(file, answer), terminal);
        if (!replays.empty())
            out += replayText(file, replays, plan, terminal);
    }
    if (!answer.rejected.empty())
        out += rejectedText(file, answer, terminal);
    if (answer.assignments > 0) {
        out += paragraphText(countText(static_cast<std::int64_t>(answer.tried)) + " of " +
                                 countText(static_cast<std::int64_t>(answer.assignments)) +
                                 " assignments priced; the bound excludes the others.",
                             terminal, Style::quiet);
    }
    return out;
}

} // namespace alidade::cli
