// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"
#include "views/document/latest_worker.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace alidade::views {

/// The scenario that a job is about, kept for as long as the job works on it.
struct ExploreContext {
    ScenarioSpec spec;
    std::shared_ptr<const Catalog> catalog;
    Profile profile;
};
using ExploreContextPtr = std::shared_ptr<const ExploreContext>;

/// One kind of job on a separate thread; a newer one supersedes an older one. Results reach the owner's
/// thread, parts of them as often as the job has some.
template <class Result>
class ExploreTask {
public:
    using ResultPtr = std::shared_ptr<const Result>;
    using Take = std::function<void(const ResultPtr& result, bool finished)>;
    /// Hands a partial result on; from any thread of the job.
    using Partly = std::function<void(ResultPtr)>;
    using Job = std::function<ResultPtr(const std::stop_token& stop, const Partly& partly)>;

    ExploreTask(QObject* owner, Take take)
        : worker_(owner, Work::computing)
        , state_(std::make_shared<State>())
        , take_(std::move(take)) {}

    void start(Job job) {
        canceled_ = std::stop_source();
        const std::uint64_t generation = ++state_->generation;
        state_->busy = true;
        worker_.start([this, job = std::move(job), generation, state = state_,
                       canceled = canceled_.get_token()](const LatestWorker::Turn& turn) {
            const auto hand = [this, generation, state, turn](const ResultPtr& result, bool finished) {
                turn.post([this, generation, state, result, finished] {
                    if (generation != state->generation)
                        return;
                    state->busy = state->busy && !finished;
                    take_(result, finished);
                });
            };
            // Either a newer job or a person ends it.
            std::stop_source stop;
            const std::stop_callback newer(turn.superseded(), [&stop] { stop.request_stop(); });
            const std::stop_callback person(canceled, [&stop] { stop.request_stop(); });
            const ResultPtr result =
                job(stop.get_token(), [&hand](const ResultPtr& part) { hand(part, false); });
            if (!turn.isSuperseded())
                hand(result, true);
        });
    }
    /// What the job has so far becomes its result.
    void stop() { canceled_.request_stop(); }
    /// No result is wanted any more.
    void drop() {
        ++state_->generation;
        state_->busy = false;
        worker_.cancel();
    }
    bool busy() const { return state_->busy; }

private:
    struct State {
        std::uint64_t generation = 0;
        bool busy = false;
    };
    LatestWorker worker_;
    std::shared_ptr<State> state_;
    Take take_;
    std::stop_source canceled_;
};

} // namespace alidade::views
