// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/predict_row.h"

namespace alidade {

void predictCollectiveRow(const PublishedCollective& row, const Catalog&, const Profile&,
                          ValidationReport& report) {
    report.skipped.push_back({row.id, "collectives are not predicted on their own"});
}

} // namespace alidade
