// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/plan/plan_words.h"
#include "model/scenario/resolve_parts.h"

#include <algorithm>
#include <cmath>

namespace alidade::resolving {

namespace {

/// The drives of a node, shared by its GPUs.
void resolveDrives(Context& context, double bytesOfGpu) {
    resolveLocalDrives(context);
    const Inputs& in = context.out.inputs;
    if (!(in[Input::nvmeRead] > 0) || !(in[Input::nvmeCapacity] > 0)) {
        illegal(context, "plan.kv_offload_tier",
                "The catalog has no local drives for this machine; use \"host\" or \"file_system\"");
        return;
    }
    const double wanted = bytesOfGpu * context.gpusPerNode;
    if (wanted > in[Input::nvmeCapacity]) {
        const auto gigabytes = [](double bytes) { return formatCount(std::llround(bytes / 1e9)) + " GB"; };
        illegal(context, "plan.kv_offload_bytes",
                "The KV caches of " + std::to_string(context.gpusPerNode) + " GPUs take " +
                    gigabytes(wanted) + " of drives of " + gigabytes(in[Input::nvmeCapacity]) + "; at most " +
                    gigabytes(in[Input::nvmeCapacity] / context.gpusPerNode) + " per GPU");
    }
    const InputOrigin& origin = context.out.origins[static_cast<std::size_t>(Input::nvmeRead)];
    set(context, Input::kvTierRate, in[Input::nvmeRead] / context.gpusPerNode,
        std::string(origin.source) + ", shared by the GPUs of a node", origin.kind);
}

} // namespace

void resolveCacheTier(Context& context) {
    PlanSpec& filled = context.out.spec.plan;
    const double bytes = filled.kvOffloadBytes.value_or(0);
    const std::string tier = filled.kvOffloadTier.value_or("host");
    if (!(bytes > 0) || tier == "host")
        return;
    if (tier == "nvme") {
        resolveDrives(context, bytes);
        return;
    }
    const auto found = std::ranges::find(context.catalog.storage, usualStorage, &StorageTier::id);
    if (found == context.catalog.storage.end()) {
        illegal(context, "plan.kv_offload_tier",
                "The catalog has no file system " + std::string(usualStorage) + "; use \"host\"");
        return;
    }
    const ClientRate client = clientRate(context, *found);
    set(context, Input::kvTierRate, client.bytesPerSecond / context.gpusPerNode,
        std::string(client.source) + ", shared by the GPUs of a node", client.kind);
}

} // namespace alidade::resolving
