// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/prompt_backlog.h"
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tst_serving_units {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Units in which an engine is told: the same engine has so many of them. Powers of two, so that nothing is
/// rounded.
struct Units {
    double second = 1, byte = 1, token = 1;
};

constexpr double overSecond = -1; // exponents of the unit of time
constexpr double number = 0, seconds = 1;

/// A figure, with the exponents of its units.
struct Figure {
    const char* name;
    double value;
    double time = number, tokens = 0;
};

void compare(const std::vector<Figure>& usual, const std::vector<Figure>& other, const Units& units) {
    QCOMPARE(usual.size(), other.size());
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const Figure& f = usual[i];
        const double expected = f.value * std::pow(units.second, f.time) * std::pow(units.token, f.tokens);
        QVERIFY2(near(other[i].value, expected), qPrintable(QStringLiteral("%1: %2, expected %3")
                                                                .arg(QLatin1String(f.name))
                                                                .arg(other[i].value, 0, 'g', 12)
                                                                .arg(expected, 0, 'g', 12)));
    }
}

/// All that a chain of waiting prompts says. A step lasts 0.5 s and 0.01 s a token.
template <int Cells>
std::vector<Figure> told(typename PromptBacklogOf<Cells>::Input in, const Units& u) {
    using Backlog = PromptBacklogOf<Cells>;
    in.prompt *= u.token;
    in.chunk *= u.token;
    in.span *= u.token;
    in.rate /= u.second;
    in.alone *= u.second;
    Backlog b(in);
    const auto step = [&](double tokens) { return u.second * (0.5 + 0.01 * tokens / u.token); };
    typename Backlog::Lattice lasts{}, completions{};
    for (int cell = 0; cell < Cells; ++cell) {
        const auto i = static_cast<std::size_t>(cell);
        lasts[i] = b.stepsIn(cell) * step(b.stepTokens(cell) / b.stepsIn(cell));
        completions[i] = in.rate > 0 ? 0 : 0.3 + 0.01 * cell;
    }
    const double least = in.alone > 0 ? step(0) : 0;
    b.solve(lasts, completions, least);
    const auto first = b.firstToken(step(0), 0), better = b.firstToken(step(0), 4 * u.second);
    std::vector<Figure> out{{"chunks", b.chunks()},
                            {"tokens", b.tokens(3), number, 1},
                            {"step tokens", b.stepTokens(Cells - 1), number, 1},
                            {"mean step", b.meanStep(), seconds},
                            {"arrivals", b.meanArrivals()},
                            {"prefill share", b.prefillTimeShare()},
                            {"mean tokens", b.meanTokens(), number, 1},
                            {"tokens taken", b.meanTokensTaken(), number, 1},
                            {"residual", b.meanResidual(), seconds},
                            {"first token", first.seconds, seconds},
                            {"behind", first.behind, number, 1},
                            {"first token, known alone", better.seconds, seconds},
                            {"behind, known alone", better.behind, number, 1},
                            {"until cell 5", b.timeUntil(5), seconds}};
    for (const double p : b.probability())
        out.push_back({"probability", p});
    for (const double p : b.severalPrompts(0.8))
        out.push_back({"several prompts", p});
    for (const auto& part : b.prompts())
        out.push_back({"part of prompts", part.tokens, number, 1});
    if (in.alone > 0) {
        const auto pause = b.pause();
        out.push_back({"pause arrivals", pause.arrivals});
        out.push_back({"pause longer", pause.longer});
        out.push_back({"pause further", pause.further, seconds});
        out.push_back({"pause mean", pause.mean, seconds});
    }
    const TimeDistribution times = b.timesToFirstToken([&](double tokens, double) { return step(tokens); });
    out.push_back({"mean of times", times.mean(), seconds});
    for (const double q : {0.1, 0.5, 0.9, 0.99})
        out.push_back({"quantile of times", times.quantile(q), seconds});
    return out;
}

struct Engine {
    RequestLoad load;
    EngineLimits limits;
};

/// An engine told in other units. Its step lasts 20 ms at least, 1 ms a sequence, 10 us a token of prefill
/// beyond the first 16, and 1 us a thousand tokens of context.
struct Told {
    Engine engine;
    Units u;

