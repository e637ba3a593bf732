// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// What must hold for any constants: serving estimates of shipped models on shipped machines.
#include "data/catalog/catalog_reader.h"
#include "model/engine/engine.h"
#include "model/estimate/evaluate_serving.h"

#include <QTest>

#include <cmath>

namespace tst_serving_sanity {

using namespace alidade;

namespace {

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

ScenarioSpec service(const char* model, const char* engine, const char* gpu, int tensor) {
    ScenarioSpec s;
    s.workload.kind = WorkloadKind::serving;
    s.workload.model = model;
    s.workload.inputTokens = 1000;
    s.workload.outputTokens = 500;
    s.workload.concurrency = 32;
    s.cluster.custom.gpu = gpu;
    s.cluster.custom.gpusPerNode = 8;
    s.cluster.gpus = tensor;
    s.plan.engine = engine;
    s.plan.tensorParallel = tensor;
    return s;
}

Scenario resolved(const ScenarioSpec& spec) {
    auto out = resolve(spec, catalog(), catalog().defaultProfile);
    if (!out || !out->runs())
        qFatal("%s", out ? out->problems.front().message.c_str() : out.error().c_str());
    return *out;
}

ServingTotals evaluated(const Scenario& s, const Inputs& inputs) {
    auto out = std::make_unique<ServingTotals>();
    evaluateServing<double>(s, std::span(&inputs, 1), *out);
    return *out;
}

} // namespace

class TestServingSanity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void moreBandwidthNeverMakesDecodeSlower_data() { models(); }
    void moreBandwidthNeverMakesDecodeSlower();
    void h200IsNeverSlowerThanH100_data() { models(); }
    void h200IsNeverSlowerThanH100();
    void enginesThatReserveHoldFewer();
    void everyTermIsFinite_data() { models(); }
    void everyTermIsFinite();
    void moreLoadNeverLowersALatency_data() { models(); }
    void moreLoadNeverLowersALatency();
    void theCurvePassesThroughTheEstimate();

private:
    static void models() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("tensor");
        for (const auto& [model, tensor] : std::initializer_list<std::pair<const char*, int>>{
                 {"llama-3.1-8b", 1}, {"llama-3.1-70b", 4}, {"gpt-oss-120b", 2}, {"qwen3-32b", 2}}) {
            QTest::addRow("%s", model) << model << tensor;
        }
    }
};

void TestServingSanity::moreBandwidthNeverMakesDecodeSlower() {
    QFETCH(QString, model);
    QFETCH(int, tensor);
    const Scenario s = resolved(service(qPrintable(model), "vllm", "h100-sxm", tensor));
    double before = INFINITY;
    for (const double more : {1.0, 1.2, 1.5, 2.0, 4.0}) {
        Inputs inputs = s.pools.front().inputs;
        inputs[Input::memoryBandwidth] *= more;
        const double step = evaluated(s, inputs).decoding().decode.seconds;
        QVERIFY2(step <= before * (1 + 1e-9), std::to_string(more).c_str());
        before = step;
    }
    QVERIFY(before < evaluated(s, s.pools.front().inputs).decoding().decode.seconds);
}

void TestServingSanity::h200IsNeverSlowerThanH100() {
    QFETCH(QString, model);
    QFETCH(int, tensor);
    for (const char* engine : {"vllm", "sglang", "tensorrt-llm"}) {
        for (const double users : {1.0, 16.0, 64.0, 256.0}) {
            const auto run = [&](const char* gpu) {
                ScenarioSpec spec = service(qPrintable(model), engine, gpu, tensor);
                spec.workload.concurrency = users;
                const Scenario s = resolved(spec);
                return evaluated(s, s.pools.front().inputs);
            };
            const ServingTotals old = run("h100-sxm"), recent = run("h200-sxm");
            QVERIFY2(recent.outputTokensPerSecond >= old.outputTokensPerSecond * (1 - 1e-6), engine);
            if (old.maxConcurrency > users) // else it has fewer at work at once
                QVERIFY2(recent.tpot <= old.tpot * (1 + 1e-6), engine);
        }
    }
}

