// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "model/estimate/error_band.h"
#include "model/estimate/load_curve.h"
#include "model/kernels/bound_words.h"
#include "model/scenario/test_time_plan.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::data {
namespace {

/// A target as it was given.
std::string targetText(double seconds) {
    return formatQuantity(seconds, Dimension::seconds, {.trimZeros = true});
}
std::string dollarsText(double dollars) { return formatQuantity(dollars, Dimension::dollars); }
std::string countText(double n) { return formatQuantity(n, Dimension::number, {.trimZeros = true}); }

/// Of what the engine works on: requests, or the samples of questions.
std::string rateText(const Estimate& e, double perSecond) {
    const std::string count = countText(perSecond);
    return count + " " + sequenceWord(e.scenario.workload) + (count == "1" ? "/s" : "s/s");
}

/// "96 requests/s", "1,024 requests at a time, 38.2 per second".
std::string loadText(const Estimate& e) {
    const Serving& s = *e.serving;
    if (s.testTime && s.testTime->samples > 1) {
        const std::string rate = countText(s.testTime->questionsPerSecond);
        const std::string of = " of " + countText(static_cast<double>(s.testTime->samples)) + " samples";
        const auto& questions = e.scenario.workload.concurrency;
        return questions ? countText(*questions) + " questions" + of + " at a time, " + rate + " per second"
                         : rate + (rate == "1" ? " question/s" : " questions/s") + of;
    }
    if (const auto& concurrency = e.scenario.workload.concurrency)
        return countText(*concurrency) + " requests at a time, " + countText(s.requestsPerSecond) +
               " per second";
    return rateText(e, s.requestsPerSecond);
}

/// "464 ms – 1.54 s"
std::string rangeAround(double seconds, const ErrorBand& band) {
    return printedRange(seconds * band.low, seconds * band.high, Dimension::seconds);
}

/// What the targets say, to follow the load: " within both targets".
Sentence verdict(const Estimate& e) {
    const Serving& s = *e.serving;
    if (!s.meetsTargets)
        return {};
    const bool both = s.ttftTarget && s.itlTarget;
    if (*s.meetsTargets) {
        const DoubtfulTargets doubtful = doubtfulTargets(e);
        const std::string kept = both ? "within both targets" : "within the target";
        const char* doubt = !doubtful.any()                       ? ""
                            : !both                               ? ", but only within its error band"
                            : doubtful.firstToken && doubtful.gap ? ", but only within their error bands"
                            : doubtful.firstToken ? ", the first token only within its error band"
                                                  : ", the gaps only within their error band";
        return {{" ", false}, {kept + doubt, true}};
    }
    const bool lateFirst =
        s.ttftTarget && targetQuantile(s.ttftPercentiles, s.targetPercentile).seconds > *s.ttftTarget;
    const bool lateNext =
        s.itlTarget && targetQuantile(s.itlPercentiles, s.targetPercentile).seconds > *s.itlTarget;
    const char* what = lateFirst && lateNext ? "misses both targets"
                       : lateFirst           ? "misses the target for the first token"
                       : lateNext            ? "misses the target between tokens"
                                             : "misses a target";
    return {{" but ", false}, {what, true}};
}

Sentence serviceSentence(const Estimate& e) {
    const std::string region = e.cost && !e.cost->region.empty() ? " in " + e.cost->region : "";
    Sentence s{{"Renting " + e.clusterName + region + " serves " + loadText(e), false}};
    std::ranges::move(verdict(e), std::back_inserter(s));
    if (e.cost) {
        s.push_back({", for ", false});
        s.push_back({formatQuantity(e.cost->dollarsPerHour, Dimension::dollarsPerHour), true});
    }
    s.push_back({e.cost ? "." : "; no price is known for it.", false});
    return s;
}

/// "90 % of requests get their first token within 320 ms (target 500 ms)."
Sentence latencySentence(const Estimate& e) {
    const Serving& s = *e.serving;
    const auto part = [&s](const PercentilesT<double>& percentiles, const std::optional<double>& target,
                           const std::optional<ErrorBand>& band, const char* what, const char* does) {
        const NamedQuantile q = targetQuantile(percentiles, s.targetPercentile);
        std::string beside = band ? rangeAround(q.seconds, *band) : "";
        if (target)
            beside += (beside.empty() ? "target " : ", target ") + targetText(*target);
        return q.name.substr(1) + " % of " + what + does + secondsText(q.seconds) +
               (beside.empty() ? "" : " (" + beside + ")");
    };
    const std::string many = sequenceWord(e.scenario.workload) + "s";
    std::string text;
    if (servesPrompts(e))
        text += part(s.ttftPercentiles, s.ttftTarget, firstTokenErrorBand(e), many.c_str(),
                     " get their first token within ");
    if (servesTokens(e))
        text += (text.empty() ? "" : "; ") + part(s.itlPercentiles, s.itlTarget, timeErrorBand(e),
                                                  "the gaps between tokens", " are at most ");
    if (s.requestRateWithinTargets)
        text += *s.requestRateWithinTargets > 0
                    ? ". The targets hold up to " + rateText(e, *s.requestRateWithinTargets)
                    : ". No load is small enough to meet the targets";
    return {{text + ".", false}};
}

Sentence priceSentence(const Cost& c) {
    if (!c.dollarsPerMillionInputTokens && !c.dollarsPerMillionOutputTokens)
        return {};
    Sentence s;
    if (c.dollarsPerMillionOutputTokens)
        s = {{"A million output tokens cost ", false}, {dollarsText(*c.dollarsPerMillionOutputTokens), true}};
    if (c.dollarsPerMillionInputTokens) {
        s.push_back({s.empty() ? "A million input tokens cost " : ", a million input tokens ", false});
        s.push_back({dollarsText(*c.dollarsPerMillionInputTokens), true});
    }
    s.push_back({".", false});
    return s;
}

Sentence stepSentence(const Estimate& e) {
    const bool decode = servesTokens(e);
    const auto& parts = decode ? e.serving->breakdown : e.serving->prefillBreakdown;
    std::array<double, allBounds.size()> seconds{};
    double total = 0;
    for (const auto& part : parts) {
        seconds.at(static_cast<std::size_t>(part.bound)) += part.seconds;
        total += part.seconds;
    }
    if (!(total > 0))
        return {};
    const auto most = std::ranges::max_element(seconds);
    const auto bound = static_cast<Bound>(most - seconds.begin());
    return {{std::string(decode ? "A decode step" : "A prefill step") + " is bound by " +
                 boundWords(bound).limit + ", " + shareText(*most / total) + " of it.",
             false}};
}

/// The change that an unmet target offers.
Sentence remedySentence(const Estimate& e) {
    for (const Problem& p : e.problems)
        if (p.place.find("_slo_s") != std::string::npos && p.fix)
            return {{"To meet them: ", false}, {withStop(startLower(p.fix->text)), true}};
    return {};
}

KeyFigure verdictFigure(const Estimate& e) {
    if (!e.runs || !e.fits || (!e.serving || (!overloaded(e) && !e.serving->meetsTargets)))
        return fitFigure(e);
    const Serving& s = *e.serving;
    KeyFigure k{.question = "Are the targets met?", .value = "Yes", .unit = "", .detail = "", .si = {}};
    if (overloaded(e)) {
        k.question = "Is the load carried?";
        k.value = "No";
        k.detail = "at most " + rateText(e, s.maxRequestRate);
    } else {
        k.value = !*s.meetsTargets ? "No" : doubtfulTargets(e).any() ? "Tight" : "Yes";
        if (s.requestRateWithinTargets)
            k.detail = "up to " + rateText(e, *s.requestRateWithinTargets);
    }
    k.emphasis = k.value == "Yes" ? Emphasis::strong : Emphasis::warning;
    return k;
}

KeyFigure latencyFigure(const Estimate& e, const char* question, const PercentilesT<double>& percentiles,
                        const std::optional<ErrorBand>& band, double mean,
                        const std::optional<double>& target) {
    const NamedQuantile q = targetQuantile(percentiles, e.serving->targetPercentile);
    KeyFigure k =
        quantityFigure(question, q.seconds, Dimension::seconds,
                       q.name + (band ? ", " + rangeAround(q.seconds, *band) : "") +
                           (target ? ", target " + targetText(*target) : ", mean " + secondsText(mean)));
    const bool sure = !target || q.seconds * (band ? band->high : 1) <= *target;
    k.emphasis = sure ? Emphasis::strong : Emphasis::warning;
    return k;
}

KeyFigure moneyFigure(const Estimate& e) {
    if (!e.cost)
        return unknownFigure("How much?", "no price is known");
    const Cost& c = *e.cost;
    const bool output = c.dollarsPerMillionOutputTokens.has_value();
    const auto& each = output ? c.dollarsPerMillionOutputTokens : c.dollarsPerMillionInputTokens;
    if (!each)
        return quantityFigure("How much?", c.dollarsPerHour, Dimension::dollarsPerHour,
                              "for as long as it is rented");
    return quantityFigure("How much?", *each, Dimension::dollars,
                          output ? "per million output tokens" : "per million input tokens");
}

} // namespace

