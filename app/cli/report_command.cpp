// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/inputs.h"
#include "app/cli/report_file.h"
#include "data/json/writer.h"
#include "model/units/format.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <deque>
#include <memory>

namespace alidade::cli {

namespace {

struct ReportArguments {
    std::vector<std::string> scenarios;
    std::vector<std::string> settings;
    ReportOptions report;
};

/// What is computed of a document: of several scenarios each is an option already.
DocumentParts partsOf(const ReportArguments& options, const data::SectionChoice& sections) {
    return {.options = options.scenarios.size() == 1 && sections.has("options"),
            .risks = sections.has("risks"),
            .assumptions = sections.has("assumptions")};
}

data::Report build(Call& call, const ReportArguments& options, const data::ReportContext& context) {
    const auto given = openCatalog(call.common);
    std::deque<Estimate> estimates; // the report refers to them while it is built
    std::vector<data::ReportInput> inputs;
    for (const std::string& argument : options.scenarios) {
        OpenedScenario scenario = openScenario(argument, options.settings);
        const auto catalog = catalogFor(call.common, given, scenario);
        const Profile profile = openProfile(call.common, scenario, *catalog);
        auto answer = estimate(scenario.spec, *catalog, profile, {.loadCurve = true});
        if (!answer)
            throw Failure(Failure::request, scenario.file + ":" + answer.error());
        estimates.push_back(*std::move(answer));
        inputs.push_back(reportInput(call, scenario, *catalog, profile, estimates.back(),
                                     partsOf(options, context.sections)));
    }
    return data::buildReport(inputs, context);
}

void runReport(Call& call, const ReportArguments& options) {
    checkReportFile(options.report.out);
    const data::Report report = build(call, options, reportContext(options.report));
    const std::int64_t bytes = writeReportFile(report, options.report);
    if (call.common.json) {
        data::JsonWriter json;
        json.beginObject({});
        json.integer("alidade", 1);
        json.text("file", options.report.out);
        json.integer("bytes", bytes);
        json.endObject();
        call.out = json.take();
    } else {
        call.out = "Wrote " + options.report.out + ", " +
                   formatQuantity(static_cast<double>(bytes), Dimension::bytes) + "\n";
    }
}

} // namespace

void addReportCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<ReportArguments>();
    CLI::App* command = program.add_subcommand("report", "A report as .pdf, .html, .xlsx, .csv or .json");
    command
        ->add_option("SCENARIO", options->scenarios,
                     "Scenario files, ids or WORKSPACE.alidade#name; several are compared")
        ->required();
    command->add_option("-o,--out", options->report.out, "File to write; its suffix sets the format")
        ->type_name("OUT")
        ->required();
    addReportOptions(*command, options->report);
    command
        ->add_option("--set", options->settings, "Change a field of each first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*command, call.common);
    command->footer(
        "Examples:\n"
        "  alidade report llama-3.1-405b-2048xp5.48xlarge -o report.pdf --paper letter\n"
        "  alidade report plan.json -o offer.pdf --organization 'Example Ltd' --logo logo.svg --confidential "
        "Confidential\n"
        "  alidade report plan.json -o order.xlsx --sections order,cash_flow,risks");
    command->callback([&call, options] { call.action = [&call, options] { runReport(call, *options); }; });
}

} // namespace alidade::cli
