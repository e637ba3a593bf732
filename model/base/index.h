// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace alidade {

/// A count or index >= 0 as a container index.
constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

} // namespace alidade
