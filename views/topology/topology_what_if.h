// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/placement_changes.h"
#include "views/topology/topology_look.h"

#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace alidade::views {

/// A change to the cluster that may be tried.
struct TopologyChange {
    /// Ways to do it, of which the fastest counts; or why there is none. Estimates, so not for the GUI
    /// thread.
    using Ways = std::function<Result<std::vector<Fix>>(const ScenarioSpec&, const Catalog&)>;
    QString name;         ///< "Remove i-0a9…"
    Ways ways;            ///< none: see `reason`
    QString reason{};     ///< why it cannot be tried; empty: it can
    bool saysHow = false; ///< the name does not say what the fastest way changes
};

/// Changes that concern the chosen thing: leave out a host, have a spare stand in, drain a leaf; and a better
/// placement of all ranks.
QList<TopologyChange> topologyChanges(const std::shared_ptr<const TopologyData>& data,
                                      const TopologyFocus& focus);

/// Whether the figures stay as they are.
bool changesNothing(const PricedChange& price);
/// "step 6.21 s (+80 ms), +120 k tokens/s, +$27.0 k for the run"
QString priceText(const PricedChange& price);

/// The price, behind what the fastest way changes where the name of the change does not say it: "Leave out
/// gpu-34, with 8 instead of 9 replicas (8 more hosts idle): step 92.6 s (-31 s), ..."
QString whatItBrings(const TopologyChange& change, const PricedChange& price);

/// Prices changes one after the other on a separate thread. Newer ones supersede older ones.
class TopologyPricer : public QObject {
    Q_OBJECT
public:
    explicit TopologyPricer(QObject* parent = nullptr);
    ~TopologyPricer() override;

    void ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
             const QList<TopologyChange>& changes);
    void cancel();
    bool busy() const;

signals:
    /// In the order of the changes; those with a reason get none.
    void found(int index, const alidade::PricedChange& price);
    void finished();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alidade::views
