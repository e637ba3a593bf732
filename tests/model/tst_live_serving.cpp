// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of serving engines from what a cluster measured: decode steps that are a straight line of the load,
// prefills that are one of the prompt.
#include "model/calibration/live_decode.h"
#include "model/calibration/live_kinds.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/found_constants.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tst_live_serving {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double bytesOfToken =
    2.0 * 32 * 8 * 128 * 2; ///< of the cache: keys and values of 8 heads and 32 layers
constexpr double bandwidth = 3.2e12;

bool near(double a, double b, double to = 1e-6) { return std::abs(a - b) <= to * std::abs(b); }

/// One engine over 20 instants, each a window. Its batch grows from 4 to 42; requests of 1,000 + 200 tokens.
struct Rig {
    Catalog catalog = fittedCatalog();
    ScenarioSpec spec = smallServing();
    Observation o;
    double efficiency = 0.8, fixed = 0.01; ///< of decode steps; the latter with the weights
    std::vector<double> batch, prompt;

    Rig() {
        makeExact(catalog.defaultProfile,
                  {"serving_memory_efficiency", "serving_attention_memory_efficiency"});
        o.server = "server";
        o.grid = {1000, 60, 20};
        o.hosts = {"host"};
        for (int i = 0; i < 20; ++i) {
            batch.push_back(4 + 2 * i);
            prompt.push_back(1000);
        }
    }
    void add(Signal signal, std::vector<double> values, Statistic statistic = Statistic::value) {
        SignalTable& table = o.tables.emplace_back();
        table.signal = signal;
        table.statistic = statistic;
        table.rows = {{"host", -1, "engine"}};
        table.values = std::move(values);
    }
    /// The tables of the load.
    void load() {
        std::vector<double> gap, tokens, rate;
        for (std::size_t i = 0; i < 20; ++i) {
            const double bytes = batch[i] * bytesOfToken * (prompt[i] + 100);
            gap.push_back(fixed + bytes / (bandwidth * efficiency));
            tokens.push_back(batch[i] / gap[i]);
            rate.push_back(tokens[i] / 200);
        }
        add(Signal::interTokenLatency, gap, Statistic::mean);
        add(Signal::generationTokensPerSecond, tokens);
        add(Signal::requestsPerSecond, rate);
        add(Signal::promptTokens, prompt, Statistic::mean);
        add(Signal::outputTokens, std::vector<double>(20, 200), Statistic::mean);
        add(Signal::prefillShare, std::vector<double>(20, 0));
    }
    std::vector<double>& values(Signal signal) {
        for (SignalTable& table : o.tables)
            if (table.signal == signal)
                return table.values;
        throw std::out_of_range("not measured");
    }
    Result<LiveCalibration> calibrate() const {
        return calibrateLive(spec, catalog, catalog.defaultProfile, o, {});
    }
    QString error() const {
        const auto out = calibrate();
        return out ? QString() : QString::fromStdString(out.error());
    }
};

Rig loaded() {
    Rig out;
    out.load();
    return out;
}
/// Of one load, so that a fit has few constants and takes little time.
Rig flat() {
    Rig out;
    out.batch.assign(20, 20);
    out.load();
    return out;
}

} // namespace

