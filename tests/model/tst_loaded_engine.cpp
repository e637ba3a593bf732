// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/serving/loaded_engine.h"
#include "model/serving/waiting_prompts.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace tst_loaded_engine {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Prompts of 400 tokens, answers of 2101; a step takes 5 s where it decodes, and 0.01 s of a token of
/// prefill. A sequence of mean length has 100 bytes, a token 0.2: a prompt is 0.8 such sequences, a whole
/// request five.
struct Engine {
    RequestLoad load{.inputTokens = 400, .outputTokens = 2100};
    EngineLimits limits{.maxSequences = 64, .chunkTokens = 2000, .memory = {.bytesPerToken = 0.2}};
    LoadMeans means{.prompt = 400,
                    .decodeSteps = 2100,
                    .decodeContext = 1000,
                    .sequenceBytes = 100,
                    .memoryBatch = 10,
                    .maxBatch = 9.5};
    std::function<double(const StepWork&)> step = [](const StepWork& w) {
        return (w.decodeSequences > 0 ? 5 : 0) + 0.01 * w.prefillTokens;
    };
    StepTable table{means, limits, step, 16};
    LoadedEngine loaded() const {
        LoadedEngine out{load, limits, means, table};
        out.parts = PromptParts(out.prompts());
        return out;
    }
};

/// Mean of f over a standard normal variable.
template <class F>
double overNormal(const F& f) {
    constexpr int n = 20'000;
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += f(normalQuantile((i + 0.5) / n)) / n;
    return sum;
}

double total(const Additions& additions) {
    double sum = 0;
    for (const Additions::Sample& sample : additions)
        sum += sample.probability;
    return sum;
}
double mean(const Additions& additions) {
    double sum = 0;
    for (const Additions::Sample& sample : additions)
        sum += sample.probability * sample.seconds;
    return sum;
}
/// Probability of so many seconds.
double of(const Additions& additions, double seconds) {
    double sum = 0;
    for (const Additions::Sample& sample : additions)
        sum += near(sample.seconds, seconds, 1e-6) ? sample.probability : 0;
    return sum;
}

/// One very long sequence: it has `from` mean ones at its start and `to` at its end, 1000 s for each of
/// them; `room` is left for it of `memory`. \param cycle s until a request comes back
double giant(double from, double to, double room, double memory, double others, double cycle) {
    if (to <= room)
        return 0;
    const double drained = std::clamp(from - room, 0.0, others), end = std::min(to, memory);
    const double begin = std::min(std::max(from, room), end), seconds = 1000 * (end - begin);
    double waits = 1000 * (std::pow(end - room, 2) - std::pow(begin - room, 2)) / 2;
    if (drained <= 0) { // those who wait are back, each after an exponential time
        const double away = cycle / seconds;
        waits *= 1 - away * (1 - std::exp(-1 / away));
    }
    return cycle * drained / (others + 1) * (1 + drained / 2) + waits;
}

} // namespace

/// What the solutions of open and closed loops share, part by part.
class TestLoadedEngine : public QObject {
    Q_OBJECT

private slots:
    /// Wilson and Hilferty: the cube root of x / mean is normal, 1 - cv^2 / 9 with a variance of cv^2 / 9.
    void tailOfSums() {
        for (const auto& [mean, cv2] : {std::pair(8.0, 0.1), std::pair(3.0, 0.6)}) {
            const auto value = [mean, cv2](double z) {
                return mean * std::pow(1 - cv2 / 9 + std::sqrt(cv2) / 3 * z, 3);
            };
            for (const double x : {0.5 * mean, mean, 1.6 * mean}) {
                const GammaTail tail{mean, cv2};
                QVERIFY(near(tail.excess(x),
                             overNormal([&](double z) { return std::max(0.0, value(z) - x); }), 2e-3));
                QVERIFY(near(tail.above(x), overNormal([&](double z) { return value(z) > x ? 1.0 : 0.0; }),
                             2e-3));
            }
        }
    }

