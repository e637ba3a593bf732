// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/validation_engine.h"

#include "data/validation/published_json.h"
#include "model/catalog/catalog.h"
#include "model/validation/validate.h"

namespace alidade::views {

namespace {

/// Leaves a validation that nobody waits for any more.
struct Superseded {};

ValidationReport reportOf(const Catalog& catalog, const std::stop_token& stop) {
    try {
        return validate(data::shippedPublished(), catalog, catalog.defaultProfile,
                        [&stop](std::size_t, std::size_t) {
                            if (stop.stop_requested())
                                throw Superseded();
                        });
    } catch (const Superseded&) {
        return {};
    }
}

} // namespace

ValidationEngine modelValidation() { return {.report = reportOf, .nearest = {}}; }

} // namespace alidade::views
