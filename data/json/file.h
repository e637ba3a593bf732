// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <stop_token>
#include <string>

namespace alidade::data {

/// Reads a file. Refuses one that does not exist, cannot be read, is not a regular file, or is larger than
/// the limit (before any of it is read). Opening a pipe or a device never blocks. A read that `stop` cancels
/// is an error too.
Result<std::string> readFile(const std::string& path, std::size_t limit = 16u << 20,
                             const std::stop_token& stop = {});

/// Reads at most the first `most` bytes of a file, under the same rules.
Result<std::string> readFileStart(const std::string& path, std::size_t most);

/// Returns why a path cannot be read as a file: missing, a directory, a pipe, a device, a socket; empty for a
/// regular file. For files that other libraries open.
std::string whyNoFile(const std::string& path);

/// How the functions above open a file: ::open, unless a test replaces it, for example by one that never
/// returns.
using FileOpener = int (*)(const char* path, int flags);
void setFileOpener(FileOpener opener); ///< null restores ::open

} // namespace alidade::data
