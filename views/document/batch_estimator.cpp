// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/batch_estimator.h"

#include "views/document/engine.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"

namespace alidade::views {

struct BatchEstimator::Private {
    Engine engine;
    std::uint64_t generation = 0; ///< of the newest list
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

BatchEstimator::BatchEstimator(const Engine& engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {
    d->engine = engine;
}

BatchEstimator::~BatchEstimator() = default;

void BatchEstimator::run(std::vector<ScenarioSpec> specs, std::shared_ptr<const Catalog> catalog) {
    const std::uint64_t generation = ++d->generation;
    d->worker.start([this, generation, specs = std::move(specs), catalog = std::move(catalog),
                     engine = d->engine](const LatestWorker::Turn& turn) {
        for (std::size_t i = 0; i < specs.size(); ++i) {
            if (turn.isSuperseded())
                return;
            Result<Estimate> result = guardedEstimate(engine, specs[i], *catalog);
            std::shared_ptr<const Estimate> estimate;
            if (result)
                estimate = std::make_shared<const Estimate>(*std::move(result));
            turn.post([this, generation, i, estimate, error = text(result.error())] {
                if (generation == d->generation)
                    emit estimated(static_cast<int>(i), estimate, error);
            });
        }
        turn.post([this, generation] {
            if (generation == d->generation)
                emit finished();
        });
    });
}

} // namespace alidade::views
