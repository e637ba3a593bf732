// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/search/findings.h"
#include "model/search/plan_memory.h"
#include "model/search/search.h"
#include "model/search/search_words.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace tst_search_memory {

using namespace alidade;

namespace {

/// All that an answer says, to compare two of them.
std::string textOf(const SearchQuestion& question, const SearchResult& r) {
    std::string out;
    const auto add = [&out](const auto& each) { out += std::to_string(each) + " "; };
    for (const std::uint64_t count :
         {r.counts.evaluated, r.counts.illegal, r.counts.unfit, r.counts.missed, r.present.rank.value_or(0)})
        add(count);
    const auto plan = [&](const FoundPlan& each) {
        add(each.index);
        add(each.changes);
        out += each.equalToBest ? "= " : "";
        for (const auto& [figure, value] : each.figures)
            out += QString::number(value, 'g', 17).toStdString() + " ";
        out += "\n";
    };
    for (const auto* list : {&r.best, &r.front})
        std::ranges::for_each(*list, plan);
    if (r.recommended)
        plan(*r.recommended);
    if (r.fewest)
        plan(*r.fewest);
    for (const Rejection& each : r.rejected) {
        out += each.why + " ";
        add(each.count);
        add(each.index);
        std::ranges::for_each(each.further, add);
        out += "\n";
    }
    for (const SampledPlan& each : r.sample) {
        add(each.index);
        for (const double value : each.values)
            out += QString::number(value, 'g', 17).toStdString() + " ";
    }
    for (const std::string& each : effectTexts(question, r))
        out += each + "\n";
    return out + runnerUpText(question, r) + searchHeadline(question, r) + r.present.why;
}

} // namespace

/// A space that is asked again, against a search.
class SearchMemoryTest : public QObject {
    Q_OBJECT

private slots:
    /// Another limit, another figure to look for, another length: the same as a search, to the last digit.
    void saysTheSameAsASearch_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QStringList>("machines");
        QTest::newRow("dense") << "llama-3.1-70b-64xp5.48xlarge" << QStringList();
        QTest::newRow("experts, machines")
            << "deepseek-v3-256xp5en.48xlarge" << QStringList{QStringLiteral("p5.48xlarge,u-p6e-gb200x72")};
        QTest::newRow("service") << "serve-llama-3.1-70b-1xp5en.48xlarge" << QStringList();
    }
    void saysTheSameAsASearch() {
        QFETCH(QString, id);
        QFETCH(QStringList, machines);
        const SearchQuestion first = questionOf(id.toStdString(), machines);
        PlanMemory memory(first);
        const SearchResult found = searched(first, &memory);
        QVERIFY(found.complete && memory.plans() > 0);
        QCOMPARE(memory.plans(), found.counts.evaluated + missedOf(found));
        const bool serves = first.base.workload.isServing();
        const char* rent = "cost.dollars_per_hour";
        const std::vector<std::function<void(SearchQuestion&)>> changes{
            [](SearchQuestion& q) { q.limits = {limitOf(q, "memory.headroom_bytes=20 GB", false)}; },
            [](SearchQuestion& q) {
                q.limits = {limitOf(q, "memory.headroom_bytes=1 GB", false),
                            limitOf(q, "memory.headroom_bytes=30 GB", true)};
            },
            [&](SearchQuestion& q) {
                q.objectives = {findPlanFigure(serves ? "serving.tpot_s" : "training.step_time_s"),
                                findPlanFigure("memory.headroom_bytes")};
            },
            [&](SearchQuestion& q) {
                q.objectives = {findPlanFigure(rent)};
                q.limits = {limitOf(q, "memory.headroom_bytes=500 GB", false)}; // none has it
            },
            [](SearchQuestion& q) { q.top = 3; }};
        for (const auto& change : changes) {
            SearchQuestion question = first;
            change(question);
            QVERIFY(memory.answers(question));
            const SearchResult recalled =
                searchAnswer(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile,
                             recallFindings(memory, question, *test::shippedCatalog(),
                                            test::shippedCatalog()->defaultProfile));
            QCOMPARE(textOf(question, recalled), textOf(question, searched(question, nullptr)));
        }
    }

    /// What is not remembered is searched.
    void refusesWhatItDoesNotKnow() {
        const SearchQuestion first = questionOf("llama-3.1-70b-64xp5.48xlarge", {});
        PlanMemory memory(first);
        QVERIFY(!memory.answers(first)); // nothing was searched
        searched(first, &memory);
        QVERIFY(memory.answers(first));
        SearchQuestion other = first;
        other.robust = true;
        QVERIFY(!memory.answers(other));
        other = first;
        other.free.pop_back();
        QVERIFY(!memory.answers(other));
        other = first;
        other.free.front().choices.pop_back();
        QVERIFY(!memory.answers(other));

        PlanMemory small(first, 1000);
        searched(first, &small);
        QVERIFY(!small.answers(first));
        QVERIFY(small.parts().empty());

        PlanMemory stopped(first);
        std::stop_source stop;
        search(first, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile,
               {.threads = 1,
                .stop = stop.get_token(),
                .progress = [&stop](std::uint64_t) { stop.request_stop(); },
                .memory = &stopped});
        QVERIFY(!stopped.answers(first));

        // Percentiles are computed only where they are asked for.
        SearchQuestion service = questionOf("serve-llama-3.1-70b-1xp5en.48xlarge", {});
        service.base.workload.ttftSloS.reset();
        service.base.workload.itlSloS.reset();
        completeQuestion(service, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        PlanMemory means(service);
        searched(service, &means);
        QVERIFY(means.answers(service));
        service.limits = {limitOf(service, "serving.ttft_percentiles_s.p90=1 s", true)};
        QVERIFY(!means.answers(service));
    }

private:
    static SearchQuestion questionOf(const std::string& id, const QStringList& machines) {
        const Catalog& catalog = *test::shippedCatalog();
        SearchQuestion out;
        out.base = *data::readScenario(*data::shippedScenario(id), id);
        for (const QString& each : machines)
            out.free.push_back(*freeMachines(out.base, catalog, each.toStdString()));
        if (out.base.workload.isServing()) {
            out.free.push_back(*freeField(out.base, catalog, "plan.tensor_parallel", "1,2,4,8"));
        } else {
            for (const auto& [path, words] :
                 {std::pair("plan.tensor_parallel", "1,2,4,8"),
                  std::pair("plan.pipeline_parallel", "2,4,8,16"), std::pair("plan.micro_batch", "1,2"),
                  std::pair("plan.recompute", "none|norms|selective|full")})
                out.free.push_back(*freeField(out.base, catalog, path, words));
            if (out.base.workload.model == "deepseek-v3")
                out.free.push_back(*freeField(out.base, catalog, "plan.expert_parallel", "8,32,64"));
        }
        completeQuestion(out, catalog, catalog.defaultProfile);
        return out;
    }
    static SearchLimit limitOf(const SearchQuestion& question, const char* text, bool atMost) {
        return *searchLimit(question.base.workload, text, atMost);
    }
    static SearchResult searched(const SearchQuestion& question, PlanMemory* memory) {
        return search(question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile,
                      {.threads = 2, .memory = memory});
    }
    /// Plans that carry their load but miss a target.
    static std::uint64_t missedOf(const SearchResult& found) {
        std::uint64_t out = 0;
        for (const Rejection& each : found.rejected)
            out += each.why.starts_with("Misses the targets") ? each.count : 0;
        return out;
    }
};

QTEST_GUILESS_MAIN(SearchMemoryTest)

} // namespace tst_search_memory

#include "tst_search_memory.moc"
