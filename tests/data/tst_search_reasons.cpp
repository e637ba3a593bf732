// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "data/validation/published_json.h"
#include "model/engine/engine.h"
#include "model/scenario/edit.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/scenario.h"
#include "model/search/search.h"
#include "model/search/search_words.h"
#include "model/validation/regret.h"
#include "model/validation/validate.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tst_search_reasons {

using namespace alidade;

namespace {

constexpr const char* training = "llama-3.1-70b-64xp5.48xlarge";
constexpr const char* experts = "deepseek-v3-256xp5en.48xlarge";

} // namespace

/// What an answer says of its choices, against one estimate at a time.
class SearchReasonsTest : public QObject {
    Q_OBJECT

private slots:
    /// The best plan with each value is the best of all estimates with it, whatever else they have.
    void effectsAreThoseOfBruteForce() {
        using Values = std::vector<std::string>;
        const std::vector<std::pair<const char*, Values>> fields{
            {"plan.tensor_parallel", {"1", "4", "8", "64"}},
            {"plan.pipeline_parallel", {"2", "4"}},
            {"plan.recompute", {"none", "norms, glu", "full"}}};
        SearchQuestion question = baseOf(training);
        for (const auto& [path, values] : fields) {
            std::string words;
            for (const std::string& each : values)
                words += (words.empty() ? "" : "|") + each;
            if (std::string(path) != "plan.recompute")
                std::ranges::replace(words, '|', ',');
            question.free.push_back(field(path, words.c_str()));
        }
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        const SearchResult found = run(question);

        std::map<std::pair<std::size_t, std::size_t>, double> best; // field and value: least step time
        std::size_t index[3];
        for (index[0] = 0; index[0] < fields[0].second.size(); ++index[0]) {
            for (index[1] = 0; index[1] < fields[1].second.size(); ++index[1]) {
                for (index[2] = 0; index[2] < fields[2].second.size(); ++index[2]) {
                    Edit edit = question.cleared;
                    for (std::size_t i = 0; i < fields.size(); ++i)
                        edit.emplace_back(fields[i].first, fields[i].second[index[i]]);
                    const auto each = estimate(*applyEdit(question.base, edit), *test::shippedCatalog(),
                                               test::shippedCatalog()->defaultProfile, {.fixes = false});
                    if (!each || !each->runs || each->memory->headroomBytes < 0)
                        continue;
                    for (std::size_t i = 0; i < fields.size(); ++i) {
                        const auto at =
                            best.try_emplace({i, index[i]}, std::numeric_limits<double>::max()).first;
                        at->second = std::min(at->second, each->training->stepTime);
                    }
                }
            }
        }
        QCOMPARE(found.effects.size(), fields.size());
        std::size_t compared = 0;
        for (const FieldEffect& effect : found.effects) {
            for (const ChoiceEffect& each : effect.values) {
                QCOMPARE(each.value, (best.at({effect.field, each.choice})));
                ++compared;
            }
            QCOMPARE(effect.values.size() + effect.failing, fields[effect.field].second.size());
        }
        QCOMPARE(compared, best.size());
        QVERIFY(found.effects[0].matters() &&
                found.effects[0].failing == 1); // 64 x 2 leaves 4 replicas of 16
        const std::vector<std::string> texts = effectTexts(question, found);
        QVERIFY2(texts.front().starts_with("Tensor: ") && texts.front().ends_with("; 1 value has no plan."),
                 texts.front().c_str());
    }

    /// What the first worse plan lacks is the difference of two estimates.
    void theRunnerUpHasAGapToClose() {
        SearchQuestion question = baseOf(training);
        question.free = {field("plan.recompute", "norms, glu|full"), field("plan.micro_batch", "1"),
                         field("plan.tensor_parallel", "4,16")};
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        const SearchResult found = run(question);
        QVERIFY(found.runnerUp);
        const RunnerUp& second = *found.runnerUp;
        const auto listed = std::ranges::find(found.best, false, &FoundPlan::equalToBest);
        QVERIFY(listed != found.best.end());
        QCOMPARE(second.plan.index, listed->index);
        const auto stepOf = [&](const FoundPlan& plan) {
            return estimate(*applyEdit(question.base, plan.set), *test::shippedCatalog(),
                            test::shippedCatalog()->defaultProfile)
                ->training->stepTime;
        };
        const double best = stepOf(found.best.front()), other = stepOf(second.plan);
        QVERIFY(std::abs(second.behind.seconds - (other - best)) < 1e-9 * other);
        QVERIFY(std::abs(second.ratio - other / best) < 1e-9);
        QVERIFY(second.behind.most > 0 && second.behind.most <= second.behind.spent &&
                second.behind.spent < other);
        const std::string text = runnerUpText(question, found);
        QVERIFY2(text.find("To win, its step would have to be ") != std::string::npos, text.c_str());
        // Plans that are all equal within the error have none.
        question.free = {field("plan.virtual_pipeline", "5,10")};
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        const SearchResult equal = run(question);
        QVERIFY(equal.best.size() == 2 && !equal.runnerUp && runnerUpText(question, equal).empty());
    }