    Told(const Engine& usual, const Units& units)
        : engine(usual)
        , u(units) {
        RequestLoad& load = engine.load;
        load.requestsPerSecond /= u.second;
        load.inputTokens *= u.token;
        EngineLimits& limits = engine.limits;
        limits.chunkTokens *= u.token;
        limits.requestOverhead *= u.second;
        limits.kvBytes *= u.byte;
        limits.memory.bytesPerToken *= u.byte;
        limits.memory.windowBytesPerToken *= u.byte;
        limits.memory.constantBytes *= u.byte;
    }
    double step(const StepWork& w) const {
        const double context = u.token == 1 ? 1e-9 * w.decodeSequences * w.decodeContext : 0;
        return u.second * (0.02 + 1e-3 * w.decodeSequences +
                           1e-5 * std::max(0.0, w.prefillTokens / u.token - 16) + context);
    }
};

std::vector<Figure> figures(const ServingState& s) {
    std::vector<Figure> out{{"stable", s.stable ? 1.0 : 0.0},
                            {"requests", s.requestsPerSecond, overSecond},
                            {"batch", s.batch},
                            {"in flight", s.inFlight},
                            {"queued", s.queued},
                            {"utilization", s.utilization},
                            {"decode step", s.decodeStep, seconds},
                            {"prefill", s.prefillTime, seconds},
                            {"queue wait", s.queueWait, seconds},
                            {"ttft", s.ttft, seconds},
                            {"itl", s.itl, seconds},
                            {"tpot", s.tpot, seconds},
                            {"e2e", s.e2e, seconds},
                            {"prefill share", s.prefillShare},
                            {"preemptions", s.preemptionsPerRequest}};
    for (const Percentiles& p : {s.ttftPercentiles, s.itlPercentiles})
        for (const double each : {p.p50, p.p90, p.p95, p.p99})
            out.push_back({"percentile", each, seconds});
    return out;
}

std::vector<Figure> solved(const Engine& usual, const Units& units) {
    const Told told(usual, units);
    return figures(
        steadyState(told.engine.load, told.engine.limits, [&](const StepWork& w) { return told.step(w); }));
}

std::vector<Figure> played(const Engine& usual, const Units& units) {
    const Told told(usual, units);
    return figures(simulate(told.engine.load, told.engine.limits,
                            [&](const StepWork& w) { return told.step(w); }, {.requests = 150, .warmUp = 30})
                       .state);
}

/// Requests that come, users that ask again, and such users with equal requests.
struct Loads {
    RequestLoad open, closed, equal;
};

Loads loadsOf(double promptTokens) {
    Loads out;
    out.open = {.inputTokens = promptTokens,
                .inputCv = 0.5,
                .outputTokens = 101,
                .outputCv = 0.7,
                .requestsPerSecond = 2};
    out.closed = out.open;
    out.closed.requestsPerSecond = 0;
    out.closed.concurrency = 12;
    out.equal = {.inputTokens = promptTokens, .outputTokens = 101, .concurrency = 12};
    return out;
}

} // namespace

/// The same engine told in other units of time, memory and text does the same: whatever is added up is of
/// one kind, and no second, byte or token hides in a formula.
class TestServingUnits : public QObject {
    Q_OBJECT

private slots:
    void waitingPrompts_data() {
        QTest::addColumn<double>("cv");
        QTest::addColumn<double>("chunk");
        QTest::addColumn<double>("span");
        QTest::addColumn<double>("rate");
        QTest::addColumn<double>("emptyShare");
        QTest::addColumn<double>("alone");
        for (const double cv : {0.0, 0.7}) {
            for (const double chunk : {30.0, 130.0, 5000.0}) {
                for (const double span : {250.0, 1600.0}) {
                    const auto row = [&](const char* name, double rate, double emptyShare, double alone) {
                        QTest::addRow("%s prompts, chunks of %g, %g tokens, %s",
                                      cv > 0 ? "different" : "equal", chunk, span, name)
                            << cv << chunk << span << rate << emptyShare << alone;
                    };
                    row("closed", 0, 0, 0);
                    row("open", 0.1, 0, 0);
                    row("rests", 0.1, 0.4, 0);
                    row("prefill first", 0.1, 0.2, 3);
                }
            }
        }
    }
    void waitingPrompts() {
        QFETCH(double, cv);
        QFETCH(double, chunk);
        QFETCH(double, span);
        QFETCH(double, rate);
        QFETCH(double, emptyShare);
        QFETCH(double, alone);
        const auto input = [&]<class Input>(Input in) {
            in.prompt = 100;
            in.promptCv = cv;
            in.chunk = chunk;
            in.rate = rate;
            in.span = span;
            in.emptyShare = emptyShare;
            in.others = 0.8;
            in.alone = alone;
            return in;
        };
        const auto coarse = input(CoarseBacklog::Input());
        const auto fine = input(PromptBacklog::Input());
        for (const Units units : {Units{.second = 1.0 / 64}, Units{.token = 16}}) {
            compare(told<16>(coarse, {}), told<16>(coarse, units), units);
            compare(told<96>(fine, {}), told<96>(fine, units), units);
        }
    }

