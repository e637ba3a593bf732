// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/search_arguments.h"
#include "model/search/findings.h"

#include <cstdint>
#include <string>

namespace alidade::cli {

/// What a shard of a search found, as the file that `search --merge` reads.
struct SearchShardFile {
    SearchArguments arguments;
    SearchShard shard;
    std::uint64_t plans = 0; ///< of the whole space
    double seconds = 0;      ///< that the shard took
    SearchFindings findings;
};

std::string searchShardJson(const SearchShardFile& shard);

/// Reads a file. A Failure with all of its faults if it is not a shard of a search.
SearchShardFile readSearchShard(const std::string& file);

/// "I/N" as typed, I from 1 to N. A Failure that says how to fix it.
SearchShard searchShardOf(const std::string& text);

} // namespace alidade::cli
