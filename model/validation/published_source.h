// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace alidade {

/// Where a published measurement stands.
struct PublishedSource {
    std::string title;
    std::string locator; ///< URL, or owner/repository and path
    std::string table, row;
    std::string date; ///< ISO 8601, as far as it is known
};

} // namespace alidade
