// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/plan_walker.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <utility>
#include <vector>

namespace tst_plan_walker {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }

SearchQuestion questionOf(const ScenarioSpec& base,
                          const std::vector<std::pair<const char*, const char*>>& free) {
    SearchQuestion out;
    out.base = base;
    for (const auto& [path, words] : free)
        out.free.push_back(*freeField(base, catalog(), path, words));
    completeQuestion(out, catalog(), catalog().defaultProfile);
    return out;
}

} // namespace

/// The plans of a space, by their place in it.
class TestPlanWalker : public QObject {
    Q_OBJECT

private slots:
    /// Plans in any order are what their digits say.
    void walkingThroughASpace() {
        const SearchQuestion question = questionOf(trainingSpec(), {{"cluster.instance", "a.8,u-a.16"},
                                                                    {"cluster.instances", "1,2,4"},
                                                                    {"plan.tensor_parallel", "2,4,8"},
                                                                    {"plan.micro_batch", "1,2"}});
        QCOMPARE(question.plans(), std::uint64_t{36});
        const auto expect = [&question](PlanWalker& walker, std::uint64_t index) {
            const ScenarioSpec& spec = walker.at(index);
            const Edit edit = editOf(question, index);
            const auto same = applyEdit(question.base, edit);
            QVERIFY(same);
            QCOMPARE(spec.cluster.instance, same->cluster.instance);
            QCOMPARE(spec.cluster.ultraserver, same->cluster.ultraserver);
            QCOMPARE(spec.cluster.instances, same->cluster.instances);
            QCOMPARE(spec.cluster.ultraservers, same->cluster.ultraservers);
            QCOMPARE(spec.plan.tensorParallel, same->plan.tensorParallel);
            QCOMPARE(spec.plan.microBatch, same->plan.microBatch);
            std::vector<std::size_t> digits(4);
            digitsAt(question, index, digits);
            QCOMPARE(walker.digits(), digits);
            std::uint64_t place = 0;
            for (std::size_t i = 0; i < 4; ++i)
                place = place * question.free[i].choices.size() + digits[i];
            QCOMPARE(place, index);
            const std::int64_t counts[] = {1, 2, 4};
            const auto machine = static_cast<std::size_t>(
                std::ranges::find(question.free, "cluster.instance", &FreeField::path) -
                question.free.begin());
            const auto count = static_cast<std::size_t>(
                std::ranges::find(question.free, "cluster.instances", &FreeField::path) -
                question.free.begin());
            QCOMPARE(spec.cluster.ultraserver.has_value(), digits[machine] == 1);
            QCOMPARE((digits[machine] == 1 ? spec.cluster.ultraservers : spec.cluster.instances).value_or(0),
                     counts[digits[count]]);
        };
        PlanWalker forward(question), back(question), jumping(question);
        for (std::uint64_t i = 0; i < 36; ++i) {
            expect(forward, i);
            expect(back, 35 - i);
            expect(jumping, i * 7 % 36);
        }
        // From one micro-batch to the next only a field of the layout changes, from a machine to the next
        // more.
        PlanWalker walker(question);
        walker.at(0);
        QVERIFY(!walker.changed());
        walker.at(1);
        QVERIFY(walker.changed() && *walker.changed() != 0);
        walker.at(35);
        QVERIFY(!walker.changed());
        // The run of plans that differ only in what a rule does not look at.
        const LayoutFields tensor = layoutFieldBit("plan.tensor_parallel"),
                           batch = layoutFieldBit("plan.micro_batch");
        QCOMPARE(walker.endOfRun(0, tensor | batch), std::uint64_t{1});
        QCOMPARE(walker.endOfRun(7, tensor), std::uint64_t{8});
        QCOMPARE(walker.endOfRun(7, 0), std::uint64_t{12}); // within one number of machines
    }

    void thePresentDigits() {
        const SearchQuestion question = questionOf(trainingSpec(), {{"cluster.instance", "b.8,a.8"},
                                                                    {"cluster.instances", "1,2,4"},
                                                                    {"plan.tensor_parallel", "2,4"},
                                                                    {"plan.micro_batch", "2,1"},
                                                                    {"plan.pipeline_parallel", "2,4"}});
        const auto resolved = resolve(question.base, catalog(), catalog().defaultProfile);
        const auto of = [&question](const std::vector<std::optional<std::size_t>>& digits, const char* path) {
            const auto at = std::ranges::find(question.free, path, &FreeField::path) - question.free.begin();
            return digits[static_cast<std::size_t>(at)];
        };
        const auto known = presentDigits(question, &*resolved), written = presentDigits(question, nullptr);
        QCOMPARE(of(known, "cluster.instance"), std::optional<std::size_t>(1));
        QCOMPARE(of(known, "cluster.instances"), std::optional<std::size_t>(1));
        QCOMPARE(of(known, "plan.tensor_parallel"), std::optional<std::size_t>(1));
        QCOMPARE(of(known, "plan.micro_batch"), std::optional<std::size_t>(1)); // the default of the software
        QVERIFY(!of(written, "plan.micro_batch"));
        QVERIFY(!of(known, "plan.pipeline_parallel")); // it has none of them
    }
};

QTEST_GUILESS_MAIN(TestPlanWalker)

} // namespace tst_plan_walker

#include "tst_plan_walker.moc"
