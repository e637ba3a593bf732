// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/summary/answer.h"

namespace alidade::views {

struct BaselineDifference;

/// While a change is tried: each figure also says what it was before, "was 6.13 s", in the color of better
/// or worse where a difference is one of the two. Both answers are of the same kind of workload.
void markChanges(const Answer& before, Answer& now);

/// Each figure says how far it is from the baseline: "−11.9 % (−0.83 s)", in the color of better or worse
/// where that is certain, and "within the error" where it is not.
void markBaseline(const BaselineDifference& difference, Answer& now);

} // namespace alidade::views
