// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <string_view>

namespace alidade {

// The "memory" part of the documented estimate; see visit.h for what a visitor is.

template <class N, class V>
void visitMemoryParts(const std::vector<MemoryPartT<N>>& parts, V& v) {
    v.beginArray("parts");
    for (const MemoryPartT<N>& part : parts) {
        v.beginObject({});
        v.text("name", part.name);
        v.number("bytes", part.bytes, Dimension::bytes, "memory of this part on one GPU at the peak");
        v.endObject();
    }
    v.endArray();
}

template <class N, class V>
void visitMemory(const MemoryT<N>& memory, V& v) {
    constexpr Dimension bytes = Dimension::bytes;
    v.beginObject("memory");
    v.number("capacity_bytes", memory.capacityBytes, bytes,
             "accelerator memory of the instance / accelerators");
    v.number("nominal_bytes", memory.nominalBytes, bytes, "the GPU's nominal memory");
    v.number("reserve_bytes", memory.reserveBytes, bytes, "memory kept free");
    v.number("total_bytes", memory.totalBytes, bytes, "peak of one GPU of the worst stage");
    v.number("headroom_bytes", memory.headroomBytes, bytes, "capacity - reserve - total");
    v.number("low_bytes", memory.lowBytes, bytes, "10 % quantile of the total");
    v.number("high_bytes", memory.highBytes, bytes, "90 % quantile of the total");
    v.integer("worst_stage", memory.worstStage, "pipeline stage that needs most memory, counted from 0");
    visitMemoryParts(memory.parts, v);
    v.beginArray("stages");
    for (const StageMemoryT<N>& stage : memory.stages) {
        v.beginObject({});
        v.integer("stage", stage.stage, "pipeline stage, counted from 0");
        v.number("total_bytes", stage.totalBytes, bytes, "peak of one GPU of this stage");
        visitMemoryParts(stage.parts, v);
        v.endObject();
    }
    v.endArray();
    v.endObject();
}

} // namespace alidade
