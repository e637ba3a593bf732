// SPDX-License-Identifier: GPL-3.0-or-later
// One or a few benchmarks of a serving deployment as points of a fit.
#include "model/calibration/live_kinds.h"
#include "model/estimate/evaluate_serving.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>

namespace alidade {

namespace {

constexpr double itlSd = 0.01;    ///< of ln(mean gap / the law)
constexpr double ttftRunSd = 0.1; ///< of ln(mean TTFT / the law): arrivals and the ends of a run weigh on it
constexpr double throughputSd = 0.03; ///< of ln(throughput / the law)
constexpr double saturated = 0.95;    ///< of the asked rate: below it the deployment is the limit
constexpr double sameLength = 0.02;   ///< of the scenario's lengths, for a remark

bool told(double value) { return std::isfinite(value) && value > 0; }

/// What a run put on the deployment: one of rate and concurrency.
struct Load {
    double rate = 0, concurrency = 0;
    double prompt = 0, output = 0;
};

/// By Little's law where the run tells enough: the concurrency that was asked for holds neither at the ends
/// of a run nor where there were too few requests.
double inFlight(const ServedRun& run) {
    const double e2e = told(run.e2e) ? run.e2e : run.ttft + (run.outputTokens - 1) * run.itl;
    const double little = run.requestsPerSecond * e2e;
    return told(little) && told(run.concurrency) ? std::min(little, run.concurrency)
           : told(little)                        ? little
                                                 : run.concurrency;
}

Result<Load> loadOf(const ServedRun& run, const Scenario& scenario, std::vector<std::string>& notes) {
    const Inputs& in = scenario.pools.back().inputs;
    Load out;
    out.prompt = told(run.promptTokens) ? run.promptTokens : in[Input::inputTokens];
    out.output = told(run.outputTokens) ? run.outputTokens : in[Input::outputTokens];
    if (!told(run.promptTokens) || !told(run.outputTokens)) {
        notes.push_back(run.file +
                        " does not report the lengths of its requests; those of the scenario are used (" +
                        figureText(out.prompt) + " and " + figureText(out.output) + " tokens).");
    } else if (std::abs(out.prompt / in[Input::inputTokens] - 1) > sameLength ||
               std::abs(out.output / in[Input::outputTokens] - 1) > sameLength) {
        notes.push_back(run.file + ": requests of " + figureText(out.prompt) + " and " +
                        figureText(out.output) + " tokens, as the run had them; the scenario plans " +
                        figureText(in[Input::inputTokens]) + " and " + figureText(in[Input::outputTokens]) +
                        ".");
    }
    if (told(run.requestRate)) {
        const double done = told(run.requestsPerSecond) ? run.requestsPerSecond : run.requestRate;
        if (done >= saturated * run.requestRate) {
            out.rate = done;
            return out;
        }
        notes.push_back(run.file + ": " + figureText(done) + " of " + figureText(run.requestRate) +
                        " requests/s were served; the run is taken for one of constant concurrency.");
    }
    if (std::isinf(run.concurrency)) { // all at once: as many as the caches hold
        const auto totals = std::make_unique<ServingTotals>();
        evaluateServingAt(scenario, 1e-6, 0, *totals, ServingDetail::means);
        out.concurrency = totals->maxConcurrency;
    } else {
        out.concurrency = inFlight(run);
    }
    if (!told(out.concurrency)) {
        return Error{run.file + ": neither the rate nor the concurrency of the requests is known; run the "
                                "benchmark with a request rate or a maximum concurrency"};
    }
    return out;
}

/// The scenario under the load of a run, by constants.
class Runs {
public:
    explicit Runs(const LiveConstants& constants)
        : constants_(constants) {}

