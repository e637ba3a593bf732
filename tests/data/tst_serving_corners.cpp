// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas
// Services at the edge of what is usual: too much load, hardly any, one phase alone, answers of one token,
// machines of one GPU.
#include "model/estimate/group_traffic.h"
#include "model/estimate/load_curve.h"
#include "tests/data/serving_fixture.h"

#include <limits>

namespace tst_serving_corners {

using namespace alidade;
using namespace alidade::test;

namespace {

/// Prefill is nearly all of the work: four replicas of an H100 machine each.
ScenarioSpec longPrompts() {
    ScenarioSpec s = chat();
    s.workload.requestRatePerS.reset();
    s.workload.inputTokens = 30000;
    s.workload.outputTokens = 10;
    s.workload.outputTokensCv = 0;
    s.workload.inputTokensCv = 0;
    s.cluster.instance = "p5.48xlarge";
    s.cluster.instances = 4;
    s.plan.tensorParallel = 8;
    return s;
}

/// Some prompts are very long: most tokens are in them, and cost more than those of a mean prompt.
ScenarioSpec heavyTail(double rate) {
    ScenarioSpec s = longPrompts();
    s.workload.inputTokens = 4000;
    s.workload.inputTokensCv = 3;
    s.workload.outputTokens = 100;
    s.workload.requestRatePerS = rate;
    s.cluster.instances = 1;
    return s;
}

/// A cache for 400 short requests. Those that grow in a full one are preempted and computed again, which the
/// largest rate in closed form does not count.
ScenarioSpec crowdedCache(double rate) {
    ScenarioSpec s = chat();
    s.workload.inputTokens = 200;
    s.workload.outputTokens = 100;
    s.workload.inputTokensCv = s.workload.outputTokensCv = 0;
    s.workload.requestRatePerS = rate;
    s.cluster.instance = "p5.48xlarge";
    s.plan.tensorParallel = 2;
    s.plan.weights.reset();
    return s;
}

/// The decode side of a small model, alone, with arrivals that are nearly regular.
ScenarioSpec metronome(double rate, double cv) {
    ScenarioSpec s = chat();
    s.workload.model = "llama-3.1-8b";
    s.workload.phase = "decode";
    s.workload.outputTokens = 100;
    s.workload.outputTokensCv = 0;
    s.workload.requestRatePerS = rate;
    s.workload.arrivalCv = cv;
    return s;
}

} // namespace

class TestServingCorners : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(shippedCatalog()); }

    void overloadHasNoLatencyAndNoPricePerToken() {
        ScenarioSpec s = chat();
        s.workload.requestRatePerS = 500;
        const Estimate e = run(s);
        QVERIFY(e.serving);
        for (const double each :
             {e.serving->ttft, e.serving->itl, e.serving->tpot, e.serving->e2e, e.serving->queueTime,
              e.serving->prefillTime, e.serving->tokensPerSecondPerUser, e.serving->itlPercentiles.p50}) {
            QVERIFY(!std::isfinite(each));
        }
        QVERIFY(e.cost && !e.cost->dollarsPerMillionOutputTokens);
        // The engine itself is full: its step is that of as many users as it holds, played with a sample of
        // 5,000 lengths, whose mean batch is known to some percent.
        ScenarioSpec full = s;
        full.workload.requestRatePerS.reset();
        full.workload.concurrency = e.serving->maxConcurrency;
        const Estimate held = run(full);
        QVERIFY(held.serving && held.serving->batch > 10);
        QVERIFY2(std::abs(e.serving->batch / held.serving->batch - 1) < 0.05,
                 qPrintable(QString::number(e.serving->batch) + u" " + QString::number(held.serving->batch)));
        QVERIFY(std::abs(e.serving->stepTime / held.serving->stepTime - 1) < 0.05);
        QVERIFY(has(e, "/workload/request_rate_per_s", "Overloaded"));
    }

    /// Played or in closed form, no time of an overload is finite.
    void playedOverloadHasNoLatency() {
        // Just below the limit of the closed form, and far beyond it.
        const double most = run(crowdedCache(1)).serving->maxRequestRate;
        for (const double share : {0.98, 10.0}) {
            const Serving s = *run(crowdedCache(share * most)).serving;
            QCOMPARE(s.simulated, share < 1);
            for (const double each :
                 {s.ttft, s.itl, s.tpot, s.e2e, s.queueTime, s.prefillTime, s.ttftPercentiles.p50}) {
                QVERIFY(!std::isfinite(each));
            }
            QVERIFY(s.prefillShare > 0 && s.prefillShare <= 1 && s.utilization > 0);
        }
    }

    /// A side alone that has too much to do is busy all the time, with as many requests as it works on at
    /// once.
    void overloadOfOnePhase() {
        ScenarioSpec s = heavyTail(1000);
        s.workload.phase = "prefill";
        const Serving prefill = *run(s).serving;
        QVERIFY(!std::isfinite(prefill.ttft));
        QCOMPARE(prefill.prefillShare, 1.0);
        QVERIFY(prefill.batch > 0 && prefill.batch < 0.5 * prefill.maxConcurrency);
        s.workload.phase = "decode";
        const Serving decode = *run(s).serving;
        QVERIFY(!std::isfinite(decode.e2e));
        QCOMPARE(decode.prefillShare, 0.0);
        QVERIFY(decode.batch > 0.5 * decode.maxConcurrency && decode.stepTime > 0);
    }

    /// A side of a deployment that is planned alone has no figure of the other.
    void onePhaseAlone() {
        ScenarioSpec s = chat();
        s.workload.ttftSloS = 1e-6; // which cannot be met
        s.workload.itlSloS = 1e-6;
        for (const char* phase : {"prefill", "decode"}) {
            s.workload.phase = phase;
            const bool prefill = s.workload.phase == "prefill";
            const Estimate e = run(s);
            QVERIFY(e.serving);
            QCOMPARE(e.serving->ttftTarget.has_value(), prefill);
            QCOMPARE(e.serving->itlTarget.has_value(), !prefill);
            QCOMPARE(e.serving->answers, !prefill);
            QCOMPARE(e.serving->breakdown.empty(), prefill);
            QCOMPARE(*e.serving->meetsTargets, false);
            const double tokens = prefill ? 1 : *s.workload.outputTokens; // the first one
            QVERIFY(close(e.serving->outputTokensPerSecond, tokens * e.serving->requestsPerSecond));
            ScenarioSpec other = s; // the target of the other side is none
            (prefill ? other.workload.ttftSloS : other.workload.itlSloS) = 1e3;
            QCOMPARE(run(other).serving->meetsTargets, std::optional(true));
        }
    }

    /// Scoring: an answer of one token has no gaps.
    void answersOfOneToken() {
        ScenarioSpec s = chat();
        s.workload.outputTokens = 1;
        s.workload.outputTokensCv = 0;
        s.workload.itlSloS = 1e-6;
        const Estimate e = run(s);
        QVERIFY(e.serving && !e.serving->answers && e.serving->breakdown.empty());
        QVERIFY(!e.serving->meetsTargets && !has(e, "/workload/itl_slo_s", ""));
        QVERIFY(e.headline && e.headline->value > 0);
        QVERIFY(close(e.serving->e2e, e.serving->ttft));
        s.workload.phase = "decode";
        QVERIFY(has(run(s), "/workload/output_tokens", "2 or more"));
    }

    /// What does not decode is a prefill side in all figures: batch, step, traffic of its groups, experts.
    void answersOfOneTokenDoNotDecode() {
        for (const char* model : {"llama-3.1-70b", "qwen3-30b-a3b"}) {
            ScenarioSpec s = chat();
            s.workload.model = model;
            s.workload.outputTokens = 1;
            s.workload.outputTokensCv = 0;
            const Estimate whole = run(s);
            s.workload.phase = "prefill";
            const Estimate side = run(s);
            QVERIFY(whole.serving && side.serving && side.serving->batch > 0);
            // The cache of an answer's token is all that they differ in.
            QVERIFY(close(whole.serving->batch, side.serving->batch, 1e-3));
            QCOMPARE(whole.serving->pools[0].stepTime, whole.serving->prefillStepTime);
            QCOMPARE(whole.serving->pools[0].stepTime, side.serving->pools[0].stepTime);
            QVERIFY(!whole.serving->expertLoad && !side.serving->expertLoad);
            const auto traffic = [](const Estimate& e) {
                const auto scenario =
                    resolve(e.scenario, *shippedCatalog(), shippedCatalog()->defaultProfile);
                return groupTraffic(e, *scenario, 0);
            };
            const auto mine = traffic(whole), others = traffic(side);
            QVERIFY(!mine.empty());
            QCOMPARE(mine.size(), others.size());
            for (std::size_t i = 0; i < mine.size(); ++i) {
                QVERIFY(mine[i].seconds > 0);
                QCOMPARE(mine[i].seconds, others[i].seconds);
            }
        }
    }

    /// Machines of one GPU without NVLink: a group across them has nothing inside a machine.
    void groupsOfSingleGpus() {
        for (const bool experts : {false, true}) {
            for (const double prompt : {100.0, 4000.0, 16000.0}) {
                ScenarioSpec s = chat();
                s.workload.model = experts ? "qwen3-30b-a3b" : "llama-3.1-8b";
                s.workload.inputTokens = prompt;
                s.workload.requestRatePerS = 0.001;
                s.cluster.instance = "g6e.8xlarge";
                s.cluster.instances = 2;
                s.plan.tensorParallel = experts ? 1 : 2;
                if (experts)
                    s.plan.attentionDataParallel = 2;
                const Estimate e = run(s);
                QVERIFY(e.serving && e.serving->prefillTime > 0 && std::isfinite(e.serving->ttft));
                int count = 0;
                for (const Layer& layer : e.serving->prefillLayers) {
                    for (const auto& each : layer.communication) {
                        QVERIFY(each.seconds > 0 && std::isfinite(each.seconds));
                        ++count;
                    }
                }
                QVERIFY(count > 0);
            }
        }
    }

    /// A chunk a million times as long as the prompt is one step of it.
    void chunksMuchLongerThanPrompts() {
        ScenarioSpec s = chat();
        s.workload.model = "llama-3.2-1b"; // whose activations of so many tokens fit
        s.workload.inputTokens = 1;
        for (const double users : {0.0, 50.0}) {
            if (users > 0) {
                s.workload.requestRatePerS.reset();
                s.workload.concurrency = users;
            }
            for (const bool mixed : {false, true}) {
                s.plan.mixedPrefill = mixed;
                s.plan.chunkTokens = 8192;
                const Estimate usual = run(s);
                s.plan.chunkTokens = 2'000'000;
                const Estimate e = run(s);
                QVERIFY(e.serving && usual.serving);
                // A step is read from a table over the chunk, here to 2 %; what shares it, through a coarser
                // lattice.
                QVERIFY2(close(e.serving->prefillTime, usual.serving->prefillTime, 0.02) &&
                             close(e.serving->ttft, usual.serving->ttft, 0.1),
                         qPrintable(QStringLiteral("%1 %2").arg(e.serving->ttft).arg(usual.serving->ttft)));
            }
        }
    }

    /// Fewer users than replicas keep some of them idle, played or not; more give some of them more to do.
    void fewUsersOnManyReplicas() {
        ScenarioSpec s = chat();
        s.workload.requestRatePerS.reset();
        s.workload.inputTokensCv = 0.5;
        s.plan.tensorParallel = 2;
        for (const double answers : {0.0, 0.5}) {
            s.workload.outputTokensCv = answers;
            const auto throughput = [&](double users) {
                s.workload.concurrency = users;
                return run(s).serving->requestsPerSecond;
            };
            const double eight = throughput(8), twelve = throughput(12);
            s.workload.concurrency = 4;
            const Estimate alone = run(s); // a user for each replica
            for (const double users : {1.0, 3.0, 11.0}) {
                s.workload.concurrency = users;
                const Estimate e = run(s);
                QVERIFY(e.serving);
                QCOMPARE(e.serving->simulated, answers == 0); // equal answers are played
                QVERIFY(e.serving->queueTime < 0.01 * e.serving->ttft);
                if (users > 4) {
                    QVERIFY(eight < e.serving->requestsPerSecond && e.serving->requestsPerSecond < twelve);
                } else { // of the same engine, which is there or not
                    QVERIFY(close(e.serving->itl, alone.serving->itl, 1e-6));
                    QVERIFY(close(e.serving->ttft, alone.serving->ttft, 1e-6));
                    QVERIFY(close(e.serving->requestsPerSecond, alone.serving->requestsPerSecond * users / 4,
                                  1e-6));
                }
            }
        }
    }

    /// A lone user with a long prompt and hardly an answer: its own prefill does not stand in its way, and it
    /// is played like those of which each replica has one.
    void oneUserOfLongPromptsAmongManyReplicas() {
        ScenarioSpec s = longPrompts();
        s.workload.model = "deepseek-v2-lite";
        s.workload.outputTokens = 2;
        s.workload.outputTokensCv = 0.5;
        s.cluster.instance.reset();
        s.cluster.ultraserver = "u-p6e-gb200x72";
        s.plan.engine = "tensorrt-llm-0.17";
        s.plan.weights.reset();
        s.plan.expertParallel = 4;
        s.workload.concurrency = 9;
        const Estimate each = run(s);
        for (const double users : {1.0, 2.0}) {
            s.workload.concurrency = users;
            const Estimate e = run(s);
            QVERIFY(e.serving && each.serving);
            QVERIFY(e.serving->itl < 2 * e.serving->stepTime);
            QVERIFY(close(e.serving->itl, each.serving->itl, 1e-6));
            QVERIFY(close(e.serving->ttft, each.serving->ttft, 1e-6));
            QVERIFY(close(e.serving->concurrency, users, 1e-6));
        }
    }

    /// Users that do not divide among the replicas: some have one more, and no engine does more than it can.
    void usersBetweenReplicas() {
        ScenarioSpec s = longPrompts();
        const auto with = [&](double users) {
            s.workload.concurrency = users;
            return run(s);
        };
        const Estimate one = with(4), two = with(8);
        const double most = std::max(one.serving->requestsPerSecond, two.serving->requestsPerSecond);
        const double least = std::min(one.serving->requestsPerSecond, two.serving->requestsPerSecond);
        for (const double users : {5.0, 5.9, 6.0, 6.1, 7.0}) {
            const Estimate e = with(users);
            QVERIFY(e.serving->simulated && e.serving->prefillShare <= 1);
            QVERIFY2(
                e.serving->requestsPerSecond >= least && e.serving->requestsPerSecond <= most,
                qPrintable(QString::number(users) + u": " + QString::number(e.serving->requestsPerSecond)));
            QVERIFY(e.serving->ttft > one.serving->ttft && e.serving->ttft < two.serving->ttft);
            QVERIFY(e.cost->dollarsPerMillionOutputTokens > two.cost->dollarsPerMillionOutputTokens);
            QVERIFY(e.cost->dollarsPerMillionOutputTokens < one.cost->dollarsPerMillionOutputTokens);
        }
        const Estimate curve = run(s, {.loadCurve = true});
        QVERIFY(curve.serving->loadCurve.size() > 20);
        for (const LoadPoint& point : curve.serving->loadCurve)
            QVERIFY(point.dollarsPerMillionOutputTokens > 0);
    }

    /// Users in step end in waves, whose number in a sample is not whole: more users have more throughput
    /// still.
    void wavesAreNotCountedInPart() {
        ScenarioSpec s = chat();
        s.workload.model = "llama-3.1-8b";
        s.workload.inputTokens = s.workload.outputTokens = 1;
        s.workload.requestRatePerS.reset();
        s.plan.tensorParallel = 1;
        double before = 0;
        for (const double users : {4000.0, 5600.0, 6400.0, 7000.0, 8000.0}) { // on eight engines
            s.workload.concurrency = users;
            const Serving each = *run(s).serving;
            QVERIFY(each.simulated);
            QVERIFY2(each.requestsPerSecond > before, qPrintable(QString::number(users)));
            before = each.requestsPerSecond;
        }
    }

    /// A quantile of nothing but infinite times is infinite, between known ones too.
    void quantilesOfOverload() {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const Percentiles none{infinity, infinity, infinity, infinity}, some{1, 2, infinity, infinity};
        for (const double at : {50.0, 70.0, 90.0, 92.0, 95.0, 98.0, 99.9}) {
            QVERIFY(std::isinf(quantileOf(none, at)));
            QCOMPARE(std::isinf(quantileOf(some, at)), at > 90);
        }
    }

    /// A load that turns out to be too much when it is played is not a point of the curve.
    void theCurveEndsWherePlayingOverloads() {
        for (const double target : {2.0, 200.0}) {
            ScenarioSpec s = crowdedCache(40);
            s.workload.ttftSloS = target;
            s.workload.itlSloS = 1;
            const Serving serving = *run(s, {.loadCurve = true}).serving;
            QVERIFY(serving.loadCurve.size() > 10);
            // A tenth more is too much when it is played, although the closed form would still carry it.
            const double more = 1.1 * serving.loadCurve.back().requestsPerSecond;
            QVERIFY(more < serving.maxRequestRate);
            for (const LoadPoint& point : serving.loadCurve) {
                QVERIFY(std::isfinite(point.ttft) && std::isfinite(point.ttftPercentile));
                QVERIFY(point.dollarsPerMillionOutputTokens > 0);
            }
            const Serving beyond = *run(crowdedCache(more)).serving;
            QVERIFY(beyond.simulated && !std::isfinite(beyond.ttft));
        }
    }

    /// One long tail has one limit: it falls smoothly as the tail grows and hardly moves with the size of a
    /// step, also where the places of the batch are twice as many as those that keep it full.
    void tailsHaveOneLimit() {
        const auto limit = [](double cv, double chunk) {
            ScenarioSpec s = heavyTail(1);
            s.workload.inputTokensCv = cv;
            s.plan.chunkTokens = chunk;
            return run(s, {.simulate = false}).serving->maxRequestRate;
        };
        double before = limit(0, 8192);
        for (double cv = 0.25; cv <= 4; cv += 0.25) {
            const double now = limit(cv, 8192);
            QVERIFY2(now < 1.0001 * before && now > 0.95 * before, qPrintable(QString::number(cv)));
            before = now;
        }
        before = limit(3, 7500);
        for (double chunk = 7550; chunk <= 9000; chunk += 50) {
            const double now = limit(3, chunk);
            QVERIFY2(std::abs(now / before - 1) < 0.002, qPrintable(QString::number(chunk)));
            before = now;
        }
    }

    /// The largest rate within the targets does not hang on the rate that was asked about.
    void theLimitIsThatOfWhatIsShown() {
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (const double rate : {0.5, 1.6, 2.0, 2.5, 3.0, 20.0}) {
            ScenarioSpec s = heavyTail(rate);
            s.workload.ttftSloS = 2;
            s.workload.itlSloS = 0.1;
            const Serving serving = *run(s).serving;
            const double limit = *serving.requestRateWithinTargets;
            QVERIFY2(*serving.meetsTargets ? limit >= rate : limit < rate, qPrintable(QString::number(rate)));
            least = std::min(least, limit);
            most = std::max(most, limit);
        }
        QVERIFY(close(least, most, 0.02)); // the search ends at a hundredth, from either side
        ScenarioSpec at = heavyTail(0.97 * least), above = heavyTail(1.03 * most);
        at.workload.ttftSloS = above.workload.ttftSloS = 2;
        at.workload.itlSloS = above.workload.itlSloS = 0.1;
        QVERIFY(*run(at).serving->meetsTargets && !*run(above).serving->meetsTargets);
    }

    /// Nearly regular arrivals: the number in the batch hardly varies, but it is not always none. In closed
    /// form as played.
    void regularArrivals() {
        for (const double cv : {0.0, 0.05, 0.2}) {
            for (const double rate : {0.01, 1.0, 10.0, 30.0, 100.0}) {
                ScenarioSpec s = metronome(rate, cv);
                s.workload.itlSloS = 1e-6; // which cannot be met
                const Estimate e = run(s, {.simulate = false});
                const Serving played = *run(s).serving;
                QVERIFY(played.simulated);
                const QString text = QStringLiteral("%1/s, cv %2: ITL %3 s, played %4 s, %5 sequences")
                                         .arg(rate)
                                         .arg(cv)
                                         .arg(e.serving->itl)
                                         .arg(played.itl)
                                         .arg(played.batch);
                // 1.5 sequences are in no whole batch, which costs 1.3 % of the mean; bins are 1/64 wide.
                QVERIFY2(close(e.serving->itl, played.itl, 0.015), qPrintable(text));
                QVERIFY2(close(e.serving->itlPercentiles.p50, played.itlPercentiles.p50, 0.016),
                         qPrintable(text));
                QVERIFY(e.serving->itlPercentiles.p99 >= e.serving->itlPercentiles.p50);
                QCOMPARE(*e.serving->meetsTargets, false);
                QVERIFY(has(e, "/workload/itl_slo_s", ""));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestServingCorners)

} // namespace tst_serving_corners

#include "tst_serving_corners.moc"
