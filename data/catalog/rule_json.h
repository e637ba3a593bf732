// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "data/json/writer.h"
#include "model/observation/metric_mapping.h"

#include <string_view>
#include <vector>

namespace alidade::data {

/// Reads the rules of one element of "rules": one for each name of its metric.
std::vector<MetricRule> readRules(ObjectReader& in);

void writeRule(const MetricRule& rule, JsonWriter& out);

/// Returns whether a text is a label name, or alternatives separated by '|'.
bool isLabelList(std::string_view text);

/// Checks label matchers without braces: `device="rdmap0s6",port=~"1|2"`. nullopt if valid, else what is
/// wrong.
std::optional<std::string> selectorFault(std::string_view text);

} // namespace alidade::data
