// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published.h"

#include <algorithm>
#include <iterator>

namespace alidade {

bool PublishedRows::empty() const {
    return training.empty() && collectives.empty() && serving.empty() && finetune.empty() &&
           reinforcement.empty() && runs.empty();
}

void PublishedRows::append(PublishedRows&& rows) {
    const auto move = [](auto& from, auto& to) { std::ranges::move(from, std::back_inserter(to)); };
    move(rows.training, training);
    move(rows.collectives, collectives);
    move(rows.serving, serving);
    move(rows.finetune, finetune);
    move(rows.reinforcement, reinforcement);
    move(rows.runs, runs);
}

} // namespace alidade
