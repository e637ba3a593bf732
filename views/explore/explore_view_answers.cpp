// SPDX-License-Identifier: GPL-3.0-or-later
// How the Explore page shows what was found.
#include "model/base/quantiles.h"
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/explore/explore_view.h"
#include "views/explore/goal_bar.h"
#include "views/explore/heat_plot.h"
#include "views/explore/outcome_plot.h"
#include "views/explore/pick_combo.h"
#include "views/explore/sweep_plot.h"
#include "views/explore/tornado_plot.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/theme/theme_controller.h"

#include <QCheckBox>
#include <QHeaderView>

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {

namespace {

using Part = ExploreSource::Part;

Cell words(const QString& text) { return {text, {}, {}}; }

Cell number(double value, Dimension dimension) {
    return {std::isfinite(value) ? glance(value, dimension) : QStringLiteral("–"), value, {}};
}

QString percent(double share) { return quantity(share, Dimension::ratio, {.significant = 2}); }

/// Of a standard deviation of ln: "±12 %".
QString bandText(double logSd) { return u'±' + percent(std::exp(quantile90 * logSd) - 1); }

void fillSweepTable(CellTable* table, const SweepAnswer& answer, const PlanFigure& figure) {
    QList<CellColumn> columns;
    for (const SweepAxis& each : answer.sweep.axes)
        columns.append({labelOf(each.variable), each.variable.isNumber(), {}});
    columns.append({text(figure.label), true, {}});
    columns.append({ExploreView::tr("Low"), true, {}});
    columns.append({ExploreView::tr("High"), true, {}});
    columns.append({ExploreView::tr("State"), false, {}});
    columns.append({ExploreView::tr("Largest share"), false, {}});
    QList<CellRow> rows;
    for (std::size_t i = 0; i < answer.sweep.points.size(); ++i) {
        const SweepPoint& point = answer.sweep.points[i];
        CellRow row{QString::number(i), {}};
        for (std::size_t k = 0; k < answer.sweep.axes.size(); ++k) {
            const auto value = numberOf(point.values[k]);
            row.cells.append({valueInWords(answer.sweep.axes[k].variable, point.values[k]),
                              value ? QVariant(*value) : QVariant(),
                              {}});
        }
        const SweepFigure* value = point.figure(figure);
        const double none = std::nan("");
        for (const double each :
             {value ? value->value : none, value ? value->low : none, value ? value->high : none})
            row.cells.append(number(each, figure.dimension));
        row.cells.append(words(!point.runs   ? text(point.why)
                               : !point.fits ? ExploreView::tr("does not fit")
                                             : ExploreView::tr("fits")));
        row.cells.append(point.bound ? Cell{theme().classStyle(*point.bound).name, {}, point.bound}
                                     : words({}));
        rows.append(row);
    }
    table->setTable(columns, rows);
    table->resizeColumnsToContents();
}

/// Four figures that together tell whether a plan is good: speed, efficiency, memory, money.
std::array<const PlanFigure*, 4> severalFigures(const PlanFigure* first, const Scenario& scenario) {
    const bool serving = scenario.isServing();
    std::array<const PlanFigure*, 4> out{first, nullptr, nullptr, nullptr};
    std::size_t next = 1;
    for (const char* path :
         {"training.tokens_per_s", "training.mfu", "serving.ttft_s", "serving.tpot_s", "memory.total_bytes",
          "cost.dollars_per_run", "cost.dollars_per_million_tokens", "cost.dollars_per_hour",
          "training.step_time_s", "serving.output_tokens_per_s"}) {
        const PlanFigure* figure = findPlanFigure(path);
        const bool known =
            !figure->path.starts_with("cost.") ||
            (scenario.hasPrice && (serving || scenario.hasTokens || figure->path.ends_with("hour")));
        if (figure->isOf(scenario.spec.workload) && known && next < out.size() && figure != first)
            out[next++] = figure;
    }
    return out;
}

} // namespace

void ExploreView::take(Part part) {
    switch (part) {
    case Part::line:
        linePanel_->setBusy(source_->busy(part), tr("Estimating the curve"));
        return showLine();
    case Part::grid:
        gridPanel_->setBusy(source_->busy(part), tr("Estimating the cells"));
        return showGrid();
    case Part::sensitivity:
        sensitivityPanel_->setBusy(source_->busy(part), tr("Varying each input"));
        return showSensitivity();
    case Part::solve:
        return showGoal();
    case Part::outcomes:
        doubtPanel_->setBusy(source_->busy(part), tr("Drawing"));
        return showOutcomes();
    }
}

void ExploreView::showLine() {
    const auto& answer = source_->line();
    const PlanFigure* figure = figureOf(lineFigure_);
    if (!answer || figure == nullptr || !context_)
        return;
    linePanel_->setError(answer->error.empty() ? QString() : tr("This cannot be swept"), text(answer->error));
    if (answer->error.empty()) {
        linePanel_->showPage(several_->isChecked() ? multiplesPage_ : static_cast<QWidget*>(line_));
        line_->setAnswer(answer, figure);
        showMultiples(answer);
        fillSweepTable(linePanel_->table(), *answer, *figure);
        const auto count = static_cast<int>(answer->sweep.points.size());
        const QString done = counted(count, tr("estimate"), tr("estimates"));
        linePanel_->bar()->setSubtitle(!answer->finished ? tr("%1 so far").arg(done)
                                       : answer->sweep.complete
                                           ? tr("%1; hollow: does not fit; diamonds: kinks").arg(done)
                                           : tr("%1; stopped").arg(done));
        renewTargets();
    }
    renewHeadline();
}

void ExploreView::showMultiples(const std::shared_ptr<const SweepAnswer>& answer) {
    if (!several_->isChecked())
        return;
    const auto figures = severalFigures(figureOf(lineFigure_), *scenario_);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        SweepPlot* plot = multiples_[static_cast<qsizetype>(i)];
        plot->setVisible(figures[i] != nullptr);
        if (figures[i] != nullptr)
            plot->setAnswer(answer, figures[i]);
    }
}

