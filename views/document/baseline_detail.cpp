// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/baseline_detail.h"

#include "model/estimate/estimate.h"
#include "views/document/baselines.h"
#include "views/document/detail_source.h"
#include "views/document/document.h"

namespace alidade::views {

BaselineDetail::BaselineDetail(Document& document, const EstimateOptions& parts, QObject* parent)
    : QObject(parent)
    , document_(document)
    , parts_(parts)
    , source_(new DetailSource(document.engine(), this)) {}

void BaselineDetail::renew() {
    const Baselines& baselines = document_.baselines();
    const auto before = baselines.difference() ? baselines.difference()->before : nullptr;
    if (before == of_)
        return;
    of_ = before;
    source_->cancel();
    if (before == nullptr || baselines.current() < 0) {
        estimate_.reset();
        emit changed();
        return;
    }
    source_->ask(baselines.list()[static_cast<std::size_t>(baselines.current())].spec, document_.catalog(),
                 parts_, [this](const Result<Estimate>& result) {
                     const auto estimate = result ? std::make_shared<const Estimate>(*result) : nullptr;
                     return [this, estimate] {
                         estimate_ = estimate;
                         emit changed();
                     };
                 });
}

} // namespace alidade::views
