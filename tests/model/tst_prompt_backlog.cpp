// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/serving/lattice_sums.h"
#include "model/serving/prompt_backlog.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tst_prompt_backlog {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-7) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

template <class Backlog, class Seconds>
typename Backlog::Lattice perCell(const Seconds& seconds) {
    typename Backlog::Lattice out{};
    for (int cell = 0; cell < Backlog::cells; ++cell)
        out[static_cast<std::size_t>(cell)] = seconds(cell);
    return out;
}

/// Mean number at the beginning of a step that ends one of them, of Poisson arrivals, a mean of `a` a step
/// (Pollaczek, Khinchine).
double slottedQueue(double a) { return a + a * a / (2 * (1 - a)); }

} // namespace

/// The chain of waiting prompts where it is a queue that is known.
class TestPromptBacklog : public QObject {
    Q_OBJECT

private slots:
    /// 16 cells of 100 tokens, unless the chunk says otherwise: it is a whole number of cells, or a cell a
    /// whole number of chunks. Equal prompts far below a chunk are whole numbers of cells.
    void cellsOfAChunk() {
        CoarseBacklog b({.prompt = 100, .chunk = 260, .rate = 1, .span = 1600});
        QVERIFY(near(b.tokens(3), 260));
        QVERIFY(near(b.stepTokens(3), 260));
        QVERIFY(near(b.stepTokens(2), 2 * 260 / 3.0));
        QVERIFY(near(b.stepTokens(9), 260));
        QCOMPARE(b.chunks(), 1.0);
        QCOMPARE(b.stepsIn(9), 1.0);
        b = CoarseBacklog({.prompt = 100, .chunk = 40, .rate = 1, .span = 1600});
        QVERIFY(near(b.tokens(1), 40));
        b = CoarseBacklog({.prompt = 100, .chunk = 30, .rate = 1, .span = 1600}); // four of them
        QVERIFY(near(b.tokens(1), 120));
        QVERIFY(near(b.stepTokens(5), 120));
        QCOMPARE(b.chunks(), 4.0);
        QCOMPARE(b.stepsIn(5), 4.0);
        QCOMPARE(b.stepsIn(0), 1.0);
        b = CoarseBacklog({.prompt = 170, .chunk = 1000, .rate = 1, .span = 800}); // 170 / 3, 50 at least
        QVERIFY(near(b.tokens(3), 170));
        QVERIFY(near(b.stepTokens(15), 850));
        b = CoarseBacklog({.prompt = 170, .chunk = 1000, .rate = 1, .span = 3200}); // a cell is 200 / 1
        QVERIFY(near(b.tokens(5), 1000));
        b = CoarseBacklog({.prompt = 50, .promptCv = 1, .chunk = 2000, .rate = 1, .span = 1600});
        QVERIFY(near(b.tokens(1), 100));
        QVERIFY(near(b.stepTokens(15), 1500));
        QCOMPARE(CoarseBacklog({.prompt = 1, .chunk = 9, .rate = 1, .span = 0}).tokens(16), 4.0);
    }

    /// A step of 2 s ends one prompt, 0.15 of them come a second: the queue of slots with a mean of 0.3
    /// arrivals. Nobody waits with 0.7, one with 0.7 (e^0.3 - 1). All tokens that came while a prompt was
    /// there are behind it when it ends.
    void onePromptAStep() {
        MeanBacklog b({.prompt = 100, .chunk = 100, .rate = 0.15, .span = 3200});
        b.solve(perCell<MeanBacklog>([](int) { return 2.0; }), {}, 0);
        QVERIFY(near(b.probability()[0], 0.7));
        QVERIFY(near(b.probability()[1], 0.7 * std::expm1(0.3)));
        QVERIFY(near(b.meanTokens(), 100 * slottedQueue(0.3)));
        QVERIFY(near(b.meanTokensTaken(), 100));
        QVERIFY(near(b.meanStep(), 2));
        QVERIFY(near(b.meanArrivals(), 0.3));
        QVERIFY(near(b.prefillTimeShare(), 0.3));
        QVERIFY(near(b.meanResidual(), 1));
        // Little's law: those at the beginning of a step and half of those that come in it.
        const double time = (slottedQueue(0.3) + 0.15) / 0.15;
        const auto first = b.firstToken(2);
        QVERIFY(near(first.seconds, time, 1e-4)); // 0.2113 and 0.7887 are rounded
        QVERIFY(near(first.behind, 100 * 0.15 * time, 1e-4));
        const TimeDistribution times = b.timesToFirstToken([](double, double) { return 2.0; });
        QVERIFY(near(times.mean(), time, 1e-2));
        // A request that finds no other has from 2 to 4 s: 0.7 e^-0.3 of them are never behind one, and those
        // that are have 2 s more; half a step is the median of the first.
        QVERIFY(near(times.quantile(0.5 * 0.85), 3, 0.1));
        QCOMPARE(b.timeUntil(0), 0.0);
        QVERIFY(near(b.timeUntil(4), 8));
    }

