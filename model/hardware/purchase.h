// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/hardware.h"

#include <array>
#include <optional>
#include <string_view>

namespace alidade {

/// Words of purchase options in files, in the order of Purchase.
inline constexpr std::array<std::string_view, 7> purchaseWords = {
    "on_demand", "capacity_block", "reserved", "spot", "custom", "savings_plan", "training_plan"};

constexpr std::string_view purchaseWord(Purchase purchase) {
    return purchaseWords[static_cast<std::size_t>(purchase)];
}

constexpr std::optional<Purchase> purchaseNamed(std::string_view word) {
    for (std::size_t i = 0; i < purchaseWords.size(); ++i) {
        if (purchaseWords[i] == word) {
            return static_cast<Purchase>(i);
        }
    }
    return std::nullopt;
}

/// Whether every hour of a term is billed, used or not.
constexpr bool isCommitment(Purchase purchase) {
    return purchase == Purchase::reserved || purchase == Purchase::savingsPlan;
}

/// Whether machines are paid in blocks of whole days.
constexpr bool isSoldInBlocks(std::string_view word) {
    return word == purchaseWord(Purchase::capacityBlock) || word == purchaseWord(Purchase::trainingPlan);
}

/// Whether the rate may be the user's own: AWS publishes none, or it is a private offer.
constexpr bool takesTypedRate(std::string_view word) {
    return word == purchaseWord(Purchase::custom) || word == purchaseWord(Purchase::savingsPlan) ||
           word == purchaseWord(Purchase::trainingPlan);
}

} // namespace alidade
