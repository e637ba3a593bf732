// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade::test {

/// What the figures of a value say that nobody has filled in: nothing is there, nothing is known.
template <class... Numbers>
bool allZero(Numbers... numbers) {
    return ((numbers == Numbers(0)) && ...);
}

/// A factor that changes nothing, one of a thing, a share that is all of it.
template <class... Numbers>
bool allOne(Numbers... numbers) {
    return ((numbers == Numbers(1)) && ...);
}

} // namespace alidade::test
