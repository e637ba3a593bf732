// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/hardware.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// A purchase option in files and in sentences.
struct PurchaseTexts {
    std::string_view word; ///< in files
    const char* name;      ///< "On-Demand"
    const char* line;      ///< in a line of a bill, after the machines: "on demand"
    const char* manner;    ///< after what is ordered: "in Capacity Blocks"
    const char* change;    ///< of a change to it: "as a Capacity Block"
};

/// In the order of Purchase.
inline constexpr std::array purchaseTexts{
    PurchaseTexts{"on_demand", "On-Demand", "on demand", "on demand", "On-Demand"},
    PurchaseTexts{"capacity_block", "Capacity Block", "Capacity Block", "in Capacity Blocks",
                  "as a Capacity Block"},
    PurchaseTexts{"reserved", "Reserved", "reserved", "reserved", "as a reservation"},
    PurchaseTexts{"spot", "Spot", "Spot", "as Spot Instances", "Spot"},
    PurchaseTexts{"custom", "Custom price", "custom price", "at a custom price", "at your price"},
    PurchaseTexts{"savings_plan", "Savings Plan", "Savings Plan", "under a Savings Plan",
                  "under a Savings Plan"},
    PurchaseTexts{"training_plan", "Training plan", "Training plan", "in SageMaker HyperPod training plans",
                  "in a training plan"}};

constexpr const PurchaseTexts& textsOf(Purchase purchase) {
    return purchaseTexts[static_cast<std::size_t>(purchase)];
}

constexpr std::string_view purchaseWord(Purchase purchase) { return textsOf(purchase).word; }

constexpr std::optional<Purchase> purchaseNamed(std::string_view word) {
    for (std::size_t i = 0; i < purchaseTexts.size(); ++i)
        if (purchaseTexts[i].word == word)
            return static_cast<Purchase>(i);
    return std::nullopt;
}

/// How machines are bought according to a resolved scenario, whose words are known: On-Demand where it has
/// none.
inline Purchase purchaseOrOnDemand(const std::optional<std::string>& word) {
    return word ? purchaseNamed(*word).value() : Purchase::onDemand;
}

/// Whether every hour of a term is billed, used or not.
constexpr bool isCommitment(Purchase purchase) {
    return purchase == Purchase::reserved || purchase == Purchase::savingsPlan;
}

/// A term and payment option of a commitment.
struct CommitmentTexts {
    std::string_view word; ///< in files
    const char* name;
};

inline constexpr std::array commitmentTexts{
    CommitmentTexts{"1_year_no_upfront", "1 year, no upfront"},
    CommitmentTexts{"1_year_partial_upfront", "1 year, partial upfront"},
    CommitmentTexts{"1_year_all_upfront", "1 year, all upfront"},
    CommitmentTexts{"3_years_no_upfront", "3 years, no upfront"},
    CommitmentTexts{"3_years_partial_upfront", "3 years, partial upfront"},
    CommitmentTexts{"3_years_all_upfront", "3 years, all upfront"}};

/// Of a Savings Plan without a term of its own.
inline constexpr std::string_view usualCommitment = commitmentTexts.front().word;

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
