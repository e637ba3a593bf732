// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/compared_item.h"

#include "model/catalog/catalog.h"

#include <utility>

namespace alidade::views {

std::shared_ptr<const FigureErrors> errorsOf(const ScenarioSpec& spec, const Catalog& catalog) {
    const auto profile = profileOf(spec, catalog);
    auto errors = profile ? figureErrors(spec, catalog, **profile) : Result<FigureErrors>(Error{});
    return errors ? std::make_shared<const FigureErrors>(*std::move(errors)) : nullptr;
}

std::shared_ptr<const ComparedItem> comparedItem(const Engine& engine, const ScenarioSpec& spec,
                                                 const Catalog& catalog) {
    auto out = std::make_shared<ComparedItem>();
    Result<Estimate> estimate = guardedEstimate(engine, spec, catalog);
    if (!estimate) {
        out->error = estimate.error();
        return out;
    }
    out->estimate = std::make_shared<const Estimate>(*std::move(estimate));
    out->errors = errorsOf(spec, catalog);
    return out;
}

} // namespace alidade::views
