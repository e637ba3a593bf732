// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace alidade {

/// Makes the process keep up to 64 MiB of freed memory for its next calculation. A simulation needs some
/// megabytes for a few milliseconds; to return them to the system and fault them in again takes a tenth of
/// its time. To be called before the first thread starts; without glibc it does nothing.
inline void keepFreedMemory() {
#ifdef __GLIBC__
    constexpr int mebibyte = 1 << 20;
    mallopt(M_TRIM_THRESHOLD, 64 * mebibyte);
    mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);
#endif
}

} // namespace alidade
