// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/figures.h"
#include "model/search/findings.h"
#include "model/search/search.h"
#include "model/search/search_picture.h"
#include "model/search/work_order.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <stop_token>

namespace tst_search {

using namespace alidade;

namespace {

const WorkloadSpec ofTraining = [] {
    WorkloadSpec out;
    out.kind = WorkloadKind::training;
    return out;
}();
const WorkloadSpec ofServing = [] {
    WorkloadSpec out;
    out.kind = WorkloadKind::serving;
    return out;
}();

constexpr const char* training = "llama-3.1-70b-64xp5.48xlarge";
constexpr const char* experts = "deepseek-v3-256xp5en.48xlarge";
constexpr const char* serving = "serve-llama-3.1-70b-1xp5en.48xlarge";

/// All that an answer says, to compare two of them.
std::string textOf(const SearchResult& r) {
    std::string out = std::to_string(r.counts.evaluated) + " " + std::to_string(r.counts.illegal) + " " +
                      std::to_string(r.counts.unfit) + " " + std::to_string(r.counts.missed) + " " +
                      std::to_string(r.present.rank.value_or(0)) + "\n";
    const auto plans = [&out](const std::vector<FoundPlan>& list) {
        for (const FoundPlan& each : list) {
            out += std::to_string(each.index) + (each.equalToBest ? " =" : "");
            for (const auto& [figure, value] : each.figures)
                out += " " + QString::number(value, 'g', 17).toStdString();
            out += "\n";
        }
    };
    plans(r.best);
    plans(r.front);
    for (const Rejection& each : r.rejected)
        out += each.why + " " + std::to_string(each.count) + " " + std::to_string(each.index) + "\n";
    return out;
}

} // namespace

/// The best plans of a space, against one estimate at a time.
class SearchTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
    }

    /// The picture has every figure of the sampled plans, and what bounds the listed ones; it says the same
    /// as the answer where both do, and as the estimate of a plan.
    void pictureAgreesWithTheAnswer_data() {
        QTest::addColumn<QString>("id");
        for (const char* id : {training, experts, serving})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void pictureAgreesWithTheAnswer() {
        QFETCH(QString, id);
        SearchQuestion question = questionOf(id.toStdString());
        std::mt19937 random(7);
        for (FreeField& each : question.free) { // a few values of each field
            std::ranges::shuffle(each.choices, random);
            each.choices.resize(std::min<std::size_t>(each.choices.size(), 4));
        }
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        SearchResult found = run(question);
        QVERIFY(!found.sample.empty() && !found.best.empty());
        SearchPictures pictures(question, catalog_, catalog_.defaultProfile);
        // On the way it gets some points at a time; the listed plans come first.
        SearchResult some = found;
        const std::size_t listed = found.best.size();
        (void)pictures.of(some, {}, listed + 5);
        QVERIFY(some.sample.size() >= std::min<std::size_t>(5, found.sample.size()));
        QVERIFY(some.sample.size() <= std::min(listed + 5, found.sample.size()));
        const SearchPicture picture = pictures.of(found);
        QVERIFY(picture.figures.size() > 5);
        QCOMPARE(picture.values.size(), found.sample.size() * picture.figures.size());
        for (std::size_t i = 0; i < found.sample.size(); ++i) {
            for (std::size_t axis = 0; axis < 2; ++axis) {
                QVERIFY(picture.has(*found.axes[axis]));
                QCOMPARE(picture.value(i, *found.axes[axis]), found.sample[i].values[axis]);
            }
        }
        const FoundPlan& best = found.best.front();
        const auto spec = applyEdit(question.base, best.set);
        QVERIFY(spec);
        const auto estimated = estimate(*spec, catalog_, catalog_.defaultProfile, {.fixes = false});
        QVERIFY(estimated && estimated->headline);
        QVERIFY(picture.bottlenecks.at(best.index) == estimated->headline->bottleneck);
        for (const SampledPlan& each : found.sample) // each has a class, too
            QVERIFY(picture.bottlenecks.contains(each.index));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(pictures.of(found, stop.get_token()).values.empty());
    }

    /// Every plan is counted once, and the figures of each listed one are those of its estimate.
    void figuresAreThoseOfTheEstimate_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("machines");
        QTest::newRow("training") << QString::fromLatin1(training) << QString();
        QTest::newRow("training, machines")
            << QString::fromLatin1(training) << QStringLiteral("p5.48xlarge,p5en.48xlarge,p6-b200.48xlarge");
        QTest::newRow("UltraServers") << QStringLiteral("llama-3.1-405b-4xu-p6e-gb200x72") << QString();
        QTest::newRow("experts") << QString::fromLatin1(experts) << QString();
        QTest::newRow("serving") << QString::fromLatin1(serving)
                                 << QStringLiteral("p5.48xlarge,p5en.48xlarge,g6e.48xlarge");
        QTest::newRow("serving experts") << QStringLiteral("serve-deepseek-r1-1xu-p6e-gb200x72") << QString();
    }
    void figuresAreThoseOfTheEstimate() {
        QFETCH(QString, id);
        QFETCH(QString, machines);
        SearchQuestion question = questionOf(id.toStdString());
        std::mt19937 random(7);
        for (FreeField& each : question.free) {  // a few values of each field
            if (each.path.ends_with(".workers")) // few of them fit on the machines
                continue;
            std::ranges::shuffle(each.choices, random);
            each.choices.resize(std::min<std::size_t>(each.choices.size(), 4));
        }
        if (!machines.isEmpty()) {
            question.free.insert(question.free.begin(),
                                 *freeMachines(question.base, catalog_, machines.toStdString()));
        }
        question.top = 40;
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);
        QVERIFY(found.complete);
        QCOMPARE(found.counts.total(), question.plans());
        QVERIFY(!found.best.empty());
        for (const FoundPlan& each : found.best) {
            const auto spec = applyEdit(question.base, each.set);
            QVERIFY(spec);
            const auto estimated = estimate(*spec, catalog_, catalog_.defaultProfile, {.fixes = false});
            QVERIFY2(estimated, estimated.error().c_str());
            QVERIFY(estimated->runs && estimated->fits);
            QVERIFY(each.figures.size() > 5);
            for (const auto& [figure, value] : each.figures) {
                const auto same = findFigure(*estimated, figure->path);
                QVERIFY2(same, std::string(figure->path).c_str());
                QVERIFY2(std::abs(value - same->value) <= 1e-12 * std::abs(same->value),
                         (std::string(figure->path) + ": " + std::to_string(value) + " " +
                          std::to_string(same->value))
                             .c_str());
            }
        }
    }

    /// The first of the list is the best of a loop over estimates, and so is the front.
    void theBestIsThatOfBruteForce() {
        SearchQuestion question = questionOf(training);
        question.free = {field("plan.tensor_parallel", "1,2,4,8"), field("plan.pipeline_parallel", "1,2,4,8"),
                         field("plan.micro_batch", "1,2"), field("plan.recompute", "none|norms, glu|full")};
        question.objectives = {findPlanFigure("training.step_time_s"), findPlanFigure("memory.total_bytes")};
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);

        std::vector<std::pair<double, double>> all;
        for (const char* t : {"1", "2", "4", "8"}) {
            for (const char* p : {"1", "2", "4", "8"}) {
                for (const char* b : {"1", "2"}) {
                    for (const char* r : {"none", "norms, glu", "full"}) {
                        Edit edit = question.cleared;
                        edit.insert(edit.end(), {{"plan.tensor_parallel", t},
                                                 {"plan.pipeline_parallel", p},
                                                 {"plan.micro_batch", b},
                                                 {"plan.recompute", r}});
                        const auto estimated = estimate(*applyEdit(question.base, edit), catalog_,
                                                        catalog_.defaultProfile, {.fixes = false});
                        // What a search offers fits by its estimate, not only perhaps.
                        if (estimated && estimated->runs && estimated->memory->headroomBytes >= 0)
                            all.emplace_back(estimated->training->stepTime, estimated->memory->totalBytes);
                    }
                }
            }
        }
        QVERIFY(all.size() > 5);
        QCOMPARE(found.counts.evaluated, all.size());
        QCOMPARE(found.best.front().figure(*question.objectives[0]), std::ranges::min(all).first);
        std::ranges::sort(all);
        std::vector<std::pair<double, double>> front;
        for (const auto& each : all)
            if (front.empty() || each.second < front.back().second)
                front.push_back(each);
        QVERIFY(front.size() > 2);
        QCOMPARE(found.front.size(), front.size());
        for (std::size_t i = 0; i < front.size(); ++i) {
            QCOMPARE(found.front[i].figure(*question.objectives[0]), front[i].first);
            QCOMPARE(found.front[i].figure(*question.objectives[1]), front[i].second);
        }
    }

    void theAnswerDoesNotDependOnThreads() {
        for (const char* id : {training, serving}) {
            SearchQuestion question = questionOf(id);
            question.objectives = {findPlanFigure("memory.total_bytes"),
                                   findPlanFigure("cost.dollars_per_million_tokens")};
            question.free.insert(question.free.begin(),
                                 *freeMachines(question.base, catalog_, "p5.48xlarge,p5en.48xlarge"));
            for (FreeField& each : question.free)
                each.choices.resize(std::min<std::size_t>(each.choices.size(), 5));
            completeQuestion(question, catalog_, catalog_.defaultProfile);
            const std::string one = textOf(run(question, 1));
            QCOMPARE(textOf(run(question, 2)), one);
            QCOMPARE(textOf(run(question, 5)), one);
        }
    }

    /// Machines of several kinds are compared by the rent of the run, if a run and a price are known, else by
    /// what one GPU does.
    void objectiveAmongMachines() {
        SearchQuestion question = questionOf(training);
        question.free = {*freeMachines(question.base, catalog_, "p5.48xlarge,p5en.48xlarge")};
        const auto objective = [&] {
            SearchQuestion asked = question;
            completeQuestion(asked, catalog_, catalog_.defaultProfile);
            return std::string(asked.objectives.front()->path);
        };
        QVERIFY(question.base.workload.tokens);
        QCOMPARE(objective(), std::string("cost.dollars_per_run"));
        question.base.workload.tokens.reset();
        QCOMPARE(objective(), std::string("training.tokens_per_s_per_gpu"));
    }

    /// The space is walked in any order of machines: what one machine sets, the next one takes back.
    void machinesDoNotLeakIntoEachOther() {
        SearchQuestion question = questionOf(training);
        question.free = {
            field("plan.tensor_parallel", "4,8"), field("plan.pipeline_parallel", "4"),
            *freeMachines(question.base, catalog_, "p5.48xlarge,u-p6e-gb200x72,p5en.48xlarge,p5.48xlarge")};
        QCOMPARE(question.free[2].choices.size(), std::size_t{3}); // each once
        question.top = 6;
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        for (const FoundPlan& each : run(question, 1).best) {
            const auto spec = applyEdit(question.base, each.set);
            const auto estimated = estimate(*spec, catalog_, catalog_.defaultProfile);
            QVERIFY2(estimated, estimated.error().c_str());
            QCOMPARE(each.figure(*findPlanFigure("gpus")), static_cast<double>(estimated->gpus));
            QCOMPARE(each.figure(*findPlanFigure("training.step_time_s")), estimated->training->stepTime);
        }
    }

    void limitsAreKept() {
        SearchQuestion question = questionOf(training);
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult free = run(question);
        const auto limit = searchLimit(ofTraining, "memory.headroom_bytes=10 GB", false);
        QVERIFY2(limit, limit.error().c_str());
        question.limits = {*limit};
        const SearchResult limited = run(question);
        QCOMPARE(limited.counts.evaluated + limited.counts.missed, free.counts.evaluated);
        QVERIFY(limited.counts.missed > 0);
        for (const FoundPlan& each : limited.best)
            QVERIFY(each.figure(*limit->figure) >= 10e9);
        const PlanFigure& time = *question.objectives.front();
        QVERIFY(limited.best.front().figure(time) > free.best.front().figure(time));
        // One reason, however its numbers differ.
        const auto same = [](const Rejection& r) { return r.why == "Memory headroom is below 10.0 GB"; };
        QCOMPARE(std::ranges::count_if(limited.rejected, same), 1);
        std::uint64_t rejected = 0;
        for (const Rejection& each : limited.rejected)
            rejected += each.count;
        QCOMPARE(rejected, limited.counts.total() - limited.counts.evaluated);
    }

    /// The unfavorable end of the band has to fit, too, and ranks.
    void robustPlansSurelyFit() {
        SearchQuestion question = questionOf(training);
        question.robust = true;
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);
        QVERIFY(!found.best.empty());
        double last = 0;
        for (const FoundPlan& each : found.best) {
            QVERIFY(each.surelyFits);
            QVERIFY(each.high >= last);
            last = each.high;
        }
        question.robust = false;
        QVERIFY(!run(question).best.front().surelyFits); // the fastest plan of all is tight
    }

    /// Plans that the model cannot tell apart are equal, and the one with the fewest changes is recommended.
    void equalPlansAreCalledEqual() {
        SearchQuestion question = questionOf(training);
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);
        QVERIFY(found.best[1].equalToBest);
        QVERIFY(found.recommended && found.recommended->equalToBest);
        QVERIFY(found.recommended->surelyFits);
        QVERIFY(found.recommended->changes <= found.best.front().changes);
        QVERIFY(found.present.rank && *found.present.rank > 1);
        // A plan that takes twice as long is another matter.
        question.free = {field("plan.recompute", "norms, glu|full"), field("plan.micro_batch", "1"),
                         field("plan.tensor_parallel", "4,16")};
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult few = run(question);
        QVERIFY(!few.best.back().equalToBest);
    }

    /// Targets of the scenario are limits.
    void servicesKeepTheirTargets() {
        const PlanFigure& ttft = *findPlanFigure("serving.ttft_percentiles_s.p90");
        SearchQuestion question = questionOf(serving);
        question.objectives = {&ttft};
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult all = run(question);
        QVERIFY(all.best.size() > 1);
        // Between the two fastest plans: the closed form that chooses and the simulation that judges differ
        // by less than that.
        const double target = std::sqrt(all.best[0].figure(ttft) * all.best[1].figure(ttft));
        question.base.workload.ttftSloS = target;
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);
        QVERIFY(found.counts.missed > all.counts.missed);
        QVERIFY(!found.best.empty());
        for (const FoundPlan& each : found.best)
            QVERIFY(each.figure(ttft) <= target);
    }

    /// Prefill and decode apart: the ratio of their workers.
    void poolsAreWeighed() {
        SearchQuestion question = questionOf("serve-deepseek-r1-1xu-p6e-gb200x72");
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);
        QVERIFY(found.counts.illegal > 0); // more GPUs than there are
        QVERIFY(found.best.size() > 2);
        QVERIFY(found.best[0].figures != found.best[1].figures);
        QCOMPARE(found.counts.total(), question.plans());
    }

    /// What is handed over on the way grows, is a separate answer, and changes nothing in the end.
    void partialAnswersChangeNothing() {
        SearchQuestion question = questionOf(training);
        question.objectives = {findPlanFigure("training.step_time_s"),
                               findPlanFigure("memory.headroom_bytes")};
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        std::vector<SearchResult> partial; // one call at a time
        std::atomic<std::uint64_t> round{0};
        const SearchResult found = search(
            question, catalog_, catalog_.defaultProfile,
            {.threads = 2,
             .progress = [&round](std::uint64_t done) { round = done / 50'000; },
             .round = &round,
             .partial =
                 [&](const SearchFindings& soFar) {
                     partial.push_back(searchAnswer(question, catalog_, catalog_.defaultProfile, soFar));
                 }});
        const SearchResult alone = run(question, 1);
        QVERIFY(!partial.empty());
        std::uint64_t tried = 0;
        for (const SearchResult& each : partial) {
            QVERIFY(each.counts.total() > tried && each.counts.total() <= each.plans);
            tried = each.counts.total();
        }
        QVERIFY(!partial.front().complete && !partial.back().best.empty());
        const auto same = [](const std::vector<FoundPlan>& a, const std::vector<FoundPlan>& b) {
            return std::ranges::equal(a, b, [](const FoundPlan& x, const FoundPlan& y) {
                return x.index == y.index && x.figures == y.figures && x.equalToBest == y.equalToBest &&
                       x.same == y.same;
            });
        };
        QVERIFY(found.complete);
        QVERIFY(same(found.best, alone.best));
        QVERIFY(same(found.front, alone.front));
        QCOMPARE(found.recommended->index, alone.recommended->index);
        QCOMPARE(found.present.rank, alone.present.rank);
        QCOMPARE(found.counts.evaluated, alone.counts.evaluated);
        QVERIFY(std::ranges::equal(found.sample, alone.sample, {}, &SampledPlan::index, &SampledPlan::index));
        QVERIFY(
            std::ranges::equal(found.rejected, alone.rejected, [](const Rejection& x, const Rejection& y) {
                return x.why == y.why && x.count == y.count && x.index == y.index && x.further == y.further;
            }));
    }

    /// The first answer comes after few plans, the same ones on any number of threads, and knows of plans on
    /// every machine.
    void theFirstAnswerIsOfAllMachines() {
        SearchQuestion question = questionOf(experts);
        question.free = usualFreeFields(question.base, catalog_);
        question.free.push_back(
            *freeMachines(question.base, catalog_, "p5.48xlarge,p5en.48xlarge,p6-b200.48xlarge"));
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        QCOMPARE(question.free.front().path, std::string("cluster.instance"));
        std::string first;
        for (const int threads : {1, 2, 5}) {
            std::stop_source stop;
            std::string told;
            const SearchResult found = search(
                question, catalog_, catalog_.defaultProfile,
                {.threads = threads, .stop = stop.get_token(), .partial = [&](const SearchFindings& soFar) {
                     QCOMPARE(soFar.counts.total(), WorkOrder::mostSpread * WorkOrder::mostOfSpread);
                     QVERIFY(soFar.ofChoice.plans().size() >= 3);
                     for (std::size_t machine = 0; machine < 3; ++machine)
                         QVERIFY(soFar.ofChoice.plans()[machine].has_value());
                     told = textOf(searchAnswer(question, catalog_, catalog_.defaultProfile, soFar,
                                                {.closedForm = true}));
                     stop.request_stop();
                 }});
            QVERIFY(!told.empty());
            QVERIFY(first.empty() || told == first);
            first = told;
            QVERIFY(!found.complete);
        }
    }

    /// A plan by its place is the one that the answer lists there.
    void plansAreToldByTheirPlace() {
        SearchQuestion question = questionOf(training);
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        const SearchResult found = run(question);
        const FoundPlan& best = found.best[3];
        const FoundPlan again = planAt(best.index, question, catalog_, catalog_.defaultProfile);
        QVERIFY(again.set == best.set && again.figures == best.figures && again.marks == best.marks);
        QCOMPARE(again.changes, best.changes);
        QCOMPARE(again.low, best.low);
        const Rejection& illegal = found.rejected.front();
        QVERIFY(!illegal.further.empty());
        const FoundPlan failed = planAt(illegal.further.front(), question, catalog_, catalog_.defaultProfile);
        QVERIFY(!failed.set.empty() && failed.set != illegal.example);
    }

    void aStoppedSearchSaysSo() {
        SearchQuestion question = questionOf(experts);
        completeQuestion(question, catalog_, catalog_.defaultProfile);
        std::stop_source stop;
        const SearchResult found =
            search(question, catalog_, catalog_.defaultProfile,
                   {.threads = 1, .stop = stop.get_token(), .progress = [&](std::uint64_t tried) {
                        if (tried >= 2000)
                            stop.request_stop();
                    }});
        QVERIFY(!found.complete);
        QVERIFY(found.counts.total() >= 2000 && found.counts.total() < question.plans());
    }

    void wrongQuestionsAreRefused_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown") << QStringLiteral("plan.tensor_paralel") << QStringLiteral("")
                                 << QStringLiteral("the nearest is 'plan.tensor_parallel'");
        QTest::newRow("of serving") << QStringLiteral("plan.chunk_tokens") << QStringLiteral("")
                                    << QStringLiteral("is a field of serving");
        QTest::newRow("no value") << QStringLiteral("workload.sequence_length") << QStringLiteral("")
                                  << QStringLiteral("needs a list or a range");
        QTest::newRow("no number") << QStringLiteral("plan.micro_batch") << QStringLiteral("1,two")
                                   << QStringLiteral("plan.micro_batch: ");
        QTest::newRow("descends") << QStringLiteral("plan.micro_batch") << QStringLiteral("8..1")
                                  << QStringLiteral("must ascend");
        QTest::newRow("range of words") << QStringLiteral("plan.sharding") << QStringLiteral("zero1..zero3")
                                        << QStringLiteral("not a range of whole numbers");
        QTest::newRow("out of range") << QStringLiteral("plan.micro_batch") << QStringLiteral("0")
                                      << QStringLiteral("plan.micro_batch: ");
        QTest::newRow("no machine") << QStringLiteral("cluster.instance") << QStringLiteral("p5.48xlarg")
                                    << QStringLiteral("did you mean 'p5.48xlarge'?");
    }
    void wrongQuestionsAreRefused() {
        QFETCH(QString, path);
        QFETCH(QString, words);
        QFETCH(QString, says);
        const auto read = freeField(spec(training), catalog_, path.toStdString(), words.toStdString());
        QVERIFY(!read);
        QVERIFY2(QString::fromStdString(read.error()).contains(says), read.error().c_str());
    }

    void wrongFiguresAreRefused() {
        const auto near = searchObjective(ofTraining, "training.step_tim_s");
        QVERIFY(!near && near.error().find("'training.step_time_s'") != std::string::npos);
        const auto other = searchObjective(ofTraining, "serving.ttft_s");
        QVERIFY(!other && other.error().find("figure of serving") != std::string::npos);
        QVERIFY(!searchLimit(ofTraining, "training.step_time_s", true));
        QVERIFY(!searchLimit(ofTraining, "training.step_time_s=10 GB", true));
        QCOMPARE(searchLimit(ofServing, "serving.ttft_s=500 ms", true)->value, 0.5);
    }

private:
    ScenarioSpec spec(const std::string& id) const {
        return *data::readScenario(*data::shippedScenario(id), id);
    }
    SearchQuestion questionOf(const std::string& id) const {
        SearchQuestion out;
        out.base = spec(id);
        out.free = usualFreeFields(out.base, catalog_);
        return out;
    }
    FreeField field(const char* path, const char* words) const {
        return *freeField(spec(training), catalog_, path, words);
    }
    SearchResult run(const SearchQuestion& question, int threads = 2) const {
        return search(question, catalog_, catalog_.defaultProfile, {.threads = threads});
    }

    Catalog catalog_;
};

QTEST_GUILESS_MAIN(SearchTest)

} // namespace tst_search

#include "tst_search.moc"
