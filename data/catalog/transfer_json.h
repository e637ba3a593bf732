// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/hardware/hardware.h"

#include <optional>
#include <string_view>

namespace alidade::data {

/// Kind of the catalog document with the prices of data transfer.
inline constexpr std::string_view dataTransferKind = "data_transfer";

/// Reads the whole document; nullopt if it has faults.
std::optional<TransferPrices> readTransferPrices(const nlohmann::json& document,
                                                 std::vector<JsonFault>& faults);

} // namespace alidade::data
