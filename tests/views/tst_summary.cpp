// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/engine.h"
#include "model/scenario/fields.h"
#include "tests/data/sample_estimate.h"
#include "tests/views/counting_engine.h"
#include "tests/views/sample_validation.h"
#include "told_document.h"
#include "views/summary/answer.h"
#include "views/summary/explain_dialog.h"
#include "views/summary/explain_text.h"
#include "views/summary/nearest_note.h"
#include "views/summary/summary_view.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_source.h"

#include <QLayout>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

namespace tst_summary {

using namespace alidade;
using namespace alidade::views;

namespace {

struct Told : ToldDocument {
    Told()
        : ToldDocument(std::make_shared<const Catalog>()) {}
};

} // namespace

class TestSummary : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void fits();
    void bandsFollowFromTheStepTime();
    void tightMemoryIsSaid();
    void pricesOfBaseAndRestLeadToTheirEntries();
    void doesNotFit();
    void doesNotRun();
    void unknownIsADashWithAReason();
    void partsSumToTheStep();
    void everyBoundHasItsWords();
    void longNumbersAreShort();
    void theCostIsTheTotalOfTheOrder();
    void failureIsSaidWithItsPlace();
    void fourFiguresWhereSixHaveNoRoom();
    void explanationRecombines();
    void nearestRunsStandBesideTheAnswer();
    void nearestRunsFollowTheScenario();
    void nothingIsNearWithoutAnAnswer();
    void nearestRunsGiveWayToTheVerdict();
};

void TestSummary::fits() {
    const Answer answer = answerOf(sample::estimate());
    QCOMPARE(answer.kind, BadgeKind::ok);
    QCOMPARE(answer.sentence, QStringLiteral("It fits, and a step is compute-bound."));
    QCOMPARE(answer.figures.size(), 6);
    for (const Figure& figure : answer.figures) {
        QVERIFY(!figure.value.isEmpty());
        QVERIFY(!figure.dimmed);
        QVERIFY2(figure.band || !figure.note.isEmpty(), qPrintable(figure.label)); // never a bare number
    }
    QVERIFY(!answer.fix);
}

void TestSummary::bandsFollowFromTheStepTime() {
    Estimate estimate = sample::estimate();
    const double low = estimate.headline->low / estimate.headline->value;
    const double high = estimate.headline->high / estimate.headline->value;
    const auto check = [&](const Estimate& e) {
        const Answer answer = answerOf(e);
        const BandRange time = *answer.figures[0].band;
        const BandRange rate = *answer.figures[1].band;
        QVERIFY(qFuzzyCompare(time.low, time.value * low));
        QVERIFY(qFuzzyCompare(time.high, time.value * high));
        QVERIFY(qFuzzyCompare(rate.low, rate.value / high)); // slow steps are low rates
        QVERIFY(qFuzzyCompare(rate.high, rate.value / low));
    };
    check(estimate);
    // The same band told through the throughput.
    estimate.headline->name = "Throughput";
    estimate.headline->unit = "tokens/s";
    estimate.headline->value = estimate.training->tokensPerSecond;
    estimate.headline->low = estimate.headline->value / high;
    estimate.headline->high = estimate.headline->value / low;
    check(estimate);
}

void TestSummary::tightMemoryIsSaid() {
    Estimate estimate = sample::estimate();
    const double usable = estimate.memory->capacityBytes - estimate.memory->reserveBytes;
    estimate.memory->highBytes = usable * 1.01;
    QCOMPARE(answerOf(estimate).badges.size(), 1);
    QCOMPARE(answerOf(estimate).badges.first().kind, BadgeKind::warn);
    estimate.memory->highBytes = usable * 0.99;
    QVERIFY(answerOf(estimate).badges.isEmpty());
}

void TestSummary::doesNotFit() {
    const Answer answer = answerOf(sample::estimateThatDoesNotFit());
    QCOMPARE(answer.kind, BadgeKind::err);
    QVERIFY2(answer.sentence.startsWith(QStringLiteral("Does not fit: ")), qPrintable(answer.sentence));
    QVERIFY(answer.fix);
    QCOMPARE(answer.fix->set.front().second, std::string("8"));
    for (const Figure& figure : answer.figures)
        QVERIFY(figure.dimmed);
}