class TestLiveServing : public QObject {
    Q_OBJECT

private slots:
    void decodeSteps() {
        const LiveCalibration out = *loaded().calibrate();
        QVERIFY(out.evidence == CalibrationEvidence::serving);
        QCOMPARE(out.quantity, std::string("inter-token latency"));
        QCOMPARE(out.source, std::string("server"));
        QCOMPARE(out.samples, std::size_t{20});
        QCOMPARE(out.start, 1000.0);
        QCOMPARE(out.end, 1000 + 19 * 60.0);
        const CalibratedParameter* efficiency = figure(out, "decode_hbm_efficiency");
        QVERIFY(efficiency && near(efficiency->after, 0.8) && near(efficiency->low, 0.8, 1e-4));
        QVERIFY(efficiency->how.find("in 20 windows, batch 4 to 42; calibrates") != std::string::npos);
        // 8.03e9 parameters of two bytes, but those of the input embedding, at 0.8 of the bandwidth.
        const CalibratedParameter* fixed = figure(out, "decode_step_overhead");
        const double weights = (0.01 - fixed->after) * bandwidth * 0.8;
        QVERIFY2(weights > 14.8e9 && weights < 16.2e9, qPrintable(QString::number(weights)));
        QVERIFY(fixed->before > 0 && fixed->before < 0.01);
        QVERIFY(says(out, "Prefill time is not reported, so prefill efficiency is unchanged."));
        QVERIFY(!says(out, "assumed to be zero"));
        // The constant of the profile is found along with it.
        const CalibratedParameter* constant = figure(out, "serving_memory_efficiency");
        QVERIFY2(constant && std::abs(constant->after - 0.8) < 0.01,
                 qPrintable(QString::number(constant ? constant->after : 0)));
        QVERIFY(constant->changed);
    }

    /// Bands of figures are those of the lines through noisy steps and prefills.
    void bandsOfNoisyWindows() {
        Rig clean = loaded();
        const double weights =
            (0.01 - figure(*clean.calibrate(), "decode_step_overhead")->after) * bandwidth * 0.8;
        Rig rig;
        for (std::size_t i = 0; i < 20; ++i)
            rig.prompt[i] = 500 + 100 * static_cast<double>(i);
        rig.batch.assign(20, 30);
        rig.load();
        std::vector<double> bytes, prefills;
        for (std::size_t i = 0; i < 20; ++i) {
            const double noise = i % 2 == 0 ? 1.02 : i % 3 == 0 ? 0.97 : 0.99;
            rig.values(Signal::interTokenLatency)[i] *= noise;
            rig.values(Signal::generationTokensPerSecond)[i] /= noise;
            bytes.push_back(30 * bytesOfToken * (rig.prompt[i] + 100));
            prefills.push_back((0.02 + 3e-5 * rig.prompt[i]) * noise);
        }
        rig.add(Signal::prefillTime, prefills, Statistic::mean);
        const LiveCalibration out = *rig.calibrate();
        constexpr double tail = 1.2815515655446004;
        const DecodeFit fit = fitDecode(bytes, rig.values(Signal::interTokenLatency), weights, bandwidth);
        const CalibratedParameter* p = figure(out, "decode_hbm_efficiency");
        QVERIFY(fit.efficiencySd > 0.01 && fit.efficiency * std::exp(tail * fit.efficiencySd) < 1);
        QVERIFY(near(p->after, fit.efficiency));
        QVERIFY(near(p->low, fit.efficiency * std::exp(-tail * fit.efficiencySd)));
        QVERIFY(near(p->high, fit.efficiency * std::exp(tail * fit.efficiencySd)));
        p = figure(out, "decode_step_overhead");
        QVERIFY(near(p->after, fit.overhead, 1e-5));
        QVERIFY(near(p->low, fit.overhead - tail * fit.overheadSd, 1e-5));
        QVERIFY(near(p->high, fit.overhead + tail * fit.overheadSd, 1e-5));
        const RobustLine line = robustLine(rig.prompt, prefills);
        p = figure(out, "prefill_efficiency");
        QVERIFY(line.bSd / line.b > 0.005 && near(p->after, weights / (line.b * 1e15), 1e-4));
        QVERIFY(near(p->high / p->after, std::exp(1.28 * line.bSd / line.b)));
        QVERIFY(near(p->after / p->low, std::exp(1.28 * line.bSd / line.b)));
    }

