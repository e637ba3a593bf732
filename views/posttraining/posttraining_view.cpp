// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/posttraining/posttraining_view.h"

#include "model/estimate/reinforcement.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/text_label.h"
#include "views/posttraining/step_lanes.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace alidade::views {

namespace {

QString stepSeconds(double seconds) { return quantity(seconds, Dimension::seconds, {.significant = 3}); }

QString inWords(const Reinforcement& step) {
    if (step.pools.size() < 2) {
        const auto longest = std::ranges::max_element(step.phases, {}, &RlPhaseT<double>::exposed);
        return PosttrainingView::tr("%1 takes %2 of the step of %3.")
            .arg(phaseTitle(longest->name),
                 quantity(longest->exposed / step.stepTime, Dimension::ratio, {.significant = 2}),
                 stepSeconds(step.stepTime));
    }
    const auto waiting = std::ranges::max_element(step.pools, {}, &RlPoolT<double>::idleShare);
    const QString bounds =
        step.limit == "training" ? PosttrainingView::tr("Training") : PosttrainingView::tr("The rollout");
    return PosttrainingView::tr("%1 bounds the step; the %2 pool waits %3 of %4.")
        .arg(bounds, poolTitle(waiting->name).toLower(), stepSeconds(waiting->idleShare * step.stepTime),
             stepSeconds(step.stepTime));
}

} // namespace

PosttrainingView::PosttrainingView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , sentence_(new TextLabel(FontRole::strong, Role::text))
    , lanes_(new StepLanes)
    , memory_(new PhaseMemory) {
    auto* picture = new QWidget;
    auto* box = new QVBoxLayout(picture);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    sentence_->setElided(true);
    sentence_->setContentsMargins(14, 8, 14, 4);
    box->addWidget(sentence_);
    box->addWidget(lanes_);
    auto* title = new TextLabel(FontRole::title, Role::text);
    title->setText(tr("Memory per GPU and phase"));
    title->setContentsMargins(14, 10, 14, 2);
    box->addWidget(title);
    box->addWidget(memory_);
    box->addStretch(1);
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(picture);
    setContent(area);
}

QString PosttrainingView::sentence() const { return sentence_->text(); }

bool PosttrainingView::canShow(const Estimate& estimate) const { return estimate.reinforcement != nullptr; }

std::pair<QString, QString> PosttrainingView::nothingIn(const Estimate& estimate) const {
    if (estimate.scenario.workload.isReinforcement())
        return {};
    return {tr("No reinforcement learning"),
            tr("For a reinforcement learning scenario, the phases of a step are drawn here.")};
}

void PosttrainingView::showEstimate() {
    const std::shared_ptr<const Reinforcement> step = shown()->reinforcement;
    sentence_->setText(inWords(*step));
    lanes_->setStep(step);
    memory_->setStep(step);
    const auto number = [](double seconds) {
        return Cell{.text = stepSeconds(seconds), .value = seconds, .bound = {}};
    };
    const auto words = [](const QString& text, std::optional<Bound> bound = {}) {
        return Cell{.text = text, .value = {}, .bound = bound};
    };
    QList<CellRow> rows;
    for (const auto& phase : step->phases) {
        CellRow row;
        row.key = phaseTitle(phase.name) + poolTitle(phase.pool);
        row.cells = {words(phaseTitle(phase.name), phase.bound), words(poolTitle(phase.pool)),
                     number(phase.start), number(phase.seconds), number(phase.exposed)};
        rows.append(row);
    }
    dataTable()->setTable({{tr("Phase"), false, {}},
                           {tr("Pool"), false, {}},
                           {tr("From"), true, {}},
                           {tr("Time"), true, {}},
                           {tr("Lengthens the step by"), true, {}}},
                          rows);
}

} // namespace alidade::views
