// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

/// A benchmark that keeps a number of users busy until each has sent some requests on average. All users
/// begin at once, and no request follows the last one: both show in its means, the more the fewer requests
/// there are. Times in s; of one engine.
struct LoopRun {
    double users = 1;             ///< >= 1
    double requestsPerUser = 0;   ///< 0 if it is not given
    double lengthCv = 0;          ///< of the duration of answers
    double answer = 0;            ///< from the first to the last token of an answer
    double promptsOfOthers = 0;   ///< what an answer waits for prompts of others while it is made
    double burst = 0;             ///< to work on a prompt of every other user, all queued at once
    double waitInSteadyState = 0; ///< of a first token, for prompts of others
    double answerAlone = 0;       ///< like `answer`, with no other user
};

/// What firstTokenDelay() takes from measured loops. tests/data/tst_loop_run_fit.cpp refits it to the
/// published loops of equal answers; those of different answers, as in InferenceX, hardly depend on it.
struct LoopRunConstants {
    double group = 0.88;   ///< prompts that wait for each other, over the root of those that may
    double spread = 0.058; ///< of the duration of an answer: the window in which they come
    double fullest = 0.97; ///< of the window: what prompts take of it at most, so that a wait is finite
    double leastCv = 0.01; ///< of the duration of equal answers, by server and client
};

/// By how much a first token is later, s, than in a loop that has forgotten its start; >= 0.
double firstTokenDelay(const LoopRun& run, const LoopRunConstants& constants = {});

/// Throughput of the whole run over that of the loop without end, 0..1.
double throughputShare(const LoopRun& run);

} // namespace alidade