    /// Eight groups of windows of one load count as the root of eight, each known to 0.4 %: of a constant
    /// that is a share f of the gap, 1 / sd^2 is the root of 8 times f^2 / 0.004^2, and 1 / 0.26^2 as known
    /// before.
    void certaintyOfAConstant() {
        Rig rig;
        rig.batch.assign(20, 20);
        makeExact(rig.catalog.defaultProfile, {});
        Parameter& fixed = constantIn(rig.catalog.defaultProfile, "serving_step_overhead");
        fixed.logSd = 0.24;
        rig.load();
        std::vector<double>& gap = rig.values(Signal::interTokenLatency);
        const auto planned = [&](double times) { // of gaps of 50 ms
            const double value = fixed.value;
            fixed.value *= times;
            gap.assign(20, 0.05);
            const double out = 0.05 * (1 - rig.calibrate()->before.mean);
            fixed.value = value;
            return out;
        };
        const double now = planned(1), f = std::log(planned(1.01) / now) / std::log(1.01);
        QVERIFY(now > 0.005 && now < 0.03 && f > 0.03);
        gap.assign(20, now);
        const LiveCalibration out = *rig.calibrate();
        QVERIFY(near(figure(out, "serving_step_overhead")->logSd,
                     1 / std::sqrt(std::sqrt(8) * f * f / (0.004 * 0.004) + 1 / (0.26 * 0.26)), 0.02));
    }

    void loadsThatAreTooMuch() {
        Rig rig = flat();
        rig.values(Signal::requestsPerSecond)[7] = 1e4;
        QVERIFY(says(*rig.calibrate(), "In 1 of 8 windows the modeled engine cannot sustain the measured "
                                       "load; they are excluded."));
        QVERIFY(!says(*flat().calibrate(), "cannot sustain"));
    }

    void sharesOfPrefill() {
        Rig rig = loaded();
        // A quarter of the time is prefill: the steps themselves are shorter.
        rig.values(Signal::prefillShare).assign(20, 0.25);
        QVERIFY(rig.error().startsWith(QLatin1String("decode steps read 107 % of the HBM bandwidth, which is "
                                                     "physically impossible")));
        rig.values(Signal::prefillShare).assign(20, 0.1);
        QVERIFY(near(figure(*rig.calibrate(), "decode_hbm_efficiency")->after, 0.8 / 0.9));
        rig.values(Signal::prefillShare).assign(20, 1);
        QCOMPARE(rig.error(),
                 QStringLiteral("requests spend 100 % of the engine's time in prefill, which is physically "
                                "impossible; prefills overlap, as with chunks of several prompts in one "
                                "step; select a time of lower load"));
        rig.o.tables.pop_back();
        QVERIFY(says(*rig.calibrate(),
                     "Prefill time is not reported and assumed to be zero, so decode steps appear "
                     "longer than they are."));
    }

    void whatIsOutsidePhysics() {
        Rig fast;
        fast.efficiency = 1.05;
        fast.load();
        QVERIFY(fast.error().startsWith(QLatin1String("decode steps read 105 % of the HBM bandwidth")));
        Rig negative; // slower with less to read
        negative.efficiency = -3;
        negative.fixed = 0.05;
        negative.load();
        QVERIFY(negative.error().startsWith(QLatin1String("decode steps read 0 %")));
        Rig light; // weights alone take 5.9 to 6.3 ms
        light.fixed = 0.005;
        light.load();
        QVERIFY2(light.error().startsWith(QLatin1String("the fixed cost of a decode step comes out as -")) &&
                     light.error().contains(
                         QLatin1String(" ms, which is physically impossible; likely the weights")),
                 qPrintable(light.error()));
    }

    void loadsThatHardlyVary() {
        Rig rig;
        for (std::size_t i = 0; i < 20; ++i)
            rig.batch[i] = 20 + 0.1 * static_cast<double>(i % 2);
        rig.load();
        const LiveCalibration out = *rig.calibrate();
        QVERIFY(says(
            out,
            "The load varied by only 0.249 %, so decode efficiency and the fixed cost of a step cannot be "
            "separated. Use hours with low and high load."));
        QVERIFY(!figure(out, "decode_hbm_efficiency"));
        for (std::size_t i = 0; i < 20; ++i)
            rig.batch[i] = 20 + 2.2 * static_cast<double>(i % 2); // 1.1 of 21.1
        rig.o.tables.clear();
        rig.load();
        QVERIFY(figure(*rig.calibrate(), "decode_hbm_efficiency"));
    }

