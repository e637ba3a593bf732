// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/request_load.h"

namespace alidade {

/// Constants of the closed form that no law gives. tests/model/tst_closed_form_fit.cpp refits them to the
/// played engine.
struct ClosedFormConstants {
    /// How fast a line of many servers gets shorter with their slack, per Halfin and Whitt's unit of it.
    double shorterLine = 0.18;
    /// Requests of a user after which the phases of a closed loop are counted: benchmarks end after some tens
    /// of requests a user.
    double requestsOfUser = 40;
    /// Of the prompt tokens that mixed steps can take: beyond it equal requests do not stay in step.
    double inStepUpTo = 0.9;
    /// Of a round of a closed loop: the longest mean wait for room in the cache.
    double longestWaitForRoom = 0.05;
    /// Part of a shortage of cache that is met before a prompt is admitted, by waiting, and not by
    /// preemption.
    double metAtAdmission = 0.5;
    /// Of the cache: what a prompt finds at least.
    double leastRoom = 0.1;
    /// Of the time that the head of the line waits for room, at most.
    double busiestHead = 0.9;
    /// Users over those in balance with a chunk, from which on every step is taken to be full.
    double chunkBound = 1.5;
    /// Of a prompt's cache: free in the mean while a full engine waits for room for one.
    double freeWhenFull = 0.5;
};

/// Means of a load on an engine that capacity and equilibrium are made of.
struct LoadMeans {
    double prompt = 0;           ///< new tokens of a request that prefill computes
    double cached = 0;           ///< tokens before them
    double promptCv = 0;         ///< of both, over requests
    double decodeSteps = 0;      ///< of a request
    double decodeContext = 0;    ///< of a decoding sequence, mean over time
    double contextDeviation = 0; ///< of it, over sequences
    double sequenceBytes = 0;    ///< KV cache of a sequence in the batch, mean over time
    double memoryBatch = 0;      ///< sequences of that size that fill the KV cache
    double maxBatch = 0;         ///< sequences that the limits allow at once; below 1 nothing fits
    ClosedFormConstants fitted = {};
};
LoadMeans loadMeans(const RequestLoad& load, const EngineLimits& limits,
                    const ClosedFormConstants& constants = {});

/// The work of a step with `decodes` sequences and `tokens` of prefill of mean requests.
StepWork meanStep(const LoadMeans& means, double decodes, double tokens);

} // namespace alidade
