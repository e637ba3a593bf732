// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace alidade {

// Numbers that are drawn the same on every machine, with every standard library and for any number of
// threads: what the standard leaves open (std::uniform_real_distribution) is here.

/// The increment of SplitMix64: 2^64 / the golden ratio, odd.
inline constexpr std::uint64_t goldenIncrement = 0x9E3779B97F4A7C15U;

/// SplitMix64 (Steele et al. 2014) of a counter: a permutation of 64-bit numbers without a pattern, so that a
/// draw does not depend on the ones before it.
constexpr std::uint64_t splitMix64(std::uint64_t counter) {
    std::uint64_t x = counter + goldenIncrement;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

/// A uniform number from the upper 53 of 64 random bits: never 0, so that its logarithm is finite; 1 for the
/// largest of the 2^53 values alone.
constexpr double uniformOf(std::uint64_t bits) { return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53; }

} // namespace alidade
