// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace alidade {

/// A number that counts things, >= 0, as the place of one of them in a container.
constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

} // namespace alidade
