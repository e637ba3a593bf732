// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/inputs.h"
#include "app/cli/paper_only.h"
#include "app/cli/version.h"
#include "data/json/writer.h"
#include "data/report/report.h"
#include "data/scenario/scenario_json.h"
#include "model/document/plan_document.h"
#include "model/engine/engine.h"
#include "model/units/format.h"
#include "views/report/logo.h"
#include "views/report/render.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <deque>
#include <memory>

namespace alidade::cli {

namespace {

struct ReportArguments {
    std::vector<std::string> scenarios;
    std::vector<std::string> settings;
    std::string out;
    std::string paper = "a4";
    std::string title, organisation, author, confidential, logo, sections;
};

void checkOut(const QString& out) {
    const QStringList known = views::reportSuffixes();
    if (!known.contains(u'.' + QFileInfo(out).suffix().toLower())) {
        throw Failure(Failure::request, "-o: the form of '" + out.toStdString() +
                                            "' is not known; let it end in one of " +
                                            known.join(QStringLiteral(", ")).toStdString());
    }
}

views::Paper paperOf(const std::string& name) {
    if (const auto paper = views::paperNamed(QString::fromStdString(name))) {
        return *paper;
    }
    throw Failure(Failure::request, "--paper: there is no paper '" + name + "'; use a4 or letter");
}

data::ReportContext contextOf(const ReportArguments& options) {
    data::ReportContext out{.programVersion = programVersion(), .date = today()};
    out.branding = {.organisation = data::brandingText(options.organisation),
                    .title = data::brandingText(options.title),
                    .author = data::brandingText(options.author),
                    .confidentiality = data::brandingText(options.confidential)};
    if (!options.logo.empty()) {
        Result<data::Logo> logo = views::readLogo(QString::fromStdString(options.logo));
        if (!logo) {
            throw Failure(Failure::request, "--logo: " + options.logo + ": " + logo.error());
        }
        out.branding.logo = *std::move(logo);
    }
    if (!options.sections.empty()) {
        Result<data::SectionChoice> sections = data::sectionChoice(options.sections);
        if (!sections) {
            throw Failure(Failure::request, "--sections: " + sections.error());
        }
        out.sections = *std::move(sections);
    }
    return out;
}

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
        if (!answer) {
            throw Failure(Failure::request, scenario.file + ":" + answer.error());
        }
        estimates.push_back(*std::move(answer));
        inputs.push_back({&estimates.back(), suggest(scenario.spec, *catalog, profile),
                          data::writeScenario(scenario.spec), scenario.name,
                          data::reportCluster(estimates.back(), *catalog, profile),
                          data::customValuesUsed(customValuesOf(call.common, *catalog, &scenario),
                                                 estimates.back().scenario, *catalog)});
        const Result<PlanDocument> document = planDocument(scenario.spec, *catalog, profile, estimates.back(),
                                                           partsOf(options, context.sections));
        if (document) {
            inputs.back().document = std::make_shared<const PlanDocument>(*document);
        }
    }
    return data::buildReport(inputs, context);
}

void runReport(Call& call, const ReportArguments& options) {
    const QString out = QString::fromStdString(options.out);
    checkOut(out);
    const views::Paper paper = paperOf(options.paper);
    const data::Report report = build(call, options, contextOf(options));
    refuseOverInput(options.out);
    std::unique_ptr<PaperOnly> pages;
    if (views::reportNeedsGui(out)) {
        pages = std::make_unique<PaperOnly>();
    }
    const Result<qint64> bytes = views::writeReport(report, out, paper);
    if (!bytes) {
        throw Failure(Failure::environment, options.out + ": " + bytes.error());
    }
    if (call.common.json) {
        data::JsonWriter json;
        json.beginObject({});
        json.integer("alidade", 1);
        json.text("file", options.out);
        json.integer("bytes", *bytes);
        json.endObject();
        call.out = json.take();
    } else {
        call.out = "Wrote " + options.out + ", " +
                   formatQuantity(static_cast<double>(*bytes), Dimension::bytes) + "\n";
    }
}

} // namespace

void addReportCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<ReportArguments>();
    CLI::App* command =
        program.add_subcommand("report", "A report to hand on, as .pdf, .html, .xlsx, .csv or .json");
    command
        ->add_option("SCENARIO", options->scenarios,
                     "Scenario files, ids or WORKSPACE.alidade#name; several are compared")
        ->required();
    command->add_option("-o,--out", options->out, "File to write; its suffix says the form")
        ->type_name("OUT")
        ->required();
    command->add_option("--paper", options->paper, "a4 or letter")->type_name("a4|letter");
    const auto text = [command](const char* name, std::string& value, const char* what, const char* type) {
        command->add_option(name, value, what)->type_name(type);
    };
    text("--title", options->title, "Title instead of the scenario's name", "TEXT");
    text("--organisation", options->organisation, "Who the document is from, at its head", "NAME");
    text("--author", options->author, "Who prepared it", "NAME");
    text("--confidential", options->confidential, "Mark at the head of each page: \"Confidential\"", "TEXT");
    text("--logo", options->logo, "Picture at the head: .png or .svg, at most 1 MiB", "FILE");
    text("--sections", options->sections,
         "Only these: order, step, options, cash_flow, risks, assumptions, signatures, glossary, technical",
         "LIST");
    command
        ->add_option("--set", options->settings, "Change a field of each first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*command, call.common);
    command->footer(
        "Examples:\n"
        "  alidade report llama-3.1-405b-2048xp5.48xlarge -o report.pdf --paper letter\n"
        "  alidade report plan.json -o offer.pdf --organisation 'Example Ltd' --logo logo.svg --confidential "
        "Confidential\n"
        "  alidade report plan.json -o order.xlsx --sections order,cash_flow,risks");
    command->callback([&call, options] { call.action = [&call, options] { runReport(call, *options); }; });
}

} // namespace alidade::cli