    void modelsWithExpertsAndDrafts() {
        Rig rig = loaded();
        rig.spec.workload.model = "qwen3-30b-a3b";
        LiveCalibration out = *rig.calibrate();
        QVERIFY(says(out,
                     "The number of active experts grows with the batch, as the KV cache does, so expert and "
                     "attention bandwidth cannot be separated."));
        QVERIFY(!figure(out, "decode_hbm_efficiency"));
        rig.spec = smallServing();
        rig.spec.plan.speculative.draftTokens = 1;
        rig.spec.plan.speculative.acceptance = 0.5;
        out = *rig.calibrate();
        QVERIFY(says(
            out, "With speculative decoding, one gap covers several tokens, so decode efficiency cannot be "
                 "determined. Use a run without it."));
    }

    /// Little's batch next to the gauge: within 10 % is the same.
    void countsOfTheBatch() {
        Rig rig = flat();
        const auto note = [&](double factor) {
            std::vector<double> running;
            for (const double each : rig.batch)
                running.push_back(each * factor);
            rig.add(Signal::requestsRunning, running);
            const bool out =
                says(*rig.calibrate(), "Tokens per second times inter-token latency imply a batch of");
            rig.o.tables.pop_back();
            return out;
        };
        QVERIFY(!note(1) && !note(1 / 1.09) && !note(1 / 0.91));
        QVERIFY(note(1 / 1.12) && note(1 / 0.88));
        rig.add(Signal::requestsRunning, std::vector<double>(rig.batch.size(), none));
        rig.values(Signal::requestsRunning).assign(20, 0);
        QVERIFY(!says(*rig.calibrate(), "imply a batch"));
    }

    /// Prompts of 500 to 2,400 tokens that take 20 ms and 30 us each; half of them are hits.
    void prefills() {
        Rig rig;
        for (std::size_t i = 0; i < 20; ++i)
            rig.prompt[i] = 500 + 100 * static_cast<double>(i);
        rig.load();
        std::vector<double> seconds;
        for (const double each : rig.prompt)
            seconds.push_back(0.02 + 3e-5 * each);
        rig.add(Signal::prefillTime, seconds, Statistic::mean);
        LiveCalibration out = *rig.calibrate();
        const CalibratedParameter* p = figure(out, "prefill_efficiency");
        // A FLOP for each byte of the weights that a step reads: two of each parameter.
        const double weights = (0.01 - figure(out, "decode_step_overhead")->after) * bandwidth * 0.8;
        QVERIFY(p && near(p->after, weights / (3e-5 * 1e15), 1e-4) && !p->interval);
        QVERIFY(p->how == "prefill time against computed tokens; fixed cost 20 ms");
        QVERIFY(p->before > 0.1 && p->before < 1);
        rig.add(Signal::prefixHitShare, std::vector<double>(20, 0.5));
        QVERIFY(near(figure(*rig.calibrate(), "prefill_efficiency")->after, weights / (6e-5 * 1e15), 1e-4));
        // Of one length there is a bound alone.
        Rig equal = flat();
        equal.add(Signal::prefillTime, std::vector<double>(20, 0.05), Statistic::mean);
        out = *equal.calibrate();
        p = figure(out, "prefill_efficiency");
        QVERIFY(p && p->interval && near(p->low, weights * 1000 / (0.05 * 1e15), 1e-4) && p->high == 1);
        equal.values(Signal::prefillTime).assign(20, 0.01);
        QVERIFY(equal.error().startsWith(QLatin1String("prefill computes at 1")) &&
                equal.error().contains(QLatin1String(" % of the peak, which is physically impossible")));
        equal.values(Signal::prefillTime).assign(20, none);
        equal.values(Signal::prefillTime)[3] = equal.values(Signal::prefillTime)[4] = 0.05;
        QVERIFY(
            says(*equal.calibrate(), "Prefill time is not reported, so prefill efficiency is unchanged."));
        equal.values(Signal::prefillTime)[5] = 0.05;
        QVERIFY(figure(*equal.calibrate(), "prefill_efficiency"));
    }

