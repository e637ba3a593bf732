// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/validate.h"

#include "app/cli/commands.h"
#include "app/cli/inputs.h"
#include "app/cli/messages.h"
#include "app/cli/validate_fit.h"
#include "app/cli/validate_page.h"
#include "data/validation/published_json.h"
#include "data/validation/report_json.h"
#include "model/calibration/collective_fit.h"
#include "model/calibration/validation_fit.h"
#include "model/validation/regret.h"
#include "model/validation/summaries.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <unistd.h>

namespace alidade::cli {

namespace {

struct ValidateArguments {
    std::vector<std::string> files;
    std::string by, leaveOneOut, output;
    int worst = 10;
    bool fit = false, regret = false, strict = false;
};

/// The rows of the files, or the shipped ones. A faulty row is skipped and named on standard error, unless
/// `strict`; a file without a readable row is refused.
PublishedRows openRows(const std::vector<std::string>& files, bool strict) {
    if (files.empty())
        return data::shippedPublished();
    PublishedRows out;
    for (const std::string& file : files) {
        std::vector<data::JsonFault> faults;
        PublishedRows rows = data::readPublished(contentOf(file), faults);
        std::vector<std::string> lines;
        data::addFaults(lines, file, faults);
        if (!lines.empty() && (strict || rows.empty()))
            throw Failure(Failure::request, std::move(lines));
        for (const std::string& line : lines)
            warn(line + " (row skipped)");
        out.append(std::move(rows));
    }
    return out;
}

/// One line that is overwritten, on a terminal only.
ValidationProgress validationProgress() {
    if (isatty(STDERR_FILENO) == 0)
        return {};
    return [](std::size_t done, std::size_t all) {
        std::fprintf(stderr, "\rPredicting published rows: %zu of %zu%s", done, all,
                     done == all ? "\r\033[K" : "");
        std::fflush(stderr);
    };
}

constexpr std::array<std::string_view, 4> leftOutNames = {"source", "model", "release", "together"};

std::optional<LeftOut> leftOutNamed(std::string_view word) {
    for (const LeftOut by : {LeftOut::source, LeftOut::model, LeftOut::release, LeftOut::together})
        if (leftOutName(by) == word)
            return by;
    return std::nullopt;
}

/// Adds to each class the error on its rows with constants that were fitted without their source, model or
/// release.
void addLeftOut(ValidationReport& report, const ValidateArguments& options, const Catalog& catalog,
                const Profile& profile) {
    const LeftOut by = *leftOutNamed(options.leaveOneOut);
    const std::vector<ValidationRow> rows = leftOutRows(report, catalog, profile, by, fitOptions());
    const auto leftOut = options.by.empty() ? summarize(rows) : summarizeBy(rows, options.by);
    for (ValidationSummary& summary : report.summary) {
        for (const ValidationSummary& each : leftOut) {
            if (each.group == summary.group && each.quantity == summary.quantity) {
                summary.leaveOneOut = LeaveOneOut{options.leaveOneOut, each.medianAbsError, each.meanAbsError,
                                                  each.bandCoverage};
            }
        }
    }
}

void check(const ValidateArguments& options) {
    const auto& fields = summaryFields();
    if (!options.by.empty() && std::ranges::find(fields, options.by) == fields.end()) {
        throw Failure(Failure::request,
                      "--by: rows have no field '" + options.by + "'" + didYouMean(options.by, fields));
    }
    if (!options.leaveOneOut.empty() && !leftOutNamed(options.leaveOneOut)) {
        const std::vector<std::string> classes(leftOutNames.begin(), leftOutNames.end());
        throw Failure(Failure::request, "--leave-one-out: '" + options.leaveOneOut + "' cannot be left out" +
                                            didYouMean(options.leaveOneOut, classes));
    }
    if (options.fit != !options.output.empty()) {
        throw Failure(Failure::request, options.fit ? "--fit: no output file; add -o PROFILE.json"
                                                    : "-o: is for the profile of --fit; add --fit");
    }
}

void runValidate(Call& call, const ValidateArguments& options) {
    check(options);
    const PublishedRows rows = openRows(options.files, options.strict);
    refuseOverInput(options.output);
    const auto catalog = openCatalog(call.common);
    OpenedScenario nothing;
    Profile profile = openProfile(call.common, nothing, *catalog);
    if (options.fit) // collectives first: steps contain them
        profile = fitCollectives(rows.collectives, *catalog, profile).profile;
    ValidationReport report = validate(rows, *catalog, profile, validationProgress());
    if (options.fit)
        return fitToFile(call, report, *catalog, profile, options.output);
    if (!options.by.empty())
        report.summary = summarizeBy(report.rows, options.by);
    if (!options.leaveOneOut.empty())
        addLeftOut(report, options, *catalog, profile);
    if (options.regret)
        report.regret = regretOf(planChoices(report.rows));
    const std::vector<data::CustomValue> custom = customValuesOf(call.common, *catalog);
    call.out = call.common.json ? data::writeValidation(report, custom)
                                : customValuesText(custom, call.terminal) +
                                      validationText(report, options.worst, call.terminal);
}

} // namespace

void addValidateCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<ValidateArguments>();
    CLI::App* command = program.add_subcommand("validate", "Predictions against published measurements");
    command->add_option("FILE", options->files,
                        "Measurements in the form of the shipped ones, which are taken without a file");
    command
        ->add_option("--by", options->by,
                     "Error figures by this field of the rows: gpu, precision, source, ...")
        ->type_name("FIELD");
    command->add_option("--worst", options->worst, "How many of the worst rows to show")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    command
        ->add_option("--leave-one-out", options->leaveOneOut,
                     "Errors with constants fitted without the row's publication, model or software release, "
                     "or without all rows that share one of them (together), as well")
        ->type_name("source|model|release|together");
    command->add_flag("--strict", options->strict,
                      "Refuse a file with a faulty row instead of skipping the row");
    command->add_flag("--regret", options->regret,
                      "How well the model chooses among measured plans of one run");
    command->add_flag("--fit", options->fit, "Fit the constants to the rows and write a profile");
    command->add_option("-o", options->output, "Profile to write")->type_name("PROFILE");
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade validate --by gpu --worst 20\n"
                    "  alidade validate my-runs.json --json\n"
                    "  alidade validate --fit -o constants.json");
    command->callback([&call, options] { call.action = [&call, options] { runValidate(call, *options); }; });
}

} // namespace alidade::cli
