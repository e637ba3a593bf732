// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/resolved_estimate.h"
#include "model/search/findings.h"
#include "model/search/search.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// Spaces of small plans, and what each of their plans comes to.
namespace alidade::test::searching {

inline const Catalog& catalog() { return smallCatalog(); }
inline const Profile& profile() { return smallCatalog().defaultProfile; }
inline const PlanFigure* stepTime() { return findPlanFigure("training.step_time_s"); }

inline bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

inline FreeField freeOf(const char* path, const char* words) {
    const auto out = freeField(trainingSpec(), catalog(), path, words);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *out;
}

inline SearchQuestion questionOf(std::vector<FreeField> free,
                                 const char* objective = "training.step_time_s") {
    SearchQuestion out;
    out.base = trainingSpec();
    out.free = std::move(free);
    out.objectives = {findPlanFigure(objective)};
    completeQuestion(out, catalog(), profile());
    return out;
}

inline SearchQuestion layouts(const char* objective = "training.step_time_s") {
    return questionOf({freeOf("plan.tensor_parallel", "1,2,4,8"), freeOf("plan.pipeline_parallel", "1,2,3"),
                       freeOf("plan.micro_batch", "1,2,4"), freeOf("plan.recompute", "none|full")},
                      objective);
}

enum class Outcome : std::uint8_t { illegal, unfit, runs };

/// A plan of the space, estimated by itself.
struct Tried {
    std::uint64_t index = 0;
    Outcome outcome = Outcome::illegal;
    double step = 0, cost = 0, memory = 0, usable = 0, gpus = 0;
    int changes = 0;
};

inline std::vector<Tried> tryEach(const SearchQuestion& question) {
    std::vector<Tried> out;
    const auto present = resolve(question.base, catalog(), profile()); // with the defaults of the software
    for (std::uint64_t index = 0; index < question.plans(); ++index) {
        Tried each{.index = index};
        ScenarioSpec spec = question.start;
        std::uint64_t rest = index;
        for (std::size_t i = question.free.size(); i-- > 0;) {
            const FreeField& field = question.free[i];
            const SearchChoice& choice = field.choices[rest % field.choices.size()];
            rest /= field.choices.size();
            for (const auto& [to, value] : choice.sets)
                to->set(spec, value);
            const auto& [to, value] = choice.sets.front();
            each.changes += to->get(present->spec) == value ? 0 : 1;
        }
        const auto scenario = resolve(spec, catalog(), profile());
        if (scenario && scenario->runs()) {
            const Estimate estimate =
                estimateResolved(*scenario, {.simulate = false, .loadLimit = false, .fixes = false});
            if (estimate.training) {
                each.outcome = estimate.memory->headroomBytes >= 0 ? Outcome::runs : Outcome::unfit;
                each.step = estimate.training->stepTime;
                each.cost = estimate.cost ? estimate.cost->dollarsPerRun.value_or(0) : 0;
                each.memory = estimate.memory->totalBytes;
                each.usable = each.memory + estimate.memory->headroomBytes;
                each.gpus = estimate.gpus;
            }
        }
        out.push_back(each);
    }
    return out;
}

inline std::uint64_t count(const std::vector<Tried>& all, Outcome outcome) {
    return static_cast<std::uint64_t>(std::ranges::count(all, outcome, &Tried::outcome));
}

/// Those that run and fit, best first; of equals the one with fewer changes, then the first.
inline std::vector<Tried> ranked(const std::vector<Tried>& all) {
    std::vector<Tried> out;
    std::ranges::copy_if(all, std::back_inserter(out),
                         [](const Tried& t) { return t.outcome == Outcome::runs; });
    std::ranges::sort(out, {}, [](const Tried& t) { return std::tuple(t.step, t.changes, t.index); });
    return out;
}

inline SearchResult found(const SearchQuestion& question, const SearchOptions& options = {.threads = 1}) {
    return search(question, catalog(), profile(), options);
}

} // namespace alidade::test::searching
