// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/answer.h"

#include "model/estimate/error_band.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/run_order.h"
#include "model/kernels/bound_words.h"
#include "views/document/text.h"
#include "views/summary/answer_parts.h"
#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::views {

namespace {

Figure memoryFigure(const Estimate& estimate) {
    if (!estimate.memory)
        return unknown(AnswerTexts::tr("Worst stage memory"), AnswerTexts::tr("not modeled"));
    const Memory& memory = *estimate.memory;
    std::optional<RelativeBand> band;
    if (memory.totalBytes > 0 && memory.highBytes > memory.lowBytes)
        band = RelativeBand{memory.lowBytes / memory.totalBytes, memory.highBytes / memory.totalBytes};
    Figure f = figure(AnswerTexts::tr("Worst stage memory"), memory.totalBytes, Dimension::bytes, band, {});
    const ScaledUnit unit = chooseUnit(Dimension::bytes, memory.totalBytes);
    const QString capacity = text(formatParts(memory.capacityBytes, Dimension::bytes,
                                              {.significant = 3, .trimZeros = true, .fixed = unit})
                                      .number);
    f.unit = AnswerTexts::tr("%1 of %2").arg(f.unit, capacity);
    return f;
}

Figure runFigure(const Estimate& estimate) {
    const Training& training = *estimate.training;
    if (!training.runTime)
        return unknown(AnswerTexts::tr("Run"), AnswerTexts::tr("set the training tokens"));
    const QString goodput = quantity(training.goodput, Dimension::number, {.significant = 2});
    return figure(training.goodput < 1 ? AnswerTexts::tr("Run, at %1 goodput").arg(goodput)
                                       : AnswerTexts::tr("Run"),
                  *training.runTime, Dimension::seconds, relative(durationBand(estimate)), {});
}

Figure costFigure(const Estimate& estimate) {
    if (!estimate.cost)
        return unknown(AnswerTexts::tr("Cost of the run"), AnswerTexts::tr("no price is known"));
    const Cost& cost = *estimate.cost;
    const QString source =
        cost.priceDate.empty() ? QString() : AnswerTexts::tr("list, %1").arg(text(cost.priceDate));
    if (const auto total = runTotal(cost))
        return figure(AnswerTexts::tr("Cost of the run"), total->dollars, Dimension::dollars, bandOf(*total),
                      source);
    return figure(AnswerTexts::tr("Cost per day"), cost.dollarsPerHour * 24, Dimension::dollars, std::nullopt,
                  source);
}

/// Of reinforcement learning; unknown ones where it does not run.
QList<Figure> rlFigures(const Estimate& estimate) {
    if (!estimate.reinforcement) {
        const QString why = AnswerTexts::tr("does not run");
        return {
            unknown(AnswerTexts::tr("Step"), why),        unknown(AnswerTexts::tr("Rent, 1,000 steps"), why),
            unknown(AnswerTexts::tr("1,000 steps"), why), unknown(AnswerTexts::tr("Idle share"), why),
            unknown(AnswerTexts::tr("Responses"), why),   memoryFigure(estimate)};
    }
    const Reinforcement& rl = *estimate.reinforcement;
    const std::optional<RelativeBand> band = relative(timeErrorBand(estimate));
    const std::optional<RelativeBand> rate = band ? std::optional(band->inverse()) : std::nullopt;
    return {figure(AnswerTexts::tr("Step"), rl.stepTime, Dimension::seconds, band, {}),
            rl.dollarsPer1000Steps
                ? figure(AnswerTexts::tr("Rent, 1,000 steps"), *rl.dollarsPer1000Steps, Dimension::dollars,
                         band, {})
                : unknown(AnswerTexts::tr("Rent, 1,000 steps"), AnswerTexts::tr("no price is known")),
            figure(AnswerTexts::tr("1,000 steps"), 1000 * rl.stepTime, Dimension::seconds, band, {}),
            figure(AnswerTexts::tr("Idle share"), rl.idleShare, Dimension::ratio, std::nullopt,
                   AnswerTexts::tr("of GPU time, waiting")),
            figure(AnswerTexts::tr("Responses"), rl.responseTokensPerSecond, Dimension::tokensPerSecond, rate,
                   {}),
            memoryFigure(estimate)};
}

QList<Figure> figuresOf(const Estimate& estimate) {
    if (estimate.scenario.workload.isReinforcement())
        return rlFigures(estimate);
    if (!estimate.training) {
        const QString why = AnswerTexts::tr("does not run");
        return {unknown(AnswerTexts::tr("Step time"), why), unknown(AnswerTexts::tr("Throughput"), why),
                unknown(AnswerTexts::tr("MFU"), why),       memoryFigure(estimate),
                unknown(AnswerTexts::tr("Run"), why),       unknown(AnswerTexts::tr("Cost of the run"), why)};
    }
    const Training& training = *estimate.training;
    const std::optional<RelativeBand> band = relative(timeErrorBand(estimate));
    const std::optional<RelativeBand> rate = band ? std::optional(band->inverse()) : std::nullopt;
    return {
        figure(AnswerTexts::tr("Step time"), training.stepTime, Dimension::seconds, band, {}),
        figure(AnswerTexts::tr("Throughput"), training.tokensPerSecond, Dimension::tokensPerSecond, rate, {}),
        figure(AnswerTexts::tr("MFU, 16-bit dense"), training.mfu, Dimension::ratio, rate, {}),
        memoryFigure(estimate),
        runFigure(estimate),
        costFigure(estimate)};
}

const Problem* firstError(const Estimate& estimate) {
    const auto error = std::ranges::find(estimate.problems, Severity::error, &Problem::severity);
    return error == estimate.problems.end() ? nullptr : &*error;
}

/// The first problem with a change that helps, errors before warnings.
std::optional<Fix> firstFix(const Estimate& estimate) {
    for (const Severity severity : {Severity::error, Severity::warning})
        for (const Problem& problem : estimate.problems)
            if (problem.severity == severity && problem.fix)
                return problem.fix;
    return std::nullopt;
}

/// Where the memory is fullest. The replicas of serving are alike, so without a pipeline their GPUs are too.
QString placeText(const Estimate& estimate) {
    return (isServing(estimate) || estimate.reinforcement) && estimate.memory->stages.size() <= 1
               ? AnswerTexts::tr("on each GPU")
               : AnswerTexts::tr("on stage %1").arg(estimate.memory->worstStage);
}

QString bytesText(double bytes) { return quantity(bytes, Dimension::bytes); }

void describeMemory(const Estimate& estimate, Answer& answer) {
    const Memory& memory = *estimate.memory;
    const double usable = memory.capacityBytes - memory.reserveBytes;
    answer.detail = AnswerTexts::tr("%1 of %2 usable %3")
                        .arg(bytesText(memory.totalBytes), bytesText(usable), placeText(estimate));
    if (memory.highBytes > usable)
        answer.badges.append(
            {BadgeKind::warn, AnswerTexts::tr("tight: %1 likely to run out of memory")
                                  .arg(quantity(outOfMemoryProbability(memory), Dimension::ratio))});
}

void describeFault(const Estimate& estimate, Answer& answer) {
    answer.kind = BadgeKind::err;
    answer.fix = firstFix(estimate);
    const Problem* error = firstError(estimate);
    const QString message = error ? text(error->message) : QString();
    if (!estimate.runs) {
        answer.sentence = message.isEmpty() ? AnswerTexts::tr("Cannot run.")
                                            : AnswerTexts::tr("Cannot run: %1").arg(message);
        return;
    }
    if (!estimate.memory) {
        answer.sentence = message.isEmpty() ? AnswerTexts::tr("Does not fit.") : message;
        return;
    }
    const Memory& memory = *estimate.memory;
    answer.sentence = AnswerTexts::tr("Does not fit: %1 %2, %3 usable.")
                          .arg(bytesText(memory.totalBytes), placeText(estimate),
                               bytesText(memory.capacityBytes - memory.reserveBytes));
    answer.detail = AnswerTexts::tr("%1 too much").arg(bytesText(-memory.headroomBytes));
}

} // namespace

