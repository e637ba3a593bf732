// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <string>
#include <vector>

namespace alidade::data::handoff {

/// "train.sh", "serve.sh", "serve-prefill.sh".
std::string scriptName(const Program& program);

/// The whole script that each instance of a program runs.
std::string scriptText(const HandoffSource& source, const Job& job, const Program& program);

/// Environment, arguments and command, without the heading. Uses HEAD and NODE_RANK.
std::string scriptBody(const Program& program);

/// The shell's word for the first instance of a job of Slurm.
std::string firstHost();

/// What srun and sbatch are asked for: "--nodes=2", "--gres=gpu:h100:8", ...
std::vector<std::string> slurmResources(const HandoffSource& source, const Program& program, int nodes);

/// "srun " with what the launcher needs of it.
std::string srunCommand(const Program& program);

} // namespace alidade::data::handoff
