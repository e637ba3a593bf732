// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

namespace alidade::data {

/// How long the prices of a document hold.
struct PriceValidity {
    std::string until; ///< ISO 8601, the last day; empty: no day is known
    std::string text;  ///< sentences, each after a blank
};

/// The day that the document's author set; else the end of the price in the catalog, else the day on which
/// AWS is due to change it. \pre the estimate has a price
PriceValidity priceValidity(const Estimate& estimate, const ReportContext& context);

/// Reads the day that an author sets. \param reportDate of the document, ISO 8601
Result<std::string> validUntilDay(std::string_view text, std::string_view reportDate);

} // namespace alidade::data
