// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_plans.h"

#include "data/workspace/library.h"
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/library/library.h"

#include <algorithm>
#include <mutex>

namespace alidade::app {

using views::LivePlan;

namespace {

/// So many of the workspace, those changed last.
constexpr std::size_t mostPlans = 30;

} // namespace

/// A scenario of the workspace with its estimate, once it was asked for.
struct LivePlans::Stored {
    data::StoredScenario scenario;
    std::shared_ptr<const Catalog> catalog;
    views::Engine engine;
    std::mutex mutex;
    std::shared_ptr<const Estimate> estimate;

    Result<std::shared_ptr<const Estimate>> answer() {
        const std::lock_guard lock(mutex);
        if (estimate)
            return estimate;
        const Result<ScenarioSpec> spec = data::specOf(scenario);
        if (!spec)
            return Error{spec.error()};
        Result<Estimate> made = views::guardedEstimate(engine, *spec, *catalog);
        if (!made)
            return Error{made.error()};
        estimate = std::make_shared<const Estimate>(*std::move(made));
        return estimate;
    }
};

LivePlans::LivePlans(views::Document& document, views::Library& library, QObject* parent)
    : QObject(parent)
    , document_(document)
    , library_(library) {
    connect(&document, &views::Document::estimateChanged, this, &LivePlans::changed);
    connect(&document, &views::Document::fileNameChanged, this, &LivePlans::changed);
    connect(&library, &views::Library::changed, this, &LivePlans::changed);
}

std::vector<LivePlan> LivePlans::plans() {
    std::vector<LivePlan> out;
    LivePlan open;
    open.id = "open";
    open.name = document_.displayName().toStdString();
    open.estimate = [estimate = document_.estimate(), error = document_.error().toStdString()](
                        const std::stop_token&) -> Result<std::shared_ptr<const Estimate>> {
        if (!estimate)
            return Error{error.empty() ? "The open scenario has no estimate yet." : error};
        return estimate;
    };
    out.push_back(std::move(open));

    std::vector<const data::StoredScenario*> there;
    for (const auto& [id, each] : library_.content().scenarios)
        if (each.deletedMs == 0)
            there.push_back(&each);
    std::ranges::sort(there, std::greater(), &data::StoredScenario::changedMs);
    if (there.size() > mostPlans)
        there.resize(mostPlans);
    std::vector<std::shared_ptr<Stored>> kept;
    for (const data::StoredScenario* each : there) {
        const auto same = std::ranges::find_if(stored_, [&](const std::shared_ptr<Stored>& before) {
            return before->scenario.id == each->id && before->scenario.version == each->version &&
                   before->scenario.name == each->name && before->catalog == document_.catalog();
        });
        auto stored = same != stored_.end() ? *same : std::make_shared<Stored>();
        if (same == stored_.end()) {
            stored->scenario = *each;
            stored->catalog = document_.catalog();
            stored->engine = document_.engine();
        }
        kept.push_back(stored);
        LivePlan plan;
        plan.id = "scenario:" + std::to_string(each->id);
        plan.name = each->name;
        plan.estimate = [stored](const std::stop_token&) { return stored->answer(); };
        out.push_back(std::move(plan));
    }
    stored_ = std::move(kept);
    return out;
}

} // namespace alidade::app