    /// The same of an engine that rests while there is nothing: a queue of constant service (Pollaczek,
    /// Khinchine). A rest and the 1 / 0.7 steps of the busy time after it take turns.
    void restsBetweenPrompts() {
        PromptBacklog b({.prompt = 100, .chunk = 100, .rate = 0.15, .span = 9600, .emptyShare = 1});
        b.solve(perCell<PromptBacklog>([](int) { return 2.0; }), {}, 0);
        QVERIFY(near(b.probability()[0], 1 / (1 + 1 / 0.7)));
        QVERIFY(near(b.prefillTimeShare(), 0.3));
        QVERIFY(near(b.meanStep(), (1 / 0.15 + 2 / 0.7) / (1 + 1 / 0.7)));
        QVERIFY(near(b.meanResidual(), 0.3 * 1));
        QVERIFY(near(b.firstToken(2).seconds, 2 + 0.3 * 2 / (2 * 0.7), 1e-4));
        const TimeDistribution times = b.timesToFirstToken([](double, double) { return 2.0; });
        QVERIFY(near(times.mean(), 2 + 0.3 * 2 / (2 * 0.7), 1e-2));
        QVERIFY(near(times.quantile(0.6), 2, 0.02)); // 0.7 find no other
        QVERIFY(times.quantile(0.72) > 2.05);
    }

    /// Two fifths of the time without prompts are rest: of all time 0.4 x 0.7.
    void restsSometimes() {
        MeanBacklog b({.prompt = 100, .chunk = 100, .rate = 0.15, .span = 3200, .emptyShare = 0.4});
        b.solve(perCell<MeanBacklog>([](int) { return 2.0; }), {}, 0);
        QVERIFY(near(b.prefillTimeShare(), 0.3));
        QVERIFY(near(b.meanResidual(), 1 - 0.4 * 0.7));
        QVERIFY(near(b.meanArrivals(), 0.15 * b.meanStep()));
        // A rest begins by chance q, 1 / 0.15 s; a decode with 1 - q, 2 s: q / 0.15 is 0.4 of all.
        const double q = 0.4 * 2 / (0.4 * 2 + 0.6 / 0.15);
        const double zero = b.probability()[0];
        QVERIFY(near(b.meanStep(), zero * q / 0.15 + (1 - zero * q) * 2));
    }

    /// Closed: 0.3 decodes end with a step, and a prompt follows each. A request finds what the step leaves
    /// and half of the others that come with it, which are 3 of 4 users.
    void promptsOfAClosedLoop() {
        MeanBacklog b({.prompt = 100, .chunk = 100, .span = 3200, .others = 0.75});
        const auto two = perCell<MeanBacklog>([](int) { return 2.0; });
        b.solve(two, perCell<MeanBacklog>([](int) { return 0.3; }), 0);
        QVERIFY(near(b.meanArrivals(), 0.3));
        QVERIFY(near(b.meanTokens(), 100 * slottedQueue(0.3)));
        const double ahead = slottedQueue(0.3) - 0.3 + 0.75 * 0.3 / 2;
        QVERIFY(near(b.firstToken(2).seconds, 2 + 2 * ahead, 1e-4));
        const TimeDistribution times = b.timesToFirstToken([](double, double) { return 2.0; });
        QVERIFY(near(times.mean(), 2 + 2 * ahead, 1e-2));
        QVERIFY(near(times.quantile(0.3), 2, 0.02));
    }

