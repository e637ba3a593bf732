// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=60
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

#include <cmath>
#include <vector>

namespace tst_closed_form_fit {

using namespace alidade;

namespace {

using Constant = double ClosedFormConstants::*;
using Figure = double ServingState::*;

/// Memory bound up to a corner, compute bound beyond it.
double kneeStep(const StepWork& w) {
    return 0.006 + std::max(0.005, 3e-5 * (w.prefillTokens + w.decodeSequences)) + 3e-5 * w.decodeSequences +
           1e-8 * w.decodeSequences * w.decodeContext;
}

/// A load, and what the played engine makes of it.
struct Case {
    RequestLoad load;
    EngineLimits limits;
    double played = 0; ///< the figure, mean over seeds
};

/// Plays every load once for each seed.
template <class Step>
void play(std::vector<Case>& cases, const Step& step, Figure figure, int requests, int warmUp, int seeds) {
    for (Case& each : cases) {
        for (int seed = 1; seed <= seeds; ++seed) {
            const SimulationOptions options{
                .seed = static_cast<std::uint64_t>(seed), .requests = requests, .warmUp = warmUp};
            each.played += simulate(each.load, each.limits, step, options).state.*figure / seeds;
        }
    }
}

/// Mean of |ln(closed form / played)|.
template <class Step>
double errorOf(const std::vector<Case>& cases, const Step& step, Figure figure,
               const ClosedFormConstants& constants) {
    double sum = 0;
    for (const Case& each : cases) {
        const ServingState closed =
            steadyState(each.load, each.limits, step, ServingDetail::means, constants);
        sum += std::abs(std::log(closed.*figure / each.played));
    }
    return sum / static_cast<double>(cases.size());
}

/// The value of the least error from a third to three times the shipped one, in steps of 4 %.
template <class Error>
double bestValue(Constant constant, const Error& errorAt) {
    ClosedFormConstants tried;
    const double shipped = tried.*constant;
    double best = shipped, least = errorAt(tried);
    for (int i = -28; i <= 28; ++i) {
        tried.*constant = shipped * std::pow(1.04, i);
        if (const double error = errorAt(tried); error < least) {
            least = error;
            best = tried.*constant;
        }
    }
    return best;
}

/// Whether the shipped constant is the best one, to a factor.
bool isNear(const char* name, Constant constant, double best, double factor) {
    const double shipped = ClosedFormConstants{}.*constant;
    qInfo("%s: %g is shipped, %.3g fits best", name, shipped, best);
    return std::max(shipped / best, best / shipped) <= factor;
}

/// An engine whose cache holds so many sequences of mean size.
EngineLimits littleRoom(const RequestLoad& load, double sequences) {
    EngineLimits out{.maxSequences = 256,
                     .kvBytes = 1e9,
                     .chunkTokens = 4096,
                     .memory = {.bytesPerToken = 1, .blockTokens = 16}};
    out.kvBytes = sequences * loadMeans(load, out).sequenceBytes;
    return out;
}

/// Loads on little room, of prompts of equal and of different lengths. \param used share of what the engine
/// can do, or of its places in a closed loop
std::vector<Case> crowdedLoads(bool closed) {
    std::vector<Case> out;
    for (const double sequences : {6.0, 10.0, 16.0}) {
        for (const double cv : {0.0, 0.5, 1.0}) {
            for (const double used : {0.5, 0.65, 0.8}) {
                for (const double prompt : {500.0, 2000.0}) {
                    Case each{
                        .load = {.inputTokens = prompt, .inputCv = cv, .outputTokens = 200, .outputCv = 0.5},
                        .limits = {}};
                    each.limits = littleRoom(each.load, sequences);
                    if (closed) {
                        each.load.concurrency = std::round(used * sequences);
                    } else {
                        each.load.requestsPerSecond =
                            used * maximumRequestRate(each.load, each.limits, kneeStep);
                    }
                    out.push_back(each);
                }
            }
        }
    }
    return out;
}

} // namespace

/// The constants of the closed form are those with which it is nearest to the played engine. Each is refitted
/// on loads whose figures hang on it, the others as shipped.
class TestClosedFormFit : public QObject {
    Q_OBJECT

private slots:
    /// The wait of a decode side of 30 places, at 75 to 93 % of what it can do, for answers of a CV of 0 to
    /// 1.5. Long waits are rare, so that different draws of these runs tell the constant to a factor of two.
    void shorterLine() {
        std::vector<Case> cases;
        for (const double cv : {0.0, 0.5, 1.0, 1.5}) {
            for (const double used : {0.75, 0.85, 0.93}) {
                cases.push_back({.load = {.inputTokens = 400,
                                          .outputTokens = 201,
                                          .outputCv = cv,
                                          .requestsPerSecond = used * 30 / 2},
                                 .limits = {.maxSequences = 30, .kvBytes = 1e9, .prefills = false}});
            }
        }
        const auto step = [](const StepWork&) { return 0.01; };
        constexpr Figure wait = &ServingState::queueWait;
        play(cases, step, wait, 40000, 8000, 4);
        const auto error = [&](const auto& c) { return errorOf(cases, step, wait, c); };
        const double best = bestValue(&ClosedFormConstants::shorterLine, error);
        QVERIFY(isNear("shorterLine", &ClosedFormConstants::shorterLine, best, 2));
        QVERIFY(error(ClosedFormConstants{}) < 0.07);
    }