void TestSummary::doesNotRun() {
    const Answer answer = answerOf(sample::estimateThatDoesNotRun());
    QVERIFY(answer.sentence.startsWith(QStringLiteral("Cannot run: Tensor parallel 24")));
    QVERIFY(answer.figures[0].value.isEmpty());
    QVERIFY(!answer.figures[0].note.isEmpty());
    QVERIFY(!answer.figures[3].value.isEmpty()); // memory is still known
    QVERIFY(answer.segments.isEmpty());
    QVERIFY(answer.fix);
}

void TestSummary::unknownIsADashWithAReason() {
    Estimate estimate = sample::estimate();
    estimate.training->runTime.reset();
    estimate.cost.reset();
    const Answer answer = answerOf(estimate);
    for (const int i : {4, 5}) {
        QVERIFY(answer.figures[i].value.isEmpty());
        QVERIFY(!answer.figures[i].note.isEmpty());
    }
    Estimate daily = sample::estimate();
    daily.cost->dollarsPerRun.reset();
    QCOMPARE(answerOf(daily).figures[5].label, QStringLiteral("Cost per day"));
}

void TestSummary::partsSumToTheStep() {
    const Estimate estimate = sample::estimate();
    const Answer answer = answerOf(estimate);
    QVERIFY(answer.segments.size() >= 10); // all classes, also those that are nothing
    double sum = 0;
    for (const BarSegment& segment : answer.segments)
        sum += segment.value;
    QVERIFY(std::abs(sum - estimate.training->stepTime) <= 1e-9 * sum);
    QVERIFY(std::ranges::is_sorted(answer.segments, {},
                                   [](const BarSegment& s) { return stackPosition(s.bound); }));
    const auto optimizer = std::ranges::find(answer.segments, Bound::optimizer, &BarSegment::bound);
    QCOMPARE(optimizer->share, QStringLiteral("< 0.1 %"));
}

void TestSummary::everyBoundHasItsWords() {
    QSet<QString> phrases;
    for (const Bound bound : allBounds)
        phrases.insert(boundPhrase(bound));
    QCOMPARE(phrases.size(), static_cast<qsizetype>(allBounds.size()));
    QVERIFY(!phrases.contains(QString()));
}

void TestSummary::longNumbersAreShort() {
    Estimate estimate = sample::estimate();
    estimate.training->tokensPerSecond = 523'141;
    estimate.cost->dollarsPerRun = 234'567;
    const Answer answer = answerOf(estimate);
    QCOMPARE(answer.figures[1].value, QStringLiteral("523"));
    QCOMPARE(answer.figures[1].unit, QStringLiteral("k tokens/s"));
    QCOMPARE(answer.figures[5].value, QStringLiteral("235"));
}

/// The order has the storage, which the rent is without; its band is that of the order too.
void TestSummary::theCostIsTheTotalOfTheOrder() {
    for (const char* purchase : {"on_demand", "capacity_block"}) {
        ScenarioSpec spec = test::sampleSpec("llama-3.1-70b-64xp5.48xlarge");
        spec.cluster.purchase = purchase;
        const Estimate estimate = *test::estimateOf(spec, *test::shippedCatalog());
        const Cost& cost = *estimate.cost;
        const double total = dollarsOf(cost.order->beforeTax);
        QVERIFY(total > *cost.dollarsPerRun);
        const Answer answer = answerOf(estimate);
        const Figure& figure = answer.figures[5];
        QCOMPARE(figure.label, QStringLiteral("Cost of the run"));
        QCOMPARE(*figure.number, total);
        QVERIFY(qFuzzyCompare(figure.band->low, dollarsOf(cost.orderBand->low)));
        QVERIFY(qFuzzyCompare(figure.band->high, dollarsOf(cost.orderBand->high)));
        QCOMPARE(answer.paths[5], QStringLiteral("cost.order.before_tax_dollars"));
    }
}

void TestSummary::failureIsSaidWithItsPlace() {
    Told told;
    SummaryView view(told.document.get());
    present(view, {1200, 240});
    told.open();
    QVERIFY(view.sentence().startsWith(QStringLiteral("It fits")));
    told.answer = Error{"/workload/model: there is no model of this name"};
    told.document->recompute();
    QTRY_COMPARE(view.sentence(), QStringLiteral("No estimate: there is no model of this name"));
    for (const BandLabel* label : view.findChildren<BandLabel*>())
        QVERIFY(label->figure().dimmed); // the old figures, as what they are
}

