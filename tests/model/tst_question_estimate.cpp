// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/test_time_estimate.h"
#include "model/scenario/test_time_plan.h"
#include "tests/model/service_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace tst_question_estimate {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(std::abs(a), std::abs(b)); }

/// Questions of 4 samples of 11 tokens each; the service of service_rig.h answers 6 samples a second.
struct QuestionRig {
    ServiceRig service;
    TestTimePlan plan{.samples = 4, .lengths = {11, 0, 100}, .verifier = {}};

    TestTime evaluated() {
        service.scenario.testTime = std::make_shared<const TestTimePlan>(plan);
        const std::vector<Inputs> pools = poolInputs(service.scenario);
        return testTimeOf<double>(service.scenario, std::span<const Inputs>(pools), service.evaluated());
    }
    const ServingTotals& totals() const { return *service.totals; }

    /// Scores by the same model on its own machines, 3 at $8 an hour.
    Scenario& score() {
        Scenario verifier = ServiceRig().scenario;
        verifier.modelName = "Verifier";
        verifier.pools[0].plan.phase = ServingPhase::prefill;
        plan.verifier = verifier;
        return *plan.verifier;
    }
};

} // namespace

/// What a service that draws several samples makes of a question.
class TestQuestionEstimate : public QObject {
    Q_OBJECT

private slots:
    void samplesOfAQuestion() {
        QuestionRig rig;
        const TestTime q = rig.evaluated();
        const ServingTotals& t = rig.totals();
        QVERIFY(q.asked);
        QCOMPARE(q.samples, std::int64_t{4});
        QCOMPARE(q.tokensPerQuestion, 44.0);
        QCOMPARE(q.longestSample, 11.0);
        QCOMPARE(q.selectionTime, 0.0);
        QVERIFY(near(q.latency, t.ttft + 10 * t.tpot));
        // Equal samples: only the first token is now sooner, now later.
        QVERIFY(near(q.latencyMedian, q.latency + t.ttftPercentiles.p50 - t.ttft));
        QVERIFY(near(q.latencyP99, q.latency + t.ttftPercentiles.p99 - t.ttft));
        QCOMPARE(q.questionsPerSecond, 1.5);
        QVERIFY(near(q.maxQuestionsPerSecond, 2.5)); // 10 samples
        QVERIFY(near(q.questionsInFlight, 1.5 * q.latency));
        QCOMPARE(q.kvPerQuestion, 256.0 * (100 + 44)); // the prompt once
        QVERIFY(near(q.dollarsPer1000Questions.value(), 1000 * 24 / (3600 * 1.5)));
        QVERIFY(near(q.leastDollarsPer1000Questions.value(), 1000 * 24 / (3600 * 2.5)));
        QCOMPARE(q.verifierGpus, 0.0);
        QCOMPARE(q.verifierShare, 0.0);
        rig.service.states[0].ttftPercentiles = {};
        const TestTime means = rig.evaluated();
        QVERIFY(near(means.latencyP90, means.latency)); // not asked for
        rig.service.states[0].stable = false;
        QVERIFY(!rig.evaluated().dollarsPer1000Questions);
        QVERIFY(rig.evaluated().leastDollarsPer1000Questions);
        rig.service.scenario.hasPrice = false;
        QVERIFY(!rig.evaluated().leastDollarsPer1000Questions);
    }

    /// Samples that differ: the quantile of the longest of them, and that of the first token, by their
    /// squares.
    void differentSamples() {
        QuestionRig rig;
        rig.plan.lengths = {11, 0.5, 100};
        const TestTime q = rig.evaluated();
        const ServingTotals& t = rig.totals();
        const double longest = rig.plan.lengths.meanOfLongest(4);
        QVERIFY(longest > 11);
        QVERIFY(near(q.latency, t.ttft + (longest - 1) * t.tpot));
        const double later = (rig.plan.lengths.quantile(std::pow(0.9, 0.25)) - longest) * t.tpot;
        QVERIFY(later > 0 && t.ttftPercentiles.p90 > t.ttft);
        QVERIFY(near(q.latencyP90, q.latency + std::hypot(later, t.ttftPercentiles.p90 - t.ttft)));
        // The median sample is shorter than the mean, its first token is later by more: the squares are
        // apart.
        const double sooner = (rig.plan.lengths.quantile(std::pow(0.5, 0.25)) - longest) * t.tpot;
        const double first = t.ttftPercentiles.p50 - t.ttft;
        QVERIFY(sooner < 0 && first > -sooner);
        QVERIFY(near(q.latencyMedian, q.latency + std::sqrt(first * first - sooner * sooner)));
        const double latest = (rig.plan.lengths.quantile(std::pow(0.99, 0.25)) - longest) * t.tpot;
        QVERIFY(near(q.latencyP99, q.latency + std::hypot(latest, t.ttftPercentiles.p99 - t.ttft)));
        // Where the limit cuts all of them, they are equal.
        rig.plan.lengths = {200, 0.5, 100};
        const TestTime cut = rig.evaluated();
        QVERIFY(near(cut.latencyP90, cut.latency + t.ttftPercentiles.p90 - t.ttft));
    }

