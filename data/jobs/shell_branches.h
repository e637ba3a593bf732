// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/jobs/shell_reader.h"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data::handoff {

inline bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool isNamePart(char c) { return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Length of NAME in "NAME=..." or "NAME+=..."; 0 if the word is not an assignment.
std::size_t assignedName(std::string_view word);

/// Whether the words end with the ]] of a test.
inline bool closesTest(const std::vector<ShellWord>& words) {
    return !words.empty() && words.back().text == "]]";
}

/// Whether the words after [ or [[, with the closing bracket, hold; absent: only a running shell knows.
std::optional<bool> evaluateTest(const std::vector<ShellWord>& words);

/// Whether a word at the begin of a command belongs to the shell: "if", "done", "[".
bool isShellKeyword(std::string_view word);

/// "TP may be 8 instead of 4: ...".
std::string choiceText(const ShellChoice& choice);

/// The words of a directive; a comment may follow them.
std::vector<ShellWord> directiveWords(std::string_view text, int line);

/// How a command is joined to the one before it: && or ||.
enum class ShellLink : std::uint8_t { none, both, either };

/// What conditions decide that only a running shell knows.
class ShellChoices {
public:
    void use(const std::string& name) { used_.insert(name); }
    /// \param other what a branch gives the variable
    /// \param read what counts instead; empty: `other` does
    void note(const std::string& name, const std::vector<ShellWord>& other,
              const std::vector<ShellWord>& read, int line);
    std::vector<ShellChoice> take(); ///< of variables that are used

private:
    std::vector<ShellChoice> all_;
    std::set<std::string> used_;
};

/// The branches of a script that a reader stands in, and whether they run.
class ShellBranches {
public:
    void open(std::string_view keyword);  ///< "if", "case", "while", "until", "for"
    void close(std::string_view keyword); ///< "fi", "esac", "done"
    /// A command between `if` or `elif` and `then`. \param holds absent: not known
    void tested(std::optional<bool> holds);
    void then();
    void elseIf();
    void otherwise();

    bool wantsTest() const;    ///< between `if` or `elif` and `then`
    bool wantsSubject() const; ///< between `case` and `in`
    bool wantsPattern() const;
    void setSubject(std::optional<std::string> subject);
    /// Patterns, which are used up.
    void addPatterns(std::vector<ShellWord>& patterns);
    void endPatterns(); ///< the bracket after them
    void endPart();     ///< ";;"

    /// \param link by which the next command follows \param holds of a test; absent: not known
    void link(ShellLink link, bool isTest, std::optional<bool> holds);

    bool skips() const;  ///< certainly does not run
    bool mayRun() const; ///< a condition decides that only a running shell knows, or a loop
    bool isInLoop() const;
    /// How often the loops that count run what is in them.
    int times() const;
    void setTimes(int times); ///< of the innermost loop
    bool isInFor() const;     ///< the innermost one counts

private:
    enum class Kind : std::uint8_t { condition, choice, loop, count };
    enum class Runs : std::uint8_t { yes, no, perhaps };
    struct Branch {
        Kind kind = Kind::condition;
        Runs runs = Runs::yes, before = Runs::no; ///< before: whether an earlier part ran
        bool waits = false;                       ///< for `then`, or for a pattern
        bool hasSubject = false;
        int tests = 0, times = 1;
        std::optional<bool> holds;        ///< the tests, or the patterns, so far
        ShellLink join = ShellLink::none; ///< of the next test
        std::optional<std::string> subject;
    };
    Runs guard_ = Runs::yes; ///< of the next command, by what it is joined to
    void enter(Branch& branch, std::optional<bool> holds);
    std::vector<Branch> all_;
    int beyond_ = 0; ///< branches too deep to follow
};

} // namespace alidade::data::handoff