bool isServing(const Estimate& e) { return e.serving || e.scenario.workload.isServing(); }

bool overloaded(const Estimate& e) {
    if (!e.serving)
        return false;
    const Serving& s = *e.serving;
    const bool steady = std::isfinite(s.ttft) && std::isfinite(s.itl) && std::isfinite(s.e2e);
    return !steady || (e.scenario.workload.requestRatePerS && s.utilization >= 1);
}

bool servesPrompts(const Estimate& e) { return takesPrompts(e.scenario.workload); }
bool servesTokens(const Estimate& e) { return makesTokens(e.scenario.workload); }

NamedQuantile targetQuantile(const PercentilesT<double>& percentiles, double percentile) {
    return {"p" + countText(percentile), quantileOf(percentiles, percentile)};
}

std::vector<Sentence> servingSentences(const Estimate& e) {
    std::vector<Sentence> out{serviceSentence(e), latencySentence(e)};
    if (e.serving->meetsTargets == false)
        out.push_back(remedySentence(e));
    if (e.cost)
        out.push_back(priceSentence(*e.cost));
    if (e.memory)
        out.push_back(memorySentence(*e.memory));
    out.push_back(stepSentence(e));
    std::erase_if(out, [](const Sentence& sentence) { return sentence.empty(); });
    return out;
}

std::vector<KeyFigure> servingKeyFigures(const Estimate& e) {
    std::vector<KeyFigure> out{verdictFigure(e)};
    if (!holds(e)) {
        const char* why = !e.runs ? "it cannot run" : !e.fits ? "it does not fit" : "it is overloaded";
        for (const char* question : {"First token?", "Between tokens?", "How much?", "How sure?"}) {
            out.push_back(unknownFigure(question, why));
            out.back().emphasis = Emphasis::quiet;
        }
        return out;
    }
    const Serving& s = *e.serving;
    if (servesPrompts(e))
        out.push_back(latencyFigure(e, "First token?", s.ttftPercentiles, firstTokenErrorBand(e), s.ttft,
                                    s.ttftTarget));
    if (servesTokens(e))
        out.push_back(
            latencyFigure(e, "Between tokens?", s.itlPercentiles, timeErrorBand(e), s.itl, s.itlTarget));
    out.push_back(moneyFigure(e));
    out.push_back(certaintyFigure(e));
    return out;
}

} // namespace alidade::data
