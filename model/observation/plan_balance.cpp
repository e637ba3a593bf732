// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/observation/health_evidence.h"
#include "model/observation/plan_parts.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {
namespace {

constexpr double even = 0.015;      ///< nearer to the plan than this is on it
constexpr double mostNow = 300;     ///< s that "now" looks back
constexpr double leastTold = 0.005; ///< of the time

std::string wholePercent(double share) {
    const double percent = std::abs(share) * 100;
    return percent < 2 ? formatQuantity(percent, Dimension::number, {.significant = 2}) + " %"
                       : std::to_string(std::llround(percent)) + " %";
}

/// "two hours", "30 min", "3 days".
std::string spanText(double seconds) {
    constexpr std::array words{"one hour",   "two hours",  "three hours",
                               "four hours", "five hours", "six hours"};
    const double hours = seconds / secondsPerHour;
    const double whole = std::round(hours);
    if (whole >= 1 && whole <= 6 && std::abs(hours - whole) < 0.03)
        return words[static_cast<std::size_t>(whole) - 1];
    return durationText(seconds);
}

std::string countWord(std::size_t n) {
    constexpr std::array words{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"};
    return n < words.size() ? words[n] : formatCount(static_cast<std::int64_t>(n));
}

/// The time in which there was a job to hold against a plan.
struct JobTime {
    std::size_t begin = 0, end = 0;
    double seconds = 0; ///< of which something is known
};

JobTime timeOf(const PlanView& view) {
    const PointSpan span = timeOfJob(view.job, view.cluster.points());
    const std::size_t observed = view.cluster.gaps().observedIn(span.begin, span.end);
    return {span.begin, span.end, static_cast<double>(observed) * view.cluster.step()};
}

/// Of which something is known, s.
double observedSeconds(const PlanView& view) {
    return static_cast<double>(view.cluster.gaps().observedIn(0, view.cluster.points())) *
           view.cluster.step();
}

bool hasNoDataNow(const PlanView& view) {
    const std::vector<DataGap>& gaps = view.cluster.gaps().gaps;
    return !gaps.empty() && gaps.back().lasts;
}

/// Steps that the job made, without those done twice. A measured rate counts everything; else the step times
/// of the points at which it ran, less the checkpoints.
double stepsDone(const PlanView& view, const JobTime& time) {
    const double step = view.cluster.step();
    double done = 0;
    const SignalTable* rate = view.cluster.table(Signal::stepsPerSecond);
    const SignalTable* saves = view.cluster.table(Signal::checkpointShare);
    const std::vector<double> rates = rate ? jobMean(view, *rate) : std::vector<double>();
    const std::vector<double> checkpoints = saves ? jobMean(view, *saves) : std::vector<double>();
    for (std::size_t i = time.begin; i < time.end; ++i) {
        const bool stands = i < view.job.stopped.size() && view.job.stopped[i] == Sign::yes;
        if (view.cluster.unobserved(i))
            continue;
        if (!rates.empty() && std::isfinite(rates[i])) {
            done += rates[i] * step;
        } else if (!stands && i < view.job.stepTime.size() && std::isfinite(view.job.stepTime[i])) {
            const double saved = i < checkpoints.size() && std::isfinite(checkpoints[i])
                                     ? std::clamp(checkpoints[i], 0.0, 1.0)
                                     : 0;
            done += step * (1 - saved) / view.job.stepTime[i];
        }
    }
    return done;
}

double quietStep(const PlanView& view) {
    const double usual = quantileOf(view.job.stepTime, 0.5);
    return view.job.stepTimeIsRelative || !std::isfinite(usual) ? 0 : usual;
}

std::string lossName(const Finding& finding) {
    if (finding.kind == FaultKind::xid)
        return "Lost to XID " + std::to_string(finding.code);
    if (finding.kind == FaultKind::stall || finding.kind == FaultKind::restart) {
        const std::size_t colon = finding.title.find(": ");
        const std::string what = colon == std::string::npos ? std::string(faultLabel(finding.kind))
                                                            : finding.title.substr(colon + 2);
        return "Lost to " + (what == "hang, then restart" ? "hang and restart" : what);
    }
    return "Lost to " + std::string(faultLabel(finding.kind));
}

struct Money {
    double perHost = 0; ///< dollars per hour of one machine
    double perHour = 0; ///< of those that train (or serve)
};

/// The plan's rent by machine, times the machines of the job.
std::optional<Money> moneyOf(const PlanView& view, PlanActual& out) {
    if (!view.estimate || !view.estimate->cost || !(view.estimate->cost->dollarsPerHour > 0))
        return std::nullopt;
    const Estimate& estimate = *view.estimate;
    const double machines = static_cast<double>(estimate.scenario.cluster.instances.value_or(0));
    std::size_t hosts = 0;
    for (std::size_t i = 0; i < view.cluster.hosts().size(); ++i)
        hosts += view.cluster.role(i) == (view.serves ? HostRole::serving : HostRole::training);
    if (machines > 0 && hosts > 0) {
        const double perHost = estimate.cost->dollarsPerHour / machines;
        return Money{perHost, perHost * static_cast<double>(hosts)};
    }
    out.notes.emplace_back("The rent is the whole plan's: its machines are not counted one by one.");
    return Money{0, estimate.cost->dollarsPerHour};
}

void addLosses(const PlanView& view, const std::vector<Finding>& findings, const JobTime& time,
               std::optional<Money> money, PlanActual& out) {
    const auto add = [&](const std::string& name, double seconds, double steps) {
        auto line = std::ranges::find(out.losses, name, &LossLine::name);
        if (line == out.losses.end())
            line = out.losses.insert(out.losses.end(), LossLine{name, 0, 0, {}});
        line->steps += steps;
        line->share += time.seconds > 0 ? seconds / time.seconds : 0;
        if (money)
            line->dollars = line->dollars.value_or(0) + seconds / secondsPerHour * money->perHour;
    };
    double lost = 0;
    for (const Finding& finding : findings) {
        if (finding.cost && finding.cost->seconds > 0) {
            add(lossName(finding), finding.cost->seconds, finding.cost->steps);
            lost += finding.cost->seconds;
        }
    }
    if (money && lost > 0)
        out.dollarsLost = lost / secondsPerHour * money->perHour;
    if (const SignalTable* saves = view.cluster.table(Signal::checkpointShare)) {
        const double share = meanOfSeries(view, jobMean(view, *saves), false);
        const double quiet = quietStep(view);
        if (share > leastTold / 10) {
            const double seconds = share * time.seconds;
            add("In checkpoints", seconds, quiet > 0 ? seconds / quiet : 0);
        }
    }
    std::ranges::stable_sort(out.losses,
                             [](const LossLine& a, const LossLine& b) { return a.share > b.share; });
}

/// Unused machines, and GPUs that do not answer, are paid for all the same.
void addIdle(const PlanView& view, const std::vector<Finding>& findings, const Money& money,
             PlanActual& out) {
    const double observed = observedSeconds(view) / secondsPerHour;
    double hours = 0;
    for (std::size_t i = 0; i < view.cluster.hosts().size(); ++i)
        hours += view.cluster.role(i) == HostRole::idle ? observed : 0;
    const double perHost =
        view.gpus > 0 && !view.cluster.training().empty()
            ? static_cast<double>(view.gpus) / static_cast<double>(view.cluster.training().size())
            : 0;
    for (const Finding& finding : findings) {
        const bool used = view.cluster.role(finding.where.host) != HostRole::idle;
        if (finding.kind == FaultKind::missingGpu && used && perHost > 0 && !finding.where.host.empty()) {
            const double end = finding.end.value_or(view.cluster.grid().end());
            hours += std::max(0.0, end - finding.start) / secondsPerHour / perHost;
        }
    }
    if (hours > 0 && money.perHost > 0)
        out.dollarsIdle = hours * money.perHost;
}

/// Step time of the last minutes over that of the plan, which has one: above 1 is behind.
std::optional<double> paceNow(const PlanView& view) {
    std::vector<double> last;
    const std::size_t points = view.cluster.points();
    const std::size_t few = std::max<std::size_t>(1, view.cluster.pointsIn(mostNow));
    for (std::size_t i = points - std::min(points, few); i < points; ++i)
        if (i < view.job.stepTime.size() && std::isfinite(view.job.stepTime[i]))
            last.push_back(view.job.stepTime[i]);
    if (last.empty())
        return std::nullopt;
    return lowerMedian(last) / view.estimate->training->stepTime;
}

/// A plan for more or fewer GPUs than the job has tells nothing of its pace. Some lost machines are the job's
/// trouble and belong to the comparison.
bool isOtherSize(const PlanView& view) {
    constexpr double most = 0.05;
    return view.estimate && view.gpus > 0 && view.estimate->gpus > 0 &&
           std::abs(static_cast<double>(view.gpus) / static_cast<double>(view.estimate->gpus) - 1) > most;
}

/// "Another cluster: 11 of 64 hosts, ..."; and what compares all the same, per GPU.
void addOtherSize(const PlanView& view, PlanActual& out) {
    const Estimate& estimate = *view.estimate;
    const std::size_t hosts = view.cluster.training().size();
    const std::int64_t machines = estimate.scenario.cluster.instances.value_or(0);
    const std::string gpus =
        formatCount(static_cast<std::int64_t>(view.gpus)) + " GPUs, planned " + formatCount(estimate.gpus);
    out.verdict = "Another cluster than the plan's: " +
                  (machines > 0 ? formatCount(static_cast<std::int64_t>(hosts)) + " of " +
                                      formatCount(machines) + " hosts (" + gpus + ")"
                                : gpus) +
                  ". Step times do not compare.";
    const auto tokens = std::ranges::find(out.charts, "tokens_per_s", &ChartLine::id);
    const double planned = estimate.training ? estimate.training->tokensPerSecondPerGpu : 0;
    const SignalTable* table = view.cluster.table(Signal::tokensPerSecond);
    if (tokens == out.charts.end() || table == nullptr || !(planned > 0))
        return;
    const double mean = meanOfSeries(view, jobMean(view, *table), true) / static_cast<double>(view.gpus);
    const double off = mean / planned - 1;
    out.because = "While it ran, a GPU made " + formatQuantity(mean, Dimension::tokensPerSecond, {}) +
                  ", planned are " + formatQuantity(planned, Dimension::tokensPerSecond, {}) +
                  (std::abs(off) < even ? "."
                                        : ": " + wholePercent(off) +
                                              (off > 0 ? " more than planned." : " fewer than planned."));
}

std::string nowText(const PlanView& view, double over) {
    if (hasNoDataNow(view))
        return "no data now";
    const bool stands = !view.job.stops.empty() && view.job.stops.back().lasts;
    if (stands)
        return "the job is not making progress now";
    const std::optional<double> pace = paceNow(view);
    if (!pace)
        return "nothing measured in the last minutes";
    const double behind = *pace - 1;
    const double half = std::max(0.03, timeBand(*view.estimate).high - 1);
    if (std::abs(behind) < 0.03 || (behind > 0 && behind < half && over > behind))
        return "on plan now";
    return wholePercent(behind) + (behind > 0 ? " slower" : " faster") + " than planned now" +
           (behind > 0 && behind < half ? ", inside the band" : "");
}

void addTrainingVerdict(const PlanView& view, const std::vector<Finding>& findings, const JobTime& time,
                        PlanActual& out) {
    double faults = 0;
    std::size_t count = 0;
    for (const Finding& finding : findings) {
        if (finding.cost && time.seconds > 0 && finding.cost->seconds / time.seconds > leastTold) {
            faults += finding.cost->seconds / time.seconds;
            ++count;
        }
    }
    if (time.seconds > 0 && view.estimate && view.estimate->training && isOtherSize(view)) {
        addOtherSize(view, out);
        return;
    }
    const std::string span = spanText(time.seconds);
    if (time.seconds > 0 && view.estimate && view.estimate->serving) {
        out.verdict = "The plan serves, the measured job trains: there is nothing to compare.";
        return;
    }
    if (!(out.stepsPlanned > 0)) {
        out.verdict = time.seconds > 0
                          ? (faults > leastTold ? wholePercent(faults) + " of " + span + " lost to faults."
                                                : "No fault cost the job time in " + span + ".")
                          : "No training job was measured in this time.";
        return;
    }
    const double behind = 1 - out.stepsDone / out.stepsPlanned;
    const std::string now = nowText(view, behind);
    const std::string whole = behind > even    ? wholePercent(behind) + " behind plan over " + span
                              : behind < -even ? wholePercent(behind) + " ahead of plan over " + span
                                               : "On plan over " + span;
    out.verdict = whole + (std::abs(behind) <= even && now == "on plan now" ? "." : "; " + now + ".");
    if (behind <= even)
        return;
    const double points = behind * 100, told = std::min(faults * 100, points);
    const auto saves = std::ranges::find(out.losses, "In checkpoints", &LossLine::name);
    const double saving = saves == out.losses.end() ? 0 : saves->share * 100;
    if (count > 0) {
        out.because = countWord(count) + (count == 1 ? " fault explains " : " faults explain ") +
                      std::to_string(std::llround(told)) + " of the " + std::to_string(std::llround(points)) +
                      " points";
    }
    if (saving >= 0.5) {
        out.because += (out.because.empty() ? "Checkpoints take " : ", checkpoints take ") +
                       std::to_string(std::llround(saving)) +
                       (count == 0 ? " of the " + std::to_string(std::llround(points)) + " points" : "");
    }
    out.because += out.because.empty() ? "" : ".";
}

void addServingVerdict(const PlanView& view, PlanActual& out) {
    const Serving* plan = view.estimate && view.estimate->serving ? &*view.estimate->serving : nullptr;
    const auto chart =
        std::ranges::find_if(out.charts, [](const ChartLine& each) { return each.plan && each.mean; });
    if (out.charts.empty()) {
        out.verdict = "No serving engine was measured in this time.";
        return;
    }
    if (!plan && view.estimate && view.estimate->training) {
        out.verdict = "The plan trains, the measured job serves: there is nothing to compare.";
        return;
    }
    if (!plan || chart == out.charts.end()) {
        out.verdict = "No plan to compare with.";
        return;
    }
    const double off = *chart->mean / chart->plan->value - 1;
    const bool inside = *chart->mean >= chart->plan->low && *chart->mean <= chart->plan->high;
    const std::string span = spanText(observedSeconds(view));
    out.verdict = chart->title + " is " +
                  (std::abs(off) < even ? std::string("on plan")
                                        : wholePercent(off) + (off > 0 ? " above plan" : " below plan")) +
                  " over " + span;
    // Latency grows with the load: only at the planned one does the band judge it.
    constexpr double sameLoad = 1.25;
    const auto running = std::ranges::find(out.charts, "requests_running", &ChartLine::id);
    if (running != out.charts.end() && running->plan && running->mean) {
        const double load = *running->mean / running->plan->value;
        if (load > sameLoad || load < 1 / sameLoad) {
            const auto requests = [](double value) {
                return formatQuantity(value, Dimension::number, {.significant = 3});
            };
            out.verdict += load < 1 ? ", at a lower load than planned." : ", at a higher load than planned.";
            out.because = requests(*running->mean) + " requests run in the mean, " +
                          requests(running->plan->value) +
                          " are planned: latencies and tokens per second do not compare.";
            return;
        }
    }
    out.verdict += inside ? ", inside the band." : ", outside the band.";
}

/// A plan of something else is said to be one.
void addDoubts(const PlanView& view, PlanActual& out) {
    if (!view.estimate)
        return;
    const Estimate& estimate = *view.estimate;
    if (!estimate.runs)
        out.notes.emplace_back("The plan does not run; only measurements are shown.");
    if (!view.serves && view.gpus > 0 && estimate.gpus > 0 &&
        view.gpus != static_cast<std::size_t>(estimate.gpus)) {
        out.notes.push_back("The job has " + formatCount(static_cast<std::int64_t>(view.gpus)) +
                            " GPUs, the plan " + formatCount(estimate.gpus) +
                            ": figures per GPU compare, step time and tokens per second do not.");
    }
    const bool other = view.serves ? estimate.training.has_value() : estimate.serving.has_value();
    if (other) {
        out.notes.emplace_back(view.serves ? "The plan trains, the measured job serves."
                                           : "The plan serves, the measured job trains.");
    }
    const Training* plan = estimate.training ? &*estimate.training : nullptr;
    const SignalTable* tokens = view.cluster.table(Signal::tokensPerSecond);
    const double step = quietStep(view);
    if (plan && tokens && step > 0 && plan->stepTime > 0 && tokens->rows.size() == 1) {
        const double measured = quantileOf(jobMean(view, *tokens), 0.75) * step;
        const double planned = plan->tokensPerSecond * plan->stepTime;
        if (measured > 0 && std::abs(measured / planned - 1) > 0.1) {
            out.notes.push_back("A step of the job has about " +
                                formatQuantity(measured, Dimension::tokens, {}) + ", one of the plan " +
                                formatQuantity(planned, Dimension::tokens, {}) +
                                ": their step times do not compare.");
        }
    }
}

} // namespace

HealthContext healthContext(const Observation& observation, const Estimate* estimate) {
    HealthContext out;
    if (estimate == nullptr)
        return out;
    const ClusterDigest cluster(observation);
    const JobTimeline job;
    const PlanView view{cluster, job, estimate, 0, estimate->serving.has_value()};
    PlanActual ignored;
    if (const std::optional<Money> money = moneyOf(view, ignored))
        out.dollarsPerHour = money->perHour;
    // Fewer than the machine has where the plan leaves some idle: a lower bound.
    const std::int64_t machines = estimate->scenario.cluster.instances.value_or(0);
    if (machines > 0 && estimate->gpus % machines == 0)
        out.gpusPerNode = static_cast<int>(estimate->gpus / machines);
    return out;
}

void addBalance(const PlanView& view, const std::vector<Finding>& findings, PlanActual& out) {
    const JobTime time = timeOf(view);
    const std::optional<Money> money = moneyOf(view, out);
    addDoubts(view, out);
    if (view.serves) {
        addServingVerdict(view, out);
    } else {
        const Training* plan = view.estimate && view.estimate->training ? &*view.estimate->training : nullptr;
        double redone = 0;
        for (const JobStop& stop : view.job.stops)
            redone += stop.redone.value_or(0);
        if (!view.job.stepTimeIsRelative) {
            const double quiet = quietStep(view);
            out.stepsDone = std::max(0.0, stepsDone(view, time) - (quiet > 0 ? redone / quiet : 0));
            out.stepsPlanned =
                plan && plan->stepTime > 0 && !isOtherSize(view) ? time.seconds / plan->stepTime : 0;
        }
        addLosses(view, findings, time, money, out);
        addTrainingVerdict(view, findings, time, out);
    }
    if (const std::string gap = gapSentence(view.cluster.gaps(), view.cluster.grid()); !gap.empty())
        out.because += (out.because.empty() ? "" : " ") + gap;
    if (!money) {
        if (view.estimate)
            out.notes.emplace_back("The plan has no price, so no cost is given.");
        return;
    }
    const double seconds = view.serves ? observedSeconds(view) : time.seconds;
    if (seconds > 0)
        out.dollarsSpent = seconds / secondsPerHour * money->perHour;
    if (out.dollarsSpent && out.stepsDone > 0)
        out.dollarsPerStep = *out.dollarsSpent / out.stepsDone;
    const SignalTable* tokens =
        view.cluster.table(view.serves ? Signal::generationTokensPerSecond : Signal::tokensPerSecond);
    if (out.dollarsSpent && tokens) {
        const std::vector<double> rates = view.serves ? jobSum(view, *tokens) : jobMean(view, *tokens);
        double total = 0;
        for (const double rate : rates)
            total += std::isfinite(rate) ? rate * view.cluster.step() : 0;
        const double perStep = quietStep(view) * quantileOf(rates, 0.75);
        if (!view.serves && out.stepsDone > 0 && perStep > 0) // a gauge of the last step hides checkpoints
            total = std::min(total, out.stepsDone * perStep);
        if (total > 0)
            out.dollarsPerMillionTokens = *out.dollarsSpent / total * 1e6;
    }
    addIdle(view, findings, *money, out);
}

} // namespace alidade