    /// A part of the prompts is their mean between two twentieths.
    void partsAreMeans() {
        const double variance = std::log1p(0.25), deviation = std::sqrt(variance);
        const PromptParts parts(PromptSizes{400, 0.5});
        double below = 0;
        for (const double part : parts) {
            double sum = 0;
            for (int i = 0; i < 2000; ++i) {
                const double z = normalQuantile(below + (i + 0.5) / 40'000);
                sum += 400 * std::exp(deviation * z - variance / 2) / 2000;
            }
            QVERIFY(near(part, sum, 3e-3));
            below += 0.05;
        }
    }

    /// A prompt of 4500 tokens in chunks of 2000; what an answer adds to a prompt; 2000 tokens that a step
    /// has for n decodes and n completions of 400 tokens every 2100 steps.
    void prompts() {
        Engine engine;
        engine.table.mixAt(engine.means, engine.step, 4);
        const LoadedEngine e = engine.loaded();
        QVERIFY(near(e.timeAlone(4500), 45));
        QVERIFY(near(e.promptAlone(), 4));
        QVERIFY(near(e.preemptionsWhenFull(), 2100 / 400.0));
        const double n = e.balancedBatch();
        QVERIFY(near(n + n * 400 / 2100, 2000));
        QCOMPARE(e.chunkBeside(30), 1970.0);
        QCOMPARE(e.chunkBeside(3000), 1.0);
        QVERIFY(near(e.prefillStep(4, 100), 6));
        QVERIFY(near(e.meanTimeAlone(150, [](double tokens) { return 1 + tokens; }), 2 * 151.0 + 101));
        Engine first = engine;
        first.limits.mixed = false;
        QCOMPARE(first.loaded().chunkBeside(30), 2000.0);
        QVERIFY(near(first.loaded().prefillStep(4, 100), 1));
        engine.means.contextDeviation = 50;
        QVERIFY(near(engine.loaded().sizeVariance(), 0.01));
        engine.limits.memory.bytesPerToken = 0;
        QCOMPARE(engine.loaded().preemptionsWhenFull(), 0.0);
    }

    /// Fewer tokens than were measured: the line behind the first point goes on down to what one token takes;
    /// or they lie between both.
    void fewTokensAlone() {
        Engine engine;
        const auto table = [&](double (*alone)(double)) {
            return StepTable(
                engine.means, engine.limits, [alone](const StepWork& w) { return alone(w.prefillTokens); },
                16);
        };
        const StepTable floor = table([](double t) { return std::max(1.2, 1 + 0.01 * t); });
        for (const double t : {1.0, 10.0, 50.0, 90.0, 2000.0})
            QVERIFY(near(floor.prefill(t), std::max(1.2, 1 + 0.01 * t)));
        const StepTable root = table([](double t) { return std::sqrt(t); }); // 100 tokens are the first
        QVERIFY(near(root.prefill(50), 1 + 9 * 49 / 99.0));
        QVERIFY(near(root.prefill(0.5), 1));
    }

    /// Between the two batches that were measured and at them; few tokens cost in proportion.
    void stepsThatMix() {
        Engine engine;
        const auto step = [](const StepWork& w) {
            return 2 + 0.5 * w.decodeSequences + (0.01 + 0.001 * w.decodeSequences) * w.prefillTokens;
        };
        StepTable table(engine.means, engine.limits, step, 16);
        table.mixAt(engine.means, step, 8);
        table.mixAt(engine.means, step, 4);
        QVERIFY(near(table.mixed(5, 300), 2 + 2.5 + 0.015 * 300));
        QVERIFY(near(table.mixed(2, 300), 2 + 1 + 0.014 * 300));
        QVERIFY(near(table.mixed(12, 300), 2 + 6 + 0.018 * 300));
        QVERIFY(near(table.mixed(8, 20), 2 + 4 + 0.018 * 20));
        QVERIFY(near(table.mixed(0.4, 300), 2 + 3));
    }

    /// A very long sequence needs the room of others: as it grows, or from its start. One in six finds three
    /// deviations of 3 others more or less (Gauss, Hermite).
    void oneLongSequence() {
        Engine engine;
        const double gap = 2; // 1000 s for each mean sequence of its growth by 4.2 in 2100 tokens
        QVERIFY(near(engine.loaded().waitForGiants(7, 0.002, gap), 2000 * (1 - 2 * (1 - std::exp(-0.5)))));
        QCOMPARE(engine.loaded().waitForGiants(2, 0.002, gap), 0.0);
        engine.means.memoryBatch = 4; // for 7 others
        QVERIFY(near(engine.loaded().waitForGiants(7, 0.002, gap),
                     4000 * 0.8 / 8 * 1.4 + 1000 * (16 - 0.64) / 2));
        engine.limits.tokensPerStep = 2; // grows twice as fast
        QVERIFY(
            near(engine.loaded().waitForGiants(7, 0.002, gap), 4000 * 0.8 / 8 * 1.4 + 500 * (16 - 0.64) / 2));
        engine.limits.tokensPerStep = 1;
        engine.means.memoryBatch = 8;
        engine.means.contextDeviation = 500; // one mean sequence
        QVERIFY(near(engine.loaded().waitForGiants(3, 0.002, gap),
                     4500 * (1 - 2 / 3.0 * (1 - std::exp(-1.5))) / 6));
    }

    /// The same over log-normal prompts, and over log-normal answers, which are taken in strides of 0.4
    /// deviations from two below the mean on: 2.3 % lie below.
    void longSequencesByChance() {
        Engine engine;
        const double variance = std::log1p(1.0), deviation = std::sqrt(variance);
        const auto size = [&](double z) { return std::exp(deviation * z - variance / 2); };
        engine.load.inputCv = 1;
        // An answer has 4.2 of them in 4200 s.
        double expected = overNormal([&](double z) {
            const double from = 0.8 * size(z);
            return giant(from, from + 4.2, 4, 10, 6, 7 / 0.002);
        });
        QVERIFY(near(engine.loaded().waitForGiants(6, 0.002, 2), expected, 0.05));
        engine.load.inputCv = 0;
        engine.load.outputCv = 1;
        expected = overNormal([&](double z) { return giant(0.8, 0.8 + 4.2 * size(z), 4, 10, 6, 7 / 0.002); });
        QVERIFY(near(engine.loaded().waitForGiants(6, 0.002, 2), expected, 0.05));
    }

    /// The head of the line waits for what its prompt lacks: a part k of the mean excess over the room
    /// alongside it. The others wait for it (Pollaczek, Khinchine), so that 1 / (1 - k excess) as many wait.
    void manySequences() {
        Engine engine;
        engine.load.inputCv = 0.5;
        engine.means.contextDeviation = 250; // half a mean sequence
        engine.means.cached = 100;
        const LoadedEngine e = engine.loaded();
        const GammaTail held{8, (6 + 8 * 0.25) / 64};
        double blocked = 0, excess = 0, square = 0;
        for (const double prompt : e.parts) {
            const double room = 10 - (prompt + 100) * 0.2 / 100;
            blocked += held.above(room) / 20;
            excess += held.excess(room) / 20;
            square += std::pow(held.excess(room), 2) / held.above(room) / 20;
        }
        const double rate = 0.01;
        const LoadedEngine::Crowding c = e.manyTogether(8, 6, rate);
        const double k = (1 - blocked / c.probability) / excess, busy = k * excess;
        QVERIFY(k > 0.1 && k < 1);
        QVERIFY(near(c.wait, busy / rate + k * k * square / rate / (1 - busy)));
        QVERIFY(near(c.preemptions, c.probability * 2100 / 400));
        QCOMPARE(e.manyTogether(30, 6, rate).probability, 1.0);
    }

    /// Nobody waits for room in an empty engine, or where places or all that asks are fewer.
    void crowds() {
        Engine engine;
        engine.load.inputCv = engine.load.outputCv = 1;
        const auto crowd = [&](double sequences) {
            return engine.loaded().crowding(sequences, sequences, 0.002, 2);
        };
        QCOMPARE(crowd(0).wait, 0.0);
        const LoadedEngine::Crowding many = engine.loaded().manyTogether(6, 6, 0.002);
        const double giants = engine.loaded().waitForGiants(6, 0.002, 2);
        QVERIFY(near(crowd(6).wait, std::max(many.wait, giants)));
        QVERIFY(near(crowd(6).probability, many.probability));
        // No place is left for one more: all wait for places instead.
        QVERIFY(near(crowd(9).wait, engine.loaded().manyTogether(9, 9, 0.002).wait));
        engine.limits.maxSequences = 10;
        QCOMPARE(crowd(6).probability, 0.0);
        QVERIFY(near(crowd(6).wait, giants));
        engine.load.inputCv = engine.load.outputCv = 0;
        QCOMPARE(crowd(6).wait, 0.0);
        // The longest prompt has 4 of 10: there is room for it alongside 6 others of usual length.
        engine.load.inputCv = 0.1;
        engine.load.outputTokens = 1350;
        engine.means.contextDeviation = 100;
        QVERIFY(engine.loaded().waitForGiants(6, 0.002, 2) > 0);
        QCOMPARE(crowd(6).wait, 0.0);
        engine.load.outputTokens = 1500;
        QVERIFY(crowd(6).wait > 0);
        engine.load.outputTokens = 2100;
        engine.means.contextDeviation = 0;
        engine.load.inputCv = 0;
        engine.limits.maxSequences = 64;
        const double deviates = 12; // more than there is room for count as those that there is room for
        QVERIFY(near(engine.loaded().crowding(20, deviates, 0.002, 2).wait,
                     engine.loaded().manyTogether(9.5, deviates, 0.002).wait));
    }

    /// A gap is spread by what the contexts of its sequences differ by, in three points of a normal
    /// distribution, and never below a fourth of itself.
    void gapsOfContexts() {
        Engine engine;
        engine.step = [](const StepWork& w) { return 2 + 0.001 * w.decodeSequences * w.decodeContext; };
        engine.table = StepTable(engine.means, engine.limits, engine.step, 16);
        engine.means.contextDeviation = 1000;
        const LoadedEngine e = engine.loaded();
        const auto gaps = [&](double batch, double seconds) {
            Gaps out{e};
            out.add(batch, seconds, 3);
            return out.gaps;
        };
        TimeDistribution of4 = gaps(4, 10); // 0.001 x 1000 x 2
        QVERIFY(near(of4.mean(), 10));
        QVERIFY(near(of4.quantile(0.16), 10 - 2 * std::sqrt(3), 0.016));
        QVERIFY(near(of4.quantile(0.18), 10, 0.016));
        QVERIFY(near(of4.quantile(0.82), 10, 0.016));
        QVERIFY(near(of4.quantile(0.84), 10 + 2 * std::sqrt(3), 0.016));
        QVERIFY(near(gaps(0.2, 10).quantile(0.1), 10 - std::sqrt(3), 0.016));
        QVERIFY(near(gaps(4, 4).quantile(0.1), 1, 0.016));
        QVERIFY(near(gaps(4, 250).quantile(0.01), 250, 0.016)); // hardly any
        Additions more;
        more.add(0, 0.75);
        more.add(20, 0.25);
        more.add(9, 1e-7); // none at all
        Gaps both{e};
        both.add(3, more, 2); // a decode of 3 x 1000 tokens takes 5 s
        QVERIFY(near(both.gaps.mean(), 5 + 0.25 * 20));
        QVERIFY(near(total(more), 1));
        more.scale(0.5);
        QVERIFY(near(total(more), 0.5));
        QVERIFY(near(of(more, 20), 0.125));
        const Percentiles p = percentilesOf(of4, 7, 2);
        QVERIFY(near(p.p50, 7 + 2 * of4.quantile(0.5)) && near(p.p90, 7 + 2 * of4.quantile(0.9)));
        QVERIFY(near(p.p95, 7 + 2 * of4.quantile(0.95)) && near(p.p99, 7 + 2 * of4.quantile(0.99)));
    }

    /// Gamma prompts with a coefficient of variation of 1/2: k + 1 of them have a density in x tokens of
    /// (x / 25)^(4 k + 3) / Gamma(4 k + 4), and come with a chance of busy^k.
    void promptsOfSomeTokens() {
        const WaitingPrompts waiting(100, 0.5, 100, 0.6, 1600);
        for (const double tokens : {200.0, 400.0, 700.0}) {
            double sum = 0, number = 0;
            for (int k = 0; k < 30; ++k) {
                const double weight =
                    std::exp(k * std::log(0.6) + 4 * k * std::log(tokens / 25) - std::lgamma(4 * k + 4));
                sum += weight;
                number += (k + 1) * weight;
            }
            QVERIFY(near(waiting(tokens), number / sum, 5e-4));
        }
    }

    /// Three steps in ten take a prompt along, 3 s longer: a gap finds them by the sequences that decode in
    /// it, 4 or 2. A quarter of the gaps certainly does.
    void gapsWithPrefill() {
        const auto solved = [](double chunk) {
            PromptBacklog b({.prompt = 100, .chunk = chunk, .span = 9600});
            PromptBacklog::Lattice seconds{}, completions{};
            seconds.fill(5 * b.stepsIn(1));
            seconds[0] = 2;
            completions.fill(0.3);
            b.solve(seconds, completions, 0);
            return b;
        };
        const PromptBacklog b = solved(100);
        Additions a = mixedAdditions(b, 2, nullptr);
        QVERIFY(near(of(a, 0), 0.7, 1e-5) && near(of(a, 3), 0.3, 1e-5));
        QVERIFY(near(meanAddition(b, 2, nullptr), 0.9, 1e-6));
        PromptBacklog::Lattice decoding{};
        decoding.fill(2);
        decoding[0] = 4;
        const double busy = 0.3 * 2 / (0.7 * 4 + 0.3 * 2);
        a = mixedAdditions(b, 2, &decoding);
        QVERIFY(near(of(a, 3), busy, 1e-5) && near(total(a), 1, 1e-5));
        QVERIFY(near(meanAddition(b, 2, &decoding), 3 * busy, 1e-6));
        a = mixedAdditions(b, 2, &decoding, 0.25);
        QVERIFY(near(of(a, 3), 0.75 * busy + 0.25, 1e-5) && near(of(a, 0), 0.75 * (1 - busy), 1e-5));
        QVERIFY(near(meanAddition(b, 2, &decoding, 0.25), 3 * (0.75 * busy + 0.25), 1e-6));
        QCOMPARE(meanAddition(b, 6, nullptr), 0.0); // never a shorter gap
        QVERIFY(near(of(mixedAdditions(b, 6, nullptr), 0), 1, 1e-5));
        // Four steps of a quarter of the prompt: each is 3 s longer, and they are four in 0.7 + 4 x 0.3.
        const PromptBacklog four = solved(25);
        QVERIFY(near(four.stepsIn(1), 4));
        a = mixedAdditions(four, 2, nullptr);
        QVERIFY(near(of(a, 3), 1.2 / 1.9, 1e-5) && near(total(a), 1, 1e-5));
        QVERIFY(near(meanAddition(four, 2, nullptr), 3 * 1.2 / 1.9, 1e-6));
    }

    /// Prefill first: 0.3 prompts of 1 s a second, a decode of 5 s lets in 1.5. None, one that no other
    /// follows in its second; all of them keep the mean of the pause, 1.5 / 0.7 s.
    void pauses() {
        Engine engine;
        engine.load = {.inputTokens = 100, .outputTokens = 2100, .requestsPerSecond = 0.3};
        engine.means.prompt = 100;
        engine.limits.chunkTokens = 1000;
        engine.limits.mixed = false;
        engine.table = StepTable(engine.means, engine.limits, engine.step, 16);
        PromptBacklog b({.prompt = 100, .chunk = 1000, .rate = 0.3, .span = 4800, .alone = 1});
        PromptBacklog::Lattice seconds{};
        for (int cell = 0; cell < PromptBacklog::cells; ++cell)
            seconds[static_cast<std::size_t>(cell)] = cell > 0 ? 0.01 * b.stepTokens(cell) : 5;
        b.solve(seconds, {}, 0.01);
        const Additions a = pauseAdditions(engine.loaded(), b);
        QVERIFY(near(total(a), 1, 1e-4));
        QVERIFY(near(mean(a), 1.5 / 0.7, 5e-3));
        QVERIFY(near(of(a, 0), std::exp(-1.5), 1e-6));
        QVERIFY(near(of(a, 1), std::exp(-1.5) * 1.5 * std::exp(-0.3), 1e-5));
    }
};

QTEST_APPLESS_MAIN(TestLoadedEngine)

} // namespace tst_loaded_engine

#include "tst_loaded_engine.moc"
