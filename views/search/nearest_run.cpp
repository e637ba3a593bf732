// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/nearest_run.h"

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/scenario/scenario.h"
#include "model/validation/nearest.h"
#include "views/document/workers.h"
#include "views/search/search_source.h"
#include "views/validation/validation_source.h"

#include <exception>
#include <utility>

namespace alidade::views {

namespace {

/// Empty: the plan cannot be compared.
std::string nearestText(const CatalogSearch& answer, const ValidationEngine& engine,
                        const ValidationReport& report) {
    const auto spec = applyEdit(answer.question.base, answer.result.recommended->set);
    if (!spec || spec->workload.isReinforcement())
        return {};
    const auto planned = resolve(*spec, *answer.catalog, *answer.profile);
    if (!planned)
        return {};
    try {
        const auto rows = engine.nearest(report, planned->spec, *answer.catalog);
        return nearestRunText(*answer.catalog, rows.empty() ? nullptr : rows.front());
    } catch (const std::exception&) {
        return {};
    }
}

} // namespace

NearestRun::NearestRun(ValidationSource* source, QObject* parent)
    : QObject(parent)
    , source_(source) {
    connect(source, &ValidationSource::reportChanged, this, &NearestRun::look);
}

void NearestRun::find(const std::shared_ptr<const CatalogSearch>& answer) {
    asked_ = answer;
    source_->request();
    look();
}

void NearestRun::forget() { asked_.reset(); }

void NearestRun::look() {
    const auto report = source_->report();
    if (!asked_ || !report || !source_->engine().nearest || !asked_->catalog || !asked_->profile)
        return;
    runFor(
        this, Work::computing,
        [answer = std::exchange(asked_, nullptr), engine = source_->engine(), report] {
            return std::pair(answer, nearestText(*answer, engine, *report));
        },
        [this](const std::pair<std::shared_ptr<const CatalogSearch>, std::string>& said) {
            if (!said.second.empty())
                emit found(said.first, said.second);
        });
}

} // namespace alidade::views