    /// First tokens of nearly equal requests, where prefill goes first, after 50 to 70 requests of each user.
    void requestsOfUser() {
        std::vector<Case> cases;
        constexpr Figure first = &ServingState::ttft;
        for (const double users : {4.0, 8.0, 16.0}) {
            std::vector<Case> some;
            for (const double cv : {0.02, 0.05, 0.1}) {
                some.push_back(
                    {.load = {.inputTokens = 800, .outputTokens = 150, .outputCv = cv, .concurrency = users},
                     .limits = {.kvBytes = 1e9, .chunkTokens = 4096, .mixed = false}});
            }
            const int all = static_cast<int>(users);
            play(some, kneeStep, first, 20 * all, 50 * all, 200);
            cases.insert(cases.end(), some.begin(), some.end());
        }
        const double best = bestValue(&ClosedFormConstants::requestsOfUser,
                                      [&](const auto& c) { return errorOf(cases, kneeStep, first, c); });
        QVERIFY(isNear("requestsOfUser", &ClosedFormConstants::requestsOfUser, best, 1.3));
    }

    /// First tokens of equal requests whose prompts take 60 to 130 % of what mixed steps can: in step up to
    /// about all of it. The constant stays below, where steps are all but full and the estimate plays the
    /// engine.
    void inStepUpTo() {
        std::vector<Case> cases;
        for (const double part : {0.6, 0.7, 0.8, 0.85, 0.95, 1.0, 1.1, 1.3}) {
            for (const double prompt : {500.0, 1500.0, 3000.0}) {
                const double users = std::round(part * 100 * 2048 / (prompt + part * 100));
                cases.push_back({.load = {.inputTokens = prompt, .outputTokens = 101, .concurrency = users},
                                 .limits = {.maxSequences = 4096, .kvBytes = 1e9, .chunkTokens = 2048}});
            }
        }
        constexpr Figure first = &ServingState::ttft;
        play(cases, kneeStep, first, 8000, 2000, 1);
        const double best = bestValue(&ClosedFormConstants::inStepUpTo,
                                      [&](const auto& c) { return errorOf(cases, kneeStep, first, c); });
        QVERIFY(best >= ClosedFormConstants{}.inStepUpTo);
        QVERIFY(isNear("inStepUpTo", &ClosedFormConstants::inStepUpTo, best, 1.3));
    }

