// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"
#include "model/posttraining/test_time.h"
#include "model/scenario/scenario.h"

#include <array>
#include <optional>
#include <string>

namespace alidade {

inline constexpr std::array selectionWords{
    PlanWord<AnswerSelection>{"none", AnswerSelection::none},
    PlanWord<AnswerSelection>{"majority", AnswerSelection::majority},
    PlanWord<AnswerSelection>{"best_of_n", AnswerSelection::bestOfN},
    PlanWord<AnswerSelection>{"beam_search", AnswerSelection::beamSearch}};

/// What a question asks of a service: sequences that share its prompt, and what chooses between them. The
/// engine sees the sequences; the inputs of the scenario are theirs. Contains values only.
struct TestTimePlan {
    double samples = 1; ///< sequences of a question
    AnswerSelection selection = AnswerSelection::none;
    ResponseLengths lengths{1, 0, 1}; ///< of a sample, in tokens, thinking included
    double stepTokens = 0;            ///< of a step of beam search
    /// The verifier on its own machine of the same kind, as a prefill of one sample (of one step of it
    /// in beam search, what is before it being cached); absent: a rule, which takes no time.
    std::optional<Scenario> verifier;

    /// Steps of a sample that are scored one by one; 1 unless in beam search. \param tokens of the sample
    double steps(double tokens) const {
        return selection == AnswerSelection::beamSearch && tokens > stepTokens ? tokens / stepTokens : 1;
    }
    /// Is there anything that a request of one sequence does not have?
    bool asked() const { return samples > 1 || selection != AnswerSelection::none; }
};

/// Share of the samples of a question that are under way, in the mean over the time until the last of them
/// ends: their mean length / the expected longest. 0..1
inline double shareUnderWay(const ResponseLengths& lengths, double samples) {
    return lengths.mean() / lengths.meanOfLongest(samples);
}

/// What the engine works on and its figures count: "request", or "sample" where a question draws several.
inline std::string sequenceWord(const WorkloadSpec& serving) {
    return samplesOf(serving) > 1 ? "sample" : "request";
}

/// How many sequences of the engine's load a question is: those that it draws in an open loop, those that are
/// under way in the mean in a closed one. 1 without samples.
double sequencesPerQuestion(const WorkloadSpec& serving);

} // namespace alidade
