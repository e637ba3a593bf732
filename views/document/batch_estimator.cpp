// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/batch_estimator.h"

#include "views/document/engine.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"

#include <QMetaObject>

namespace alidade::views {

struct BatchEstimator::Private {
    Engine engine;
    std::uint64_t generation = 0; ///< of the newest list
    LatestWorker worker;
};

BatchEstimator::BatchEstimator(const Engine& engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>()) {
    d->engine = engine;
}

BatchEstimator::~BatchEstimator() = default;

void BatchEstimator::run(std::vector<ScenarioSpec> specs, std::shared_ptr<const Catalog> catalog) {
    const std::uint64_t generation = ++d->generation;
    d->worker.start([this, generation, specs = std::move(specs), catalog = std::move(catalog),
                     engine = d->engine](const std::stop_token& superseded) {
        for (std::size_t i = 0; i < specs.size(); ++i) {
            if (superseded.stop_requested())
                return;
            Result<Estimate> result = guardedEstimate(engine, specs[i], *catalog);
            std::shared_ptr<const Estimate> estimate;
            if (result)
                estimate = std::make_shared<const Estimate>(*std::move(result));
            QMetaObject::invokeMethod(
                this,
                [this, generation, i, estimate, error = text(result.error())] {
                    if (generation == d->generation)
                        emit estimated(static_cast<int>(i), estimate, error);
                },
                Qt::QueuedConnection);
        }
        QMetaObject::invokeMethod(
            this,
            [this, generation] {
                if (generation == d->generation)
                    emit finished();
            },
            Qt::QueuedConnection);
    });
}

} // namespace alidade::views