    /// A step takes all prompts, 1 s and 0.01 s of each token: those behind a prompt lengthen its step as
    /// those before it do, 0.75 x 0.8 of 100 tokens.
    void othersRideAlong() {
        const auto linear = [](int cell) { return 1 + 0.5 * cell; };
        MeanBacklog b({.prompt = 100, .chunk = 3200, .span = 1600, .others = 0.75});
        QVERIFY(near(b.tokens(1), 50));
        b.solve(perCell<MeanBacklog>(linear), perCell<MeanBacklog>([](int) { return 0.8; }), 0);
        QVERIFY(near(b.meanTokens(), 80));
        QVERIFY(near(b.firstToken(1).seconds, 1 + 0.01 * 100 * (1 + 0.75 * 0.8), 1e-4));
        const TimeDistribution times =
            b.timesToFirstToken([](double tokens, double) { return 1 + 0.01 * tokens; });
        QVERIFY(near(times.mean(), 1 + 0.01 * 100 * (1 + 0.75 * 0.8), 1e-3));
        QVERIFY(near(times.quantile(0.5 * std::exp(-0.6)), 2, 0.02)); // alone
        // Of 0.8 prompts in the mean, two or more.
        const auto several = b.severalPrompts(0.8);
        double sum = 0;
        for (const double p : several)
            sum += p;
        QVERIFY(near(sum, 1 - std::exp(-0.8) * 1.8));
        QVERIFY(near(several[4], std::exp(-0.8) * 0.32));
        QCOMPARE(several[2], 0.0);
    }

    /// Hardly any requests: what a prompt of 250 tokens takes in chunks of 100, 1 s and 0.01 s of a token
    /// each. It meets a step of 1 s in the middle.
    void alone() {
        MeanBacklog b({.prompt = 250, .chunk = 100, .rate = 1e-7, .span = 1600});
        QVERIFY(near(b.tokens(2), 100));
        b.solve(perCell<MeanBacklog>([&](int cell) { return 1 + 0.01 * b.stepTokens(cell); }), {}, 0);
        QVERIFY(near(b.firstToken(1).seconds, 0.5 + 2 * 2 + 1.5, 1e-4));
        QVERIFY(near(b.firstToken(1, 7).seconds, 0.5 + 7, 1e-4)); // where it is known better
        const TimeDistribution times =
            b.timesToFirstToken([](double tokens, double) { return 1 + 0.01 * tokens; });
        QVERIFY(near(times.mean(), 0.5 + 2 * 2 + 1.5, 1e-4));
    }

    /// Prefill first: a decode of 5 s lets in 0.3 x 5 prompts of 1 s, and those that come meanwhile are in
    /// the same pause: 1 / (1 - 0.3) as long. If others come at all, with 1 - E e^(-0.3 N), they take the
    /// rest.
    void pauses() {
        MeanBacklog b({.prompt = 100, .chunk = 500, .rate = 0.3, .span = 1600, .alone = 1});
        const auto half = [](int cell) { return cell > 0 ? 0.5 * std::min(cell, 10) : 5; };
        b.solve(perCell<MeanBacklog>(half), {}, 0.1);
        auto pause = b.pause();
        QVERIFY(near(pause.arrivals, 1.5));
        QVERIFY(near(pause.longer, 1 / 0.7, 1e-4));
        QVERIFY(near(pause.mean, 1.5 / 0.7, 1e-4));
        const double any = 1 - std::exp(-1.5 * (1 - std::exp(-0.3)));
        QVERIFY(near(pause.further, 1.5 * (1 / 0.7 - 1) / any, 1e-4));
        QVERIFY(near(b.timeUntil(12), 6));
        // The same prompts alone take 1 s, half of what the lattice saw.
        b.solve(perCell<MeanBacklog>([](int cell) { return cell > 0 ? 1.0 * std::min(cell, 10) : 5; }), {},
                0.1);
        QVERIFY(near(b.seconds()[2], 1));
        QVERIFY(near(b.seconds()[0], 5));
        QVERIFY(near(b.pause().mean, pause.mean, 1e-6));
        // At a rest no decode lets anybody in, but one prompt comes.
        MeanBacklog rests(
            {.prompt = 100, .chunk = 500, .rate = 0.3, .span = 1600, .emptyShare = 1, .alone = 1});
        rests.solve(perCell<MeanBacklog>(half), {}, 0.1);
        QVERIFY(near(rests.pause().longer, 1 / 0.7, 1e-3));
    }

