// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/exporter.h"
#include "app/window/main_window.h"
#include "app/window/report_dialog.h"
#include "data/catalog/user_catalog_json.h"
#include "data/scenario/scenario_json.h"
#include "data/scenario/scenario_list.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_view.h"
#include "views/compare/compare_view.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/search/search_view.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <string>
#include <utility>
#include <vector>

// What the window exports as a report.

namespace alidade::app {

using views::text;

ReportSource MainWindow::reportSource() const {
    const views::CatalogEditor& editor = catalogPage_->editor();
    ReportSource source{.spec = document_->shownSpec(),
                        .others = {},
                        .catalog = document_->catalog(),
                        .catalogChanges = {},
                        .userCatalog = {}};
    if (!editor.usesShipped()) {
        if (!editor.user().changes.empty())
            source.catalogChanges = data::userCatalogToJson(editor.user(), editor.shipped()->version);
        source.userCatalog = text(catalog_.problems.empty() ? catalog_.userFile : std::string());
    }
    if (const auto plan = search_->recommended(); plan && shownPage().widget == search_) {
        source.spec = *plan;
        source.search = search_->answer();
    }
    return source;
}

void MainWindow::exportReport(const QString& suffix) {
    if (exporter_->running())
        return;
    ReportSource source = reportSource();
    if (std::vector<ScenarioSpec> specs = compare_->specs();
        shownPage().widget == compare_ && specs.size() > 1) {
        source.spec = specs.front();
        source.others.assign(specs.begin() + 1, specs.end());
    }
    ReportOptions options = settings_.report;
    options.forgetPassedDay();
    options.suffix = suffix;
    options.sections.clear();
    askReportFile(source, options);
}

/// The scenarios of library and baselines and the samples, and the open one where the report starts without
/// it.
ReportChoices MainWindow::reportChoices(bool comparing) const {
    return [this, comparing] {
        std::vector<ReportChoice> out;
        if (comparing)
            out.push_back({.group = {},
                           .name = document_->displayName(),
                           .spec = [this]() -> Result<ScenarioSpec> { return document_->shownSpec(); }});
        const views::CompareView::Scenarios& known = compare_->scenarios();
        for (const auto& each : known.choices ? known.choices() : QList<views::CompareView::Choice>()) {
            const data::ListedScenario& listed = each.scenario;
            out.push_back({.group = each.group,
                           .name = text(listed.name),
                           .spec = [listed, stored = known.stored]() -> Result<ScenarioSpec> {
                               if (listed.kind == data::ListedScenario::Kind::stored)
                                   return stored(listed.id);
                               ScenarioSpec spec = listed.spec;
                               spec.name = listed.name;
                               return spec;
                           }});
        }
        return out;
    };
}

void MainWindow::showReportDialog() {
    if (exporter_->running())
        return;
    const bool comparing = shownPage().widget == compare_ && compare_->specs().size() > 1;
    std::vector<ReportScenario> scenarios;
    const std::string shown = data::writeScenario(document_->shownSpec());
    ReportSource source = reportSource();
    if (source.search)
        scenarios.push_back({tr("The plan that the search recommends"), source.spec});
    else if (!comparing)
        scenarios.push_back({document_->displayName(), document_->shownSpec()});
    for (const ScenarioSpec& each : compare_->specs())
        if (!source.search && (comparing || data::writeScenario(each) != shown))
            scenarios.push_back({text(each.name.value_or("Scenario")), each, comparing});
    ReportOptions options = settings_.report;
    options.forgetPassedDay();
    ReportChoices choices = source.search ? ReportChoices{} : reportChoices(comparing);
    auto* dialog =
        new ReportDialog(std::move(source), std::move(scenarios), options, std::move(choices), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ReportDialog::exportRequested, this, [this, dialog] {
        settings_.report = dialog->options();
        settings_.report.title.clear(); // of this report only
        settings_.save();
        askReportFile(dialog->source(), dialog->options());
    });
    dialog->open();
}

void MainWindow::askReportFile(const ReportSource& source, const ReportOptions& options) {
    const QString& suffix = options.suffix;
    QString name = document_->displayName();
    name.replace(QLatin1Char('/'), QLatin1Char('-'));
    const QString proposal = QDir(settings_.folder).absoluteFilePath(name + QLatin1Char('.') + suffix);
    auto* dialog = new QFileDialog(this, tr("Export the report"), proposal,
                                   tr("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(proposal);
    connect(dialog, &QFileDialog::fileSelected, this, [this, source, options](const QString& file) {
        settings_.folder = QFileInfo(file).absolutePath();
        exporter_->start(source, file, options);
    });
    dialog->open();
}

} // namespace alidade::app
