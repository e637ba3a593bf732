// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/data/sentence_check.h"

#include "data/report/printing.h"
#include "data/report/report.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/run_order.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"
#include "model/units/parse.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace alidade::test {

namespace {

template <class T>
T oneOf(std::mt19937& random, std::initializer_list<T> choices) {
    return *(choices.begin() + random() % choices.size());
}

void drawServing(std::mt19937& random, ScenarioSpec& s) {
    WorkloadSpec& w = s.workload;
    w.kind = WorkloadKind::serving;
    w.model = oneOf<std::string>(random, {"llama-3.1-8b", "llama-3.1-70b", "gpt-oss-120b", "deepseek-r1"});
    w.inputTokens = oneOf(random, {200.0, 1500.0, 4000.0});
    w.outputTokens = oneOf(random, {50.0, 400.0, 1000.0});
    if (random() % 3 == 0)
        w.concurrency = oneOf(random, {4.0, 32.0, 200.0});
    else
        w.requestRatePerS = oneOf(random, {0.5, 2.0, 5.0, 12.0});
    if (random() % 4 != 0)
        w.itlSloS = oneOf(random, {0.015, 0.03, 0.05, 0.1});
    if (random() % 2 == 0)
        w.ttftSloS = oneOf(random, {0.2, 0.5, 2.0});
    s.cluster.instance = oneOf<std::string>(
        random, {"p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "g6e.48xlarge"});
    s.cluster.instances = oneOf<std::int64_t>(random, {1, 1, 2, 4});
    s.plan.tensorParallel = oneOf<std::int64_t>(random, {1, 2, 4, 8, 8});
    if (random() % 2 == 0)
        s.plan.weights = oneOf<std::string>(random, {"bf16", "fp8"});
}

void drawTraining(std::mt19937& random, ScenarioSpec& s) {
    WorkloadSpec& w = s.workload;
    w.kind = WorkloadKind::training;
    w.model = oneOf<std::string>(random, {"llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "qwen3-30b-a3b"});
    w.sequenceLength = oneOf<std::int64_t>(random, {4096, 8192});
    w.globalBatch = oneOf<std::int64_t>(random, {64, 128, 512});
    if (random() % 4 != 0)
        w.tokens = oneOf(random, {2e9, 5e10, 1e12});
    s.cluster.instance =
        oneOf<std::string>(random, {"p4d.24xlarge", "p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge",
                                    "p6-b200.48xlarge", "p6-b300.48xlarge"});
    s.cluster.instances = oneOf<std::int64_t>(random, {2, 4, 8, 16});
    s.plan.tensorParallel = oneOf<std::int64_t>(random, {1, 4, 8});
    s.plan.pipelineParallel = oneOf<std::int64_t>(random, {1, 1, 2});
    s.plan.sharding = oneOf<std::string>(random, {"zero1", "fsdp2"});
    if (random() % 2 == 0)
        s.plan.precision = oneOf<std::string>(random, {"bf16", "fp8"});
    if (random() % 2 == 0) {
        s.plan.recompute =
            std::vector<std::string>{oneOf<std::string>(random, {"none", "selective", "full"})};
    }
}

/// A figure in a text: the number with its unit that begins at a place, "$1.20 M", "410 ms", "4 d 2 h".
std::optional<double> readFigure(std::string_view text, Dimension dimension) {
    for (const std::string_view stop : {";", "(", ", ", ". "})
        text = text.substr(0, text.find(stop));
    while (!text.empty()) { // the longest beginning that is a quantity
        if (const auto value = parseQuantity(text, dimension))
            return *value;
        const std::size_t space = text.rfind(' ');
        if (space == std::string_view::npos)
            return {};
        text = text.substr(0, space);
    }
    return {};
}

/// The text after a mark; empty if there is none.
std::string_view after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

bool near(double said, double is, double tolerance = 6e-3) {
    return std::abs(said - is) <= tolerance * std::abs(is) + 1e-12;
}

/// "WHAT x instead of y" against the figures; empty text if it is right, or absent where they are equal.
std::string checkInstead(const std::string& text, const std::string& what, Dimension dimension, double before,
                         double now, bool mustBeSaid) {
    const std::string_view rest = after(text, what + " ");
    const bool differ = std::abs(now - before) > 1e-3 * std::abs(before);
    if (rest.empty())
        return differ && mustBeSaid ? "'" + what + "' changes without a word" : "";
    const auto saidNow = readFigure(rest.substr(0, rest.find(" instead of ")), dimension);
    const auto saidBefore = readFigure(after(rest, " instead of "), dimension);
    if (!saidNow || !saidBefore)
        return "'" + what + "' has no figures";
    if (!near(*saidNow, now) || !near(*saidBefore, before))
        return "'" + what + "' has other figures than the estimates";
    return (*saidNow < *saidBefore) == (now < before) && *saidNow != *saidBefore
               ? ""
               : "'" + what + "' has its figures in the wrong order";
}

double stepOf(const Estimate& e) { return e.serving ? e.serving->stepTime : e.training->stepTime; }

double boundOf(const Estimate& e, Bound bound) {
    double sum = 0;
    for (const auto& part : e.serving ? e.serving->breakdown : e.training->breakdown)
        sum += part.bound == bound ? part.seconds : 0;
    return sum;
}

std::string checkFall(const Suggestion& s, const Estimate& before, const Estimate& now) {
    const std::string_view rest = after(s.reason, " falls from ");
    if (rest.empty())
        return "";
    const auto from = readFigure(rest.substr(0, rest.find(" to ")), Dimension::seconds);
    std::string_view to = after(rest, " to ");
    to = to.substr(0, to.find(" per step"));
    const auto until = readFigure(to, Dimension::seconds);
    if (!from || !until || !(*until < *from))
        return "what falls does not fall";
    if (!near(*from, boundOf(before, s.bound)) || !near(*until, boundOf(now, s.bound)))
        return "what falls has other figures than the estimates";
    return stepOf(now) < stepOf(before) ? "" : "something falls, but the step does not";
}

std::string checkPurchase(const Suggestion& s, const Estimate& before, const Estimate& now, Checked& counts) {
    const std::string_view rest = after(s.reason, "bought ");
    const bool differs = !before.cost || !now.cost || before.cost->purchase != now.cost->purchase ||
                         before.cost->region != now.cost->region;
    if (rest.empty())
        return differs && before.cost ? "another purchase is not said" : "";
    ++counts.purchases;
    if (!differs)
        return "a purchase is said to change that does not";
    const std::string_view first = rest.substr(0, rest.find(" instead of "));
    const auto names = [](std::string_view text, const Cost& cost) {
        return text.find(nameOfChoice("cluster.purchase", cost.purchase)) != std::string_view::npos &&
               text.find(cost.region) != std::string_view::npos;
    };
    return names(first, *now.cost) && (!before.cost || names(after(rest, " instead of "), *before.cost))
               ? ""
               : "the purchases are not those of the estimates";
}

std::string checkTraining(const Suggestion& s, const Estimate& before, const Estimate& now) {
    const double was = before.training->stepTime, is = now.training->stepTime;
    const bool fall = s.reason.find(" falls from ") != std::string::npos;
    std::string wrong = checkInstead(s.reason, "a step takes", Dimension::seconds, was, is, !fall);
    if (s.reason.find("as long as before") != std::string::npos && std::abs(is / was - 1) > 1.1e-3)
        wrong = "a step is not as long as before";
    else if (s.reason.find("as long as before") != std::string::npos)
        wrong.clear();
    if (!wrong.empty() || !before.cost || !now.cost)
        return wrong;
    const auto &run = before.cost->dollarsPerRun, &runNow = now.cost->dollarsPerRun;
    if (run && runNow) {
        if (*runNow > *run * 1.01)
            return "the run costs more";
        return checkInstead(s.reason, "the rent of the run is", Dimension::dollars, *run, *runNow, true);
    }
    if (is > was && now.cost->dollarsPerHour / now.training->tokensPerSecond >
                        before.cost->dollarsPerHour / before.training->tokensPerSecond) {
        return "slower and dearer";
    }
    return checkInstead(s.reason, "an hour costs", Dimension::dollars, before.cost->dollarsPerHour,
                        now.cost->dollarsPerHour, true);
}

std::string checkService(const Suggestion& s, const Estimate& before, const Estimate& now) {
    if (before.serving->meetsTargets == true && now.serving->meetsTargets != true)
        return "a target that is kept is given up";
    const Serving &was = *before.serving, &is = *now.serving;
    std::string wrong = checkInstead(s.reason, "a request takes", Dimension::seconds, was.e2e, is.e2e, true);
    if (wrong.empty()) {
        wrong = checkInstead(s.reason, "the maximum stable load is", Dimension::number, was.maxRequestRate,
                             is.maxRequestRate, true);
    }
    if (wrong.empty() && before.cost && now.cost) {
        wrong = checkInstead(s.reason, "an hour costs", Dimension::dollars, before.cost->dollarsPerHour,
                             now.cost->dollarsPerHour, true);
        const auto &price = before.cost->dollarsPerMillionTokens,
                   &priceNow = now.cost->dollarsPerMillionTokens;
        if (wrong.empty() && price && priceNow) {
            wrong =
                checkInstead(s.reason, "a million tokens cost", Dimension::dollars, *price, *priceNow, true);
        }
        if (wrong.empty() && now.cost->dollarsPerHour > before.cost->dollarsPerHour * 1.01 && price &&
            priceNow && *priceNow > *price * 1.02) {
            wrong = "dearer by the hour and by the token";
        }
    }
    return wrong;
}

std::string checkSuggestions(const ScenarioSpec& spec, const Estimate& before, const Catalog& catalog,
                             Checked& counts) {
    for (const Suggestion& s : suggest(spec, catalog, catalog.defaultProfile)) {
        ++counts.suggestions;
        ScenarioSpec changed = spec;
        for (const auto& [path, value] : s.change.set) {
            const auto next = withField(changed, path, value);
            if (!next)
                return next.error();
            changed = *next;
        }
        const auto now = estimate(changed, catalog, catalog.defaultProfile, {.fixes = false});
        std::string wrong = !now || !now->runs || !now->fits ? "it does not run or does not fit"
                            : now->serving                   ? checkService(s, before, *now)
                                                             : checkTraining(s, before, *now);
        if (wrong.empty())
            wrong = checkFall(s, before, *now);
        if (wrong.empty())
            wrong = checkPurchase(s, before, *now, counts);
        if (!wrong.empty())
            return wrong + ": " + s.change.text + " (" + s.reason + ")";
    }
    return "";
}

/// "90 % of requests get their first token within 320 ms (... target 500 ms)."
std::string checkLatency(const std::string& text, const char* mark, const Percentiles& percentiles,
                         double percentile) {
    const std::string_view rest = after(text, mark);
    if (rest.empty())
        return "";
    const auto said = readFigure(
        rest.substr(0, rest.find_first_of(".;") == std::string_view::npos ? rest.size() : rest.find(" (")),
        Dimension::seconds);
    return said && near(*said, quantileOf(percentiles, percentile)) ? "" : std::string("false after") + mark;
}

std::string checkServiceAnswer(const std::string& text, const Estimate& e, const ScenarioSpec& spec,
                               const Catalog& catalog, Checked& counts) {
    const Serving& s = *e.serving;
    const bool within = text.find("within the target") != std::string::npos ||
                        text.find("within both targets") != std::string::npos;
    const bool misses = text.find("misses ") != std::string::npos;
    if (within != (s.meetsTargets == true) || misses != (s.meetsTargets == false))
        return "the verdict is not that of the estimate";
    for (const std::string& wrong :
         {checkLatency(text, "first token within ", s.ttftPercentiles, s.targetPercentile),
          checkLatency(text, "between tokens are at most ", s.itlPercentiles, s.targetPercentile)}) {
        if (!wrong.empty())
            return wrong;
    }
    if (!s.meetsTargets)
        return "";
    ++counts.targets;
    // What a simulation of the same load shows is no other verdict.
    const auto played = estimate(spec, catalog, catalog.defaultProfile,
                                 {.distribution = true, .loadLimit = false, .fixes = false});
    if (played->serving->distribution) {
        const auto quantile = [&](const std::vector<double>& sorted) {
            const double at = s.targetPercentile / 100 * static_cast<double>(sorted.size()) - 0.5;
            return sorted.at(
                static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(sorted.size()) - 1)));
        };
        const Distribution& d = *played->serving->distribution;
        constexpr double sample = 0.03; // two hundred points of the distribution
        const auto contradicts = [&](const std::optional<double>& target, const std::vector<double>& times,
                                     const Percentiles& shown) {
            const double headline = quantileOf(shown, s.targetPercentile);
            return target && !times.empty() && std::abs(quantile(times) / *target - 1) > sample &&
                   (quantile(times) <= *target) != (headline <= *target);
        };
        if (contradicts(s.ttftTarget, d.ttft, s.ttftPercentiles) ||
            contradicts(s.itlTarget, d.itl, s.itlPercentiles)) {
            return "the answer and the simulation contradict each other";
        }
    }
    if (const std::string_view limit = after(text, "The targets hold up to "); !limit.empty()) {
        const auto said = readFigure(limit.substr(0, limit.find(" request")), Dimension::number);
        if (!said || !near(*said, *s.requestRateWithinTargets))
            return "the limit is not that of the estimate";
        if (spec.workload.requestRatePerS &&
            (*spec.workload.requestRatePerS <= *said * 1.006) != *s.meetsTargets &&
            !near(*said, *spec.workload.requestRatePerS, 0.02)) {
            return "the limit and the verdict contradict each other";
        }
    }
    return "";
}

std::string checkRunAnswer(const std::string& text, const Estimate& e) {
    if (const std::string_view rest = after(text, " in "); e.training->runTime && !rest.empty()) {
        if (const auto total = e.cost ? runTotal(*e.cost) : std::nullopt) {
            const std::string_view money = after(text, " for $");
            const auto said =
                readFigure("$" + std::string(money.substr(0, money.find(". "))), Dimension::dollars);
            if (!said || !near(*said, total->dollars))
                return "the run costs something else";
        }
    }
    const std::string_view share = after(text, "The step is bound by ");
    const auto said =
        readFigure(after(share, ", ").substr(0, after(share, ", ").find(" of it")), Dimension::ratio);
    return !e.headline || (said && near(*said, e.headline->bottleneckShare, 0.06))
               ? ""
               : "the bound has another share";
}

std::string checkNotes(const Estimate& e) {
    for (const Problem& p : e.problems) {
        if (!p.place.ends_with("_slo_s"))
            continue;
        const auto is = readFigure(after(p.message, " is ").substr(0, after(p.message, " is ").find(" at p")),
                                   Dimension::seconds);
        const auto target = readFigure(after(p.message, "the target "), Dimension::seconds);
        if (!is || !target || *is < *target)
            return "a target that is kept is called missed: " + p.message;
    }
    return "";
}

} // namespace

ScenarioSpec randomScenario(std::mt19937& random, const Catalog&) {
    ScenarioSpec s;
    random() % 2 == 0 ? drawServing(random, s) : drawTraining(random, s);
    if (random() % 4 == 0)
        s.cluster.purchase = "capacity_block";
    return s;
}

std::string falseSentence(const ScenarioSpec& spec, const Catalog& catalog, Checked& counts) {
    const auto e = estimate(spec, catalog, catalog.defaultProfile, {.fixes = false});
    if (!e || !e->runs || !e->fits || (e->serving && !std::isfinite(e->serving->e2e)))
        return "";
    counts.runs = true;
    counts.serving = e->serving.has_value();
    const data::Report report = data::buildReport(*e, {}, {"Alidade", "2026-11-23"});
    std::string text;
    for (const auto& sentence : report.answer)
        text += data::plainText(sentence) + " ";
    std::string wrong =
        e->serving ? checkServiceAnswer(text, *e, spec, catalog, counts) : checkRunAnswer(text, *e);
    if (!wrong.empty())
        return wrong + ": " + text;
    wrong = checkNotes(*e);
    return wrong.empty() ? checkSuggestions(spec, *e, catalog, counts) : wrong;
}

} // namespace alidade::test
