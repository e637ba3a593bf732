// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/shell_reader.h"

#include "data/jobs/shell_arithmetic.h"
#include "data/jobs/shell_branches.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <set>

namespace alidade::data::handoff {

namespace {

constexpr std::size_t mostWords = 200'000;
constexpr std::size_t mostBytes = 4u << 20;
constexpr int deepest = 16;

struct Variable {
    std::vector<ShellWord> values; ///< more than one: an array
    bool exported = false;
    bool perhaps = false; ///< a condition decides that only a running shell knows
};

class Reader {
public:
    Reader(std::string_view text, int line, const std::map<std::string, std::string>& given)
        : text_(text)
        , line_(line) {
        for (const auto& [name, value] : given)
            variables_[name].values = {{value, 0, false}};
    }

    ShellScript take() {
        while (at_ < text_.size() && words_ < mostWords)
            readCommand();
        for (const auto& [name, variable] : variables_)
            if (variable.exported && !variable.values.empty())
                out_.environment[name] = variable.values.front();
        out_.choices = choices_.take();
        return std::move(out_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void skipBlanks() {
        while (at_ < text_.size()) {
            if (isBlank(peek())) {
                ++at_;
            } else if (peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
                at_ += peek(1) == '\n' ? 2 : 3;
                ++line_;
            } else {
                return;
            }
        }
    }

    void skipComment() {
        std::size_t end = text_.find('\n', at_);
        end = end == std::string_view::npos ? text_.size() : end;
        std::string_view comment = text_.substr(at_, end - at_);
        if (comment.starts_with("#SBATCH")) {
            for (ShellWord& each : directiveWords(comment.substr(7), line_))
                out_.directives.push_back(std::move(each));
            for (const auto& [name, value] : slurmVariables(out_.directives))
                variables_[name].values = {{value, line_, false}};
        }
        at_ = end;
    }

    /// To the end of what a bracket opened; quotes inside are respected.
    std::string_view bracketed(char open, char close) {
        const std::size_t start = at_;
        int depth = 1;
        while (at_ < text_.size() && depth > 0) {
            const char c = text_[at_];
            if (c == '\n')
                ++line_;
            if (c == '\\') {
                ++at_;
            } else if (c == '\'' && open != '{') {
                const std::size_t end = text_.find('\'', at_ + 1);
                at_ = end == std::string_view::npos ? text_.size() - 1 : end;
            } else if (c == open) {
                ++depth;
            } else if (c == close) {
                --depth;
            }
            ++at_;
        }
        at_ = std::min(at_, text_.size());
        return text_.substr(start, at_ - start - (depth == 0 ? 1 : 0));
    }

    // A word under construction: fields are what unquoted expansions split it into.
    struct Builder {
        std::vector<ShellWord> fields;
        ShellWord current;
        bool any = false;
        void literal(char c) {
            current.text += c;
            any = true;
        }
    };

    void append(Builder& word, const std::vector<ShellWord>& values, bool quoted, bool all) {
        // An array in quotes gives a field an element; a plain variable without quotes is split at blanks.
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) {
                if (!all)
                    break;
                finish(word, true);
            }
            if (all && values.size() > 1)
                word.current.line = values[i].line; // of the element, not of its use
            word.current.open = word.current.open || values[i].open;
            if (values[i].open)
                word.any = true;
            if (quoted) {
                word.current.text += values[i].text;
                word.any = true;
                continue;
            }
            for (const char c : values[i].text)
                if (isBlank(c) || c == '\n')
                    finish(word, false);
                else
                    word.literal(c);
        }
    }

    void finish(Builder& word, bool even) {
        if (word.any || even) {
            if (word.current.line == 0)
                word.current.line = line_;
            word.fields.push_back(word.current);
            ++words_;
        }
        word.current = {};
        word.any = false;
    }