void ExploreView::showGrid() {
    const auto& answer = source_->grid();
    const PlanFigure* figure = figureOf(gridFigure_);
    if (!answer || figure == nullptr)
        return;
    gridPanel_->setError(answer->error.empty() ? QString() : tr("This cannot be swept"), text(answer->error));
    if (!answer->error.empty())
        return;
    grid_->setAnswer(answer, figure);
    fillSweepTable(gridPanel_->table(), *answer, *figure);
    const auto count = static_cast<int>(answer->sweep.points.size());
    const QString done = counted(count, tr("estimate"), tr("estimates"));
    gridPanel_->bar()->setSubtitle(!answer->finished ? tr("%1 so far").arg(done)
                                   : answer->sweep.complete
                                       ? tr("%1; a click previews, Enter adopts").arg(done)
                                       : tr("%1; stopped").arg(done));
    renewTargets();
}

/// The goal of the sentence, where a picture shows its figure.
void ExploreView::renewTargets() {
    const auto target = goal_->target();
    const auto of = [&](const PlanFigure* figure) {
        return figure != nullptr && text(figure->path) == goal_->figure() ? target : std::nullopt;
    };
    line_->setTarget(of(line_->figure()));
    for (SweepPlot* each : std::as_const(multiples_))
        each->setTarget(of(each->figure()));
    grid_->setTarget(of(figureOf(gridFigure_)), goal_->atMost());
}

void ExploreView::renewHeadline() {
    const auto& answer = source_->line();
    const PlanFigure* figure = figureOf(lineFigure_);
    if (!answer || !answer->error.empty() || figure == nullptr)
        return verdict_->setVerdict(BadgeKind::neutral, tr("Explore"));
    const QString said = text(sweepHeadline(answer->sweep, *figure));
    QString detail;
    if (!answer->sweep.kinks.empty() && answer->sweep.axes.size() == 1) {
        const SweepKink& kink = answer->sweep.kinks.front();
        detail = tr("Below %1 %2 has the largest share of the step, then %3.")
                     .arg(valueInWords(answer->sweep.axes.front().variable, kink.values.front()),
                          theme().classStyle(kink.from).name, theme().classStyle(kink.to).name);
    }
    const QString over = answer->sweep.axes.empty() ? QString() : labelOf(answer->sweep.axes.back().variable);
    verdict_->setVerdict(
        BadgeKind::neutral,
        said.isEmpty() ? tr("%1 over %2").arg(text(figure->label), over) : over + u": " + said, detail);
}

void ExploreView::showSensitivity() {
    const auto& answer = source_->sensitivity();
    if (!answer)
        return;
    const auto& found = answer->sensitivity;
    sensitivityPanel_->setError(found ? QString() : tr("This cannot be analyzed"),
                                found ? QString() : text(found.error()));
    if (!found)
        return;
    tornado_->setAnswer(answer);
    const Sensitivity& s = *found;
    QList<CellRow> rows;
    for (const SensitivityBar& each : s.inputs) {
        const auto value = [&](double at) {
            return Cell{valueInWords(each.variable, each.variable.valueOf(at)), at, {}};
        };
        const auto figure = [&](const std::optional<double>& at, const std::optional<Bound>& bound) {
            return at ? Cell{glance(*at, s.dimension), *at, bound} : words(tr("does not run"));
        };
        rows.append(
            {text(each.variable.path()),
             {words(labelOf(each.variable)), value(each.value), value(each.lowValue), value(each.highValue),
              figure(each.low, each.lowBound), figure(each.high, each.highBound),
              each.saturatesAt ? value(*each.saturatesAt) : words({})}});
    }
    sensitivityPanel_->table()->setTable(
        {{tr("Input"), false, {}},
         {tr("Present"), true, {}},
         {tr("Low"), true, {}},
         {tr("High"), true, {}},
         {tr("Figure, low"), true, {}},
         {tr("Figure, high"), true, {}},
         {tr("Helps up to"), true,
          tr("Beyond this the figure responds at less than a tenth of its current rate")}},
        rows);
    sensitivityPanel_->table()->resizeColumnsToContents();
    sensitivityPanel_->bar()->setSubtitle(
        tr("%1 of %2 inputs; a click sweeps it").arg(tornado_->barCount()).arg(s.inputs.size()));
    showIgnorance(s);
}