void TestSummary::fourFiguresWhereSixHaveNoRoom() {
    Told told;
    QWidget window;
    SummaryView view(told.document.get(), &window);
    view.resize(1200, 240);
    present(window, {1300, 500});
    told.open();
    const auto visible = [&] {
        return std::ranges::count_if(view.findChildren<BandLabel*>(),
                                     [](const BandLabel* l) { return l->isVisible(); });
    };
    QCOMPARE(visible(), 6);
    view.resize(880, 240);
    QTRY_COMPARE(visible(), 4);
    QVERIFY(view.minimumSizeHint().width() <= 880);
}

/// The formula with figures holds every term, and names no input twice.
void TestSummary::explanationRecombines() {
    const auto explanation = explainFigure(test::sampleSpec(), *test::shippedCatalog(),
                                           test::shippedCatalog()->defaultProfile, "training.step_time_s");
    QVERIFY(explanation);
    const QString html = explanationHtml(QStringLiteral("Step <time>"), *explanation,
                                         [](const ExplainedTerm&) { return QUrl(); });
    QVERIFY(html.contains(QStringLiteral("Step &lt;time&gt;")));
    for (const ExplainedTerm& term : explanation->terms)
        QVERIFY2(html.contains(termWords(term.name)), term.name.c_str());
    for (const ExplainedTerm& input : explanation->inputs)
        QVERIFY2(!input.source.empty(), input.name.c_str());
}

namespace {

/// The answer of what it is told, next to a validation whose nearest rows are those of the scenario's tensor
/// parallel degree.
struct Compared : Told {
    ValidationReport report = sample::validationReport();
    ValidationSource source{document.get(), engine()};
    QWidget window; ///< the view's own size is then no business of a window manager
    SummaryView view{document.get(), &window};

    Compared() {
        view.setValidation(&source);
        view.resize(1200, 240);
        present(window, {1300, 500});
    }
    ValidationEngine engine() {
        return {.report = [this](const Catalog&, const std::stop_token&) { return report; },
                .nearest =
                    [](const ValidationReport& all, const ScenarioSpec& spec, const Catalog&) {
                        std::vector<const ValidationRow*> near;
                        const auto degree = spec.plan.tensorParallel.value_or(0);
                        for (std::int64_t i = 0; i < (degree > 64 ? 0 : 3); ++i)
                            near.push_back(&all.rows[static_cast<std::size_t>(degree + i)]);
                        return near;
                    }};
    }
    /// The numbers of the line, in percent.
    QList<int> errors() const {
        QString words = view.nearest()->text().section(QStringLiteral(": "), 1);
        words.replace(QChar(0x2212), QLatin1Char('-')).remove(QStringLiteral(" %"));
        QList<int> numbers;
        for (const QString& word : words.split(QStringLiteral(", ")))
            numbers.append(word.toInt());
        return numbers;
    }
};

} // namespace

void TestSummary::nearestRunsStandBesideTheAnswer() {
    Compared f;
    QVERIFY(!f.view.nearest()->isVisible());
    f.open();
    QTRY_VERIFY(f.view.nearest()->isVisible());
    const auto degree = static_cast<std::size_t>(*sample::scenario().plan.tensorParallel);
    QList<int> wanted;
    for (std::size_t i = 0; i < 3; ++i) {
        const ValidationRow& row = f.report.rows[degree + i];
        // Tokens a second that are predicted too high are a step time that is predicted too low.
        wanted.append(static_cast<int>(std::lround(100 * (row.measured / row.predicted - 1))));
    }
    QCOMPARE(f.errors(), wanted);
    QVERIFY(f.view.nearest()->text().startsWith(QStringLiteral("Nearest published runs: ")));

    moveTo(&f.view, QPoint(2, 2));
    moveTo(f.view.nearest(), f.view.nearest()->rect().center());
    QTRY_VERIFY(HoverCard::current() != nullptr);
    const QString card = HoverCard::words(HoverCard::current()->content());
    for (std::size_t i = 0; i < 3; ++i)
        QVERIFY2(card.contains(QString::fromStdString(f.report.rows[degree + i].model)), qPrintable(card));

    QSignalSpy requested(&f.view, &SummaryView::nearestRequested);
    QTest::mouseClick(f.view.nearest(), Qt::LeftButton);
    QCOMPARE(requested.count(), 1);
    QCOMPARE(requested.first().first().toStringList().value(0),
             QString::fromStdString(f.report.rows[degree].id));
}

