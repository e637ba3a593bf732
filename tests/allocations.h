// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/sanitized.h"

#include <cstddef>
#include <cstdlib>
#include <new>

// Counts every allocation of a program, so that a test or a benchmark can say that an evaluation makes none.
// It replaces operator new: include it in one file of a program. Not under AddressSanitizer, which brings its
// own allocator: there the count stays 0.
namespace {
std::size_t allocations = 0; ///< so far
}

#ifndef ALIDADE_SANITIZED
void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size))
        return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif
