// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/validate_fit.h"

#include "app/cli/cells.h"
#include "app/cli/page.h"
#include "app/cli/version.h"
#include "data/calibration/profile_writer.h"
#include "data/json/writer.h"
#include "model/calibration/validation_fit.h"
#include "model/units/format.h"

#include <algorithm>
#include <thread>

namespace alidade::cli {

namespace {

std::string percent(double share) { return formatQuantity(share, Dimension::ratio); }

std::string wordsOf(const ErrorFigures& error) {
    return "median " + percent(error.median) + ", mean " + percent(error.mean);
}

data::Cell number(double value, Dimension dimension = Dimension::number) {
    return {formatQuantity(value, dimension), value, dimension, std::nullopt, data::Emphasis::none};
}

/// What a constant is of; "*" is anything.
data::Cell scope(const std::string& text) {
    return words(text, text == "*" ? data::Emphasis::quiet : data::Emphasis::none);
}

/// Constants with a prior, each next to its prior.
std::string constantsText(const Profile& profile, const Terminal& terminal) {
    data::Table table;
    using enum data::ColumnKind;
    table.columns = {column("Constant", text),
                     column("GPU", text),
                     column("Precision", text),
                     column("Stack", text),
                     column("Prior", mixed),
                     column("Fitted", mixed),
                     column("Known to", quantity, Dimension::ratio),
                     column("From data", quantity, Dimension::ratio)};
    for (const Parameter& p : profile.parameters) {
        if (p.prior) {
            table.rows.push_back({words(p.name), scope(p.gpu), scope(p.precision), scope(p.stack),
                                  number(p.prior->value), number(p.value), number(p.logSd, Dimension::ratio),
                                  number(p.dataShare, Dimension::ratio)});
        }
    }
    return tableText(table, terminal);
}

void writeErrors(data::JsonWriter& json, const char* key, const ErrorFigures& error) {
    json.beginObject(key);
    json.number("median_abs_error", error.median);
    json.number("mean_abs_error", error.mean);
    json.endObject();
}

template <class Errors>
std::string errorsText(const std::string& of, const Errors& errors, const Terminal& terminal) {
    return paragraphText(of + "With the priors: " + wordsOf(errors.before), terminal) +
           paragraphText(of + "Fitted: " + wordsOf(errors.after), terminal) +
           paragraphText(of + "On models left out of the fit: " + wordsOf(errors.leftOutModel), terminal);
}

std::string jsonOf(const Calibration& fit, const std::string& file) {
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("file", file);
    json.integer("rows", fit.rows);
    json.integer("groups", fit.groups);
    json.flag("converged", fit.converged);
    json.beginObject("error");
    writeErrors(json, "before", fit.record.before);
    writeErrors(json, "after", fit.record.after);
    writeErrors(json, "leave_one_out", fit.record.leftOutModel);
    if (fit.record.serving) {
        json.beginObject("serving");
        writeErrors(json, "before", fit.record.serving->before);
        writeErrors(json, "after", fit.record.serving->after);
        writeErrors(json, "leave_one_out", fit.record.serving->leftOutModel);
        json.endObject();
    }
    json.endObject();
    json.beginArray("confounded");
    for (const std::string& pair : fit.confounded)
        json.text({}, pair);
    json.endArray();
    json.endObject();
    return json.take();
}

} // namespace

StepFitOptions fitOptions() { return {.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 8U)}; }

void fitToFile(Call& call, const ValidationReport& report, const Catalog& catalog, const Profile& profile,
               const std::string& file) {
    Calibration fit = calibrate(report, catalog, profile, fitOptions());
    if (fit.rows == 0) {
        throw Failure(
            Failure::request,
            "--fit: no complete training row of quality high or medium and no "
            "serving row of quality A or B is among the rows; leave FILE out to fit to the shipped ones");
    }
    fit.profile.date = today();
    writeFile(file, data::writeProfile(fit.profile, fit.record));
    if (call.common.json) {
        call.out = jsonOf(fit, file);
        return;
    }
    call.out = constantsText(fit.profile, call.terminal);
    for (const std::string& pair : fit.confounded) {
        call.out +=
            paragraphText("The rows cannot separate " + pair + " apart.", call.terminal, Style::warning);
    }
    if (!fit.converged)
        call.out += paragraphText("The fit had not settled when it ended.", call.terminal, Style::warning);
    call.out += headingText("Error of the fitted figures, each group of rows counted once", call.terminal);
    call.out += errorsText("", fit.record, call.terminal);
    if (fit.record.serving)
        call.out += errorsText("Serving: ", *fit.record.serving, call.terminal);
    call.out += "\nWrote " + file + ": fitted to " + std::to_string(fit.rows) + " rows in " +
                std::to_string(fit.groups) + " groups\n";
}

} // namespace alidade::cli