    void cacheOfAnEngine() {
        Rig rig = flat();
        rig.add(Signal::kvCacheBlocks, std::vector<double>(20, 400'000));
        rig.values(Signal::kvCacheBlocks)[3] = 1;
        const LiveCalibration out = *rig.calibrate();
        const CalibratedParameter* p = figure(out, "kv_cache_tokens");
        QCOMPARE(p->after, 400'000.0);
        QCOMPARE(p->low, 400'000.0);
        QCOMPARE(p->high, 400'000.0);
        // 90 % of 80 GB (or what is visible of it) less 16 GB of weights and some more, over 131,072 bytes.
        QVERIFY2(p->before > 380'000 && p->before < 430'000, qPrintable(QString::number(p->before)));
        rig.values(Signal::kvCacheBlocks).assign(20, none);
        QVERIFY(!figure(*rig.calibrate(), "kv_cache_tokens"));
    }

    void whatIsMissing() {
        Rig rig = loaded();
        rig.values(Signal::interTokenLatency)[0] = none;
        for (std::size_t i = 10; i < 20; ++i)
            rig.values(Signal::interTokenLatency)[i] = none;
        QCOMPARE(rig.error(),
                 QStringLiteral("only 9 windows of 60 s have decode metrics; at least 10 are required; "
                                "select a longer time range"));
        rig.values(Signal::interTokenLatency)[0] = 0.011;
        QVERIFY(!rig.error().startsWith(QLatin1String("only")));
        rig.o.tables.clear();
        rig.add(Signal::requestsPerSecond, std::vector<double>(20, 1));
        QVERIFY(rig.error().startsWith(QLatin1String("no engine reports inter-token latency")));
        // Without a line of decode steps nothing is left where no load is known, or more than the model
        // carries.
        Rig idle;
        idle.batch.assign(20, 20);
        idle.load();
        idle.values(Signal::requestsPerSecond).assign(20, 0);
        const QString nothing =
            QStringLiteral("the engines report neither request rates nor prompt and output "
                           "lengths, or more load than the modeled engine can sustain; use the "
                           "scenario that the engines run");
        QCOMPARE(idle.error(), nothing);
        idle.values(Signal::requestsPerSecond).assign(20, 1e4);
        QCOMPARE(idle.error(), nothing);
    }

    /// Hosts on which engines run, whatever else the job has.
    void faultsOfOtherHosts() {
        Rig rig = flat();
        Finding fault;
        fault.kind = FaultKind::thermal;
        fault.where.host = "other";
        fault.start = 1000;
        const auto with = [&](const char* host) {
            fault.where.host = host;
            return static_cast<bool>(
                calibrateLive(rig.spec, rig.catalog, rig.catalog.defaultProfile, rig.o, {fault}));
        };
        QVERIFY(with("other") && !with("host"));
        for (SignalTable& table : rig.o.tables)
            table.rows = {{"", -1, "node:8000"}}; // by the address of the engine
        QVERIFY(with("host") && !with("node"));
    }

    void firstTokens() {
        Rig rig = flat();
        rig.add(Signal::timeToFirstToken, std::vector<double>(20, 0.15), Statistic::mean);
        const LiveCalibration out = *rig.calibrate();
        QVERIFY(figure(out, "serving_request_overhead") || figure(out, "serving_waited_steps"));
        QVERIFY(!figure(*flat().calibrate(), "serving_request_overhead"));
    }
};

QTEST_APPLESS_MAIN(TestLiveServing)

} // namespace tst_live_serving

#include "tst_live_serving.moc"