QString boundPhrase(Bound bound) {
    return bound == Bound::compute
               ? AnswerTexts::tr("compute-bound")
               : AnswerTexts::tr("bound by %1").arg(AnswerTexts::tr(boundWords(bound).limit));
}

QList<BarSegment> stepSegments(const std::vector<ShareT<double>>& breakdown) {
    std::map<Bound, double> seconds;
    for (const Bound bound : classOrder)
        seconds[bound] = 0;
    double sum = 0;
    for (const auto& part : breakdown) {
        seconds[part.bound] += part.seconds;
        sum += part.seconds;
    }
    QList<BarSegment> segments;
    for (const auto& [bound, value] : seconds) {
        const double share = sum > 0 ? value / sum : 0;
        const bool trace = share > 0 && share < 0.001;
        segments.append(
            {.bound = bound,
             .value = value,
             .opacity = 1,
             .text = quantity(value, Dimension::seconds),
             .share = trace ? QStringLiteral("< 0.1 %")
                            : quantity(share, Dimension::ratio, {.significant = 2, .trimZeros = true})});
    }
    std::ranges::sort(segments, {}, [](const BarSegment& s) { return stackPosition(s.bound); });
    return segments;
}

Answer answerOf(const Estimate& estimate, ServingStep step, const QString& ownRate) {
    Answer answer;
    if (isServing(estimate)) {
        fillServing(estimate, step, answer);
    } else {
        answer.figures = figuresOf(estimate);
        answer.dispensable = {1, 4};
        answer.paths = {QStringLiteral("training.step_time_s"),
                        QStringLiteral("training.tokens_per_s"),
                        QStringLiteral("training.mfu"),
                        QStringLiteral("memory.total_bytes"),
                        QStringLiteral("training.run_time_s"),
                        !estimate.cost || !estimate.cost->dollarsPerRun
                            ? QStringLiteral("cost.dollars_per_hour")
                        : estimate.cost->order ? QStringLiteral("cost.order.before_tax_dollars")
                                               : QStringLiteral("cost.dollars_per_run")};
        if (estimate.scenario.workload.isReinforcement()) {
            answer.dispensable = {2, 4};
            answer.paths = {QStringLiteral("reinforcement_learning.step_time_s"),
                            QStringLiteral("reinforcement_learning.dollars_per_1000_steps"),
                            QStringLiteral("reinforcement_learning.step_time_s"),
                            QStringLiteral("reinforcement_learning.idle_share"),
                            QStringLiteral("reinforcement_learning.response_tokens_per_s"),
                            QStringLiteral("memory.total_bytes")};
        }
    }
    if (estimate.cost && !ownRate.isEmpty())
        answer.figures.last().note = ownRate;
    if (estimate.reinforcement) {
        const Reinforcement& rl = *estimate.reinforcement;
        answer.stepTime = quantity(rl.stepTime, Dimension::seconds);
        std::vector<ShareT<double>> phases;
        for (const RlPhaseT<double>& phase : rl.phases)
            phases.push_back({phase.name, phase.exposed, phase.bound});
        answer.segments = stepSegments(phases);
    }
    if (estimate.training) {
        answer.stepTime = quantity(estimate.training->stepTime, Dimension::seconds);
        answer.segments = stepSegments(estimate.training->breakdown);
    }
    if (!estimate.runs || !estimate.fits) {
        describeFault(estimate, answer);
        for (Figure& figure : answer.figures)
            figure.dimmed = true;
        return answer;
    }
    if (estimate.memory)
        describeMemory(estimate, answer);
    answer.kind = BadgeKind::ok;
    if (estimate.serving)
        judgeServing(estimate, answer);
    else if (estimate.headline)
        answer.sentence =
            AnswerTexts::tr("It fits, and a step is %1.").arg(boundPhrase(estimate.headline->bottleneck));
    else
        answer.sentence = AnswerTexts::tr("It fits.");
    return answer;
}

QStringList figureLabels(const ScenarioSpec& spec) {
    Estimate nothing;
    nothing.scenario = spec;
    QStringList labels;
    for (const Figure& figure : answerOf(nothing).figures)
        labels.append(figure.label);
    return labels;
}

} // namespace alidade::views
