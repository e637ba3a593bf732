// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer.h"

#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "model/cost/storage_price.h"
#include "model/estimate/error_band.h"
#include "model/hardware/purchase.h"
#include "model/kernels/bound_words.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

namespace alidade::data {
namespace {

std::string bytesText(double bytes) { return formatQuantity(bytes, Dimension::bytes); }
/// What an error offers.
const Fix* firstFix(const Estimate& e) {
    for (const Problem& p : e.problems)
        if (p.severity == Severity::error && p.fix)
            return &*p.fix;
    return nullptr;
}

Sentence whyItFails(const Estimate& e) {
    const Problem* error = firstError(e);
    if (!e.runs)
        return {{"This cannot run. ", true},
                {error ? withStop(error->message) : "Not all of it is modeled.", false}};
    if (e.fits) // it runs and fits, but is overloaded
        return {{"This cannot carry its load. ", true}, {error ? withStop(error->message) : "", false}};
    Sentence s{{"This does not fit in memory. ", true}};
    if (e.memory && e.memory->headroomBytes < 0) {
        const std::string who =
            e.memory->stages.size() > 1
                ? "The fullest stage, " + std::to_string(e.memory->worstStage) + ", needs "
                : "It needs ";
        s.push_back({who + bytesText(e.memory->totalBytes) + " per GPU where " +
                         bytesText(usableBytes(*e.memory)) +
                         " are usable: " + bytesText(-e.memory->headroomBytes) + " too much.",
                     false});
    } else if (error) {
        s.push_back({withStop(error->message), false});
    }
    return s;
}

std::vector<Sentence> failureSentences(const Estimate& e) {
    std::vector<Sentence> out{whyItFails(e)};
    const std::string aim = !e.runs   ? "To make it run: "
                            : !e.fits ? "To make it fit: "
                                      : "To make it carry the load: ";
    if (const Fix* fix = firstFix(e))
        out.push_back({{aim, false}, {withStop(startLower(fix->text)), true}});
    else
        out.push_back({{"No single change was found that helps.", false}});
    if (e.training)
        out.push_back({{"The times and costs below would hold only if it did fit.", false}});
    if (e.serving)
        out.push_back(
            {{"Latencies and prices of tokens are not given: no request is served in a steady time.",
              false}});
    return out;
}

Sentence runSentence(const Estimate& e) {
    const Training& t = *e.training;
    Sentence s;
    const std::string region = e.cost && !e.cost->region.empty() ? " in " + e.cost->region : "";
    if (t.runTime && e.scenario.workload.tokens) {
        s = {{"Renting " + e.clusterName + region + " trains " +
                  formatQuantity(*e.scenario.workload.tokens, Dimension::tokens) + " in ",
              false},
             {secondsText(*t.runTime), true}};
        if (const auto total = e.cost ? runTotal(*e.cost) : std::nullopt) {
            s.push_back({" for ", false});
            s.push_back({formatQuantity(total->dollars, Dimension::dollars), true});
        }
    } else {
        s = {{e.clusterName + region + " makes a step in ", false},
             {secondsText(t.stepTime), true},
             {", " + formatQuantity(t.tokensPerSecond, Dimension::tokensPerSecond), false}};
        if (e.cost) {
            s.push_back({", for ", false});
            s.push_back({formatQuantity(e.cost->dollarsPerHour, Dimension::dollarsPerHour), true});
        }
    }
    s.push_back({e.cost ? "." : "; no price is known for it.", false});
    return s;
}

/// "tensor parallelism over NVLink", "pipeline sends (EFA)": with its class unless the name has it.
std::string lossName(const ShareT<double>& part) {
    const std::string name = startLower(part.name), bound = boundWords(part.bound).title;
    const auto lower = [](std::string text) {
        std::ranges::transform(text, text.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    return lower(name).find(lower(bound)) == std::string::npos ? name + " (" + bound + ")" : name;
}

Sentence boundSentence(const Estimate& e) {
    if (!e.headline)
        return {};
    std::string text = std::string("The step is bound by ") + boundWords(e.headline->bottleneck).limit +
                       ", " + shareText(e.headline->bottleneckShare) + " of it";
    const ShareT<double>* loss = nullptr;
    for (const auto& part : e.training->breakdown)
        if (part.bound != Bound::compute && part.bound != e.headline->bottleneck &&
            (!loss || part.seconds > loss->seconds))
            loss = &part;
    if (loss && e.training->stepTime > 0)
        text += "; the largest other loss is " + lossName(*loss) + ", " +
                shareText(loss->seconds / e.training->stepTime);
    return {{text + ".", false}};
}

KeyFigure timeFigure(const Estimate& e) {
    if (!e.training)
        return unknownFigure("How long?", "it cannot run");
    const bool run = e.training->runTime.has_value();
    const double seconds = run ? *e.training->runTime : e.training->stepTime;
    const auto band = run ? durationBand(e) : timeErrorBand(e);
    const std::string range =
        band ? printedRange(seconds * band->low, seconds * band->high, Dimension::seconds) : std::string();
    return quantityFigure(run ? "How long?" : "How long is a step?", seconds, Dimension::seconds, range);
}

KeyFigure costFigure(const Estimate& e) {
    if (!e.cost)
        return unknownFigure("How much?", e.runs ? "no price is known" : "it cannot run");
    const auto total = runTotal(*e.cost);
    if (!total)
        return quantityFigure("How much?", e.cost->dollarsPerHour, Dimension::dollarsPerHour,
                              "for as long as it is rented");
    return quantityFigure("How much?", total->dollars, Dimension::dollars, totalRange(*total));
}

} // namespace

std::string secondsText(double seconds) { return formatQuantity(seconds, Dimension::seconds); }

std::string shareText(double share) {
    return formatQuantity(share, Dimension::ratio,
                          FormatOptions{.significant = share < 0.1 ? 1 : 2, .fixed = {}});
}

std::string startLower(std::string text) {
    if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

std::string withStop(std::string text) {
    if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!')
        text += '.';
    return text;
}

const Problem* firstError(const Estimate& e) {
    const auto at = std::ranges::find(e.problems, Severity::error, &Problem::severity);
    return at == e.problems.end() ? nullptr : &*at;
}

Sentence memorySentence(const Memory& m) {
    return {{"The model fits in memory: " + bytesText(m.totalBytes) + " of " + bytesText(usableBytes(m)) +
                 " usable on each GPU" + (m.stages.size() > 1 ? " of the fullest stage." : "."),
             false}};
}

KeyFigure quantityFigure(const char* question, double si, Dimension dimension, std::string detail) {
    const Formatted parts = formatParts(si, dimension);
    return {.question = question,
            .value = parts.number,
            .unit = parts.unit,
            .detail = std::move(detail),
            .si = si,
            .dimension = dimension};
}

KeyFigure unknownFigure(const char* question, std::string why) {
    return {.question = question, .value = "–", .unit = "", .detail = std::move(why), .si = {}};
}

KeyFigure fitFigure(const Estimate& e) {
    KeyFigure k{
        .question = "Does it fit?", .value = "–", .unit = "", .detail = "memory is not modeled", .si = {}};
    if (!e.memory)
        return k;
    const Memory& m = *e.memory;
    const double usable = usableBytes(m);
    FormatOptions options;
    options.fixed = chooseUnit(Dimension::bytes, std::max(usable, m.totalBytes));
    const bool tight = !e.serving && e.fits && isTight(m);
    k.value = !e.fits ? "No" : tight ? "Tight" : "Yes";
    k.unit = formatParts(m.totalBytes, Dimension::bytes, options).number + " of " +
             formatQuantity(usable, Dimension::bytes, options);
    k.detail = bytesText(std::abs(m.headroomBytes)) + (m.headroomBytes < 0 ? " too much" : " left");
    if (tight)
        k.detail = formatQuantity(outOfMemoryProbability(m), Dimension::ratio) + " likely to run out";
    else if (e.fits && m.highBytes > usable)
        k.detail = "high end " + bytesText(m.highBytes) + " would not";
    k.emphasis = e.fits && m.headroomBytes >= 0 ? Emphasis::strong : Emphasis::warning;
    return k;
}

KeyFigure certaintyFigure(const Estimate& e) {
    const auto band = runSeconds(e) ? durationBand(e) : timeErrorBand(e);
    if (!band)
        return unknownFigure("How sure?", "no band is known");
    const auto percent = [](double v) {
        return formatParts(v, Dimension::ratio,
                           FormatOptions{.significant = std::abs(v) < 0.1 ? 1 : 2, .fixed = {}})
            .number;
    };
    return {.question = "How sure?",
            .value = percent(band->low - 1) + " +" + percent(band->high - 1),
            .unit = "%",
            .detail = "8 of 10 outcomes",
            .si = {}};
}

double usableBytes(const Memory& memory) { return memory.capacityBytes - memory.reserveBytes; }

std::optional<TimeBand> timeBand(const Estimate& e) {
    const auto band = timeErrorBand(e);
    return band ? std::optional(TimeBand{band->low, band->high}) : std::nullopt;
}

bool linesMake(const Cost& cost, double figure) {
    double sum = 0;
    for (const auto& line : cost.lines)
        sum += line.dollars;
    return std::abs(sum - figure) <= 1e-9 * std::abs(figure);
}

std::string totalRange(const RunTotal& total) {
    return total.low && total.high ? printedRange(*total.low, *total.high, Dimension::dollars)
                                   : std::string();
}

bool isMonthOfRent(const Cost& cost) {
    return cost.order && !cost.order->conversion && cost.order->remarks.empty() &&
           cost.order->total == std::llround(cost.dollarsPerHour * monthHours * 100) &&
           std::ranges::all_of(cost.order->lines, [](const OrderLine& line) {
               return line.kind == OrderLineKind::machines && line.from.empty();
           });
}

std::string whatItIs(const Estimate& e) {
    const auto& w = e.scenario.workload;
    if (w.isReinforcement())
        return rlWhatItIs(e);
    const bool tunes = w.finetune.kind.value_or("full") != "full" || w.finetune.method || w.finetune.examples;
    const std::string verb = w.isServing() ? "Serving" : tunes ? "Fine-tuning" : "Training";
    return verb + " " + e.modelName + " on " + e.clusterName;
}

std::string reportTitle(const Estimate& e) { return e.scenario.name.value_or(whatItIs(e)); }

bool holds(const Estimate& e) { return e.runs && e.fits && !overloaded(e); }

std::vector<Sentence> answerSentences(const Estimate& e) {
    if (!holds(e))
        return failureSentences(e);
    if (e.serving)
        return servingSentences(e);
    if (e.reinforcement)
        return rlSentences(e);
    std::vector<Sentence> out;
    if (e.training)
        out.push_back(runSentence(e));
    if (e.memory)
        out.push_back(memorySentence(*e.memory));
    if (e.training && e.headline)
        out.push_back(boundSentence(e));
    return out;
}

std::vector<KeyFigure> keyFigures(const Estimate& e) {
    if (isServing(e))
        return servingKeyFigures(e);
    if (isReinforcement(e))
        return rlKeyFigures(e);
    std::vector<KeyFigure> out{fitFigure(e), timeFigure(e), costFigure(e), certaintyFigure(e)};
    if (!e.fits || !e.runs)
        for (std::size_t i = 1; i < out.size(); ++i)
            out[i].emphasis = Emphasis::quiet;
    return out;
}

namespace {

/// Who says what a machine costs, and since when.
std::string priceOrigin(const Cost& cost, const CustomValue* ownRate) {
    const std::string day = cost.priceDate.empty() ? "an unknown date" : cost.priceDate;
    if (ownRate == nullptr)
        return "Price of " + day;
    return "Your price of " + day +
           (ownRate->shippedNumber
                ? " (list " + formatQuantity(*ownRate->shippedNumber, Dimension::dollarsPerHour) + ")"
                : std::string());
}

} // namespace

PriceNote priceNote(const Cost& cost, const CustomRates& ownRates, const std::string& reportDate) {
    if (cost.base && cost.base->rest > 0) { // bought in two ways, at two prices
        Cost base = cost, rest = cost;
        base.purchase = cost.base->purchase;
        base.priceDate = cost.base->priceDate;
        base.priceSource = cost.base->priceSource;
        base.base.reset();
        rest.base.reset();
        const PriceNote first = priceNote(base, {.rest = ownRates.base}, reportDate),
                        then = priceNote(rest, ownRates, reportDate);
        return {.text = "Base: " + first.text + " Rest: " + then.text, .old = first.old || then.old};
    }
    const CustomValue* ownRate = cost.base ? ownRates.base : ownRates.rest;
    const std::string how = nameOfChoice("cluster.purchase", cost.purchase);
    if (takesTypedRate(cost.purchase) && cost.priceDate.empty()) // it is in the scenario, as old as that
        return {.text = "Your price, from the scenario.", .old = false};
    PriceNote note{.text = priceOrigin(cost, ownRate), .old = false};
    if (!how.empty())
        note.text += ", " + how;
    if (!cost.region.empty())
        note.text += ", " + cost.region;
    if (!cost.priceSource.empty() && ownRate == nullptr)
        note.text += "; source: " + cost.priceSource;
    note.text += '.';
    if (const auto age = daysBetween(cost.priceDate, reportDate)) {
        note.old = *age > oldPriceDays;
        if (note.old)
            note.text +=
                " Old price: " + std::to_string(*age) + " days before this report. Ask for a new one.";
    } else {
        note.old = true;
        note.text += " Its age is not known. Ask for a new one.";
    }
    return note;
}

} // namespace alidade::data