    std::vector<ShellWord> expandText(std::string_view text) {
        if (depth_ >= deepest || text.size() > mostBytes)
            return {{std::string(), line_, true}};
        Reader inner(text, line_, {});
        inner.variables_ = variables_;
        inner.depth_ = depth_ + 1;
        Builder word;
        while (inner.at_ < text.size() && word.current.text.size() < mostBytes)
            inner.piece(word, true);
        inner.finish(word, true);
        return word.fields;
    }

    std::vector<ShellWord> parameter(std::string_view inside) {
        const bool count = inside.starts_with('#') && inside.size() > 1;
        if (count)
            inside.remove_prefix(1);
        std::size_t end = 0;
        while (end < inside.size() && isNamePart(inside[end]))
            ++end;
        const std::string name(inside.substr(0, end));
        choices_.use(name);
        std::string_view rest = inside.substr(end);
        const bool whole = rest.starts_with("[@]") || rest.starts_with("[*]");
        if (whole)
            rest.remove_prefix(3);
        const auto at = variables_.find(name);
        const bool set = at != variables_.end() && !at->second.values.empty() &&
                         (at->second.values.size() > 1 || at->second.values.front().open ||
                          !at->second.values.front().text.empty());
        if (count && rest.empty() && set)
            return {{std::to_string(whole ? at->second.values.size() : at->second.values.front().text.size()),
                     line_, false}};
        const auto value = [&]() -> std::vector<ShellWord> {
            return whole ? at->second.values : std::vector<ShellWord>{at->second.values.front()};
        };
        if (rest.empty()) {
            if (set)
                return value();
            if (at != variables_.end())
                return at->second.values;
            return {{std::string(), line_, true}};
        }
        const bool colon = rest.starts_with(':') && rest.size() > 1;
        const char op = colon ? rest[1] : rest[0];
        const std::string_view word = rest.substr(colon ? 2 : 1);
        if (op == '-' || op == '=') {
            if (set) {
                if (op == '=' && at->second.perhaps && branches_.mayRun() && !branches_.isInLoop())
                    choices_.note(name, expandText(word), at->second.values, line_);
                return value();
            }
            const std::vector<ShellWord> other = expandText(word);
            if (op == '=' && !branches_.skips()) {
                variables_[name].values = other;
                variables_[name].perhaps = branches_.mayRun();
            }
            return other;
        }
        if (op == '+' && colon)
            return set ? expandText(word) : std::vector<ShellWord>{};
        if (op == '?' && set)
            return value();
        return {{std::string(), line_, true}};
    }

    void dollar(Builder& word, bool quoted) {
        ++at_;
        const char c = peek();
        if (c == '(' && peek(1) == '(') {
            at_ += 2;
            const std::string inside(bracketed('(', ')'));
            if (peek() == ')')
                ++at_;
            const auto number = evaluateArithmetic(inside, variables());
            append(word, {{number ? std::to_string(*number) : std::string(), line_, !number}}, true, false);
        } else if (c == '(') {
            ++at_;
            bracketed('(', ')');
            append(word, {{std::string(), line_, true}}, true, false);
        } else if (c == '{') {
            ++at_;
            const std::string_view inside = bracketed('{', '}');
            append(word, parameter(inside), quoted, inside.find("[@]") != std::string_view::npos || !quoted);
        } else if (isNameStart(c)) {
            const std::size_t start = at_;
            while (isNamePart(peek()))
                ++at_;
            append(word, parameter(text_.substr(start, at_ - start)), quoted, false);
        } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
                   std::string_view("@*#?$!-").find(c) != std::string_view::npos) {
            ++at_;
            append(word, {{std::string(), line_, true}}, true, false);
        } else {
            word.literal('$');
        }
    }

    ShellVariables variables() const {
        // Both "$X" and "X" name a variable in there.
        return [this](const std::string& name) -> std::optional<std::string> {
            const auto at = variables_.find(name);
            if (at == variables_.end() || at->second.values.empty() || at->second.values.front().open)
                return {};
            return at->second.values.front().text;
        };
    }