    /// The fewest machines that hold the model are in the answer, also where more are better.
    void theFewestMachinesAreThere() {
        SearchQuestion question = baseOf(training);
        question.free = {field("cluster.instances", "4,8,16,64"), field("plan.tensor_parallel", "4,8"),
                         field("plan.pipeline_parallel", "4")};
        question.top = 2;
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        const SearchResult found = run(question);
        std::optional<double> fewest;
        for (const int instances : {4, 8, 16, 64}) {
            for (const char* tensor : {"4", "8"}) {
                Edit edit = question.cleared;
                edit.insert(edit.end(), {{"cluster.instances", std::to_string(instances)},
                                         {"plan.tensor_parallel", tensor},
                                         {"plan.pipeline_parallel", "4"}});
                const auto each = estimate(*applyEdit(question.base, edit), *test::shippedCatalog(),
                                           test::shippedCatalog()->defaultProfile);
                if (each && each->runs && each->memory->headroomBytes >= 0)
                    fewest = std::min(fewest.value_or(1e9), 8.0 * instances);
            }
        }
        QVERIFY(fewest && found.fewest && found.recommended);
        const PlanFigure& gpus = *findPlanFigure("gpus");
        QCOMPARE(found.fewest->figure(gpus), *fewest);
        QVERIFY(found.recommended->figure(gpus) > *fewest);
        const std::string text = fewestText(question, found);
        QVERIFY2(
            text.starts_with("The fewest GPUs that do it are " + std::to_string(static_cast<int>(*fewest))),
            text.c_str());
        question.free.erase(question.free.begin());
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        QVERIFY(!run(question).fewest);
    }

    /// A plan with experts rests on balanced routing, and on traffic that is hidden.
    void whatAPlanRestsOn() {
        SearchQuestion question = baseOf(experts);
        question.base.plan.overlap.expert = 0.5;
        question.free = {*freeField(question.base, *test::shippedCatalog(), "plan.virtual_pipeline", "1,2")};
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        const auto& rests = run(question).assumes;
        const auto says = [&rests](const char* words) {
            return std::ranges::any_of(
                rests, [&](const std::string& each) { return each.find(words) != std::string::npos; });
        };
        QVERIFY(says("busiest expert rank"));
        QVERIFY(says("50 % of the expert exchange is hidden") ||
                says("50.0 % of the expert exchange is hidden"));
    }

    /// The number of machines is that of whichever kind a plan has.
    void instancesAndUltraserversAreCountedAlike() {
        const Catalog& catalog = *test::shippedCatalog();
        for (const char* count : {"cluster.instances", "cluster.ultraservers"}) {
            SearchQuestion question = baseOf(experts);
            question.base.workload.globalBatch = 18'432; // 72 GPUs divide it, too
            question.free = {*freeField(question.base, catalog, count, "8,64,256"),
                             *freeMachines(question.base, catalog, "p5en.48xlarge,u-p6e-gb200x72"),
                             *freeField(question.base, catalog, "plan.pipeline_parallel", "4,8,16"),
                             *freeField(question.base, catalog, "plan.expert_parallel", "8,64")};
            question.objectives = {findPlanFigure("gpus")};
            question.top = 40;
            completeQuestion(question, catalog, catalog.defaultProfile);
            QCOMPARE(wrongWith(question), std::string());
            const SearchResult found = run(question);
            QVERIFY(found.complete && found.recommended);
            std::map<std::pair<bool, std::int64_t>, int> seen; // kind and number
            for (const FoundPlan& each : found.best) {
                const auto spec = applyEdit(question.base, each.set);
                QVERIFY(spec);
                const ClusterSpec& cluster = spec->cluster;
                const bool ultra = cluster.ultraserver.has_value();
                QVERIFY(ultra != cluster.instance.has_value());
                QVERIFY(!(ultra ? cluster.instances : cluster.ultraservers));
                const std::string number = std::to_string(machineCount(*spec));
                QCOMPARE(valueInWords(each, question.free[1]), number);
                QCOMPARE(valueInWords(each, question.free[0]),
                         number + " x " + (ultra ? "u-p6e-gb200x72" : "p5en.48xlarge"));
                ++seen[{ultra, machineCount(*spec)}];
                const auto estimated = estimate(*spec, catalog, catalog.defaultProfile);
                QVERIFY(estimated && estimated->fits);
                QCOMPARE(estimated->training->stepTime, each.figure(*findPlanFigure("training.step_time_s")));
            }
            QVERIFY(seen.contains({true, 8}) && seen.contains({true, 64}) && seen.contains({false, 256}));
            // 64 instances have fewer GPUs than 8 UltraServers.
            QCOMPARE(found.best.front().figure(*findPlanFigure("gpus")), 512.0);
            QVERIFY(found.present.rank);
        }
        SearchQuestion twice = baseOf(experts);
        for (const char* count : {"cluster.instances", "cluster.ultraservers"})
            twice.free.push_back(*freeField(twice.base, catalog, count, "8,64"));
        completeQuestion(twice, catalog, catalog.defaultProfile);
        QVERIFY(wrongWith(twice).starts_with("cluster.instances and cluster.ultraservers are both"));
    }