    /// Where the limit cuts most of them, the longest is as long as the limit in every quantile, and longer
    /// than its mean: how early the first token is must not make the median the latest of all.
    void samplesThatAreMostlyCut() {
        QuestionRig rig;
        rig.plan.lengths = {40, 1.5, 50};
        ServingState& t = rig.service.states[0];
        t.ttftPercentiles.p50 = t.ttft * 0.5;
        t.ttftPercentiles.p90 = t.ttft * 0.9;
        t.ttftPercentiles.p99 = t.ttft * 1.1;
        const TestTime q = rig.evaluated();
        const double longer =
            (rig.plan.lengths.longestQuantile(4, 0.99) - rig.plan.lengths.meanOfLongest(4)) *
            rig.totals().tpot;
        QVERIFY(longer > 0);
        QVERIFY(q.latencyMedian < q.latencyP90);
        QVERIFY(q.latencyP90 < q.latencyP99);
        const double late = rig.totals().ttftPercentiles.p99 - rig.totals().ttft;
        QVERIFY(late > 0);
        QVERIFY(near(q.latencyP99, q.latency + std::hypot(longer, late)));
    }

    /// A verifier is paid for the time that four scorings take at its largest rate.
    void scoredByAModel() {
        QuestionRig rig;
        const Scenario verifier = rig.score();
        rig.plan.selection = AnswerSelection::bestOfN;
        ServingTotals alone;
        evaluateServingAt(verifier, 1e-6, 0, alone, ServingDetail::means);
        const double rate = alone.maxRequestRate, seconds = 4 / rate;
        const TestTime q = rig.evaluated();
        QVERIFY(rate > 0);
        QCOMPARE(q.verifier, std::string("Verifier"));
        QVERIFY(near(q.selectionTime, alone.ttft));
        QVERIFY(near(q.latency, rig.totals().ttft + 10 * rig.totals().tpot + alone.ttft));
        QVERIFY(near(q.verifierGpus, 1.5 * seconds * 4));
        QVERIFY(near(q.verifierShare, seconds * 4 / (4 / 1.5 + seconds * 4)));
        QVERIFY(near(q.dollarsPer1000Questions.value(), 1000 * (24 / (3600 * 1.5) + seconds * 24 / 3600)));
        rig.plan.verifier->hasPrice = false;
        QVERIFY(!rig.evaluated().dollarsPer1000Questions);
        // Beams of 11 tokens are scored 4 times, all four after one another.
        rig.plan.verifier->hasPrice = true;
        rig.plan.selection = AnswerSelection::beamSearch;
        rig.plan.stepTokens = 2.75;
        QVERIFY(near(rig.evaluated().selectionTime, 4 * std::max(alone.ttft, 4 / rate)));
        QVERIFY(near(rig.evaluated().verifierGpus, 1.5 * 16 / rate * 4));
        // One that does not fit never answers.
        rig.plan.verifier->pools[0].inputs[Input::inputTokens] = 1e6;
        QCOMPARE(rig.evaluated().selectionTime, std::numeric_limits<double>::infinity());
    }

    /// Both pools work on a question.
    void poolsApart() {
        QuestionRig rig;
        rig.service.splitPools();
        for (const std::size_t pool : {std::size_t{0}, std::size_t{1}}) {
            rig.service.in(pool)[Input::networkBandwidth] = 1e9;
            rig.service.in(pool)[Input::servingTransferEfficiency] = 1;
        }
        rig.service.in(0)[Input::gpus] = 6;
        rig.score();
        const TestTime q = rig.evaluated();
        const double scoring = q.verifierGpus / 1.5;
        QVERIFY(scoring > 0);
        QVERIFY(near(q.verifierShare, scoring / (10 / 1.5 + scoring)));
    }

    /// One sample without a selection is a request.
    void oneSample() {
        QuestionRig rig;
        rig.plan.samples = 1;
        QVERIFY(!rig.evaluated().asked);
        QCOMPARE(rig.evaluated().kvPerQuestion, 256.0 * 111);
        QCOMPARE(rig.evaluated().selection, std::string("none"));
        rig.plan.selection = AnswerSelection::majority;
        QVERIFY(rig.evaluated().asked);
    }
};

QTEST_APPLESS_MAIN(TestQuestionEstimate)

} // namespace tst_question_estimate

#include "tst_question_estimate.moc"
