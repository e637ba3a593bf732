// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace alidade::test