void ExploreView::showIgnorance(const Sensitivity& s) {
    QList<CellRow> rows;
    double rest = 0;
    int others = 0;
    for (const Ignorance& each : s.ignorance) {
        constexpr double least = 0.01;
        if (each.shareOfVariance < least && each.path != "residual") {
            rest += each.shareOfVariance;
            ++others;
            continue;
        }
        rows.append({text(each.path),
                     {words(text(each.label)),
                      {percent(each.shareOfVariance), each.shareOfVariance, {}},
                      words(each.path == "residual" ? QString()
                                                    : bandText(s.logSd) + u" → " + bandText(each.logSdAfter)),
                      words(text(each.measurement))}});
    }
    if (others > 0)
        rows.append(
            {QStringLiteral("rest"),
             {words(tr("%1 more together").arg(others)), {percent(rest), rest, {}}, words({}), words({})}});
    ignorance_->setTable(
        {{tr("Unknown"), false, {}},
         {tr("Share"), true, tr("Of the variance of the figure's error")},
         {tr("Band, and after"), true, tr("Half of the band from the 10 % to the 90 % quantile")},
         {tr("What would measure it"), false, {}}},
        rows);
    ignorance_->resizeColumnsToContents();
    ignorance_->horizontalHeader()->setStretchLastSection(true);
    if (s.ignorance.empty()) {
        doubtText_->setText(
            tr("%1 has no model error; it follows from the inputs.").arg(weighed_->currentText()));
        return;
    }
    QStringList together;
    for (const std::string& each : s.halving)
        together.append(text(each));
    doubtText_->setText(tr("%1 is known to %2. ").arg(weighed_->currentText(), bandText(s.logSd)) +
                        (together.isEmpty() ? tr("No set of these measurements would halve that: too much of "
                                                 "it comes from what the model leaves out.")
                                            : tr("This would halve it: %1.").arg(together.join(tr("; ")))));
}

void ExploreView::showGoal() {
    const auto& answer = source_->solution();
    if (!answer || source_->busy(Part::solve) || !context_)
        return;
    goal_->setAnswer(*answer);
    if (!answer->solution || !answer->solution->value || !answer->variable)
        return;
    // It can be previewed like a point, but only a person says so.
    choice_ = {editOf(*answer->variable, *answer->solution->value, context_->spec),
               labelOf(*answer->variable) + u' ' + valueInWords(*answer->variable, *answer->solution->value),
               true};
    renewButtons();
}

void ExploreView::showOutcomes() {
    const auto& answer = source_->outcomes();
    if (!answer)
        return;
    if (!answer->outcomes || answer->outcomes->figures.empty()) {
        odds_->setText(answer->outcomes ? QString() : text(answer->outcomes.error()));
        return;
    }
    const Outcomes& o = *answer->outcomes;
    const OutcomeFigure& f = o.figures.front();
    outcome_->setAnswer(answer);
    const Dimension dimension = f.figure->dimension;
    QString said = tr("%1: 8 of 10 draws from %2 to %3, half of them %4 %5.")
                       .arg(text(f.figure->label), glance(f.p10, dimension), glance(f.p90, dimension),
                            f.figure->moreIsBetter ? tr("above") : tr("below"), glance(f.p50, dimension));
    for (const OutcomeLimit& each : o.limits)
        said = (each.limit.atMost ? tr("%1 above %2 with a probability of %3. ")
                                  : tr("%1 below %2 with a probability of %3. "))
                   .arg(text(each.limit.figure->label), glance(each.limit.value, dimension),
                        percent(each.missed)) +
               said;
    if (o.failed > 0)
        said += u' ' + tr("%1 of the draws do not run.")
                           .arg(percent(static_cast<double>(o.failed) / static_cast<double>(o.draws)));
    odds_->setText(said);
    QList<CellRow> rows;
    for (const Driver& each : f.drivers)
        rows.append({text(each.path), {words(text(each.label)), {percent(each.share), each.share, {}}}});
    drivers_->setTable({{tr("Driven by"), false, {}}, {tr("Share"), true, tr("Of the variance")}}, rows);
    drivers_->resizeColumnsToContents();
    drivers_->horizontalHeader()->setStretchLastSection(false);
}

QString ExploreView::sentence() const { return verdict_->sentence(); }

} // namespace alidade::views
