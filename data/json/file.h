// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <string>

namespace alidade::data {

/// The bytes of a file. Refuses what is not there, cannot be read, is no regular file, or is larger than the
/// limit (before any of it is read).
Result<std::string> readFile(const std::string& path, std::size_t limit = 16u << 20);

} // namespace alidade::data
