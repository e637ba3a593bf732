// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "model/estimate/run_order.h"

namespace alidade::data {

// The answer in words, and the four figures under it.

/// "Training Llama 3.1 405B on 2,048 x p5.48xlarge".
std::string whatItIs(const Estimate& estimate);
std::string reportTitle(const Estimate& estimate); ///< the scenario's name, else what it is
std::vector<Sentence> answerSentences(const Estimate& estimate);
std::vector<KeyFigure> keyFigures(const Estimate& estimate);

/// Whether it is legal, fits in memory and carries its load: only then have latencies and prices of tokens a
/// meaning, and only then is it something to order.
bool holds(const Estimate& estimate);

/// Memory that a plan may use: capacity less reserve, bytes.
double usableBytes(const Memory& memory);

/// What the band of the headline does to a time: low and high as factors of the value, each positive.
struct TimeBand {
    double low = 1, high = 1;
};
/// nullopt without a headline, or if its band is not known.
std::optional<TimeBand> timeBand(const Estimate& estimate);

/// "$3.17 M – $4.11 M"; empty without a band.
std::string totalRange(const RunTotal& total);
/// Whether the order of a service is its rent for a month, and nothing else.
bool isMonthOfRent(const Cost& cost);

/// Whether the lines of a cost add up to this figure: that of the run, or of an hour.
bool linesMake(const Cost& cost, double figure);

/// "Price of 2026-09-19, on demand, us-east-2 ...", or "Your price of 2026-11-23 (list $55.04/h) ..."; and
/// whether the price is too old to trust.
struct PriceNote {
    std::string text;
    bool old = false;
};
PriceNote priceNote(const Cost& cost, const CustomRates& ownRates, const std::string& reportDate);

} // namespace alidade::data