    /// What is said of the error of a ratio is what the published runs show.
    void pairsErrAsPublishedRunsDo() {
        const Catalog& catalog = *test::shippedCatalog();
        const auto report = validate(data::shippedPublished(), catalog, catalog.defaultProfile);
        const auto spread = [choices = planChoices(report.rows)](RowKind kind, const char* family, bool all) {
            double sum = 0;
            int count = 0;
            for (const PlanChoice& each : choices) {
                if (each.kind == kind && (*family == 0 || each.family == family) &&
                    (all ? each.differing : each.near) > 0) {
                    sum += all ? each.square : each.nearSquare;
                    ++count;
                }
            }
            return std::sqrt(sum / count);
        };
        const auto agrees = [](double spread, const char* id) {
            const auto spec = data::readScenario(*data::shippedScenario(id), id);
            const auto scenario =
                resolve(*spec, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
            QVERIFY2(std::abs(mostPairLogSd(*scenario) - spread) < 0.01,
                     qPrintable(QString::fromLatin1("%1: %2").arg(QLatin1String(id)).arg(spread)));
        };
        agrees(spread(RowKind::training, "dense", false), training);
        agrees(spread(RowKind::training, "moe", false), experts);
        agrees(spread(RowKind::serving, "", false), "serve-llama-3.1-70b-1xp5en.48xlarge");
        agrees(spread(RowKind::reinforcement, "", true), "grpo-qwen3-32b-8xp5en.48xlarge");
    }

    /// The band of a mixture of experts is wide because of what all plans on these machines share: plans are
    /// told apart by the error of their ratio.
    void equalsAreNotMuchWorse() {
        SearchQuestion question = baseOf(experts);
        question.base.plan.framework = "torchtitan"; // of few measured steps with experts
        question.top = 200;
        completeQuestion(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        const SearchResult found = run(question);
        const PlanFigure& time = *findPlanFigure("training.step_time_s");
        const FoundPlan& best = found.best.front();
        QVERIFY(best.high / best.figure(time) > std::exp(1.2815515655446004 * 0.17) + 0.02);
        bool hasBetween = false; // equal by the band alone
        const auto check = [&](const FoundPlan& each) {
            const double ratio = each.figure(time) / best.figure(time);
            QCOMPARE(each.equalToBest, ratio <= std::exp(1.2815515655446004 * 0.17));
            hasBetween |= !each.equalToBest && each.figure(time) < best.high;
        };
        for (const FoundPlan& each : found.best)
            check(each);
        check(*found.recommended);
        QVERIFY(hasBetween || found.present.equalToBest ==
                                  (found.present.figures.front().second <= best.figure(time) * 1.243));
    }

private:
    SearchQuestion baseOf(const char* id) const {
        SearchQuestion out;
        out.base = *data::readScenario(*data::shippedScenario(id), id);
        return out;
    }
    FreeField field(const char* path, const char* words) const {
        return *freeField(baseOf(training).base, *test::shippedCatalog(), path, words);
    }
    SearchResult run(const SearchQuestion& question) const {
        return search(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile,
                      {.threads = 2});
    }
};

QTEST_GUILESS_MAIN(SearchReasonsTest)

} // namespace tst_search_reasons

#include "tst_search_reasons.moc"