    /// First tokens of a closed loop whose sequences sometimes find no room.
    void longestWaitForRoom() {
        std::vector<Case> cases = crowdedLoads(true);
        constexpr Figure first = &ServingState::ttft;
        play(cases, kneeStep, first, 20000, 4000, 1);
        const double best = bestValue(&ClosedFormConstants::longestWaitForRoom,
                                      [&](const auto& c) { return errorOf(cases, kneeStep, first, c); });
        QVERIFY(isNear("longestWaitForRoom", &ClosedFormConstants::longestWaitForRoom, best, 1.25));
    }

    /// The same of an open load. What keeps its terms finite, where the engine is played anyway, plays no
    /// part up to 80 % of what the engine can do.
    void metAtAdmission() {
        std::vector<Case> cases = crowdedLoads(false);
        constexpr Figure first = &ServingState::ttft;
        play(cases, kneeStep, first, 20000, 4000, 1);
        const auto error = [&](const auto& c) { return errorOf(cases, kneeStep, first, c); };
        const double best = bestValue(&ClosedFormConstants::metAtAdmission, error);
        QVERIFY(isNear("metAtAdmission", &ClosedFormConstants::metAtAdmission, best, 1.2));
        const double shipped = error(ClosedFormConstants{});
        QCOMPARE(error(ClosedFormConstants{.leastRoom = 1e-3}), shipped);
        QCOMPARE(error(ClosedFormConstants{.busiestHead = 0.999}), shipped);
    }

    /// Where the bound takes over from the chain of prompts, both have the same first token, as nearly as
    /// anywhere.
    void chunkBound() {
        constexpr Constant constant = &ClosedFormConstants::chunkBound;
        const auto step = [](const StepWork& w) {
            return 0.004 + 1.4e-5 * w.prefillTokens + 4e-5 * w.decodeSequences;
        };
        const auto jump = [&](const ClosedFormConstants& at) {
            double sum = 0;
            for (const double prompt : {500.0, 2048.0, 6000.0}) {
                for (const double cv : {0.0, 0.3, 1.0}) {
                    const EngineLimits limits{.maxSequences = 4096, .kvBytes = 1e12, .chunkTokens = 8192};
                    const RequestLoad load{.inputTokens = prompt,
                                           .inputCv = cv,
                                           .outputTokens = 128,
                                           .outputCv = 0.5,
                                           .concurrency = at.*constant * 8192 / (1 + prompt / 127)};
                    const auto first = [&](double from) {
                        return steadyState(load, limits, step, ServingDetail::means, {.chunkBound = from})
                            .ttft;
                    };
                    sum += std::abs(std::log(first(0.01) / first(100)));
                }
            }
            return sum;
        };
        QVERIFY(isNear("chunkBound", constant, bestValue(constant, jump), 1.12));
    }

    /// Sequences of a full engine: of 6 to 12 that the cache has bytes for.
    void freeWhenFull() {
        std::vector<Case> cases;
        for (const double sequences : {6.0, 8.0, 12.0}) {
            for (const double cv : {0.0, 0.3, 0.6, 1.0}) {
                for (const double prompt : {500.0, 2000.0}) {
                    for (const double outputCv : {0.3, 1.0}) {
                        Case each{.load = {.inputTokens = prompt,
                                           .inputCv = cv,
                                           .outputTokens = 300,
                                           .outputCv = outputCv,
                                           .concurrency = 4 * sequences},
                                  .limits = {}};
                        each.limits = littleRoom(each.load, sequences);
                        cases.push_back(each);
                    }
                }
            }
        }
        constexpr Figure inside = &ServingState::inFlight;
        play(cases, kneeStep, inside, 8000, 2000, 1);
        const double best = bestValue(&ClosedFormConstants::freeWhenFull,
                                      [&](const auto& c) { return errorOf(cases, kneeStep, inside, c); });
        QVERIFY(isNear("freeWhenFull", &ClosedFormConstants::freeWhenFull, best, 1.2));
    }
};

QTEST_APPLESS_MAIN(TestClosedFormFit)

} // namespace tst_closed_form_fit

#include "tst_closed_form_fit.moc"
