// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/report_file.h"

#include "app/cli/inputs.h"
#include "app/cli/paper_only.h"
#include "app/cli/version.h"
#include "data/report/price_validity.h"
#include "data/scenario/scenario_json.h"
#include "views/report/logo.h"
#include "views/report/render.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

views::Paper paperOf(const std::string& name) {
    if (const auto paper = views::paperNamed(QString::fromStdString(name)))
        return *paper;
    throw Failure(Failure::request, "--paper: there is no paper '" + name + "'; use a4 or letter");
}

} // namespace

void addReportOptions(CLI::App& command, ReportOptions& out) {
    command.add_option("--paper", out.paper, "a4 or letter")->type_name("a4|letter");
    command
        .add_option(
            "--locale", out.locale,
            "How numbers and dates are written in .pdf and .html: en as 1,234.5 and 2027-01-04, de as "
            "1.234,5 and 4.1.2027; the text stays English. .xlsx follows the reader's own settings; "
            ".csv and .json stay machine-readable")
        ->type_name("en|de");
    const auto text = [&command](const char* name, std::string& value, const char* what, const char* type) {
        command.add_option(name, value, what)->type_name(type);
    };
    text("--title", out.title, "Title instead of the scenario's name", "TEXT");
    text("--organization", out.organization, "Who the document is from, at its head", "NAME");
    // The British spelling of earlier versions stays valid, without being listed.
    command.add_option("--organisation", out.organization)->group("");
    text("--author", out.author, "Who prepared it", "NAME");
    text("--confidential", out.confidential, "Mark at the head of each page: \"Confidential\"", "TEXT");
    text("--valid-until", out.validUntil,
         "Last day on which the prices hold, printed instead of what is known of the price", "DATE");
    text("--logo", out.logo, "Picture at the head: .png or .svg, at most 1 MiB", "FILE");
    text("--sections", out.sections,
         "Only these: order, step, options, cash_flow, risks, assumptions, signatures, glossary, technical",
         "LIST");
}

bool isReportFile(const std::string& name) {
    return views::reportSuffixes().contains(u'.' +
                                            QFileInfo(QString::fromStdString(name)).suffix().toLower());
}

void checkReportFile(const std::string& name) {
    if (!isReportFile(name)) {
        throw Failure(Failure::request, "-o: the format of '" + name +
                                            "' is not known; use one of the suffixes " +
                                            views::reportSuffixes().join(QStringLiteral(", ")).toStdString());
    }
}

data::ReportContext reportContext(const ReportOptions& options) {
    (void)paperOf(options.paper);
    data::ReportContext out{.programVersion = programVersion(), .date = today()};
    const auto locale = data::numberLocaleNamed(options.locale);
    if (!locale) {
        throw Failure(Failure::request,
                      "--locale: there is no locale '" + options.locale + "'; use en or de");
    }
    out.locale = *locale;
    out.branding = {.organization = data::brandingText(options.organization),
                    .title = data::brandingText(options.title),
                    .author = data::brandingText(options.author),
                    .confidentiality = data::brandingText(options.confidential)};
    if (!options.validUntil.empty()) {
        Result<std::string> day = data::validUntilDay(options.validUntil, out.date);
        if (!day)
            throw Failure(Failure::request, "--valid-until: " + day.error());
        out.validUntil = *std::move(day);
    }
    if (!options.logo.empty()) {
        Result<data::Logo> logo = views::readLogo(QString::fromStdString(options.logo));
        if (!logo)
            throw Failure(Failure::request, "--logo: " + options.logo + ": " + logo.error());
        out.branding.logo = *std::move(logo);
    }
    if (!options.sections.empty()) {
        Result<data::SectionChoice> sections = data::sectionChoice(options.sections);
        if (!sections)
            throw Failure(Failure::request, "--sections: " + sections.error());
        out.sections = *std::move(sections);
    }
    return out;
}

data::ReportInput reportInput(const Call& call, const OpenedScenario& scenario, const Catalog& catalog,
                              const Profile& profile, const Estimate& estimate, const DocumentParts& parts) {
    data::ReportInput out{
        &estimate,
        suggest(scenario.spec, catalog, profile),
        data::writeScenario(scenario.spec),
        scenario.name,
        data::reportCluster(estimate, catalog, profile),
        data::customValuesUsed(customValuesOf(call.common, catalog, &scenario), estimate.scenario, catalog)};
    const Result<PlanDocument> document = planDocument(scenario.spec, catalog, profile, estimate, parts);
    if (document)
        out.document = std::make_shared<const PlanDocument>(*document);
    return out;
}

std::int64_t writeReportFile(const data::Report& report, const ReportOptions& options) {
    refuseOverInput(options.out);
    const QString out = QString::fromStdString(options.out);
    std::unique_ptr<PaperOnly> pages;
    if (views::reportNeedsGui(out))
        pages = std::make_unique<PaperOnly>();
    const Result<qint64> bytes = views::writeReport(report, out, paperOf(options.paper));
    if (!bytes)
        throw Failure(Failure::environment, options.out + ": " + bytes.error());
    return *bytes;
}

} // namespace alidade::cli
