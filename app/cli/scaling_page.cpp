// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/scaling_page.h"

#include "app/cli/cells.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "data/file/csv_field.h"
#include "model/base/text.h"
#include "model/scaling/scaled_model.h"
#include "model/units/format.h"

#include <cmath>
#include <cstdio>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;
using data::ColumnKind;

/// Losses differ in the third digit after the point.
std::string lossText(double loss) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", loss);
    return text;
}

std::string tokensText(double tokens) { return formatQuantity(tokens, Dimension::tokens); }
std::string countText(double count) { return formatQuantity(count, Dimension::number); }

std::string shapeText(const Architecture& model) {
    return std::to_string(model.layers) + " x " + formatCount(model.hiddenSize);
}

std::string curveText(const BudgetCurve& curve, const Terminal& terminal) {
    data::Table table;
    table.columns = {column("Size", ColumnKind::text),   column("Layers", ColumnKind::text),
                     column("Tokens", ColumnKind::text), column("per par.", ColumnKind::text),
                     column("Loss", ColumnKind::text),   column("Run", ColumnKind::text),
                     column("Cost", ColumnKind::text),   column("MFU", ColumnKind::text),
                     column("Plan", ColumnKind::text)};
    const BudgetModel* best = curve.best();
    for (const BudgetModel& each : curve.models) {
        const auto emphasis = &each == best ? data::Emphasis::strong : data::Emphasis::none;
        if (!each.trains()) {
            table.rows.push_back(
                {{words(parameterText(each.parameters > 0 ? each.parameters : each.asked)), words(""),
                  words(""), words(""), words(""), words(""), words(""), words(""), words(each.whyNot)}});
            continue;
        }
        table.rows.push_back(
            {{words(parameterText(each.parameters), emphasis), words(shapeText(each.model)),
              words(countText(each.tokens)), words(countText(each.tokens / each.active)),
              words(lossText(each.loss), emphasis), words(formatQuantity(each.seconds, Dimension::seconds)),
              words(formatQuantity(each.dollars, Dimension::dollars)),
              words(formatQuantity(each.mfu, Dimension::ratio)), words(degreesText(each.plan))}});
    }
    return tableText(std::move(table), terminal);
}

Json modelJson(const BudgetModel& model) {
    Json out{{"parameters", model.parameters > 0 ? model.parameters : model.asked}};
    if (!model.trains()) {
        out["why_not"] = model.whyNot;
        return out;
    }
    Json set = Json::object();
    for (const auto& [path, value] : model.plan)
        set[path] = value;
    out["active_parameters"] = model.active;
    out["layers"] = model.model.layers;
    out["hidden_size"] = model.model.hiddenSize;
    out["tokens"] = model.tokens;
    out["loss"] = {{"value", model.loss}, {"low", model.lossLow}, {"high", model.lossHigh}};
    out["dollars"] = model.dollars;
    out["seconds"] = model.seconds;
    out["mfu"] = model.mfu;
    out["limited_by"] = model.late ? "time" : "dollars";
    out["set"] = std::move(set);
    return out;
}

} // namespace

std::string budgetText(const BudgetQuestion& question, const BudgetAnswer& answer, const Terminal& terminal) {
    std::string out;
    const auto say = [&](const std::string& text, Style style = Style::plain) {
        out += paragraphText(text, terminal, style);
    };
    if (!answer.complete)
        out += styled(terminal, "Partial: stopped before all sizes were tried", Style::warning) + "\n";
    if (const BudgetModel* best = answer.best()) {
        say(parameterText(best->parameters) + " parameters on " + tokensText(best->tokens) + ", on " +
                answer.curves.front().machine + ": loss " + lossText(best->loss) + ", " +
                formatQuantity(best->dollars, Dimension::dollars) + ", " +
                formatQuantity(best->seconds, Dimension::seconds),
            Style::strong);
        say("Ignoring efficiency, the same compute would train " +
            parameterText(answer.byFlopAlone.parameters) + " parameters on " +
            tokensText(answer.byFlopAlone.tokens) + ". Sizes near the optimum differ " +
            "little in loss: a smaller one is cheaper to serve.");
        if (best->late)
            say("The time limit ends the run before the budget is spent.");
    } else {
        say("None of the sizes can be trained", Style::strong);
    }
    for (const BudgetCurve& curve : answer.curves) {
        out += headingText(curve.machine, terminal);
        out += curveText(curve, terminal);
    }
    say("Loss by " + std::string(question.law.name) + " (" + std::string(question.law.source) +
            "), which was fitted to dense models of up to 16B parameters on other text: compare losses with "
            "each other, not with those of other models." +
            (question.uniqueTokens ? " Repeated tokens are discounted (Muennighoff et al. 2023)." : ""),
        Style::quiet);
    return out;
}

std::string budgetJson(const BudgetQuestion& question, const BudgetAnswer& answer) {
    Json curves = Json::array();
    for (const BudgetCurve& curve : answer.curves) {
        Json models = Json::array();
        for (const BudgetModel& each : curve.models)
            models.push_back(modelJson(each));
        curves.push_back({{"id", curve.id}, {"machine", curve.machine}, {"models", std::move(models)}});
    }
    const BudgetModel* best = answer.best();
    Json bestJson = nullptr, flop = nullptr;
    if (best) {
        bestJson = modelJson(*best);
        bestJson["machine"] = answer.curves.front().machine;
        flop = {{"parameters", answer.byFlopAlone.parameters},
                {"tokens", answer.byFlopAlone.tokens},
                {"loss", answer.byFlopAlone.loss}};
    }
    return dumped(
        {{"alidade", 1},
         {"dollars", question.dollars},
         {"at_most_s", numberOrNull(question.seconds)},
         {"unique_tokens", numberOrNull(question.uniqueTokens)},
         {"served_tokens", question.servedTokens},
         {"law", {{"id", question.law.id}, {"name", question.law.name}, {"source", question.law.source}}},
         {"complete", answer.complete},
         {"best", std::move(bestJson)},
         {"by_flop_alone", std::move(flop)},
         {"curves", std::move(curves)}});
}

std::string budgetCsv(const BudgetAnswer& answer) {
    std::string out =
        "machine,parameters,active_parameters,layers,hidden_size,tokens,loss,loss_low,loss_high,"
        "dollars,seconds,mfu,limited_by,plan,why_not\n";
    const auto number = [](double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.10g", value);
        return std::string(text);
    };
    for (const BudgetCurve& curve : answer.curves) {
        for (const BudgetModel& m : curve.models) {
            out +=
                data::csvField(curve.machine) + ',' + number(m.parameters > 0 ? m.parameters : m.asked) + ',';
            if (!m.trains()) {
                out += ",,,,,,,,,,,," + data::csvField(m.whyNot) + '\n';
                continue;
            }
            std::string plan;
            for (const auto& [path, value] : m.plan)
                plan += (plan.empty() ? "" : " ") + path + '=' + value;
            out += number(m.active) + ',' + std::to_string(m.model.layers) + ',' +
                   std::to_string(m.model.hiddenSize) + ',' + number(m.tokens) + ',' + number(m.loss) + ',' +
                   number(m.lossLow) + ',' + number(m.lossHigh) + ',' + number(m.dollars) + ',' +
                   number(m.seconds) + ',' + number(m.mfu) + ',' + (m.late ? "time" : "dollars") + ',' +
                   data::csvField(plan) + ",\n";
        }
    }
    return out;
}

} // namespace alidade::cli
