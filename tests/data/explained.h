// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/estimate/explain_document.h"
#include "data/json/json.h"
#include "formula_evaluator.h"
#include "model/engine/engine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

// Checks that numbers of `estimate --json` have explanations that make them.
namespace alidade::test {

/// Dotted paths and values of all numbers of a document.
inline void collectNumbers(const nlohmann::ordered_json& value, const std::string& path,
                           std::vector<std::pair<std::string, double>>& out) {
    if (value.is_number()) {
        out.emplace_back(path, value.get<double>());
        return;
    }
    if (value.is_structured())
        for (const auto& [key, each] : value.items())
            collectNumbers(each, path.empty() ? key : path + "." + key, out);
}

inline bool closeTo(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-300;
}

/// What is wrong with the explanation of a number; empty: nothing.
inline std::string explanationFault(const ScenarioSpec& spec, const Catalog& catalog, const std::string& path,
                                    double value) {
    const auto explanation = data::explainDocument(spec, catalog, catalog.defaultProfile, path);
    if (!explanation)
        return path + ": " + explanation.error();
    if (explanation->path != path || !closeTo(explanation->value, value))
        return path + ": explains another number, " + explanation->path;
    std::map<std::string, double> values;
    for (const ExplainedTerm& term : explanation->terms)
        if (!values.emplace(term.name, term.value).second)
            return path + ": two terms are called " + term.name;
    const auto again = FormulaEvaluator(explanation->formula, values).result();
    if (!again || !closeTo(*again, value))
        return path + ": " + explanation->formula + " is not " + std::to_string(value);
    for (const auto* list : {&explanation->terms, &explanation->inputs}) {
        for (const ExplainedTerm& each : *list)
            if (each.kind != SourceKind::derived && each.source.empty())
                return path + ": " + each.name + " has no source";
    }
    return explanation->source.empty() && explanation->terms.empty() ? path + ": says nothing"
                                                                     : std::string();
}

} // namespace alidade::test
