// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_what_if.h"

#include "views/document/latest_worker.h"
#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alidade::views {
namespace {

using Data = std::shared_ptr<const TopologyData>;
using Ways = Result<std::vector<Fix>>;

Ways oneWay(Result<Fix> fix) { return fix ? Ways(std::vector{*std::move(fix)}) : Ways(Error{fix.error()}); }

bool isInUse(const TopologyData& data, int host) {
    return std::ranges::find(data.map.placement.hosts, host) != data.map.placement.hosts.end();
}

void addHostChanges(QList<TopologyChange>& changes, const Data& data, int host) {
    const QString name = shortName(data->hostName(host), 16);
    TopologyChange remove{TopologyText::tr("Remove %1").arg(name),
                          [data, host](const ScenarioSpec& spec, const Catalog& catalog) {
                              return oneWay(removeHosts(spec, data->map, std::span(&host, 1), catalog,
                                                        catalog.profileOrDefault(spec.calibration)));
                          }};
    TopologyChange swap{TopologyText::tr("Swap in a spare"),
                        [data, host](const ScenarioSpec& spec, const Catalog&) {
                            return oneWay(swapInSpare(spec, data->map, host));
                        }};
    if (data->isExcluded(host))
        remove.reason = swap.reason = TopologyText::tr("It is left out already.");
    else if (data->isUnfit(host))
        remove.reason = swap.reason = TopologyText::tr("It is not a %1.").arg(text(data->map.machine));
    else if (!isInUse(*data, host))
        remove.reason = swap.reason = TopologyText::tr("No rank runs here.");
    changes += {remove, swap};
}

void addPlacementChange(QList<TopologyChange>& changes, const TopologyData& data) {
    TopologyChange better{
        TopologyText::tr("Improve placement"), [](const ScenarioSpec& spec, const Catalog& catalog) {
            return Ways(placementWays(spec, catalog, catalog.profileOrDefault(spec.calibration)));
        }};
    better.saysHow = true;
    if (data.map.placement.ranks() <= data.map.fabric.gpusPerHost)
        better.reason = TopologyText::tr("All ranks are in one host.");
    changes.append(better);
}

QString capitalized(QString words) {
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

/// The best way to make a change, with its price.
PricedChange priceOf(const TopologyChange& change, const ScenarioSpec& spec, const Catalog& catalog,
                     const std::stop_token& superseded) {
    std::optional<PricedChange> best;
    const Ways ways = change.ways(spec, catalog);
    if (ways)
        for (const Fix& way : *ways) {
            if (superseded.stop_requested())
                break;
            PricedChange price =
                alidade::priced(spec, way, catalog, catalog.profileOrDefault(spec.calibration));
            if (!best || isBetterPlacement(price, *best))
                best = std::move(price);
        }
    if (best)
        return *std::move(best);
    return {.change = {}, .reason = ways ? std::string() : ways.error()};
}

} // namespace

QList<TopologyChange> topologyChanges(const Data& data, const TopologyFocus& focus) {
    QList<TopologyChange> changes;
    if (!data || data->map.placement.ranks() == 0)
        return changes;
    const Fabric& fabric = data->map.fabric;
    int host = focus.gpu >= 0 ? fabric.hostOf(focus.gpu) : focus.host;
    if (focus.link && focus.link->kind == LinkKind::uplink)
        host = focus.link->index;
    const int node = focus.node >= 0 ? focus.node : host >= 0 ? fabric.leafOf(host) : -1;
    if (host >= 0)
        addHostChanges(changes, data, host);
    if (node >= 0)
        changes.append({TopologyText::tr("Drain %1").arg(shortName(data->nodeName(node), 14)),
                        [data, node](const ScenarioSpec& spec, const Catalog& catalog) {
                            return oneWay(drainNode(spec, data->map, node, catalog,
                                                    catalog.profileOrDefault(spec.calibration)));
                        }});
    addPlacementChange(changes, *data);
    return changes;
}

bool changesNothing(const PricedChange& price) {
    const double dollars = price.dollarsPerRunDifference.value_or(price.dollarsPerHourDifference.value_or(0));
    const double of = price.dollarsPerRun.value_or(price.dollarsPerHour.value_or(1));
    return std::abs(price.stepTimeDifference) <= 1e-9 * price.stepTime && std::abs(dollars) <= 1e-9 * of;
}

QString priceText(const PricedChange& price) {
    if (!price.runs)
        return price.reason.empty() ? TopologyText::tr("There is no alternative.")
                                    : capitalized(text(price.reason));
    if (changesNothing(price))
        return TopologyText::tr("changes nothing");
    QStringList words{
        TopologyText::tr("step %1 (%2)")
            .arg(quantity(price.stepTime, Dimension::seconds),
                 difference(price.stepTimeDifference, Dimension::seconds)),
        TopologyText::tr("%1 tokens/s").arg(difference(price.tokensPerSecondDifference, Dimension::number))};
    // Only what is rented in blocks costs the same when it takes another time.
    if (price.dollarsPerRunDifference &&
        std::abs(*price.dollarsPerRunDifference) <= 1e-9 * price.dollarsPerRun.value_or(1))
        words.append(TopologyText::tr("the same number of whole Capacity Blocks"));
    else if (price.dollarsPerRunDifference)
        words.append(TopologyText::tr("%1 for the run")
                         .arg(difference(*price.dollarsPerRunDifference, Dimension::dollars)));
    else if (price.dollarsPerHourDifference)
        words.append(TopologyText::tr("%1 per hour")
                         .arg(difference(*price.dollarsPerHourDifference, Dimension::dollars)));
    return words.join(QStringLiteral(", "));
}

QString whatItBrings(const TopologyChange& change, const PricedChange& price) {
    if (!change.saysHow || !price.runs || changesNothing(price))
        return priceText(price);
    QString how = text(price.change.text);
    const int idle = -price.hostsInUseDifference;
    if (idle > 0)
        how += idle == 1 ? TopologyText::tr(" (1 more host idle)")
                         : TopologyText::tr(" (%1 more hosts idle)").arg(idle);
    return how + QStringLiteral(": ") + priceText(price);
}

struct TopologyPricer::Private {
    std::uint64_t generation = 0;
    bool busy = false;
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

TopologyPricer::TopologyPricer(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {}

TopologyPricer::~TopologyPricer() = default;

bool TopologyPricer::busy() const { return d->busy; }

void TopologyPricer::cancel() {
    ++d->generation;
    d->busy = false;
    d->worker.cancel();
}

void TopologyPricer::ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                         const QList<TopologyChange>& changes) {
    const std::uint64_t generation = ++d->generation;
    d->busy = true;
    d->worker.start(
        [this, generation, spec, catalog = std::move(catalog), changes](const LatestWorker::Turn& turn) {
            for (int i = 0; i < changes.size(); ++i) {
                if (!changes[i].reason.isEmpty())
                    continue;
                const PricedChange price = priceOf(changes[i], spec, *catalog, turn.superseded());
                if (turn.isSuperseded())
                    return;
                turn.post([this, generation, i, price] {
                    if (generation == d->generation)
                        emit found(i, price);
                });
            }
            turn.post([this, generation] {
                if (generation != d->generation)
                    return;
                d->busy = false;
                emit finished();
            });
        });
}

} // namespace alidade::views
