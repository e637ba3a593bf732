// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_source.h"

#include "views/document/engine.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"

#include <QMetaObject>

namespace alidade::views {

struct TimelineSource::Private {
    Engine engine;
    std::uint64_t generation = 0;
    LatestWorker worker; ///< last: it ends before what its jobs use
};

TimelineSource::TimelineSource(const Engine& engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>()) {
    d->engine = engine;
}

TimelineSource::~TimelineSource() = default;

void TimelineSource::ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog) {
    const std::uint64_t generation = ++d->generation;
    d->worker.start([this, generation, spec, catalog = std::move(catalog),
                     engine = d->engine](const std::stop_token& superseded) {
        const Result<Estimate> result = guardedTimeline(engine, spec, *catalog);
        if (superseded.stop_requested())
            return;
        std::shared_ptr<const TimelineData> data;
        QString error = text(result.error());
        if (result)
            data = std::make_shared<const TimelineData>(*result);
        QMetaObject::invokeMethod(
            this,
            [this, generation, data, error] {
                if (generation == d->generation)
                    emit answered(data, error);
            },
            Qt::QueuedConnection);
    });
}

void TimelineSource::cancel() {
    ++d->generation;
    d->worker.cancel();
}

} // namespace alidade::views