void TestSummary::nearestRunsFollowTheScenario() {
    Compared f;
    f.open();
    QTRY_VERIFY(f.view.nearest()->isVisible());
    const QString before = f.view.nearest()->text();
    QCOMPARE(f.document->setField(*findField("plan.tensor_parallel"), QStringLiteral("1")), QString());
    QTRY_VERIFY(f.view.nearest()->text() != before);
    QCOMPARE(f.view.nearest()->ids().first(), QString::fromStdString(f.report.rows[1].id));
    QCOMPARE(f.document->setField(*findField("plan.tensor_parallel"), QStringLiteral("72")), QString());
    QTRY_VERIFY(!f.view.nearest()->isVisible()); // nothing is near
}

void TestSummary::nothingIsNearWithoutAnAnswer() {
    Compared f;
    f.open();
    QTRY_VERIFY(f.view.nearest()->isVisible());
    f.answer = sample::estimateThatDoesNotRun();
    f.document->recompute();
    QTRY_VERIFY(!f.view.nearest()->isVisible());
    f.answer = sample::estimate();
    f.document->recompute();
    QTRY_VERIFY(f.view.nearest()->isVisible());
    f.answer = Error{"/workload/model: there is no model of this name"};
    f.document->recompute();
    QTRY_VERIFY(!f.view.nearest()->isVisible());
}

void TestSummary::nearestRunsGiveWayToTheVerdict() {
    Compared f;
    f.open();
    QTRY_VERIFY(f.view.nearest()->isVisible());
    const auto* verdict = f.view.findChild<VerdictLabel*>();
    const auto top = [&](const QWidget* part) { return part->mapTo(&f.view, QPoint()).y(); };
    QVERIFY(top(f.view.nearest()) < top(verdict) + verdict->height());
    f.view.resize(880, 240);
    QTRY_VERIFY(top(f.view.nearest()) > top(verdict) + verdict->height()); // the sentence has the line
    QCOMPARE(verdict->width(), f.view.contentsRect().width() - 2 * verdict->x());
    const int height = f.view.height();
    QCOMPARE(height, f.view.layout()->heightForWidth(880));
    QCOMPARE(f.document->setField(*findField("plan.tensor_parallel"), QStringLiteral("72")), QString());
    QTRY_VERIFY(!f.view.nearest()->isVisible());
    QCOMPARE(f.view.height(), height); // nothing jumps
    QVERIFY(f.view.minimumSizeHint().width() <= 880);
    QVERIFY(
        f.view.rect().contains(QRect(f.view.nearest()->mapTo(&f.view, QPoint()), f.view.nearest()->size())));
}

/// Each price of an order that is bought in two ways leads to its entry, a rate of one's own to its field.
void TestSummary::pricesOfBaseAndRestLeadToTheirEntries() {
    const std::shared_ptr<const Catalog> catalog = test::shippedCatalog();
    ScenarioSpec spec = test::sampleSpec("llama-3.1-70b-64xp5.48xlarge");
    spec.cluster.region = "us-east-2";
    spec.cluster.purchase = "on_demand";
    spec.order.base.instances = 16;
    const auto place = [&](const char* name) {
        const auto told = explainFigure(spec, *catalog, catalog->defaultProfile, "cost.dollars_per_hour");
        const ScenarioSpec filled = test::estimateOf(spec, *catalog)->scenario;
        for (const ExplainedTerm& term : told->inputs)
            if (term.name == name)
                return placeOfTerm(term, filled, *catalog).path();
        return QStringLiteral("none");
    };
    const auto entry = [](const char* purchase) {
        return QStringLiteral("prices/p5.48xlarge%2Fus-east-2%2F%1/usd_per_hour")
            .arg(QLatin1String(purchase));
    };
    spec.order.base.purchase = "capacity_block";
    QCOMPARE(place("price"), entry("on_demand"));
    QCOMPARE(place("base_price"), entry("capacity_block"));
    std::swap(spec.order.base.purchase, spec.cluster.purchase);
    QCOMPARE(place("price"), entry("capacity_block"));
    QCOMPARE(place("base_price"), entry("on_demand"));
    spec.order.base.purchase = "savings_plan";
    spec.order.base.dollarsPerInstanceHour = 30;
    QCOMPARE(place("base_price"), QStringLiteral("order.base.dollars_per_instance_hour"));
}

QTEST_MAIN(TestSummary)

} // namespace tst_summary

#include "tst_summary.moc"
