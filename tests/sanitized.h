// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

// Under AddressSanitizer a test runs five to ten times as long. It looks for other faults there: a part of
// the random draws finds them.
#if defined(__SANITIZE_ADDRESS__)
#define ALIDADE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALIDADE_SANITIZED 1
#endif
#endif

namespace alidade::test {

/// The number of random draws: under a sanitizer a fifth.
constexpr int draws(int count) {
#ifdef ALIDADE_SANITIZED
    return (count + 4) / 5;
#else
    return count;
#endif
}

/// Whether the row at this place of a large table is tried: under a sanitizer every fifth.
constexpr bool tried(std::size_t row) {
#ifdef ALIDADE_SANITIZED
    return row % 5 == 0;
#else
    static_cast<void>(row);
    return true;
#endif
}

} // namespace alidade::test
