// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/experts_view.h"

#include "views/kit/cell_table.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/text_label.h"
#include "views/layers/experts_plot.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace alidade::views {

ExpertsView::ExpertsView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , plot_(new ExpertsPlot)
    , sharing_(new SegmentedButtons)
    , sentence_(new TextLabel(FontRole::body, Role::text)) {
    auto* content = new QWidget;
    auto* box = new QVBoxLayout(content);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 12, 2);
    head->setSpacing(12);
    sentence_->setWordWrap(true);
    sharing_->setAccessibleName(tr("Tokens per GPU or per expert"));
    head->addWidget(sentence_, 1);
    head->addWidget(sharing_, 0, Qt::AlignTop);
    box->addLayout(head);
    box->addWidget(plot_, 1);
    content->setFocusProxy(plot_);
    setContent(content);
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &ExpertsPlot::chosen, this, &ExpertsView::choose);
    connect(sharing_, &SegmentedButtons::currentEdited, this, [this](int index) {
        byExpert_ = index == 1;
        showLoads();
    });
}

QString ExpertsView::sentence() const { return sentence_->text(); }

bool ExpertsView::canShow(const Estimate& estimate) const { return expertLoadOf(estimate) != nullptr; }

std::pair<QString, QString> ExpertsView::nothingIn(const Estimate& estimate) const {
    if (!estimate.training && !estimate.serving)
        return {};
    return {tr("This model has no experts"), tr("Every token passes through the same layers.")};
}

void ExpertsView::showEstimate() {
    const ExpertLoad& load = *expertLoadOf(*shown());
    const QString alone = load.expertRanks > 1 ? QString() : tr("All experts are on each GPU");
    sharing_->setOptions({{tr("Per GPU"), alone}, {tr("Per expert"), {}}});
    setNote(expertsNote(load));
    showLoads();
}

void ExpertsView::showLoads() {
    const ExpertLoad& load = *expertLoadOf(*shown());
    plot_->setAxisTitle(PlotAxis::y, shown()->serving ? tr("routed tokens per layer and decode step")
                                                      : tr("routed tokens per layer and micro-batch"));
    const bool experts = byExpert_ || load.expertRanks <= 1;
    sharing_->setCurrentIndex(experts ? 1 : 0);
    plot_->setData(expertLoads(load, experts ? ExpertSharing::experts : ExpertSharing::gpus));
    sentence_->setText(expertsInWords(load, plot_->data().sharing));
    plot_->setSummary(sentence_->text());
    dataTable()->setTable(expertColumns(plot_->data()), expertRows(plot_->data()));
}

void ExpertsView::choose(int index) {
    plot_->setSelected(index);
    dataTable()->setCurrentKey(QString::number(index));
    plot_->setSummary(HoverCard::words(expertCard(plot_->data(), index)) + QStringLiteral(". ") +
                      sentence_->text());
}

void ExpertsView::chooseRow(const QString& key) { choose(key.toInt()); }

} // namespace alidade::views
