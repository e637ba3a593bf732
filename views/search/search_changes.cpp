// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_changes.h"

#include "data/scenario/scenario_json.h"
#include "model/search/search_words.h"
#include "views/document/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace alidade::views {

namespace {

QString said(const char* words) { return QCoreApplication::translate("alidade::views::SearchView", words); }

std::optional<double> bestOf(const SearchAnswer& answer) {
    const auto& plans = listedPlans(answer.result);
    return plans.empty() ? std::nullopt
                         : std::optional(plans.front().figure(*answer.question.objectives.front()));
}

} // namespace

const std::vector<FoundPlan>& listedPlans(const SearchResult& result) {
    return result.front.empty() ? result.best : result.front;
}

bool isSameQuestion(const SearchQuestion& a, const SearchQuestion& b) {
    return searchOptions(a) == searchOptions(b) && data::writeScenario(a.base) == data::writeScenario(b.base);
}

SearchChanges changesBetween(const SearchAnswer& older, const SearchAnswer& newer) {
    SearchChanges out{.figure = newer.question.objectives.front(),
                      .bestWas = bestOf(older),
                      .bestIs = bestOf(newer),
                      .plans = {}};
    const auto& before = listedPlans(older.result);
    const auto& after = listedPlans(newer.result);
    const auto placeIn = [](const std::vector<FoundPlan>& plans, const FoundPlan& plan) {
        const auto found = std::ranges::find(plans, plan.set, &FoundPlan::set);
        return found == plans.end() ? -1 : static_cast<int>(found - plans.begin());
    };
    std::vector<SearchChanges::Plan> left, changed;
    for (std::size_t i = 0; i < after.size(); ++i) {
        const FoundPlan& plan = after[i];
        SearchChanges::Plan each{.plan = plan,
                                 .before = {},
                                 .after = static_cast<int>(i) + 1,
                                 .was = {},
                                 .is = plan.figure(*out.figure)};
        const int place = placeIn(before, plan);
        if (place < 0) {
            out.plans.push_back(each);
            ++out.entered;
            continue;
        }
        each.before = place + 1;
        each.was = before[static_cast<std::size_t>(place)].figure(*out.figure);
        if (each.was != each.is)
            changed.push_back(each);
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        if (placeIn(after, before[i]) < 0)
            left.push_back({.plan = before[i],
                            .before = static_cast<int>(i) + 1,
                            .after = {},
                            .was = before[i].figure(*out.figure),
                            .is = {}});
    out.left = static_cast<int>(left.size());
    out.changed = static_cast<int>(changed.size());
    out.plans.insert(out.plans.end(), left.begin(), left.end());
    out.plans.insert(out.plans.end(), changed.begin(), changed.end());
    return out;
}

QString changesInWords(const SearchChanges& changes) {
    if (changes.plans.empty())
        return said("Since the last search nothing changed.");
    const auto value = [&changes](const std::optional<double>& figure) {
        return figure ? quantity(*figure, changes.figure->dimension) : said("none");
    };
    QStringList parts{
        said("%1 of the best plan %2, before %3")
            .arg(text(figureInWords(*changes.figure)), value(changes.bestIs), value(changes.bestWas))};
    if (changes.entered > 0)
        parts.append(
            counted(changes.entered, said("1 plan entered the list"), said("%1 plans entered the list"))
                .arg(changes.entered));
    if (changes.left > 0)
        parts.append(
            counted(changes.left, said("1 plan left it"), said("%1 plans left it")).arg(changes.left));
    if (changes.changed > 0)
        parts.append(
            counted(changes.changed, said("1 plan has another figure"), said("%1 plans have other figures"))
                .arg(changes.changed));
    return said("Since the last search: %1.").arg(parts.join(QStringLiteral("; ")));
}

} // namespace alidade::views