    /// Prompts of half a cell: the lattice takes half of them for none. If 0.6 come in a decode of 2 s, and
    /// none of a cell, they take 0.1 s.
    void shorterThanACell() {
        CoarseBacklog b({.prompt = 50, .chunk = 3200, .rate = 0.3, .span = 1600, .alone = 1});
        b.solve(perCell<CoarseBacklog>([](int cell) { return cell > 0 ? 1.0 * cell : 2; }), {}, 0.1);
        const double none = std::exp(-0.3) - std::exp(-0.6);
        QVERIFY(near(b.seconds()[0], 2 + 0.1 * none));
        // Half of the prompts are a cell, half take the 0.1 s: together they should take 1 s.
        QVERIFY(near(b.seconds()[1], 1 / 0.55));
        // Two or more of 0.6 that the lattice takes for none.
        const double many = std::exp(-0.3) - std::exp(-0.6) * (1 + 0.6 / 2);
        QVERIFY(near(b.severalPrompts(0.6)[0], many));
        QVERIFY(near(b.pause().mean, b.pause().longer * 0.3 * b.seconds()[0] / 2 / 0.55 + 0.1 * none, 1e-4));
    }

    /// Log-normal prompts of 100 tokens (coefficient of variation 1), 0.01 s a token, all that wait in one
    /// step. The lattice ends at 3.9 times the mean. Hardly any: a prompt's own second. Few: the second
    /// moment, E x^2 = 2 x 100^2, makes the wait (Pollaczek, Khinchine).
    void longerThanTheLattice() {
        const auto time = [](double rate) {
            PromptBacklog b({.prompt = 100, .promptCv = 1, .chunk = 1e5, .rate = rate, .span = 400});
            b.solve(perCell<PromptBacklog>([&](int cell) { return cell > 0 ? 0.01 * b.tokens(cell) : 1e-6; }),
                    {}, 0);
            return b.firstToken(0).seconds;
        };
        QVERIFY(near(time(1e-9), 1, 1e-5));
        QVERIFY(near((time(1e-3) - time(1e-9)) / 1e-3, 2 * 0.5, 5e-3));
    }

    /// Prompts that all fit are their own second.
    void nothingBeyondTheLattice() {
        PromptBacklog b({.prompt = 100, .promptCv = 0.2, .chunk = 1e5, .rate = 1e-9, .span = 400});
        b.solve(perCell<PromptBacklog>([&](int cell) { return cell > 0 ? 0.01 * b.tokens(cell) : 1e-6; }), {},
                0);
        QVERIFY(near(b.firstToken(0).seconds, 1, 1e-5));
    }

    /// Twenty parts of log-normal prompts, finer toward the long ones, keep the mean; each is the mean of
    /// what lies between its quantiles.
    void partsOfPrompts() {
        const MeanBacklog b({.prompt = 100, .promptCv = 0.7, .chunk = 500, .rate = 1, .span = 1600});
        const double variance = std::log1p(0.49), deviation = std::sqrt(variance);
        double sum = 0, below = 0;
        for (const auto& part : b.prompts()) {
            sum += part.tokens * part.probability;
            double mean = 0;
            constexpr int n = 2000;
            for (int i = 0; i < n; ++i) {
                const double z = normalQuantile(below + part.probability * (i + 0.5) / n);
                mean += 100 * std::exp(deviation * z - variance / 2) / n;
            }
            QVERIFY(near(part.tokens, mean, 2e-3));
            below += part.probability;
        }
        QVERIFY(near(below, 1));
        QVERIFY(near(sum, 100));
        QVERIFY(near(b.prompts()[7].probability, 0.1));
        QVERIFY(b.prompts()[19].probability < 0.0021);
        QCOMPARE(MeanBacklog({.prompt = 0.2, .chunk = 9, .rate = 1, .span = 9}).prompts()[3].tokens, 1.0);
    }

