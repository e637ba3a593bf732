// SPDX-License-Identifier: GPL-3.0-or-later
// Services at the edge of what is usual: too much load, hardly any, one phase alone, answers of one token,
// machines of one GPU.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "model/estimate/engine.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace alidade;

namespace {

ScenarioSpec chat() {
    ScenarioSpec s;
    s.workload.kind = "serving";
    s.workload.model = "llama-3.1-70b";
    s.workload.inputTokens = 2000;
    s.workload.outputTokens = 300;
    s.workload.requestRatePerS = 4;
    s.cluster.instance = "p5en.48xlarge";
    s.plan.engine = "vllm";
    s.plan.tensorParallel = 4;
    s.plan.weights = "fp8";
    return s;
}

} // namespace

class TestServingCorners : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

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
        // The engine itself is full: its step is that of as many users as it holds.
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

    /// A side of a deployment that is planned alone has no figure of the other.
    void onePhaseAlone() {
        ScenarioSpec s = chat();
        s.workload.ttftSloS = 1e-6; // which nobody meets
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
                if (experts) {
                    s.plan.attentionDataParallel = 2;
                }
                const Estimate e = run(s);
                QVERIFY(e.serving && e.serving->prefillTime > 0 && std::isfinite(e.serving->ttft));
                for (const Layer& layer : e.serving->prefillLayers) {
                    for (const auto& each : layer.communication) {
                        QVERIFY(each.seconds > 0 && std::isfinite(each.seconds));
                    }
                }
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
                QVERIFY2(close(e.serving->prefillTime, usual.serving->prefillTime, 0.02) &&
                             close(e.serving->ttft, usual.serving->ttft, 0.1),
                         qPrintable(QStringLiteral("%1 %2").arg(e.serving->ttft).arg(usual.serving->ttft)));
            }
        }
    }

    /// Fewer users than replicas keep some of them idle, played or not.
    void fewUsersOnManyReplicas() {
        ScenarioSpec s = chat();
        s.workload.requestRatePerS.reset();
        s.workload.inputTokensCv = 0.5;
        s.plan.tensorParallel = 2;
        for (const double answers : {0.0, 0.5}) {
            s.workload.outputTokensCv = answers;
            s.workload.concurrency = 4;
            const Estimate alone = run(s); // a user for each replica
            for (const double users : {1.0, 3.0, 11.0}) {
                s.workload.concurrency = users;
                const Estimate e = run(s);
                QVERIFY(e.serving);
                QCOMPARE(e.serving->simulated, answers == 0); // equal answers are played
                QVERIFY2(close(e.serving->concurrency, users, 0.02),
                         qPrintable(QString::number(e.serving->concurrency)));
                QVERIFY(e.serving->queueTime < 0.01 * e.serving->ttft);
                if (users < 4) {
                    QVERIFY(close(e.serving->itl, alone.serving->itl, 1e-6));
                    QVERIFY(close(e.serving->ttft, alone.serving->ttft, 1e-6));
                    QVERIFY(close(e.serving->requestsPerSecond, alone.serving->requestsPerSecond * users / 4,
                                  1e-6));
                }
            }
        }
    }

private:
    static bool close(double a, double b, double relative = 1e-9) {
        return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
    }
    static bool has(const Estimate& e, const std::string& place, const std::string& words) {
        return std::ranges::any_of(e.problems, [&](const Problem& p) {
            return p.place.starts_with(place) && p.message.find(words) != std::string::npos;
        });
    }
    Estimate run(const ScenarioSpec& spec) const {
        const auto e = estimate(spec, *catalog_, catalog_->defaultProfile, {.fixes = false});
        if (!e) {
            qFatal("%s", e.error().c_str());
        }
        return *e;
    }
    std::shared_ptr<const Catalog> catalog_;
};

QTEST_GUILESS_MAIN(TestServingCorners)
#include "tst_serving_corners.moc"
