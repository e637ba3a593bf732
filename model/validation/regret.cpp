// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/regret.h"

#include "model/base/text.h"
#include "model/scenario/fields.h"
#include "model/search/plan_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

namespace {

constexpr double apart = 0.05; ///< measured times nearer than this are equal
constexpr std::array judgedOfTraining = {"step_time_s", "tokens_per_s_per_gpu", "model_flops_per_s_per_gpu",
                                         "mfu"};
constexpr std::array judgedOfServing = {"output_tokens_per_s", "output_tokens_per_s_per_gpu", "tpot_s"};
constexpr std::array judgedOfReinforcement = {"rl_step_s"};

/// How far in front a quantity is among those that count; -1: it does not.
int rankOf(const ValidationRow& row) {
    const auto in = [&row](const auto& list) {
        const auto found = std::ranges::find(list, row.quantity);
        return found == list.end() ? -1 : static_cast<int>(found - list.begin());
    };
    return row.kind == RowKind::training        ? in(judgedOfTraining)
           : row.kind == RowKind::serving       ? in(judgedOfServing)
           : row.kind == RowKind::reinforcement ? in(judgedOfReinforcement)
                                                : -1;
}

bool isTime(const ValidationRow& row) {
    return row.quantity.ends_with("_s") && !row.quantity.ends_with("per_s");
}

double timeOf(const ValidationRow& row, double value) { return isTime(row) ? value : 1 / value; }

/// Fields of a spec that begin with a word, as text.
std::string fieldsOf(const ScenarioSpec& spec, std::string_view begin) {
    std::string out;
    for (const Field& field : fieldTable()) {
        if (field.path.starts_with(begin)) {
            const std::string value = fieldText(field, field.get(spec));
            out += value.empty() ? "" : std::string(field.path) + "=" + value + ";";
        }
    }
    return out;
}

/// What the rows of one choice share. A plan is chosen for the software that there is: from one version to
/// the next the same layout gained up to 77 %, which is not a choice of a plan. In reinforcement learning the
/// placement is the choice and goes into the kind of the row; the mean response length of a published run
/// drifts while it trains, so that only the algorithm has to agree; each release has its own page.
std::string sharedBy(const ValidationRow& row) {
    const bool reinforcement = row.kind == RowKind::reinforcement;
    return row.group + "|" + row.model + "|" + row.gpu + "|" + std::to_string(row.gpus) + "|" +
           row.precision + "|" + row.framework + "|" + row.software + "|" + row.sourceTitle + "|" +
           row.quantity + "|" + (reinforcement ? row.sourceLocator : row.rowKind) + "|" +
           fieldsOf(*row.scenario, reinforcement ? "workload.algorithm" : "workload.");
}

struct Members {
    std::vector<const ValidationRow*> rows;
    std::set<std::string> plans;
};

PlanChoice choiceOf(const Members& members) {
    const auto predicted = [](const ValidationRow* row) { return timeOf(*row, row->predicted); };
    const auto measured = [](const ValidationRow* row) { return timeOf(*row, row->measured); };
    const ValidationRow* picked = *std::ranges::min_element(members.rows, {}, predicted);
    const ValidationRow* best = *std::ranges::min_element(members.rows, {}, measured);
    PlanChoice out;
    out.kind = best->kind;
    out.family = best->family;
    out.title = best->model + " on " + formatCount(best->gpus) + " " + best->gpu + ", " + best->sourceTitle +
                (best->sourceTable.empty() ? "" : " (" + best->sourceTable + ")");
    out.picked = picked->id;
    out.best = best->id;
    out.plans = static_cast<int>(members.plans.size());
    out.regret = measured(picked) / measured(best) - 1;
    std::vector<std::string> plans;
    for (const ValidationRow* each : members.rows)
        plans.push_back(fieldsOf(*each->scenario, "plan."));
    for (std::size_t i = 0; i < members.rows.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (plans[i] == plans[k])
                continue; // one plan measured twice
            const ValidationRow *slower = members.rows[i], *faster = members.rows[k];
            if (measured(slower) < measured(faster))
                std::swap(slower, faster);
            const double ratio = measured(slower) / measured(faster),
                         foreseen = predicted(slower) / predicted(faster);
            if (ratio > 1 + apart) {
                ++out.pairs;
                if (foreseen <= 1)
                    out.misordered.push_back({faster->id, slower->id, ratio, foreseen});
            }
            const double error = std::log(foreseen / ratio);
            ++out.differing;
            out.square += error * error;
            if (std::abs(std::log(foreseen)) <= nearPair) {
                ++out.near;
                out.nearSquare += error * error;
            }
        }
    }
    out.square /= std::max(1, out.differing);
    out.nearSquare /= std::max(1, out.near);
    return out;
}

} // namespace

std::vector<PlanChoice> planChoices(std::span<const ValidationRow> rows) {
    // One quantity of each run: the first in the list that it has.
    std::map<std::string, int> ranks;
    for (const ValidationRow& row : rows) {
        if (const int rank = rankOf(row); rank >= 0 && row.scenario) {
            const auto [known, isNew] = ranks.emplace(row.id, rank);
            known->second = std::min(known->second, rank);
        }
    }
    std::map<std::string, Members> groups;
    std::vector<std::string> order;
    for (const ValidationRow& row : rows) {
        if (!row.scenario || rankOf(row) < 0 || rankOf(row) != ranks[row.id])
            continue;
        const std::string key = sharedBy(row);
        Members& members = groups[key];
        if (members.rows.empty())
            order.push_back(key);
        members.rows.push_back(&row);
        members.plans.insert(fieldsOf(*row.scenario, "plan."));
    }
    std::vector<PlanChoice> out;
    for (const std::string& key : order)
        if (groups[key].plans.size() > 1)
            out.push_back(choiceOf(groups[key]));
    return out;
}

std::vector<RegretSummary> regretOf(std::span<const PlanChoice> choices) {
    std::vector<RegretSummary> out;
    const auto add = [&](const std::string& group, const auto& belongs) {
        RegretSummary summary;
        summary.group = group;
        for (const PlanChoice& each : choices) {
            if (!belongs(each))
                continue;
            ++summary.choices;
            summary.mean += each.regret;
            if (each.regret >= summary.worst) {
                summary.worst = each.regret;
                summary.worstChoice = each.title + ": " + each.picked + " for " + each.best;
            }
            summary.pairs += each.pairs;
            summary.misordered.insert(summary.misordered.end(), each.misordered.begin(),
                                      each.misordered.end());
        }
        if (summary.choices > 0) {
            summary.mean /= summary.choices;
            summary.ordered =
                summary.pairs > 0 ? 1 - static_cast<double>(summary.misordered.size()) / summary.pairs : 1;
            out.push_back(std::move(summary));
        }
    };
    add("training", [](const PlanChoice& c) { return c.kind == RowKind::training; });
    for (const char* family : {"dense", "moe"}) {
        add(std::string("training ") + family,
            [family](const PlanChoice& c) { return c.kind == RowKind::training && c.family == family; });
    }
    add("serving", [](const PlanChoice& c) { return c.kind == RowKind::serving; });
    add("reinforcement learning", [](const PlanChoice& c) { return c.kind == RowKind::reinforcement; });
    return out;
}

} // namespace alidade
