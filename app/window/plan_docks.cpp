// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/plan_docks.h"

#include "views/cost/cost_view.h"
#include "views/layers/communication_view.h"
#include "views/layers/experts_view.h"
#include "views/layers/layers_view.h"
#include "views/library/history_view.h"
#include "views/memory/memory_view.h"
#include "views/posttraining/posttraining_view.h"
#include "views/problems/problems_view.h"
#include "views/roofline/roofline_view.h"
#include "views/scenario/scenario_view.h"
#include "views/serving/load_view.h"
#include "views/serving/percentile_view.h"
#include "views/serving/test_time_view.h"
#include "views/suggestions/suggestions_view.h"
#include "views/timeline/timeline_view.h"

#include <algorithm>
#include <string_view>

namespace alidade::app {

namespace {

template <class V>
views::View* make(views::Document* document, views::History*) {
    return new V(document);
}

views::View* makeHistory(views::Document* document, views::History* history) {
    return new views::HistoryView(document, history);
}

using enum DockPlace;

constexpr std::array allLeft{left, left, left};
constexpr std::array allLower{lower, lower, lower};
constexpr std::array allOnDemand{lowerOnDemand, lowerOnDemand, lowerOnDemand};
/// One step of one engine or trainer, which reinforcement learning has several of.
constexpr std::array stepDetails{upperBehind, upperBehind, upperHidden};
constexpr std::array forServing{upperHidden, upper, upperHidden};

//                                  training     serving      reinforcement
constexpr std::array<PlanDock, 15> docks{{
    {"scenario", Qt::Key_S, make<views::ScenarioView>, allLeft},
    {"history", Qt::Key_H, makeHistory, allLeft},
    {"layers", Qt::Key_L, make<views::LayersView>, {upper, upperBehind, upperHidden}},
    {"communication", Qt::Key_C, make<views::CommunicationView>, stepDetails},
    {"timeline", Qt::Key_T, make<views::TimelineView>, {upperBehind, upperHidden, upperHidden}},
    {"experts", Qt::Key_X, make<views::ExpertsView>, stepDetails},
    {"posttraining", Qt::Key_G, make<views::PosttrainingView>, {upperHidden, upperHidden, upper}},
    {"load", Qt::Key_D, make<views::LoadView>, forServing},
    {"percentiles", Qt::Key_P, make<views::PercentileView>, forServing},
    {"questions", Qt::Key_Q, make<views::TestTimeView>, forServing},
    {"roofline", Qt::Key_R, make<views::RooflineView>, {upper, upper, upperHidden}},
    {"memory", Qt::Key_M, make<views::MemoryView>, allLower},
    {"suggestions", Qt::Key_W, make<views::SuggestionsView>, allLower},
    {"cost", Qt::Key_O, make<views::CostView>, allLower},
    {"problems", Qt::Key_B, make<views::ProblemsView>, allOnDemand},
}};

/// No two docks share a name or a key, and every kind has something in both rows.
constexpr bool isSound() {
    for (std::size_t kind = 0; kind < planKinds; ++kind)
        for (const DockPlace row : {left, upper, lower})
            if (std::ranges::none_of(docks, [=](const PlanDock& each) { return each.places[kind] == row; }))
                return false;
    for (std::size_t i = 0; i < docks.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (std::string_view(docks[i].name) == docks[j].name || docks[i].letter == docks[j].letter)
                return false;
    return true;
}
static_assert(isSound());

} // namespace

bool PlanDock::isOpen(PlanKind kind) const {
    return place(kind) != upperHidden && place(kind) != lowerOnDemand;
}

std::span<const PlanDock> planDocks() { return docks; }

const PlanDock& planDock(const QString& name) {
    return *std::ranges::find(docks, name,
                              [](const PlanDock& each) { return QString::fromLatin1(each.name); });
}

} // namespace alidade::app