/// An engine that reserves a request's whole length holds fewer than one that lets its cache grow.
void TestServingSanity::enginesThatReserveHoldFewer() {
    Scenario s = resolved(service("gpt-oss-120b", "tensorrt-llm", "h100-sxm", 2));
    QVERIFY(s.pools.front().plan.reservesRequests);
    const double reserved = evaluated(s, s.pools.front().inputs).maxConcurrency;
    s.pools.front().plan.reservesRequests = false;
    const double growing = evaluated(s, s.pools.front().inputs).maxConcurrency;
    QVERIFY(reserved < growing);
}

void TestServingSanity::everyTermIsFinite() {
    QFETCH(QString, model);
    QFETCH(int, tensor);
    for (const Framework& engine : catalog().engines) {
        const auto answer = estimate(service(qPrintable(model), engine.id.c_str(), "h200-sxm", tensor),
                                     catalog(), catalog().defaultProfile, {.fixes = false});
        QVERIFY2(answer && answer->serving, engine.id.c_str());
        const Serving& s = *answer->serving;
        double sum = 0;
        for (const auto& part : s.breakdown) {
            QVERIFY2(std::isfinite(part.seconds) && part.seconds >= 0, engine.id.c_str());
            sum += part.seconds;
        }
        QVERIFY2(std::abs(sum / s.stepTime - 1) < 1e-9, engine.id.c_str());
        for (const double each : {s.ttft, s.itl, s.tpot, s.e2e, s.prefillTime, s.prefillStepTime,
                                  s.outputTokensPerSecond, s.requestsPerSecond, s.maxConcurrency}) {
            QVERIFY2(std::isfinite(each) && each > 0, engine.id.c_str());
        }
    }
}

void TestServingSanity::moreLoadNeverLowersALatency() {
    QFETCH(QString, model);
    QFETCH(int, tensor);
    for (const bool open : {false, true}) {
        ScenarioSpec spec = service(qPrintable(model), "vllm", "h100-sxm", tensor);
        if (open) {
            spec.workload.concurrency.reset();
            spec.workload.requestRatePerS = 1;
        }
        const auto answer = estimate(spec, catalog(), catalog().defaultProfile, {.loadCurve = true});
        QVERIFY(answer && answer->serving && answer->serving->loadCurve.size() > 20);
        const LoadPoint* before = nullptr;
        for (const LoadPoint& point : answer->serving->loadCurve) {
            if (before) {
                QVERIFY(point.ttft >= before->ttft && point.itl >= before->itl);
                QVERIFY(point.ttftPercentile >= before->ttftPercentile);
                QVERIFY(point.itlPercentile >= before->itlPercentile);
            }
            before = &point;
        }
    }
}

/// Also where the closed form does not hold and the engine is played.
void TestServingSanity::theCurvePassesThroughTheEstimate() {
    ScenarioSpec spec = service("llama-3.1-70b", "vllm", "h100-sxm", 4);
    spec.workload.concurrency.reset();
    spec.workload.requestRatePerS = 1;
    spec.workload.outputTokensCv = 0.5;
    const auto curve =
        estimate(spec, catalog(), catalog().defaultProfile, {.loadCurve = true})->serving->loadCurve;
    bool simulated = false;
    for (std::size_t i = 3; i < curve.size(); i += 7) {
        spec.workload.requestRatePerS = curve[i].requestsPerSecond;
        const auto there = estimate(spec, catalog(), catalog().defaultProfile);
        simulated = simulated || there->serving->simulated;
        QVERIFY(std::abs(there->serving->ttft / curve[i].ttft - 1) < 0.05);
        QVERIFY(std::abs(there->serving->itl / curve[i].itl - 1) < 0.05);
    }
    QVERIFY(simulated);
}

QTEST_APPLESS_MAIN(TestServingSanity)

} // namespace tst_serving_sanity

#include "tst_serving_sanity.moc"
