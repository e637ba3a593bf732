// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/communication_view.h"

#include "views/document/document.h"
#include "views/kit/cell_table.h"
#include "views/kit/text_label.h"
#include "views/layers/communication_plot.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

namespace alidade::views {

CommunicationView::CommunicationView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , plot_(new CommunicationPlot)
    , sentence_(new TextLabel(FontRole::strong, Role::text))
    , layer_(new TextLabel(FontRole::small, Role::text2)) {
    auto* content = new QWidget;
    auto* box = new QVBoxLayout(content);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 14, 2);
    sentence_->setElided(true);
    layer_->setElided(true);
    head->setSpacing(12);
    head->addWidget(sentence_);
    head->addWidget(layer_, 1);
    box->addLayout(head);
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(plot_);
    box->addWidget(area, 1);
    content->setFocusProxy(plot_);
    setContent(content);
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &CommunicationPlot::chosen, this, &CommunicationView::select);
    connect(document, &Document::servingStepChanged, this, [this] {
        if (shown()) {
            showEstimate();
            updateSelection();
        }
    });
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        if (shown())
            renewLanes();
    });
}

QString CommunicationView::sentence() const { return sentence_->text(); }

bool CommunicationView::canShow(const Estimate& estimate) const {
    return !stepLayers(estimate, document().servingStep()).layers.empty();
}

void CommunicationView::showEstimate() {
    const StepLayers step = stepLayers(*shown(), document().servingStep());
    setNote(
        step.serving
            ? tr("one %1; pale: hidden by compute, solid: exposed, drawn at the end").arg(workUnit(step))
            : tr("one micro-batch; pale: hidden by compute, solid: exposed, drawn at the end of its pass"));
    renewLanes();
    const CommunicationTable table = communicationTable(step);
    tableSelections_ = table.selections;
    dataTable()->setTable(table.columns, table.rows);
}

void CommunicationView::renewLanes() {
    plot_->setData(
        communicationData(stepLayers(*shown(), document().servingStep()), document().selection().stage));
    if (const LayerLanes* heaviest = plot_->data().heaviest()) {
        sentence_->setText(communicationInWords(*heaviest));
        layer_->setText(heaviest->title);
    }
}

void CommunicationView::updateSelection() {
    if (!shown())
        return;
    const Selection& selection = document().selection();
    setAside(selection.stage ? tr("Stage %1").arg(*selection.stage) : QString());
    plot_->setCounts(communicationData(stepLayers(*shown(), document().servingStep()), selection.stage));
    plot_->setSelected(selection);
    QString key;
    for (qsizetype i = 0; i < tableSelections_.size() && key.isEmpty(); ++i) {
        const Selection& row = tableSelections_[i];
        if (row.layer == selection.layer && row.operation == selection.operation &&
            row.group == selection.group && (selection.phase.isEmpty() || row.phase == selection.phase))
            key = dataTable()->cells()->key(static_cast<int>(i));
    }
    dataTable()->setCurrentKey(key);
}

void CommunicationView::select(const Selection& chosen) {
    Selection selection = document().selection();
    selection.layer = chosen.layer;
    selection.operation = chosen.operation;
    selection.phase = chosen.phase;
    selection.group = chosen.group;
    document().setSelection(selection);
}

void CommunicationView::chooseRow(const QString& key) {
    select(tableSelections_[dataTable()->cells()->rowOf(key)]);
}

} // namespace alidade::views
