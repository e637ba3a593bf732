// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_source.h"

#include "data/scenario/scenario_json.h"
#include "model/catalog/catalog.h"
#include "views/document/latest_worker.h"

#include <QElapsedTimer>

#include <utility>

namespace alidade::views {

namespace {

std::shared_ptr<const ComparedItem> itemOf(const CompareSource::Request& request, const Engine& engine,
                                           const Catalog& catalog) {
    if (request.error.empty())
        return comparedItem(engine, request.spec, catalog);
    auto out = std::make_shared<ComparedItem>();
    out->error = request.error;
    return out;
}

Comparison comparisonOf(const CompareAnswer& answer, int baseline) {
    std::vector<ComparedScenario> all;
    for (std::size_t i = 0; i < answer.items.size(); ++i) {
        const ComparedItem& item = *answer.items[i];
        all.push_back({answer.names[i], item.estimate.get(), item.errors.get(), item.error});
    }
    return compareScenarios(all, static_cast<std::size_t>(baseline));
}

} // namespace

struct CompareSource::Private {
    Engine engine;
    LatestWorker worker;
    Private(Engine given, QObject* owner)
        : engine(std::move(given))
        , worker(owner, Work::computing) {}
};

CompareSource::CompareSource(Engine engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(std::move(engine), this)) {}

CompareSource::~CompareSource() = default;

void CompareSource::compare(const std::vector<Request>& scenarios, int baseline,
                            const std::shared_ptr<const Catalog>& catalog) {
    if (catalog != catalog_)
        known_.clear();
    catalog_ = catalog;
    const int generation = ++generation_;
    setBusy(true);
    d->worker.start([this, generation, scenarios, baseline, catalog, known = known_,
                     engine = d->engine](const LatestWorker::Turn& turn) {
        QElapsedTimer clock;
        clock.start();
        auto answer = std::make_shared<CompareAnswer>();
        Known used;
        for (const Request& each : scenarios) {
            if (turn.isSuperseded())
                return;
            const std::string key = each.error + data::writeScenario(each.spec);
            auto item = used.contains(key) ? used.at(key) : known.contains(key) ? known.at(key) : nullptr;
            if (item == nullptr) {
                item = itemOf(each, engine, *catalog);
                ++answer->estimated;
            }
            used[key] = item;
            answer->names.push_back(each.name);
            answer->items.push_back(std::move(item));
        }
        answer->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        answer->comparison = comparisonOf(*answer, baseline);
        turn.post([this, generation, answer, used = std::move(used)] { accept(generation, answer, used); });
    });
}

void CompareSource::cancel() {
    ++generation_;
    d->worker.cancel();
    setBusy(false);
}

void CompareSource::accept(int generation, const std::shared_ptr<const CompareAnswer>& answer,
                           const Known& known) {
    if (generation != generation_)
        return;
    known_ = known;
    answer_ = answer;
    setBusy(false);
    emit answered();
}

void CompareSource::setBusy(bool busy) {
    if (std::exchange(busy_, busy) != busy)
        emit busyChanged(busy);
}

} // namespace alidade::views
