// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/percentile_view.h"

#include "views/document/detail_source.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/serving/percentile_plot.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace alidade::views {

PercentileView::PercentileView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , source_(new DetailSource(document->engine(), this))
    , before_(new BaselineDetail(*document, {.distribution = true, .fixes = false}, this))
    , pages_(new QStackedWidget)
    , none_(new EmptyState(iconName(), QString()))
    , plot_(new PercentilePlot)
    , sentence_(new TextLabel(FontRole::strong, Role::text)) {
    auto* picture = new QWidget;
    auto* box = new QVBoxLayout(picture);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    sentence_->setElided(true);
    sentence_->setContentsMargins(14, 8, 14, 2);
    box->addWidget(sentence_);
    box->addWidget(plot_, 1);
    pages_->addWidget(picture);
    pages_->addWidget(none_);
    pages_->setFocusProxy(plot_);
    setContent(pages_);
    simulatingOverlay_ = new BusyOverlay(pages_);
    plot_->setTableSource([this] { return dataTable()->textTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(before_, &BaselineDetail::changed, this, &PercentileView::showBaseline);
}

void PercentileView::showBaseline() {
    const auto& before = before_->estimate();
    plot_->setBaseline(before && before->serving ? percentileData(*before) : PercentileData());
}

QString PercentileView::sentence() const { return sentence_->text(); }

bool PercentileView::canShow(const Estimate& estimate) const { return estimate.serving.has_value(); }

std::pair<QString, QString> PercentileView::nothingIn(const Estimate& estimate) const {
    if (!estimate.training)
        return {};
    return {tr("A training run answers no requests"),
            tr("The distributions of their latencies are drawn here when the scenario serves a model.")};
}

void PercentileView::showEstimate() {
    before_->renew();
    simulating_ = true;
    simulatingOverlay_->start(tr("Simulating requests"), false);
    if (plot_->data().curves.isEmpty()) {
        none_->setText(tr("Simulating requests"), QString());
        pages_->setCurrentWidget(none_);
    }
    source_->ask(document().shownSpec(), document().catalog(), {.distribution = true, .fixes = false},
                 [this](const Result<Estimate>& result) {
                     const auto estimate = result ? std::make_shared<const Estimate>(*result) : nullptr;
                     return [this, estimate, error = text(result.error())] { take(estimate, error); };
                 });
}

void PercentileView::take(const std::shared_ptr<const Estimate>& estimate, const QString& error) {
    simulating_ = false;
    simulatingOverlay_->stop();
    if (!shown())
        return;
    const PercentileData data = estimate && estimate->serving ? percentileData(*estimate) : PercentileData();
    plot_->setData(data);
    const ServingTable table = percentileTable(data);
    dataTable()->setTable(table.columns, table.rows);
    if (data.curves.isEmpty()) {
        none_->setText(tr("Latencies grow without limit"),
                       error.isEmpty() ? tr("More requests arrive than can be served.") : error);
        pages_->setCurrentWidget(none_);
        setNote({});
        return;
    }
    pages_->setCurrentIndex(0);
    sentence_->setText(percentilesInWords(data));
    setNote(percentileSource(data));
}

} // namespace alidade::views
