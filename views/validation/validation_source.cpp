// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/validation_source.h"

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "views/document/document.h"
#include "views/document/latest_worker.h"

#include <exception>
#include <utility>

namespace alidade::views {

struct ValidationSource::Private {
    Document* document;
    ValidationEngine engine;
    std::shared_ptr<const ValidationReport> report;
    QString error;
    NearestRuns nearest;
    std::uint64_t reportGeneration = 0, nearestGeneration = 0;
    bool asked = false, busy = false, custom = false;
    std::shared_ptr<const Catalog> shipped; ///< null: not given
    std::shared_ptr<const Catalog> used;    ///< of the last report that was started
    LatestWorker reportWorker, nearestWorker;

    explicit Private(QObject* owner)
        : reportWorker(owner, Work::computing)
        , nearestWorker(owner, Work::computing) {}
};

ValidationSource::ValidationSource(Document* document, ValidationEngine engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {
    d->document = document;
    d->engine = std::move(engine);
    d->used = document->catalog();
    connect(document, &Document::catalogChanged, this, &ValidationSource::renewCatalog);
    connect(document, &Document::estimateChanged, this, [this] {
        if (d->document->estimate() != nullptr)
            findNearest();
        else
            setNearest({});
    });
}

ValidationSource::~ValidationSource() = default;

std::shared_ptr<const ValidationReport> ValidationSource::report() const { return d->report; }
QString ValidationSource::error() const { return d->error; }
bool ValidationSource::busy() const { return d->busy; }
const NearestRuns& ValidationSource::nearest() const { return d->nearest; }
const ValidationEngine& ValidationSource::engine() const { return d->engine; }

std::shared_ptr<const Catalog> ValidationSource::catalog() const {
    return d->custom || d->shipped == nullptr ? d->document->catalog() : d->shipped;
}
bool ValidationSource::usesCustomValues() const { return d->custom; }

void ValidationSource::setShipped(std::shared_ptr<const Catalog> shipped) {
    d->shipped = std::move(shipped);
    renewCatalog();
}

void ValidationSource::useCustomValues(bool use) {
    d->custom = use;
    renewCatalog();
}

/// What was predicted with another catalog goes.
void ValidationSource::renewCatalog() {
    if (catalog() == d->used)
        return;
    d->used = catalog();
    d->report.reset();
    setNearest({});
    if (d->asked)
        start();
    else
        emit reportChanged();
}

void ValidationSource::request() {
    if (!d->asked)
        start();
}

void ValidationSource::tryAgain() { start(); }

void ValidationSource::cancel() {
    d->reportWorker.cancel();
    ++d->reportGeneration;
    d->busy = false;
    emit reportChanged();
}

void ValidationSource::start() {
    d->asked = true;
    d->busy = true;
    d->used = catalog();
    d->error.clear();
    d->reportWorker.start([this, generation = ++d->reportGeneration, catalog = catalog(),
                           engine = d->engine](const LatestWorker::Turn& turn) {
        std::shared_ptr<const ValidationReport> report;
        QString error;
        try {
            report = std::make_shared<const ValidationReport>(engine.report(*catalog, turn.superseded()));
        } catch (const std::exception& fault) {
            error = QString::fromUtf8(fault.what());
        }
        turn.post([this, generation, report, error] { accept(generation, report, error); });
    });
    emit reportChanged();
}

void ValidationSource::accept(std::uint64_t generation, std::shared_ptr<const ValidationReport> report,
                              const QString& error) {
    if (generation != d->reportGeneration)
        return;
    d->busy = false;
    d->report = std::move(report);
    d->error = error;
    emit reportChanged();
    findNearest();
}

void ValidationSource::findNearest() {
    if (!d->report || !d->engine.nearest || d->document->estimate() == nullptr)
        return;
    d->nearestWorker.start([this, generation = ++d->nearestGeneration, report = d->report,
                            spec = d->document->estimate()->scenario, catalog = d->document->catalog(),
                            engine = d->engine](const LatestWorker::Turn& turn) {
        NearestRuns found{report, {}};
        try {
            found.rows = engine.nearest(*report, spec, *catalog);
        } catch (const std::exception&) {
            found.rows.clear(); // a scenario that cannot be compared has no near run
        }
        turn.post([this, generation, found] {
            if (generation == d->nearestGeneration)
                setNearest(found);
        });
    });
}

void ValidationSource::setNearest(NearestRuns nearest) {
    if (nearest.report == d->nearest.report && nearest.rows == d->nearest.rows)
        return;
    d->nearest = std::move(nearest);
    emit nearestChanged();
}

} // namespace alidade::views
