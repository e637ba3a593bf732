// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_source.h"

#include "views/document/latest_worker.h"
#include "views/document/text.h"

namespace alidade::views {

struct TopologySource::Private {
    std::uint64_t generation = 0;
    bool busy = false;
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

TopologySource::TopologySource(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {}

TopologySource::~TopologySource() = default;

bool TopologySource::busy() const { return d->busy; }

void TopologySource::ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                         std::shared_ptr<const Estimate> estimate) {
    const std::uint64_t generation = ++d->generation;
    d->busy = true;
    d->worker.start([this, generation, spec, catalog = std::move(catalog),
                     estimate = std::move(estimate)](const LatestWorker::Turn& turn) {
        Result<std::shared_ptr<const TopologyData>> made =
            makeTopologyData(spec, *catalog, estimate, turn.superseded());
        if (turn.isSuperseded())
            return;
        const std::shared_ptr<const TopologyData> data = made ? *made : nullptr;
        turn.post([this, generation, data, error = data ? QString() : text(made.error())] {
            if (generation != d->generation)
                return;
            d->busy = false;
            emit laidOut(data, error);
        });
    });
}

void TopologySource::cancel() {
    ++d->generation;
    d->busy = false;
    d->worker.cancel();
}

} // namespace alidade::views
