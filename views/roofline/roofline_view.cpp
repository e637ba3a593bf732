// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_view.h"

#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/tag.h"
#include "views/layers/figure_path.h"
#include "views/roofline/roofline_plot.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <span>

namespace alidade::views {
namespace {

struct PhaseChoice {
    RooflinePhase phase;
    const char *name, *note;
};
constexpr std::array trainingPhases{
    PhaseChoice{RooflinePhase::forward, QT_TRANSLATE_NOOP("RooflineText", "Forward"),
                QT_TRANSLATE_NOOP("RooflineText", "one point per operation, forward")},
    PhaseChoice{RooflinePhase::backward, QT_TRANSLATE_NOOP("RooflineText", "Backward"),
                QT_TRANSLATE_NOOP("RooflineText", "one point per operation, backward")},
    PhaseChoice{RooflinePhase::recompute, QT_TRANSLATE_NOOP("RooflineText", "Recompute"),
                QT_TRANSLATE_NOOP("RooflineText", "one point per operation, recomputed")},
    PhaseChoice{RooflinePhase::all, QT_TRANSLATE_NOOP("RooflineText", "All"),
                QT_TRANSLATE_NOOP("RooflineText", "one point per operation and phase")}};
constexpr PhaseChoice bothSteps{RooflinePhase::all, QT_TRANSLATE_NOOP("RooflineText", "Both steps"),
                                QT_TRANSLATE_NOOP("RooflineText", "one point per operation and step")};
constexpr std::array stepPhases{
    // in the order of ServingStep
    std::array{PhaseChoice{RooflinePhase::decode, QT_TRANSLATE_NOOP("RooflineText", "Decode step"),
                           QT_TRANSLATE_NOOP("RooflineText", "one point per operation, decode step")},
               bothSteps},
    std::array{PhaseChoice{RooflinePhase::prefill, QT_TRANSLATE_NOOP("RooflineText", "Prefill step"),
                           QT_TRANSLATE_NOOP("RooflineText", "one point per operation, prefill step")},
               bothSteps}};

/// Of serving: the step that all views show, as the answer's StepSwitch has it, and both. A deployment that
/// has no such step shows its other one.
std::span<const PhaseChoice> phaseChoices(const Estimate& estimate, ServingStep step) {
    if (!estimate.serving)
        return trainingPhases;
    auto shown = static_cast<std::size_t>(step);
    if (!hasPhase(estimate, stepPhases.at(shown).front().phase))
        shown = 1 - shown;
    return stepPhases.at(shown);
}

} // namespace

RooflineView::RooflineView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , plot_(new RooflinePlot) {
    auto* content = new QWidget;
    auto* box = new QVBoxLayout(content);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(makeHead());
    box->addWidget(plot_, 1);
    content->setFocusProxy(plot_);
    setContent(content);
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &RooflinePlot::pointChosen, this, &RooflineView::choose);
    connect(plot_, &RooflinePlot::explainRequested, this, &RooflineView::explain);
    connect(document, &Document::servingStepChanged, this, &RooflineView::followStep);
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        classesShown_.clear();
        showClasses();
    });
}

QWidget* RooflineView::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 6, 12, 0);
    auto* tags = new QWidget;
    classes_ = new QHBoxLayout(tags);
    classes_->setContentsMargins(0, 0, 0, 0);
    classes_->setSpacing(12);
    phases_ = new SegmentedButtons;
    phases_->setAccessibleName(tr("Phases to draw"));
    row->addWidget(tags);
    row->addStretch(1);
    row->addWidget(phases_);
    connect(phases_, &SegmentedButtons::currentEdited, this, [this](int index) {
        phase_ =
            phaseChoices(*shown(), this->document().servingStep())[static_cast<std::size_t>(index)].phase;
        showPhase();
        updateSelection();
    });
    return head;
}

bool RooflineView::canShow(const Estimate& estimate) const { return hasPhase(estimate, RooflinePhase::all); }

void RooflineView::showEstimate() {
    offerPhases();
    showPhase();
}

void RooflineView::offerPhases() {
    const std::span<const PhaseChoice> choices = phaseChoices(*shown(), document().servingStep());
    QList<SegmentedButtons::Option> options;
    for (const PhaseChoice& choice : choices)
        options.append({RooflineText::tr(choice.name),
                        hasPhase(*shown(), choice.phase) ? QString() : tr("No operations in this phase")});
    if (!hasPhase(*shown(), phase_) ||
        std::ranges::find(choices, phase_, &PhaseChoice::phase) == choices.end()) {
        const auto there = std::ranges::find_if(
            choices, [this](const PhaseChoice& choice) { return hasPhase(*shown(), choice.phase); });
        phase_ = there->phase;
    }
    phases_->setOptions(options);
}

/// The window went to the other step of serving.
void RooflineView::followStep() {
    if (!shown() || !shown()->serving)
        return;
    showEstimate();
    updateSelection();
}

void RooflineView::showPhase() {
    RooflineData data = rooflineData(*shown(), *document().catalog(), phase_);
    if (baseline() != nullptr && hasPhase(*baseline()->before, phase_))
        setBefore(data, rooflineData(*baseline()->before, *document().catalog(), phase_));
    plot_->setData(data);
    const RooflineTable table = rooflineTable(plot_->data());
    dataTable()->setTable(table.columns, table.rows);
    const std::span<const PhaseChoice> choices = phaseChoices(*shown(), document().servingStep());
    const auto choice = std::ranges::find(choices, phase_, &PhaseChoice::phase);
    phases_->setCurrentIndex(static_cast<int>(choice - choices.begin()));
    setNote(RooflineText::tr(choice->note));
    const double ridge = plot_->data().ridge();
    setAside(ridge > 0 ? tr("ridge %1").arg(quantity(ridge, Dimension::flopPerByte)) : QString());
    showClasses();
}

void RooflineView::showClasses() {
    QList<Bound> bounds;
    for (const RooflinePoint& point : plot_->data().points)
        if (!bounds.contains(point.bound))
            bounds.append(point.bound);
    std::ranges::sort(bounds, {}, stackPosition);
    if (bounds == classesShown_)
        return;
    classesShown_ = bounds;
    while (QLayoutItem* item = classes_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Bound bound : std::as_const(bounds))
        classes_->addWidget(new Tag(bound, nullptr, true));
}

void RooflineView::updateSelection() {
    if (!shown())
        return;
    const int point = pointOf(plot_->data(), document().selection());
    plot_->setSelected(point);
    dataTable()->setCurrentKey(point < 0 ? QString() : dataTable()->cells()->key(point));
}

void RooflineView::choose(int point) {
    const Selection& chosen = plot_->data().points[point].selection;
    Selection selection = document().selection();
    selection.layer = chosen.layer;
    selection.operation = chosen.operation;
    selection.phase = chosen.phase;
    selection.group.clear();
    document().setSelection(selection);
}

void RooflineView::explain(int point) {
    const auto figures =
        explainableFigures(*shown(), document().servingStep(), plot_->data().points[point].selection);
    if (!figures.isEmpty())
        emit explainRequested(figures.first().label, figures.first().path);
}

void RooflineView::chooseRow(const QString& key) { choose(dataTable()->cells()->rowOf(key)); }

} // namespace alidade::views
