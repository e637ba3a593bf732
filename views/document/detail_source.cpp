// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/detail_source.h"

#include "views/document/engine.h"
#include "views/document/latest_worker.h"

namespace alidade::views {

struct DetailSource::Private {
    Engine engine;
    std::uint64_t generation = 0;
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

DetailSource::DetailSource(const Engine& engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {
    d->engine = engine;
}

DetailSource::~DetailSource() = default;

void DetailSource::ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                       const EstimateOptions& parts, Digest digest) {
    const std::uint64_t generation = ++d->generation;
    d->worker.start([this, generation, spec, catalog = std::move(catalog), parts, digest = std::move(digest),
                     engine = d->engine](const LatestWorker::Turn& turn) {
        const Result<Estimate> result = guardedDetail(engine, spec, *catalog, parts);
        if (turn.isSuperseded())
            return;
        turn.post([this, generation, show = digest(result)] {
            if (generation == d->generation)
                show();
        });
    });
}

void DetailSource::cancel() {
    ++d->generation;
    d->worker.cancel();
}

} // namespace alidade::views
