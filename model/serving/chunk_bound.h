// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/loaded_engine.h"

namespace alidade {

// A closed engine with mixed steps whose completions bring more prompt tokens than a step takes: every step
// is full, and most users wait for their prefill. Decodes settle where those that end in a step make room for
// just the prompts that it can take.

/// \param users sequences always in the engine
bool isChunkBound(const LoadedEngine& engine, double users);
/// Requests/s of such an engine.
double chunkBoundRate(const LoadedEngine& engine);
ServingState chunkBoundLoop(const LoadedEngine& engine, ServingDetail detail);

} // namespace alidade
