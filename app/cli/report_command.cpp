// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/inputs.h"
#include "app/cli/version.h"
#include "data/json/writer.h"
#include "data/report/report.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/units/format.h"
#include "views/report/render.h"

#include <QFileInfo>
#include <QGuiApplication>

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
};

/// Fonts and pages come from Qt's GUI library, which here never looks for a display, even if there is one.
/// What Qt says on the way is no message for the caller.
class PaperOnly {
public:
    PaperOnly() = default;

private:
    static int prepare() {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
        return 1;
    }

    int argc_ = prepare(); // before the application is made
    char name_[8] = "alidade";
    char* argv_[2] = {name_, nullptr};
    QGuiApplication application_{argc_, argv_};
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

data::Report build(Call& call, const ReportArguments& options) {
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
    }
    return data::buildReport(inputs, {programVersion(), today()});
}

void runReport(Call& call, const ReportArguments& options) {
    const QString out = QString::fromStdString(options.out);
    checkOut(out);
    const views::Paper paper = paperOf(options.paper);
    const data::Report report = build(call, options);
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
        program.add_subcommand("report", "A report to hand on, as .pdf, .html, .csv or .json");
    command
        ->add_option("SCENARIO", options->scenarios,
                     "Scenario files, ids or WORKSPACE.alidade#name; several are compared")
        ->required();
    command->add_option("-o,--out", options->out, "File to write; its suffix says the form")
        ->type_name("OUT")
        ->required();
    command->add_option("--paper", options->paper, "a4 or letter")->type_name("PAPER");
    command
        ->add_option("--set", options->settings, "Change a field of each first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*command, call.common);
    command->footer(
        "Example:\n  alidade report llama-3.1-405b-2048xp5.48xlarge -o report.pdf --paper letter");
    command->callback([&call, options] { call.action = [&call, options] { runReport(call, *options); }; });
}

} // namespace alidade::cli
