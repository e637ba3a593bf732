// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data::handoff {

/// A word of a command after expansion.
struct ShellWord {
    std::string text;
    int line = 0;
    bool open = false;    ///< depends on what only a running shell knows
    bool oneLine = false; ///< its line breaks are none of the file: escapes in a quoted text
};

struct ShellCommand {
    std::vector<ShellWord> words;
    int times = 1; ///< in a loop that counts: how often; 0: in a branch that does not run
};

/// A variable that has another value, or one at all, where a condition holds that only a running shell knows.
struct ShellChoice {
    std::string name, value, read; ///< read: what counts instead
    int line = 0;
    bool isRead = false; ///< `value` counts; there is no other
};

/// What a script says without running: its commands with variables filled in, its batch directives, the files
/// that it writes with here-documents.
struct ShellScript {
    std::vector<ShellCommand> commands;
    std::vector<ShellWord> directives; ///< words after #SBATCH
    std::map<std::string, std::string> files;
    std::map<std::string, ShellWord> environment; ///< exported, with their values
    std::vector<ShellChoice> choices;             ///< of variables that are used
};

/// Follows assignments, arrays, `+=`, `${X:-word}`, `$((...))`, continuations and here-documents, and the
/// conditions whose words are known. In a branch that only a running shell chooses, assignments count for
/// variables without a value. Never fails: what cannot be followed is
/// open.
/// \param firstLine number of the first line, for texts inside other files
/// \param given variables that the surroundings set
ShellScript readShell(std::string_view text, int firstLine = 1,
                      const std::map<std::string, std::string>& given = {});

/// Options in directives whose values later lines use: --nodes as SLURM_NNODES.
std::map<std::string, std::string> slurmVariables(const std::vector<ShellWord>& directives);

} // namespace alidade::data::handoff
