// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/report_content.h"

#include "data/report/price_validity.h"
#include "data/scenario/scenario_json.h"
#include "model/document/plan_document.h"
#include "model/engine/engine.h"

#include <QCoreApplication>

namespace alidade::app {

std::shared_ptr<const ReportContent> ReportContent::of(const ReportSource& source) {
    auto out = std::make_shared<ReportContent>();
    std::vector<ScenarioSpec> specs{source.spec};
    specs.insert(specs.end(), source.others.begin(), source.others.end());
    const Catalog& catalog = *source.catalog;
    for (const ScenarioSpec& spec : specs) {
        const Profile& profile = catalog.profileOrDefault(spec.calibration);
        auto answer = estimate(spec, catalog, profile, {.loadCurve = true});
        if (!answer)
            continue; // the page of the plan says why
        out->estimates_.push_back(std::make_unique<const Estimate>(*std::move(answer)));
        const Estimate& made = *out->estimates_.back();
        data::ReportInput input{&made, suggest(spec, catalog, profile), data::writeScenario(spec), "scenario",
                                data::reportCluster(made, catalog, profile)};
        input.search = source.search;
        const auto document =
            planDocument(spec, catalog, profile, made, {.options = specs.size() == 1 && !source.search});
        if (document)
            input.document = std::make_shared<const PlanDocument>(*document);
        out->inputs_.push_back(std::move(input));
    }
    return out;
}

data::Report ReportContent::report(const ReportOptions& options, const data::Logo& logo,
                                   const std::string& date) const {
    const auto line = [](const QString& text) { return data::brandingText(text.toStdString()); };
    data::ReportContext context{.programVersion = QCoreApplication::applicationVersion().toStdString(),
                                .date = date};
    context.locale = data::numberLocaleNamed(options.locale.toStdString()).value_or(data::NumberLocale::en);
    context.branding = {.organization = line(options.organization),
                        .title = line(options.title),
                        .author = line(options.author),
                        .confidentiality = line(options.confidentiality),
                        .logo = logo};
    if (auto day = data::validUntilDay(options.validUntil.toStdString(), date))
        context.validUntil = *std::move(day);
    for (const QString& name : options.sections)
        context.sections.names.insert(name.toStdString());
    if (inputs_.empty()) {
        data::Report none;
        none.title =
            QCoreApplication::translate("ReportContent", "There is no estimate to report").toStdString();
        none.branding = context.branding;
        return none;
    }
    return data::buildReport(inputs_, context);
}

} // namespace alidade::app
