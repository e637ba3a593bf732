// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of a catalog from the shipped one, which every result based on it must name.
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace alidade::data {

/// A custom value that replaces a shipped one, or an entry that the user added or removed.
struct CustomValue {
    CatalogKind kind = CatalogKind::gpus;
    std::string entry;   ///< id
    std::string key;     ///< "efa_bandwidth_gb_per_s_per_direction"; empty: the whole entry
    std::string label;   ///< "EFA bandwidth"; of an entry its kind: "price"
    std::string value;   ///< with its unit: "40 GB/s"; "unknown"; of an entry "added" or "removed"
    std::string shipped; ///< the same of the shipped catalog; of an added entry "none"
    std::optional<double> number, shippedNumber; ///< in the unit of the key; absent: not a number
    std::string date;                            ///< ISO 8601: date of entry or of its source; empty: unknown
    std::string source;                          ///< title of the source; empty: none
    bool ofRest = false, ofBase = false;         ///< of one that is used, of a price: what is bought at it

    bool operator==(const CustomValue&) const = default;
};

/// Returns every difference of a catalog from the shipped one, in the order of the kinds. Sources, notes and
/// the date of a custom price do not count as separate values.
std::vector<CustomValue> customValues(const Catalog& shipped, const Catalog& effective);

/// Returns those of the entries that a scenario uses: its model, machines, GPUs, network, software and price.
/// \param filled scenario that the estimate returned
std::vector<CustomValue> customValuesUsed(std::span<const CustomValue> all, const ScenarioSpec& filled,
                                          const Catalog& effective);

/// Rates that replace list prices, of what an order buys in one way; nullptr: none.
struct CustomRates {
    const CustomValue* rest = nullptr; ///< of all, where there is no base
    const CustomValue* base = nullptr;
};

/// Returns the rates among values that a scenario uses.
CustomRates customRates(std::span<const CustomValue> used);

/// Returns "with 1 custom value", "with 3 custom values"; empty for none.
std::string customValuesPhrase(std::size_t count);

/// Returns "EFA bandwidth of p5.48xlarge: 40 GB/s instead of 400 GB/s".
std::string describe(const CustomValue& value);

} // namespace alidade::data
