// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <string>

namespace alidade::data::handoff {

/// "train.sh", "serve.sh", "serve-prefill.sh".
std::string scriptName(const Program& program);

/// The whole script that each instance of a program runs.
std::string scriptText(const HandoffSource& source, const Job& job, const Program& program);

/// Environment, arguments and command, without the heading. Uses HEAD, NODE_RANK and JOB.
std::string scriptBody(const Program& program);

} // namespace alidade::data::handoff
