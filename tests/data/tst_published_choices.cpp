// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow alone
#include "model/search/search.h"
#include "model/search/search_words.h"
#include "model/validation/published_scenario.h"
#include "tests/data/published_rows.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace alidade {

/// Plans that experts tuned and published, against the best plan that a search finds for the same model,
/// batch, precision and machines: at most 5 % slower, or the answer says what is wrong with them.
/// published_choices.tsv lists all of them.
class TestPublishedChoices : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void publishedPlansAreNearTheOptimum_data();
    void publishedPlansAreNearTheOptimum();
    void everyTunedRowIsListed();

private:
    static bool isTuned(const PublishedTraining& row);
    std::map<std::string, QString> verdicts_; ///< of the table, by the id of the row
};

namespace {

const PublishedTraining& trainingRow(const QString& id) {
    return rowOf(published().training, id.toStdString());
}

} // namespace

/// Of publishers who tune each plan; tables that vary the plan, or have another purpose, are not.
bool TestPublishedChoices::isTuned(const PublishedTraining& row) {
    constexpr std::array<std::string_view, 5> publishers{
        "DGX Cloud benchmarking recipes", "MLPerf Training", "NeMo Framework performance summary",
        "NeMo Megatron Bridge performance summary", "Reducing Activation Recomputation"};
    const auto names = [&row](const char* word) { return row.id.find(word) != std::string::npos; };
    const bool finetunes = names("-sft") || names("-lora");
    return row.outcome == "ok" && !finetunes && row.kind == "benchmark" &&
           std::ranges::any_of(publishers,
                               [&](std::string_view each) { return row.source.title.starts_with(each); });
}

void TestPublishedChoices::initTestCase() {
    QFile file(QStringLiteral(ALIDADE_TEST_DATA "/data/published_choices.tsv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts))
        if (const QStringList cells = line.split(u'\t'); cells.size() == 2 && !line.startsWith(u'#'))
            verdicts_.emplace(cells[0].toStdString(), cells[1]);
    QVERIFY(!verdicts_.empty());
}

void TestPublishedChoices::publishedPlansAreNearTheOptimum_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("verdict");
    for (const auto& [id, verdict] : verdicts_)
        QTest::addRow("%s", id.c_str()) << QString::fromStdString(id) << verdict;
}

void TestPublishedChoices::publishedPlansAreNearTheOptimum() {
    QFETCH(const QString, id);
    QFETCH(const QString, verdict);
    const Catalog& catalog = shippedCatalog();
    const PlanFigure& step = *findPlanFigure("training.step_time_s");
    SearchQuestion question;
    question.base = *publishedScenario(trainingRow(id), catalog).spec;
    question.objectives = {&step};
    completeQuestion(question, catalog, catalog.defaultProfile);
    const SearchResult found = search(question, catalog, catalog.defaultProfile);
    QVERIFY(!found.best.empty());
    const auto present =
        std::ranges::find(found.present.figures, &step, &std::pair<const PlanFigure*, double>::first);
    QVERIFY(present != found.present.figures.end());
    const bool near = found.present.rank && (found.present.equalToBest ||
                                             present->second <= 1.05 * found.best.front().figure(step));
    const std::string said = presentGapText(question, found) + found.present.why;
    QCOMPARE(near, verdict == u"near");
    if (near)
        QVERIFY(present->second <= 1.05 * found.best.front().figure(step) || !said.empty());
    else
        QVERIFY2(said.find(verdict.toStdString()) != std::string::npos, said.c_str());
}

void TestPublishedChoices::everyTunedRowIsListed() {
    for (const PublishedTraining& row : published().training) {
        if (!isTuned(row))
            continue;
        const PublishedScenario scenario = publishedScenario(row, shippedCatalog());
        if (scenario.spec && scenario.complete && !scenario.architecture.moe)
            QVERIFY2(verdicts_.contains(row.id), row.id.c_str());
    }
}

} // namespace alidade

QTEST_GUILESS_MAIN(alidade::TestPublishedChoices)
#include "tst_published_choices.moc"