    /// One piece of a word: a character, a quoted part or an expansion.
    void piece(Builder& word, bool quoted) {
        const char c = peek();
        if (c == '$') {
            dollar(word, quoted);
        } else if (c == '`') {
            const std::size_t end = text_.find('`', at_ + 1);
            at_ = end == std::string_view::npos ? text_.size() : end + 1;
            append(word, {{std::string(), line_, true}}, true, false);
        } else if (c == '\\') {
            if (peek(1) == '\n') {
                ++line_;
            } else if (at_ + 1 < text_.size()) {
                if (quoted && std::string_view("$`\"\\").find(peek(1)) == std::string_view::npos)
                    word.literal('\\');
                word.literal(peek(1));
            }
            at_ = std::min(at_ + 2, text_.size());
        } else if (c == '"') {
            word.any = true;
            ++at_;
            while (at_ < text_.size() && peek() != '"')
                piece(word, true);
            at_ = std::min(at_ + 1, text_.size());
        } else if (c == '\'' && !quoted) {
            word.any = true;
            std::size_t end = text_.find('\'', at_ + 1);
            end = end == std::string_view::npos ? text_.size() : end;
            for (++at_; at_ < end; ++at_) {
                if (peek() == '\n')
                    ++line_;
                word.literal(peek());
            }
            at_ = std::min(at_ + 1, text_.size());
        } else {
            if (c == '\n')
                ++line_;
            word.literal(c);
            ++at_;
        }
    }

    bool endsWord() const {
        const char c = peek();
        return at_ >= text_.size() || isBlank(c) || c == '\n' || c == ';' || c == '&' || c == '|' ||
               c == '<' || c == '>' || c == '(' || c == ')';
    }

    std::vector<ShellWord> readWord() {
        Builder word;
        const std::size_t start = at_;
        const int line = line_;
        while (!endsWord() && word.current.text.size() < mostBytes)
            piece(word, false);
        finish(word, false);
        for (ShellWord& each : word.fields)
            each.line = each.line == line_ ? line : each.line;
        raw_ = text_.substr(start, at_ - start);
        return word.fields;
    }

    void readArray(const std::string& name, bool more) {
        ++at_; // the bracket
        std::vector<ShellWord> values = more ? variables_[name].values : std::vector<ShellWord>{};
        if (more && values.size() == 1 && values.front().text.empty() && !values.front().open)
            values.clear();
        while (at_ < text_.size() && peek() != ')' && words_ < mostWords) {
            skipBlanks();
            if (peek() == '\n') {
                ++line_;
                ++at_;
            } else if (peek() == '#') {
                skipComment();
            } else if (peek() == ')') {
                break;
            } else {
                const std::size_t before = at_;
                for (ShellWord& each : readWord())
                    values.push_back(std::move(each));
                if (at_ == before)
                    ++at_;
            }
        }
        at_ = std::min(at_ + 1, text_.size());
        if (mayAssign(name, more, values))
            variables_[name].values = std::move(values);
    }

    /// Where a condition decides that only a running shell knows, the first value counts.
    bool mayAssign(const std::string& name, bool more, const std::vector<ShellWord>& values) {
        if (branches_.skips())
            return false;
        Variable& variable = variables_[name];
        if (!branches_.mayRun()) {
            variable.perhaps = variable.perhaps && more;
            return true;
        }
        const bool isEmpty = variable.values.empty() ||
                             (variable.values.front().text.empty() && !variable.values.front().open);
        const bool takes = !more && isEmpty;
        if (!branches_.isInLoop())
            choices_.note(name, values, takes ? std::vector<ShellWord>{} : variable.values, line_);
        variable.perhaps = variable.perhaps || takes;
        return takes;
    }

    void assign(const std::string& word, const ShellWord& value, std::size_t length) {
        const std::string name = word.substr(0, length);
        const bool more = word[length] == '+';
        ShellWord rest{word.substr(length + (more ? 2 : 1)), value.line, value.open};
        if (!mayAssign(name, more, {rest}))
            return;
        Variable& variable = variables_[name];
        if (more && !variable.values.empty()) {
            variable.values.front().text += rest.text;
            variable.values.front().open = variable.values.front().open || rest.open;
        } else {
            variable.values = {std::move(rest)};
        }
    }

