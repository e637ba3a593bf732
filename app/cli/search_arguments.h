// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace alidade::cli {

/// What `alidade search` was asked for, as typed.
struct SearchArguments {
    std::string scenario;
    std::vector<std::string> free, fixed, objectives, atMost, atLeast;
    std::string machines;
    bool robust = false;
    std::size_t top = 10;

    friend bool operator==(const SearchArguments&, const SearchArguments&) = default;
};

} // namespace alidade::cli
