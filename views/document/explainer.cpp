// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/explainer.h"

#include "views/document/engine.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"

namespace alidade::views {

struct Explainer::Private {
    Engine engine;
    std::uint64_t generation = 0;
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

Explainer::Explainer(const Engine& engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {
    d->engine = engine;
}

Explainer::~Explainer() = default;

void Explainer::ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog, const QString& path) {
    const std::uint64_t generation = ++d->generation;
    d->worker.start([this, generation, spec, catalog = std::move(catalog), path = path.toStdString(),
                     engine = d->engine](const LatestWorker::Turn& turn) {
        Result<Explanation> result = guardedExplanation(engine, spec, *catalog, path);
        std::shared_ptr<const Explanation> explanation;
        if (result)
            explanation = std::make_shared<const Explanation>(*std::move(result));
        turn.post([this, generation, explanation, error = text(result.error())] {
            if (generation == d->generation)
                emit explained(explanation, error);
        });
    });
}

} // namespace alidade::views