    void readHereDocument(const std::vector<ShellWord>& words, const std::string& target) {
        ++at_;
        const bool indented = peek() == '-';
        if (indented)
            ++at_;
        skipBlanks();
        const std::vector<ShellWord> marker = readWord();
        const bool literal =
            raw_.find('\'') != std::string_view::npos || raw_.find('"') != std::string_view::npos;
        // The rest of the line may still redirect.
        std::string file = target;
        std::size_t end = text_.find('\n', at_);
        end = end == std::string_view::npos ? text_.size() : end;
        const std::string_view tail = text_.substr(at_, end - at_);
        if (const std::size_t arrow = tail.find('>'); arrow != std::string_view::npos && file.empty()) {
            std::string_view name = tail.substr(arrow + 1);
            while (!name.empty() && (isBlank(name.front()) || name.front() == '>'))
                name.remove_prefix(1);
            file = std::string(name.substr(0, name.find_first_of(" \t\r;|&")));
        }
        for (const ShellWord& each : words)
            if (file.empty() && words.front().text == "tee" && &each != &words.front())
                file = each.text;
        at_ = std::min(end + 1, text_.size());
        ++line_;
        const std::string stop = marker.empty() ? std::string() : marker.front().text;
        std::string body;
        while (at_ < text_.size()) {
            std::size_t stopAt = text_.find('\n', at_);
            stopAt = stopAt == std::string_view::npos ? text_.size() : stopAt;
            std::string_view line = text_.substr(at_, stopAt - at_);
            at_ = std::min(stopAt + 1, text_.size());
            ++line_;
            while (indented && line.starts_with('\t'))
                line.remove_prefix(1);
            if (!line.empty() && line.back() == '\r')
                line.remove_suffix(1);
            if (line == stop)
                break;
            body += line;
            body += '\n';
        }
        if (!file.empty()) {
            if (!literal) {
                const auto expanded = expandText(body);
                body = expanded.empty() ? std::string() : expanded.front().text;
            }
            out_.files[file] = std::move(body);
        }
    }

    void keyword(std::string_view word) {
        if (word == "if" || word == "case" || word == "while" || word == "until" || word == "for")
            branches_.open(word);
        else if (word == "fi" || word == "esac" || word == "done")
            branches_.close(word);
        else if (word == "then")
            branches_.then();
        else if (word == "elif")
            branches_.elseIf();
        else if (word == "else")
            branches_.otherwise();
    }

