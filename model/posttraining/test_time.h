// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/response_lengths.h"

#include <cstdint>

namespace alidade {

/// How the answer of a question is made of its samples.
enum class AnswerSelection : std::uint8_t {
    none,       ///< all are returned; who asks checks them
    majority,   ///< the answer that most of them give
    bestOfN,    ///< the one that the verifier scores highest
    beamSearch, ///< after each step the best partial samples go on (Snell et al. 2024, arXiv 2408.03314)
};

/// Probability that one of k of n samples is right if c of the n are: 1 - C(n - c, k) / C(n, k).
/// Chen et al. 2021 (arXiv 2107.03374). \pre 0 <= c <= n, 1 <= k <= n
double passAtK(int n, int c, int k);

/// Probability that more than half of k of n samples are right if c of the n are, half a chance where exactly
/// half are: hypergeometric. What a majority vote reaches at least, because wrong answers that differ from
/// one another need more than half only where all of them agree (self-consistency, Wang et al. 2022, arXiv
/// 2203.11171). \pre as passAtK
double majorityAtK(int n, int c, int k);

/// Lengths of samples that end by themselves or are cut at a budget: log-normal.
/// \param mean, cv before the cut: tokens > 0, standard deviation / mean >= 0
/// \param budget tokens after which a sample is made to answer (budget forcing, Muennighoff et al. 2025,
/// arXiv 2501.19393); 0: none
ResponseLengths sampleLengths(double mean, double cv, double budget);

/// The limit of samples without a budget, in tokens: none of a log-normal distribution comes near it.
inline constexpr double unlimitedSample = 1e12;

} // namespace alidade
