// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_view.h"

#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/memory/memory_plot.h"

#include <algorithm>

namespace alidade::views {

MemoryView::MemoryView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , plot_(new MemoryPlot) {
    setContent(plot_);
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &MemoryPlot::chosen, this, &MemoryView::choose);
}

bool MemoryView::canShow(const Estimate& estimate) const {
    return estimate.memory && !estimate.memory->stages.empty();
}

void MemoryView::showEstimate() {
    MemoryData present = memoryData(*shown());
    if (baseline() != nullptr)
        setBaseline(present, *baseline()->before);
    plot_->setData(present);
    const MemoryData& data = plot_->data();
    const MemoryTable table = memoryTable(data);
    dataTable()->setTable(table.columns, table.rows);
    const StageMemory& worst = data.stages[data.worst];
    const double free = worst.usable - worst.total;
    const QString name = worst.name.at(0).toLower() + worst.name.mid(1);
    QString note =
        data.stagesCount() ? tr("per stage, whiskers: low–high") : tr("per GPU, whiskers: low–high");
    if (!data.baseline.isEmpty())
        note += tr(", dashed: %1").arg(baseline()->name);
    setNote(note);
    setAside(free >= 0
                 ? tr("worst: %1, %2, %3 free").arg(name, gigabyteText(worst.total), gigabyteNumber(free))
                 : tr("does not fit: %1, %2 of %3")
                       .arg(name, gigabyteText(worst.total), gigabyteNumber(worst.usable)));
}

void MemoryView::updateSelection() {
    if (!shown())
        return;
    const Selection& selection = document().selection();
    const MemoryData& data = plot_->data();
    const auto stage = std::ranges::find_if(data.stages, [&](const StageMemory& each) {
        return each.pool.isEmpty() ? selection.stage == each.stage : selection.pool == each.pool;
    });
    const auto part = std::ranges::find(data.parts, selection.memoryPart, &MemoryPart::name);
    const bool known = stage != data.stages.end();
    plot_->setSelected(known ? static_cast<int>(stage - data.stages.begin()) : -1,
                       known && part != data.parts.end() ? static_cast<int>(part - data.parts.begin()) : -1);
    dataTable()->setCurrentKey(known ? stage->key() : QString());
}

void MemoryView::choose(int stage, int part) {
    Selection selection = document().selection();
    const StageMemory& chosen = plot_->data().stages[stage];
    if (chosen.pool.isEmpty())
        selection.stage = chosen.stage;
    else
        selection.pool = chosen.pool;
    selection.memoryPart = part < 0 ? QString() : plot_->data().parts[part].name;
    document().setSelection(selection);
}

void MemoryView::chooseRow(const QString& key) { choose(dataTable()->cells()->rowOf(key), -1); }

} // namespace alidade::views