    void readCommand() {
        ShellCommand command;
        bool declares = false, exports = false, condition = false, negated = false, endsPart = false,
             isCompound = false; // a test that may hold && and ||
        ShellLink link = ShellLink::none;
        std::string target;
        while (at_ < text_.size() && words_ < mostWords) {
            skipBlanks();
            const char c = peek();
            if (at_ >= text_.size() || c == '\n' || c == ';' || c == '&' || c == '|') {
                if (c == '|' && peek(1) != '|' && branches_.wantsPattern()) {
                    branches_.addPatterns(command.words);
                    ++at_;
                    continue;
                }
                if (isCompound && !closesTest(command.words) && c == peek(1) && (c == '&' || c == '|')) {
                    command.words.push_back({std::string(2, c), line_, false});
                    at_ += 2;
                    continue;
                }
                if (c == '\n')
                    ++line_;
                if (c == peek(1))
                    link = c == '&' ? ShellLink::both : c == '|' ? ShellLink::either : ShellLink::none;
                endsPart = c == ';' && peek(1) == ';';
                at_ =
                    std::min<std::size_t>(at_ + (link != ShellLink::none || endsPart ? 2 : 1), text_.size());
                break;
            }
            if (c == '#') {
                skipComment();
                continue;
            }
            if (c == '<' && peek(1) == '<' && peek(2) != '<') {
                ++at_;
                readHereDocument(command.words, target);
                break;
            }
            if (c == '<' || c == '>') {
                ++at_;
                while (peek() == '>' || peek() == '<' || peek() == '&')
                    ++at_;
                skipBlanks();
                const std::vector<ShellWord> file = readWord();
                if (!file.empty())
                    target = file.front().text;
                continue;
            }
            if (c == '(' || c == ')') {
                if (c == '(' && peek(1) == '(' && branches_.isInFor() && command.words.empty()) {
                    at_ += 2;
                    const std::string inside(bracketed('(', ')'));
                    if (peek() == ')')
                        ++at_;
                    branches_.setTimes(countOfLoop(inside, variables()));
                    continue;
                }
                ++at_;
                if (c == ')' && branches_.wantsPattern()) {
                    branches_.addPatterns(command.words);
                    branches_.endPatterns();
                }
                continue;
            }
            const std::size_t before = at_;
            // An array: NAME=( or NAME+=(
            const std::string_view ahead = text_.substr(at_, std::min<std::size_t>(text_.size() - at_, 256));
            if (const std::size_t length = assignedName(ahead);
                length > 0 && (command.words.empty() || declares)) {
                const std::size_t open = length + (ahead[length] == '+' ? 2 : 1);
                if (open < ahead.size() && ahead[open] == '(') {
                    at_ += open;
                    readArray(std::string(ahead.substr(0, length)), ahead[length] == '+');
                    continue;
                }
                Builder word;
                const int line = line_;
                while (!endsWord() && word.current.text.size() < mostBytes)
                    piece(word, true && peek() != '\'');
                finish(word, true);
                ShellWord value = word.fields.back();
                value.line = line;
                assign(value.text, value, length);
                if (exports)
                    variables_[value.text.substr(0, length)].exported = true;
                continue;
            }
            std::vector<ShellWord> words = readWord();
            if (at_ == before) {
                ++at_;
                continue;
            }
            if (raw_ == "in" && branches_.wantsSubject() && !command.words.empty()) {
                const ShellWord& subject = command.words.front();
                branches_.setSubject(subject.open ? std::nullopt : std::optional(subject.text));
                command.words.clear();
                continue;
            }
            if (command.words.empty() && !condition && !words.empty() && isShellKeyword(raw_)) {
                keyword(raw_);
                condition = raw_ == "[" || raw_ == "[[";
                isCompound = raw_ == "[[";
                negated = negated || raw_ == "!";
                continue;
            }
            const bool first = command.words.empty() && !words.empty();
            if (first && (raw_ == "export" || raw_ == "declare" || raw_ == "local" || raw_ == "readonly" ||
                          raw_ == "typeset")) {
                declares = true;
                exports = raw_ == "export";
                continue;
            }
            for (ShellWord& each : words)
                command.words.push_back(std::move(each));
        }
        const std::optional<bool> holds = condition && !negated ? evaluateTest(command.words) : std::nullopt;
        if (condition || !command.words.empty())
            branches_.tested(holds);
        const bool isJob = !declares && !condition && !command.words.empty() &&
                           command.words.front().text != ":" && !closesTest(command.words);
        if (isJob) {
            command.times = branches_.skips() ? 0 : branches_.times();
            out_.commands.push_back(std::move(command));
        }
        branches_.link(link, condition, holds);
        if (endsPart)
            branches_.endPart();
    }

    std::string_view text_, raw_;
    std::size_t at_ = 0, words_ = 0;
    int line_ = 1, depth_ = 0;
    ShellBranches branches_;
    std::map<std::string, Variable> variables_;
    ShellChoices choices_;
    ShellScript out_;
};

} // namespace

ShellScript readShell(std::string_view text, int firstLine, const std::map<std::string, std::string>& given) {
    return Reader(text.substr(0, mostBytes), firstLine, given).take();
}

} // namespace alidade::data::handoff
