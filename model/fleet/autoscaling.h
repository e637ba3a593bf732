// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/traffic.h"

#include <cstdint>
#include <vector>

namespace alidade {

enum class ScalingKind : std::uint8_t {
    fixed,     ///< as many replicas as the peak needs, always
    reactive,  ///< follows the measured rate; new replicas serve one lead time later
    scheduled, ///< starts replicas one lead time before the profile needs them
};

/// How the replicas of a service follow its traffic.
struct ScalingPolicy {
    ScalingKind kind = ScalingKind::reactive;
    double interval = 60;        ///< s between two decisions, > 0
    double headroom = 0.1;       ///< capacity beyond the rate that is asked for, share of it, >= 0
    double scaleDownDelay = 300; ///< s for which fewer replicas must have been enough
    int minReplicas = 1;         ///< >= 1
    /// s until an instance is up, its container images included. An assumption: AWS names 525 s from a new
    /// instance of SageMaker AI to the first answer of Qwen3-8B, 258 s where the image is cached
    /// (ml.g6.2xlarge; AWS Machine Learning Blog, container image caching, June 2026).
    double instanceStart = 300;
    /// s from weights in memory to the first token: compilation, graphs. An assumption: vLLM logs 39 s for
    /// Llama 3 8B compiled anew (vllm-project/vllm pull request 11005), more for larger models.
    double engineStart = 90;
};

/// What one replica of a service carries, and how long it takes to have one more.
struct ReplicaFacts {
    double rate = 0;       ///< requests/s within its targets, > 0
    double stableRate = 0; ///< requests/s beyond which its queue grows, >= rate
    double lead = 0;       ///< s from the decision to the first token of a new replica
};

/// Replicas of a service over one period, in steps of the policy's interval. The period repeats: it begins as
/// the one before it ended.
struct ReplicaPlan {
    double step = 60;                 ///< s
    std::vector<int> serving, rented; ///< replicas in each step; rented: with those that are starting
    double requests = 0;              ///< in the period
    /// Requests that come while the replicas are too few for the targets, or a queue from such a time is
    /// still there.
    double late = 0;
    double lateSeconds = 0; ///< of the period in which they come
    double busiest = 0;     ///< largest rate / rate of the serving replicas, 1: just within targets
    int least() const;
    int most() const;
    double onTime() const { return requests > 0 ? 1 - late / requests : 1; } ///< share of requests
};

/// \param extra replicas beyond what the policy asks for, >= 0
ReplicaPlan scaleReplicas(const TrafficProfile& traffic, const ReplicaFacts& replica,
                          const ScalingPolicy& policy, int extra = 0);

} // namespace alidade
