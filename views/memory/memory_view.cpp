// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_view.h"

#include "views/document/document.h"
#include "views/memory/memory_plot.h"

#include <algorithm>

namespace alidade::views {

MemoryView::MemoryView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , plot_(new MemoryPlot) {
    setContent(plot_);
    setNote(tr("per stage, whiskers: low–high"));
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &MemoryPlot::chosen, this, &MemoryView::choose);
}

bool MemoryView::canShow(const Estimate& estimate) const {
    return estimate.memory && !estimate.memory->stages.empty();
}

void MemoryView::showEstimate() {
    plot_->setData(memoryData(*shown()));
    const MemoryData& data = plot_->data();
    const MemoryTable table = memoryTable(data);
    dataTable()->setTable(table.columns, table.rows);
    const StageMemory& worst = data.stages[data.worst];
    const double free = data.usable - worst.total;
    setAside(free >= 0 ? tr("worst: stage %1, %2, %3 free")
                             .arg(worst.stage)
                             .arg(gigabyteText(worst.total), gigabyteNumber(free))
                       : tr("does not fit: stage %1, %2 of %3")
                             .arg(worst.stage)
                             .arg(gigabyteText(worst.total), gigabyteNumber(data.usable)));
}

void MemoryView::updateSelection() {
    if (!shown())
        return;
    const Selection& selection = document().selection();
    const MemoryData& data = plot_->data();
    const auto stage = selection.stage ? std::ranges::find(data.stages, *selection.stage, &StageMemory::stage)
                                       : data.stages.end();
    const auto part = std::ranges::find(data.parts, selection.memoryPart, &MemoryPart::name);
    const bool known = stage != data.stages.end();
    plot_->setSelected(known ? static_cast<int>(stage - data.stages.begin()) : -1,
                       known && part != data.parts.end() ? static_cast<int>(part - data.parts.begin()) : -1);
    dataTable()->setCurrentKey(known ? QString::number(*selection.stage) : QString());
}

void MemoryView::choose(int stage, int part) {
    Selection selection = document().selection();
    selection.stage = plot_->data().stages[stage].stage;
    selection.memoryPart = part < 0 ? QString() : plot_->data().parts[part].name;
    document().setSelection(selection);
}

void MemoryView::chooseRow(const QString& key) { choose(dataTable()->cells()->rowOf(key), -1); }

} // namespace alidade::views