    /// A size between two cells is split between them.
    void sizesOnCells() {
        using Lattice = std::array<double, 24>;
        Lattice beyond{}, expected{}, above{};
        const Lattice sizes = lattice::logNormalSizes<Lattice>(3, 0.6, beyond);
        const double variance = std::log1p(0.36), deviation = std::sqrt(variance);
        constexpr int n = 100'000;
        for (int i = 0; i < n; ++i) {
            const double z = normalQuantile((i + 0.5) / n);
            const double x = std::min(23.0, 3 * std::exp(deviation * z - variance / 2));
            const auto low = static_cast<std::size_t>(x);
            const double part = x - static_cast<double>(low);
            expected[low] += (1 - part) / n;
            above[low] += (1 - part) / n;
            if (low < 23)
                expected[low + 1] += part / n;
        }
        for (std::size_t k = 0; k < 23; ++k) {
            QVERIFY(std::abs(sizes[k] - expected[k]) < 1e-5);
            QVERIFY(std::abs(beyond[k] - above[k]) < 1e-5);
        }
        const Lattice equal = lattice::equalSizes<Lattice>(2.25);
        QCOMPARE(equal[2], 0.75);
        QCOMPARE(equal[3], 0.25);
        QCOMPARE(lattice::equalSizes<Lattice>(22.5)[23], 0.5);
        QCOMPARE(lattice::equalSizes<Lattice>(99)[23], 1.0);
        // One or two cells, a Poisson number of 1.5 of them: 0, 1, 2 or 3 cells by counting.
        Lattice mixed{};
        mixed[0] = 0.2;
        mixed[1] = 0.5;
        mixed[2] = 0.3;
        const Lattice sum = lattice::poissonSum(mixed, 1.5);
        const double a = 1.5 * 0.5, b = 1.5 * 0.3, none = std::exp(-a - b);
        QVERIFY(near(sum[0], none));
        QVERIFY(near(sum[1], none * a));
        QVERIFY(near(sum[2], none * (a * a / 2 + b)));
        QVERIFY(near(sum[3], none * (a * a * a / 6 + a * b)));
        double all = 0;
        for (const double p : sum)
            all += p;
        QVERIFY(near(all, 1));
        QVERIFY(near(lattice::poissonSum(mixed, 60)[23], 1, 1e-3)); // 48 cells in the mean
    }

    /// From 0 to 1 with 1/2; from 1 up or down with 1/4; from 2 down with 1/2: flows between neighbors are
    /// equal where p0 / 2 = p1 / 4 and p1 / 4 = p2 / 2.
    void stationaryChain() {
        using Moves = std::array<std::array<double, 3>, 3>;
        Moves moves{{{0.5, 0.5, 0}, {0.25, 0.5, 0.25}, {0, 0.5, 0.5}}};
        const auto p = lattice::stationaryOf(moves, 1);
        QVERIFY(near(p[0], 0.25) && near(p[1], 0.5) && near(p[2], 0.25));
        // State 0 is never entered again.
        Moves left{{{0.5, 0.5, 0}, {0, 0.25, 0.75}, {0, 0.5, 0.5}}};
        const auto q = lattice::stationaryOf(left, 2);
        QVERIFY(near(q[1], 0.4) && near(q[2], 0.6));
        QCOMPARE(q[0], 0.0);
    }
};

QTEST_APPLESS_MAIN(TestPromptBacklog)

} // namespace tst_prompt_backlog

#include "tst_prompt_backlog.moc"
