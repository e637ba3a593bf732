// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "data/search/kept_search.h"
#include "model/search/search.h"
#include "model/search/search_words.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <string>

namespace tst_kept_search {

using namespace alidade;

/// A search as text and back.
class KeptSearchTest : public QObject {
    Q_OBJECT

private slots:
    void comesBack_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("words");
        QTest::newRow("lists") << QStringLiteral("llama-3.1-70b-64xp5.48xlarge")
                               << QStringLiteral("plan.recompute") << QStringLiteral("norms, glu|full");
        QTest::newRow("machines") << QStringLiteral("llama-3.1-70b-64xp5.48xlarge")
                                  << QStringLiteral("cluster.instance")
                                  << QStringLiteral("p5.48xlarge,p5en.48xlarge");
        QTest::newRow("serving") << QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge")
                                 << QStringLiteral("plan.max_batch") << QStringLiteral("64,128,256");
    }
    void comesBack() {
        QFETCH(QString, id);
        QFETCH(QString, path);
        QFETCH(QString, words);
        const SearchAnswer answer = asked(id.toStdString(), path.toStdString(), words.toStdString());
        const std::string text = data::writeSearch(answer);
        const auto read =
            data::readSearch(text, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        QVERIFY2(read, read ? "" : read.error().c_str());
        QVERIFY(searchOptions(read->question) == searchOptions(answer.question));
        QCOMPARE(read->question.plans(), answer.question.plans());
        const SearchResult &a = read->result, &b = answer.result;
        QVERIFY(!b.best.empty() && !b.front.empty() && !b.rejected.empty());
        const auto same = [](const std::vector<FoundPlan>& x, const std::vector<FoundPlan>& y) {
            return std::ranges::equal(x, y, [](const FoundPlan& p, const FoundPlan& q) {
                return p.index == q.index && p.set == q.set && p.figures == q.figures && p.low == q.low &&
                       p.high == q.high && p.equalToBest == q.equalToBest && p.marks == q.marks &&
                       p.surelyFits == q.surelyFits && p.changes == q.changes && p.same == q.same;
            });
        };
        QVERIFY(same(a.best, b.best) && same(a.front, b.front));
        QCOMPARE(a.recommended->index, b.recommended->index);
        QCOMPARE(a.present.rank, b.present.rank);
        QVERIFY(a.present.figures == b.present.figures);
        QCOMPARE(a.counts.total(), b.counts.total());
        QCOMPARE(a.rejected.front().further, b.rejected.front().further);
        QVERIFY(a.rejected.front().example == b.rejected.front().example);
        QVERIFY(a.axes == b.axes && !a.sample.empty());
        QVERIFY(!effectTexts(answer.question, b).empty());
        QVERIFY(effectTexts(read->question, a) == effectTexts(answer.question, b));
        QCOMPARE(runnerUpText(read->question, a), runnerUpText(answer.question, b));
        QCOMPARE(presentGapText(read->question, a), presentGapText(answer.question, b));
        QCOMPARE(read->nearest, answer.nearest);
        QVERIFY(recommendationBasis(*read) == recommendationBasis(answer));
        QCOMPARE(a.fewest.has_value(), b.fewest.has_value());
        QCOMPARE(searchHeadline(read->question, a), searchHeadline(answer.question, b));
        QCOMPARE(data::writeSearch(*read), text);
    }

    /// What was written by something else, or for another catalog, is refused, never half taken.
    void nonsenseIsRefused() {
        const std::string text = data::writeSearch(
            asked("llama-3.1-70b-64xp5.48xlarge", "cluster.instance", "p5.48xlarge,p5en.48xlarge"));
        const auto with = [&text](const std::string& from, const std::string& to) {
            std::string out = text;
            const std::size_t at = out.find(from);
            return at == std::string::npos ? out : out.replace(at, from.size(), to);
        };
        for (const std::string& wrong :
             {std::string(), std::string("[]"), std::string("{}"), with("p5en.48xlarge", "p99.48xlarge"),
              with("plan.tensor_parallel", "plan.tensor_paralel"), with("\"index\":", "\"index\":9999999999"),
              with("\"answer\":{", "\"answer\":0,\"other\":{")}) {
            QVERIFY(wrong != text);
            QVERIFY2(
                !data::readSearch(wrong, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile),
                wrong.c_str());
        }
    }

private:
    SearchAnswer asked(const std::string& id, const std::string& path, const std::string& words) const {
        SearchAnswer out;
        out.question.base = *data::readScenario(*data::shippedScenario(id), id);
        const bool serves = out.question.base.workload.isServing();
        for (const auto& [each, values] :
             {std::pair(path, words), std::pair(std::string("plan.tensor_parallel"), std::string("1,2,4,8"))})
            out.question.free.push_back(*freeField(out.question.base, *test::shippedCatalog(), each, values));
        out.question.objectives = {
            findPlanFigure(serves ? "cost.dollars_per_million_tokens" : "cost.dollars_per_run"),
            findPlanFigure("memory.headroom_bytes")};
        out.question.limits = {*searchLimit(out.question.base.workload, "memory.headroom_bytes=1 GB", false)};
        completeQuestion(out.question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile);
        out.result = search(out.question, *test::shippedCatalog(), test::shippedCatalog()->defaultProfile,
                            {.threads = 2});
        out.seconds = 1;
        out.nearest = "The published run most like it: GPT-3 on 64 GPUs.";
        return out;
    }
};

QTEST_GUILESS_MAIN(KeptSearchTest)

} // namespace tst_kept_search

#include "tst_kept_search.moc"