    void engines_data() {
        QTest::addColumn<RequestLoad>("load");
        QTest::addColumn<EngineLimits>("limits");
        const auto row = [](const char* name, const RequestLoad& load, const EngineLimits& limits) {
            QTest::newRow(name) << load << limits;
        };
        const auto [open, closed, equal] = loadsOf(1000);
        const EngineLimits mixed{
            .maxSequences = 64, .kvBytes = 1e6, .chunkTokens = 600, .memory = {.bytesPerToken = 1}};
        EngineLimits prefillFirst = mixed;
        prefillFirst.mixed = false;
        EngineLimits full = mixed;
        full.kvBytes = 9000;
        EngineLimits busy = prefillFirst;
        busy.kvBytes = 9000;
        for (const auto& [name, limits] : {std::pair("mixed", mixed),
                                           {"prefill first", prefillFirst},
                                           {"mixed, full cache", full},
                                           {"prefill first, full cache", busy}}) {
            row(qPrintable(QStringLiteral("open, %1").arg(QLatin1String(name))), open, limits);
            row(qPrintable(QStringLiteral("closed, %1").arg(QLatin1String(name))), closed, limits);
            row(qPrintable(QStringLiteral("closed and equal, %1").arg(QLatin1String(name))), equal, limits);
        }
        EngineLimits late = mixed;
        late.requestOverhead = 0.75;
        late.tokensPerStep = 2;
        late.memory = {.bytesPerToken = 1, .windowBytesPerToken = 0.5, .window = 256, .constantBytes = 32};
        row("open, overhead and speculation", open, late);
        row("closed, overhead and speculation", closed, late);
        late.memory.blockTokens = 16;
        late.reserves = true;
        row("closed, reserved", closed, late);
        EngineLimits few = mixed;
        few.maxSequences = 6;
        row("closed, few places", closed, few);
        row("open, few places", open, few);
        RequestLoad regular = open;
        regular.arrivalCv = 0.25;
        row("open, regular", regular, mixed);
        RequestLoad long1 = equal;
        long1.inputTokens = 3000;
        row("closed, chunks full", long1, mixed);
        RequestLoad flood = open;
        flood.requestsPerSecond = 1000;
        row("overload", flood, mixed);
        EngineLimits pool = mixed;
        pool.decodes = false;
        row("open prefill pool", open, pool);
        row("closed prefill pool", closed, pool);
        pool = mixed;
        pool.prefills = false;
        row("open decode pool", open, pool);
        pool.maxSequences = 8; // so that some wait: no time at all is read as that of the first bin
        row("closed decode pool", closed, pool);
    }
    void engines() {
        QFETCH(RequestLoad, load);
        QFETCH(EngineLimits, limits);
        const Engine engine{load, limits};
        for (const Units units : {Units{.second = 1.0 / 16}, Units{.second = 8}, Units{.byte = 1024}}) {
            compare(solved(engine, {}), solved(engine, units), units);
            if (load.requestsPerSecond < 100)
                compare(played(engine, {}), played(engine, units), units);
        }
    }

    void tokens_data() {
        QTest::addColumn<RequestLoad>("load");
        QTest::addColumn<bool>("decodes");
        const auto [open, closed, equal] = loadsOf(1024);
        QTest::newRow("open") << open << true;
        QTest::newRow("closed") << closed << true;
        QTest::newRow("closed and equal") << equal << true;
        QTest::newRow("open prefill pool") << open << false;
        QTest::newRow("closed prefill pool") << closed << false;
    }
    /// A text of prompts in smaller tokens, a step that takes as many more of them: where prefill goes first,
    /// nothing else depends on them. A step of the first 16 takes as long as one of the first token.
    void tokens() {
        QFETCH(RequestLoad, load);
        QFETCH(bool, decodes);
        const EngineLimits limits{
            .maxSequences = 64, .kvBytes = 1e9, .chunkTokens = 512, .mixed = false, .decodes = decodes};
        for (const double token : {0.25, 4.0}) {
            const Units units{.token = token};
            compare(solved({load, limits}, {.token = 2}), solved({load, limits}, {.token = 2 * token}),
                    units);
        }
    }
};

QTEST_APPLESS_MAIN(TestServingUnits)

} // namespace tst_serving_units

#include "tst_serving_units.moc"
