// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_view.h"

#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/tag.h"
#include "views/roofline/roofline_plot.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace alidade::views {
namespace {

constexpr std::array phaseChoices{RooflinePhase::forward, RooflinePhase::backward, RooflinePhase::recompute,
                                  RooflinePhase::all};

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
    setNote(tr("one point an operation, forward"));
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &RooflinePlot::pointChosen, this, &RooflineView::choose);
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
    phases_->setAccessibleName(tr("Phases that are drawn"));
    row->addWidget(tags);
    row->addStretch(1);
    row->addWidget(phases_);
    connect(phases_, &SegmentedButtons::currentEdited, this, [this](int index) {
        phase_ = phaseChoices[static_cast<std::size_t>(index)];
        showPhase();
        updateSelection();
    });
    return head;
}

bool RooflineView::canShow(const Estimate& estimate) const {
    return estimate.training && !estimate.training->layers.empty();
}

void RooflineView::showEstimate() {
    offerPhases();
    showPhase();
}

void RooflineView::offerPhases() {
    const QStringList names{tr("Forward"), tr("Backward"), tr("Recompute"), tr("All")};
    QList<SegmentedButtons::Option> options;
    for (std::size_t i = 0; i < phaseChoices.size(); ++i) {
        const bool there = hasPhase(*shown()->training, phaseChoices[i]);
        options.append(
            {names[static_cast<qsizetype>(i)], there ? QString() : tr("Nothing is in this phase")});
    }
    if (!hasPhase(*shown()->training, phase_))
        phase_ = RooflinePhase::forward;
    phases_->setOptions(options);
    phases_->setCurrentIndex(
        static_cast<int>(std::ranges::find(phaseChoices, phase_) - phaseChoices.begin()));
}

void RooflineView::showPhase() {
    plot_->setData(rooflineData(*shown(), *document().catalog(), phase_));
    const RooflineTable table = rooflineTable(plot_->data());
    dataTable()->setTable(table.columns, table.rows);
    const QStringList notes{tr("one point an operation, forward"), tr("one point an operation, backward"),
                            tr("one point an operation, recomputed"), tr("one point an operation and phase")};
    setNote(notes[phases_->currentIndex()]);
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

void RooflineView::chooseRow(const QString& key) { choose(dataTable()->cells()->rowOf(key)); }

} // namespace alidade::views