    struct Figures {
        double ttft = ServedRun::untold, itl = ServedRun::untold, tokens = ServedRun::untold;
    };
    /// NaN where the engine of the model cannot carry the load.
    Figures at(const Load& load, const std::vector<double>& theta) const {
        thread_local const auto totals = std::make_unique<ServingTotals>();
        const Scenario& scenario = constants_.scenario();
        LiveConstants::PoolInputs inputs = constants_.poolInputs(theta);
        for (Inputs& in : inputs) {
            in[Input::concurrency] = load.rate > 0 ? 0 : load.concurrency;
            in[Input::requestRate] = load.rate;
            in[Input::inputTokens] = load.prompt;
            in[Input::outputTokens] = load.output;
        }
        evaluateServing<double>(scenario, std::span(inputs).first(scenario.pools.size()), *totals, nullptr,
                                ServingDetail::means);
        return totals->stable ? Figures{totals->ttft, totals->itl, totals->outputTokensPerSecond} : Figures{};
    }
    Figures now(const Load& load) const {
        std::vector<double> present;
        for (std::size_t j = 0; j < constants_.size(); ++j)
            present.push_back(constants_.present(j));
        return at(load, present);
    }

private:
    const LiveConstants& constants_;
};

struct Figure {
    std::string_view name, label, unit;
    double ServedRun::* measured;
    double Runs::Figures::* modeled;
    double sd;
};
constexpr std::array figures{
    Figure{"itl", "Inter-token latency", "s", &ServedRun::itl, &Runs::Figures::itl, itlSd},
    Figure{"ttft", "Time to first token", "s", &ServedRun::ttft, &Runs::Figures::ttft, ttftRunSd},
    Figure{"output_tokens_per_s", "Output tokens per second", "tokens/s", &ServedRun::outputTokensPerSecond,
           &Runs::Figures::tokens, throughputSd}};

std::string loadText(const Load& load) {
    return (load.rate > 0 ? figureText(load.rate, " requests/s")
                          : figureText(load.concurrency, " in flight")) +
           ", " + figureText(load.prompt) + " + " + figureText(load.output) + " tokens";
}

/// What cannot be told from so few loads, and what would.
void addLimits(const std::vector<ServedRun>& runs, const std::vector<Load>& loads,
               std::vector<std::string>& notes) {
    std::set<double> levels;
    for (const Load& load : loads)
        levels.insert(std::round(20 * std::log(load.rate > 0 ? load.rate : load.concurrency)));
    const bool gaps = std::ranges::any_of(runs, [](const ServedRun& run) { return told(run.itl); });
    const bool first = std::ranges::any_of(runs, [](const ServedRun& run) { return told(run.ttft); });
    if (levels.size() < 2) {
        notes.push_back(
            std::string(gaps ? "One load gives one decode step" : "One load gives one throughput") +
            ": HBM efficiency, the fixed cost of a step and the cost of a sequence cannot be separated; the "
            "change is split by prior uncertainty. Runs at a low and a high concurrency separate them.");
    }
    if (!first) {
        notes.push_back("Time to first token is not reported, so prefill keeps its constants and its band.");
    } else if (std::set<double> lengths;
               std::ranges::for_each(
                   loads, [&](const Load& load) { lengths.insert(std::round(10 * std::log(load.prompt))); }),
               lengths.size() < 2) {
        notes.push_back(
            "With prompts of one length, the efficiency of prefill and the fixed cost of a request "
            "cannot be separated. Runs with short and long prompts separate them.");
    }
    notes.push_back(
        "Failures, memory, prices and other models, GPUs and precisions keep their values and bands.");
}

void addDoubts(const ServedRun& run, std::vector<std::string>& notes) {
    if (run.failed > 0) {
        notes.push_back(run.file + ": " + figureText(run.failed) +
                        " requests failed; the remaining load may be lighter than intended.");
    }
    if (run.acceptLength > 1.01) {
        notes.push_back(run.file + ": speculation accepted " + figureText(run.acceptLength) +
                        " tokens per step; the scenario must have the same.");
    }
    if (!run.model.empty()) {
        notes.push_back(run.file + " served " + run.model + ", by " + run.tool +
                        "; whether that is the scenario's model is for you to check.");
    }
}

} // namespace

Result<LiveCalibration> calibrateServedRuns(const ScenarioSpec& spec, const Catalog& catalog,
                                            const Profile& profile, const std::vector<ServedRun>& runs) {
    if (runs.empty())
        return Error{"there is no run to calibrate from"};
    std::string source;
    for (const ServedRun& run : runs)
        if (source.find(run.file) == std::string::npos)
            source += (source.empty() ? "" : ", ") + run.file;
    const Result<LiveConstants> constants = LiveConstants::of(spec, catalog, profile, source);
    if (!constants)
        return Error{constants.error()};
    if (!constants->scenario().isServing()) {
        return Error{
            "a benchmark of requests applies to serving, but this is a training scenario; use a serving "
            "scenario, or a log of the training"};
    }
    LiveCalibration out;
    out.evidence = CalibrationEvidence::benchmark;
    out.quantity = "latencies and throughput";
    out.source = source;
    const Runs model(*constants);
    std::vector<Load> loads;
    std::vector<LivePoint> points;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const ServedRun& run = runs[r];
        const Result<Load> load = loadOf(run, constants->scenario(), out.notes);
        if (!load)
            return Error{load.error()};
        loads.push_back(*load);
        const Runs::Figures before = model.now(*load);
        const std::string suffix = runs.size() > 1 ? "_" + std::to_string(r + 1) : std::string();
        // In a closed loop gaps, first tokens and throughput are bound to each other: the third says nothing
        // new.
        const bool both = told(run.itl) && told(run.ttft);
        for (const Figure& figure : figures) {
            const double measured = run.*figure.measured;
            if (!told(measured))
                continue;
            out.parameters.push_back(measuredFigure(
                std::string(figure.name) + suffix, std::string(figure.label), std::string(figure.unit),
                before.*figure.modeled, measured, measured * (1 - figure.sd), measured * (1 + figure.sd),
                run.tool + " at " + loadText(*load)));
            const bool isThroughput = figure.modeled == &Runs::Figures::tokens;
            if ((isThroughput && (both || load->rate > 0)) || !told(before.*figure.modeled))
                continue; // in an open loop the throughput is the load's
            points.push_back(
                {.measured = measured,
                 .sd = figure.sd,
                 .weight = 1,
                 .predict = [&model, at = *load, which = figure.modeled](
                                const std::vector<double>& theta) { return model.at(at, theta).*which; },
                 .judged = true,
                 .group = static_cast<int>(r),
                 .name = run.file + ", " + std::string(figure.label)});
        }
        addDoubts(run, out.notes);
    }
    if (points.empty()) {
        return Error{source +
                     ": the modeled deployment cannot carry the load of the run, or the run reports neither "
                     "latencies nor throughput; use the scenario of the deployment that was measured"};
    }
    out.samples = points.size();
    addLimits(runs, loads, out.notes);
    fitLive(*constants, points, out);
    return out;
}

} // namespace alidade
