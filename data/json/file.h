// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <stop_token>
#include <string>

namespace alidade::data {

/// The bytes of a file. Refuses what is not there, cannot be read, is no regular file, or is larger than the
/// limit (before any of it is read). Opening a pipe or a device never waits for its other end. A read that
/// `stop` ends is an error too.
Result<std::string> readFile(const std::string& path, std::size_t limit = 16u << 20,
                             const std::stop_token& stop = {});

/// The first bytes of a file, `most` or as many as there are, under the same rules.
Result<std::string> readFileStart(const std::string& path, std::size_t most);

/// Why this is nothing that can be read as a file: missing, a directory, a pipe, a device, a socket; empty
/// where it is a regular file. For what other libraries open.
std::string whyNoFile(const std::string& path);

/// How the functions above open a file: ::open, unless a test puts another one here, such as one that never
/// returns.
using FileOpener = int (*)(const char* path, int flags);
void setFileOpener(FileOpener opener); ///< null: ::open again

} // namespace alidade::data
