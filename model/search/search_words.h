// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"

#include <string>
#include <vector>

namespace alidade {

// The answer of a search in words, for the window, the command line and reports.

/// What the search found, against the present plan, in a sentence or two.
std::string searchHeadline(const SearchQuestion& question, const SearchResult& result);
/// Why the recommended plan is the one to take. \pre there is one
std::string recommendationReason(const SearchQuestion& question, const SearchResult& result);

/// What the recommendation rests on, the published run most like it and what fewer machines would do, in a
/// sentence each.
std::vector<std::string> recommendationBasis(const SearchAnswer& answer);
/// What the first plan that is worse would need to be level with the best one; empty: there is none.
std::string runnerUpText(const SearchQuestion& question, const SearchResult& result);
/// What the present plan has more of than the best one, and where it loses most; empty: its step is not
/// slower, or it does not run, fit or keep the limits.
std::string presentGapText(const SearchQuestion& question, const SearchResult& result);
/// Both, as far as there is something to say.
std::vector<std::string> gapTexts(const SearchQuestion& question, const SearchResult& result);
/// The fields whose choice decides, with what the other values cost, in one sentence each; then, in one,
/// those that hardly matter.
std::vector<std::string> effectTexts(const SearchQuestion& question, const SearchResult& result);
/// The plan with the fewest machines against the recommended one; empty: machines are not free.
std::string fewestText(const SearchQuestion& question, const SearchResult& result);

/// The options of `alidade search` that ask the same about `question.base`.
std::vector<std::string> searchOptions(const SearchQuestion& question);

/// "Tensor"; "Machines" for the type of machine.
std::string labelOfFree(const FreeField& field);
/// The label of a figure inside a sentence: "step time", "MFU".
std::string figureInWords(const PlanFigure& figure);
/// The value by which a choice is named: "8", "p5.48xlarge".
const std::string& choiceText(const SearchChoice& choice);
/// The same as people read it.
std::string choiceInWords(const FreeField& field, const SearchChoice& choice);
/// The value of a free field in a plan: "Norms, GLU product", "64 x p5.48xlarge".
std::string valueInWords(const FoundPlan& plan, const FreeField& field);
/// What a plan sets a field to, as typed; empty: it clears the field, or leaves it alone.
std::string settingOf(const FoundPlan& plan, const std::string& path);
/// Whether plans of the list have different values of a field.
bool differs(const std::vector<FoundPlan>& plans, const FreeField& field);
/// The figures to list with a plan: objectives and limits first, then those that it is usually judged by.
std::vector<const PlanFigure*> shownFigures(const SearchQuestion& question);

} // namespace alidade
