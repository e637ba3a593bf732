// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/answer.h"

namespace alidade::data {

// What the answers of training and of serving have in common, and the answer of serving.

/// "5 %", "42 %": a share inside a sentence.
std::string shareText(double share);
std::string secondsText(double seconds); ///< "1.23 s", "4 d 2 h"
/// The text with a small first letter, unless it begins with an abbreviation.
std::string startLower(std::string text);
/// The text as a sentence.
std::string withStop(std::string text);

const Problem* firstError(const Estimate& estimate); ///< nullptr: there is none

Sentence memorySentence(const Memory& memory);

KeyFigure quantityFigure(const char* question, double si, Dimension dimension, std::string detail);
KeyFigure unknownFigure(const char* question, std::string why);
KeyFigure fitFigure(const Estimate& estimate);
KeyFigure certaintyFigure(const Estimate& estimate);

bool isServing(const Estimate& estimate);
/// Whether more requests arrive than can be served: there is no steady state, and no latency.
bool overloaded(const Estimate& estimate);
bool servesPrompts(const Estimate& estimate); ///< computes prompts: not a cluster that only decodes
bool servesTokens(const Estimate& estimate);  ///< makes output tokens: not a cluster that only prefills

/// A quantile of a latency with what it is called.
struct NamedQuantile {
    std::string name; ///< "p90"
    double seconds = 0;
};
/// The quantile that the targets are held against.
NamedQuantile targetQuantile(const PercentilesT<double>& percentiles, double percentile);

/// Of serving that holds.
std::vector<Sentence> servingSentences(const Estimate& estimate);
std::vector<KeyFigure> servingKeyFigures(const Estimate& estimate);

// Of reinforcement learning
bool isReinforcement(const Estimate& estimate);
std::string rlWhatItIs(const Estimate& estimate);
std::string rlJob(const Estimate& estimate);                 ///< "1,000 steps of GRPO of Qwen3 32B"
std::vector<Sentence> rlSentences(const Estimate& estimate); ///< of one that holds
std::vector<KeyFigure> rlKeyFigures(const Estimate& estimate);

} // namespace alidade::data
