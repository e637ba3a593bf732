// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/jobs/shell_reader.h"

#include <span>
#include <string_view>
#include <vector>

namespace alidade::data::handoff {

/// What an image runs where only its arguments are given; empty: not known.
/// \param line of the image
std::vector<ShellWord> entrypointOf(std::string_view image, int line);

/// The command that `docker run` or `podman run` starts in its container.
/// \param words after "run"
std::vector<ShellWord> insideContainer(std::span<const ShellWord> words);

} // namespace alidade::data::handoff
