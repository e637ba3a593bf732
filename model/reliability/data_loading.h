// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "model/plan/inputs.h"
#include "model/reliability/run_core.h"

#include <algorithm>

namespace alidade {

// Training data on its way from storage to the steps. A run reads the data set once per epoch; the first time
// may be from a linked S3 bucket, the later ones from the local drives of the nodes.

template <class N>
struct DataLoading {
    N stepBytes{};  ///< that all nodes read for a step
    N epochs{};     ///< passes over the data set, >= 1
    N firstRate{};  ///< bytes/s in the first pass
    N laterRate{};  ///< bytes/s afterwards, without a cache
    N cacheHit{};   ///< share of the later passes that a cache on the local drives holds, 0..1
    N cachedRate{}; ///< bytes/s afterwards with that cache; laterRate without drives
};

/// What a tier delivers of samples in random order: its throughput, or its requests.
/// \param perSecond requests/s; 0: no limit is published
template <class N>
N sampledRate(const N& rate, const N& perSecond, const N& sampleBytes, bool shuffle) {
    using std::min;
    return shuffle && valueOf(perSecond) > 0
               ? named(min(rate, perSecond * sampleBytes), "sampled_rate", Dimension::bytesPerSecond,
                       "the smaller of throughput and requests per second x bytes of a sequence")
               : rate;
}

template <class N>
DataLoading<N> dataLoading(const RunPlan& plan, const InputsT<N>& in, const RunStorage<N>& storage) {
    using std::max;
    using std::min;
    DataLoading<N> out;
    const N sample = in[Input::sequenceLength] * in[Input::bytesPerToken];
    out.stepBytes = named(in[Input::globalBatch] * sample, "data_of_a_step", Dimension::bytes,
                          "sequences x bytes of one");
    const N dataset = in[Input::datasetTokens] * in[Input::bytesPerToken];
    const bool repeats =
        valueOf(in[Input::datasetTokens]) > 0 && valueOf(in[Input::tokens] / in[Input::datasetTokens]) > 1;
    out.epochs = repeats ? named(in[Input::tokens] / in[Input::datasetTokens], "epochs", Dimension::number,
                                 "tokens of the run / tokens of the data set")
                         : N(1);
    out.laterRate = sampledRate(storage.rate, in[Input::storageRequests], sample, plan.shuffle);
    const N bucket = storage.hosts * in[Input::objectClient];
    out.firstRate =
        plan.linkedRepository && valueOf(bucket) > 0
            ? named(min(out.laterRate, sampledRate(bucket, in[Input::objectRequests], sample, plan.shuffle)),
                    "first_read_rate", Dimension::bytesPerSecond, "through the file system from S3")
            : out.laterRate;
    out.cachedRate = out.laterRate;
    if (repeats && valueOf(in[Input::nvmeCapacity]) > 0 && valueOf(in[Input::nvmeRead]) > 0) {
        // With a new order in each pass a node comes to read all of the data; in a fixed order always the
        // same part.
        const N room = plan.shuffle ? in[Input::nvmeCapacity] : storage.hosts * in[Input::nvmeCapacity];
        out.cacheHit = named(min(N(1), room / dataset), "cache_hit", Dimension::ratio,
                             "room on the local drives / data that a node reads");
        const N drives = storage.hosts * in[Input::nvmeRead];
        out.cachedRate =
            named(1 / (out.cacheHit / drives + (1 - out.cacheHit) / out.laterRate), "cached_read_rate",
                  Dimension::bytesPerSecond, "hits from the local drives, the rest from shared storage");
    }
    return out;
}

/// Time of a step in which it waits for data, mean over the passes, s: loading runs alongside the steps.
template <class N>
N exposedLoading(const DataLoading<N>& data, const N& stepTime, bool cached) {
    using std::max;
    const auto late = [&](const N& rate) { return max(N(0), data.stepBytes / rate - stepTime); };
    return named(
        (late(data.firstRate) + (data.epochs - 1) * late(cached ? data.cachedRate : data.laterRate)) /
            data.epochs,
        "data_wait", Dimension::seconds, "reading - step, mean over the passes");
}

} // namespace alidade
