// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/error_band.h"
#include "views/document/text.h"
#include "views/serving/load_data.h"
#include "views/summary/answer_parts.h"

#include <cmath>

namespace alidade::views {

namespace {

constexpr double manyPreemptions = 0.01; // a request
constexpr double leastBetween = 0.01;    // of the time per token

/// The queue grows without end.
bool isOverloaded(const Estimate& estimate) {
    const Serving& serving = *estimate.serving;
    return !std::isfinite(serving.ttft) || !std::isfinite(serving.itl) ||
           (isOpenLoop(estimate.scenario) && serving.utilization >= 1);
}

/// The relative band of the headline; only the headline itself has one.
std::optional<RelativeBand> headlineBand(const Estimate& estimate) {
    const auto& headline = estimate.headline;
    if (!headline || !(headline->value > 0) || !(headline->high > headline->low))
        return std::nullopt;
    return RelativeBand{headline->low / headline->value, headline->high / headline->value};
}

/// What a person is told first: with a given rate of requests the throughput is not a finding, but what users
/// feel is.
struct Leading {
    QString label;
    double Serving::* value;
    Dimension dimension;
    QString path;
};

Leading leadingFigure(const ScenarioSpec& spec) {
    if (!makesTokens(spec.workload))
        return {AnswerTexts::tr("Input"), &Serving::inputTokensPerSecond, Dimension::tokensPerSecond,
                QStringLiteral("serving.input_tokens_per_s")};
    if (isOpenLoop(spec))
        return {AnswerTexts::tr("TPOT, mean"), &Serving::tpot, Dimension::seconds,
                QStringLiteral("serving.tpot_s")};
    return {AnswerTexts::tr("Output"), &Serving::outputTokensPerSecond, Dimension::tokensPerSecond,
            QStringLiteral("serving.output_tokens_per_s")};
}

Figure headlineFigure(const Estimate& estimate) {
    const Leading leading = leadingFigure(estimate.scenario);
    const double value = *estimate.serving.*leading.value;
    if (isOverloaded(estimate) && leading.dimension == Dimension::seconds)
        return unknown(leading.label, AnswerTexts::tr("no steady state"));
    return figure(leading.label, value, leading.dimension, headlineBand(estimate),
                  AnswerTexts::tr("band not known"));
}

/// A latency at the percentile of the targets with its band, against its target; next to it the tail.
Figure latencyFigure(const QString& name, const Percentiles& percentiles, double mean,
                     const std::optional<RelativeBand>& band, const std::optional<double>& target,
                     double wanted, bool overloaded) {
    const auto [value, at] = knownPercentile(percentiles, wanted);
    QString label = name + QStringLiteral(", ") + at;
    if (!overloaded && std::isfinite(percentiles.p99) && percentiles.p99 > value)
        label += AnswerTexts::tr(" (p99 %1)").arg(quantity(percentiles.p99, Dimension::seconds));
    if (overloaded || !std::isfinite(value))
        return unknown(label, AnswerTexts::tr("no steady state"));
    if (!(value > 0))
        return unknown(label, AnswerTexts::tr("of another phase"));
    const QString meanText = AnswerTexts::tr("mean %1").arg(quantity(mean, Dimension::seconds));
    Figure f = figure(label, value, Dimension::seconds, band,
                      target ? meanText : AnswerTexts::tr("%1, no target").arg(meanText));
    if (!target)
        return f;
    const ScaledUnit unit = glanceUnit(Dimension::seconds, value);
    f.unit =
        AnswerTexts::tr("%1 of %2")
            .arg(f.unit,
                 text(formatParts(*target, Dimension::seconds, {.trimZeros = true, .fixed = unit}).number));
    const bool met = value <= *target;
    if (met && band && value * band->high > *target) {
        f.difference = f.note; // the range that crosses the target; the verdict says so in words
        f.trend = Figure::Trend::doubtful;
        return f;
    }
    f.difference = met ? AnswerTexts::tr("%1 to spare").arg(quantity(*target - value, Dimension::seconds))
                       : AnswerTexts::tr("%1 too long").arg(quantity(value - *target, Dimension::seconds));
    f.trend = met ? Figure::Trend::better : Figure::Trend::worse;
    return f;
}

Figure loadFigure(const Estimate& estimate) {
    const Serving& serving = *estimate.serving;
    const QString stable = AnswerTexts::tr("%1/s are stable").arg(loadNumber(serving.maxRequestRate));
    Figure f;
    if (serving.requestRateWithinTargets) {
        f = figure(AnswerTexts::tr("Load within targets"), *serving.requestRateWithinTargets,
                   Dimension::number, std::nullopt, stable);
    } else {
        f = figure(AnswerTexts::tr("Largest stable load"), serving.maxRequestRate, Dimension::number,
                   std::nullopt, AnswerTexts::tr("now %1/s").arg(loadNumber(serving.requestsPerSecond)));
    }
    f.unit = loadUnit(estimate.scenario) == LoadUnit::samples ? AnswerTexts::tr("samples/s")
                                                              : AnswerTexts::tr("requests/s");
    return f;
}

/// The most that one replica can hold; where prefill and decode are apart, one that decodes.
double largestBatch(const Serving& serving) {
    for (const Pool& pool : serving.pools)
        if (pool.name == "decode" || serving.pools.size() == 1)
            return pool.maxConcurrency;
    return 0;
}

Figure batchFigure(const Serving& serving) {
    if (!(serving.batch > 0))
        return unknown(AnswerTexts::tr("Batch of a replica"), AnswerTexts::tr("no steady state"));
    Figure f = figure(
        AnswerTexts::tr("Batch of a replica"), serving.batch, Dimension::number, std::nullopt,
        AnswerTexts::tr("%1 busy").arg(quantity(serving.utilization, Dimension::ratio, {.significant = 2})));
    if (const double most = largestBatch(serving); most > 0)
        f.unit = AnswerTexts::tr("of %1").arg(loadNumber(most));
    return f;
}

Figure priceFigure(const Estimate& estimate) {
    const QString label = AnswerTexts::tr("Million output tokens");
    if (!estimate.fits)
        return unknown(label, AnswerTexts::tr("does not fit"));
    if (!estimate.cost)
        return unknown(label, AnswerTexts::tr("no price is known"));
    const Cost& cost = *estimate.cost;
    if (!cost.dollarsPerMillionOutputTokens && !cost.dollarsPerMillionInputTokens)
        return figure(AnswerTexts::tr("Cost per hour"), cost.dollarsPerHour, Dimension::dollars, std::nullopt,
                      AnswerTexts::tr("list, %1").arg(text(cost.priceDate)));
    if (!cost.dollarsPerMillionOutputTokens)
        return figure(AnswerTexts::tr("Million input tokens"), *cost.dollarsPerMillionInputTokens,
                      Dimension::dollars, std::nullopt, AnswerTexts::tr("prefill only"));
    const QString input = cost.dollarsPerMillionInputTokens
                              ? AnswerTexts::tr("%1 per million input")
                                    .arg(quantity(*cost.dollarsPerMillionInputTokens, Dimension::dollars))
                              : AnswerTexts::tr("list, %1").arg(text(cost.priceDate));
    return figure(label, *cost.dollarsPerMillionOutputTokens, Dimension::dollars, std::nullopt, input);
}

/// What the prompts of others add to the time of a token, where one engine does both: seconds, 0 where
/// guessed tokens or a separate pool leave no such sum.
double prefillBetween(const Estimate& estimate) {
    const Serving& serving = *estimate.serving;
    const bool sums = serving.pools.size() == 1 && !serving.prefillBreakdown.empty() &&
                      !estimate.scenario.plan.speculative.draftTokens && std::isfinite(serving.tpot);
    const double rest = serving.tpot - serving.stepTime;
    return sums && rest > leastBetween * serving.tpot ? rest : 0;
}

/// "TTFT p90", "TTFT p90 and ITL p90": which targets are missed.
QString missedText(const Serving& serving) {
    QStringList missed;
    const auto check = [&](const QString& name, const Percentiles& percentiles,
                           const std::optional<double>& target) {
        const auto [value, at] = knownPercentile(percentiles, serving.targetPercentile);
        if (target && value > *target)
            missed.append(AnswerTexts::tr("%1 target").arg(name));
    };
    check(AnswerTexts::tr("TTFT"), serving.ttftPercentiles, serving.ttftTarget);
    check(AnswerTexts::tr("ITL"), serving.itlPercentiles, serving.itlTarget);
    return missed.isEmpty() ? AnswerTexts::tr("targets") : missed.join(AnswerTexts::tr(" and the "));
}

} // namespace

QString meaningOf(const QString& label) {
    if (label.startsWith(QLatin1String("TTFT")))
        return AnswerTexts::tr("Time to the first token, from the arrival of a request");
    if (label.startsWith(QLatin1String("ITL")))
        return AnswerTexts::tr("Inter-token latency: the gap between two tokens of an answer");
    if (label.startsWith(QLatin1String("TPOT")))
        return AnswerTexts::tr("Time per output token of a request: (E2E − TTFT) / (output tokens − 1)");
    return {};
}

void fillServing(const Estimate& estimate, ServingStep step, Answer& answer) {
    answer.dispensable = {3, 4};
    const Leading leading = leadingFigure(estimate.scenario);
    const double wanted = estimate.scenario.workload.sloPercentile.value_or(90);
    const QString percentile =
        knownPercentile(Percentiles(), estimate.serving ? estimate.serving->targetPercentile : wanted).second;
    if (!estimate.serving) {
        const QString why = estimate.runs ? AnswerTexts::tr("does not fit") : AnswerTexts::tr("does not run");
        for (const QString& label :
             {leading.label, AnswerTexts::tr("TTFT, %1").arg(percentile),
              AnswerTexts::tr("ITL, %1").arg(percentile), AnswerTexts::tr("Load within targets"),
              AnswerTexts::tr("Batch of a replica"), AnswerTexts::tr("Million output tokens")})
            answer.figures.append(unknown(label, why));
        answer.paths = QStringList(answer.figures.size());
        return;
    }
    const Serving& serving = *estimate.serving;
    answer.figures = {headlineFigure(estimate),
                      latencyFigure(AnswerTexts::tr("TTFT"), serving.ttftPercentiles, serving.ttft,
                                    relative(firstTokenErrorBand(estimate)), serving.ttftTarget,
                                    serving.targetPercentile, isOverloaded(estimate)),
                      latencyFigure(AnswerTexts::tr("ITL"), serving.itlPercentiles, serving.itl,
                                    relative(timeErrorBand(estimate)), serving.itlTarget,
                                    serving.targetPercentile, isOverloaded(estimate)),
                      loadFigure(estimate),
                      batchFigure(serving),
                      priceFigure(estimate)};
    answer.paths = {leading.path,
                    QStringLiteral("serving.ttft_percentiles_s.") + percentile,
                    QStringLiteral("serving.itl_percentiles_s.") + percentile,
                    serving.requestRateWithinTargets ? QString()
                                                     : QStringLiteral("serving.max_requests_per_s"),
                    QStringLiteral("serving.batch"),
                    QStringLiteral("cost.dollars_per_million_output_tokens")};
    const bool decode =
        serving.prefillBreakdown.empty() || (step == ServingStep::decode && !serving.breakdown.empty());
    const auto& breakdown = decode ? serving.breakdown : serving.prefillBreakdown;
    answer.segments = stepSegments(breakdown);
    // Serving has no optimizer, no bubble: a class that is not there takes no room.
    answer.segments.removeIf([](const BarSegment& segment) { return segment.value <= 0; });
    const QString time = quantity(decode ? serving.stepTime : serving.prefillStepTime, Dimension::seconds);
    answer.stepTime =
        decode ? AnswerTexts::tr("decode step %1").arg(time) : AnswerTexts::tr("prefill step %1").arg(time);
    if (const double between = prefillBetween(estimate); decode && between > 0)
        answer.tokenTime =
            AnswerTexts::tr("Decode step %1 + prefill between %2 = TPOT %3")
                .arg(time, quantity(between, Dimension::seconds), quantity(serving.tpot, Dimension::seconds));
}

void judgeServing(const Estimate& estimate, Answer& answer) {
    const Serving& serving = *estimate.serving;
    const QString bound =
        estimate.headline
            ? AnswerTexts::tr("a decode step is %1").arg(boundPhrase(estimate.headline->bottleneck))
            : QString();
    if (isOverloaded(estimate)) {
        answer.kind = BadgeKind::err;
        answer.sentence = loadUnit(estimate.scenario) == LoadUnit::samples
                              ? AnswerTexts::tr("More questions arrive than it can answer.")
                              : AnswerTexts::tr("More requests arrive than it can serve.");
        answer.detail =
            AnswerTexts::tr("%1 of at most %2")
                .arg(loadNumber(serving.maxRequestRate * serving.utilization),
                     loadText(serving.maxRequestRate, LoadMeasure::requestRate, loadUnit(estimate.scenario)));
        return;
    }
    if (!serving.meetsTargets) {
        answer.sentence =
            bound.isEmpty() ? AnswerTexts::tr("It fits.") : AnswerTexts::tr("It fits, and %1.").arg(bound);
    } else if (const DoubtfulTargets doubtful = doubtfulTargets(estimate);
               *serving.meetsTargets && doubtful.any()) {
        answer.kind = BadgeKind::warn;
        answer.sentence =
            doubtful.firstToken && doubtful.gap
                ? AnswerTexts::tr(
                      "It fits and meets its targets, TTFT and ITL only within their error bands.")
                : AnswerTexts::tr("It fits and meets its targets, %1 only within its error band.")
                      .arg(doubtful.firstToken ? AnswerTexts::tr("TTFT") : AnswerTexts::tr("ITL"));
    } else if (*serving.meetsTargets) {
        answer.sentence = bound.isEmpty() ? AnswerTexts::tr("It fits and meets its targets.")
                                          : AnswerTexts::tr("It fits and meets its targets; %1.").arg(bound);
    } else {
        answer.kind = BadgeKind::warn;
        answer.sentence = AnswerTexts::tr("It fits, but misses the %1.").arg(missedText(serving));
    }
    answer.badges.append({BadgeKind::neutral,
                          serving.simulated ? AnswerTexts::tr("simulated") : AnswerTexts::tr("closed form")});
    if (serving.preemptionsPerRequest > manyPreemptions)
        answer.badges.append({BadgeKind::warn, (loadUnit(estimate.scenario) == LoadUnit::samples
                                                    ? AnswerTexts::tr("%1 preemptions per sample")
                                                    : AnswerTexts::tr("%1 preemptions per request"))
                                                   .arg(quantity(serving.preemptionsPerRequest,
                                                                 Dimension::number, {.significant = 2}))});
}

} // namespace alidade::views
