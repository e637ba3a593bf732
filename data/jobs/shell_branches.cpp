// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/shell_branches.h"

#include "model/units/text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

namespace alidade::data::handoff {

namespace {

std::optional<std::int64_t> wholeOf(const std::string& text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, fault] = std::from_chars(text.data(), end, value);
    return fault == std::errc() && at == end && !text.empty() ? std::optional(value) : std::nullopt;
}

bool isPattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

/// A pattern of * and ? on a whole text.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
            ++p;
            ++t;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

std::optional<bool> compareNumbers(const std::string& a, std::string_view how, const std::string& b) {
    const auto left = wholeOf(a), right = wholeOf(b);
    if (!left || !right)
        return {};
    if (how == "-eq")
        return *left == *right;
    if (how == "-ne")
        return *left != *right;
    if (how == "-lt")
        return *left < *right;
    if (how == "-le")
        return *left <= *right;
    if (how == "-gt")
        return *left > *right;
    if (how == "-ge")
        return *left >= *right;
    return {};
}

} // namespace

namespace {

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
    if (a == false || b == false)
        return false;
    return a && b ? std::optional(true) : std::nullopt;
}

std::optional<bool> either(std::optional<bool> a, std::optional<bool> b) {
    if (a == true || b == true)
        return true;
    return a && b ? std::optional(false) : std::nullopt;
}

/// One test, without what joins it to others.
std::optional<bool> evaluateOne(std::span<const ShellWord> words) {
    if (std::ranges::any_of(words, &ShellWord::open))
        return {};
    bool negated = false;
    for (; words.size() > 1 && words.front().text == "!"; words = words.subspan(1))
        negated = !negated;
    std::optional<bool> holds;
    if (words.size() == 1) {
        holds = !words.front().text.empty();
    } else if (words.size() == 2) {
        const std::string& how = words.front().text;
        if (how == "-z" || how == "-n")
            holds = words.back().text.empty() == (how == "-z");
    } else if (words.size() == 3) {
        const std::string &a = words[0].text, &how = words[1].text, &b = words[2].text;
        if (how != "=" && how != "==" && how != "!=")
            holds = compareNumbers(a, how, b);
        else if (!isPattern(b))
            holds = (a == b) == (how != "!=");
    }
    return holds && negated ? std::optional(!*holds) : holds;
}

} // namespace

std::optional<bool> evaluateTest(const std::vector<ShellWord>& words) {
    if (words.empty() || (words.back().text != "]" && words.back().text != "]]"))
        return {};
    const std::span<const ShellWord> all(words.data(), words.size() - 1);
    // Sums of products: || of parts that && joins.
    std::optional<bool> any = false, every = true;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= all.size(); ++at) {
        const bool ends = at == all.size() || all[at].text == "||";
        if (!ends && all[at].text != "&&")
            continue;
        const std::optional<bool> one = evaluateOne(all.subspan(begin, at - begin));
        begin = at + 1;
        every = both(every, one);
        if (!ends)
            continue;
        any = either(any, every);
        every = true;
    }
    return any;
}

std::size_t assignedName(std::string_view word) {
    std::size_t at = 0;
    while (at < word.size() && isNamePart(word[at]))
        ++at;
    if (at == 0 || !isNameStart(word[0]))
        return 0;
    const bool plain = at < word.size() && word[at] == '=';
    const bool more = at + 1 < word.size() && word[at] == '+' && word[at + 1] == '=';
    return plain || more ? at : 0;
}

bool isShellKeyword(std::string_view word) {
    static const std::set<std::string_view> all{"if",    "then", "else",     "elif", "fi",   "for", "while",
                                                "until", "do",   "done",     "case", "esac", "{",   "}",
                                                "!",     "time", "function", "[",    "[["};
    return all.contains(word);
}

std::string choiceText(const ShellChoice& choice) {
    const auto shown = [](const std::string& text) {
        constexpr std::size_t most = 80;
        return text.empty() ? std::string("empty") : "'" + std::string(elided(text, most)) + "'";
    };
    if (choice.isRead)
        return choice.name + " is " + shown(choice.value) +
               " where a condition holds that only a running shell knows; read as if it held";
    if (!choice.read.empty() && choice.value.starts_with(choice.read + " "))
        return choice.name + " may also hold " + shown(choice.value.substr(choice.read.size() + 1)) +
               ": a condition decides that only a running shell knows";
    return choice.name + " may be " + shown(choice.value) + " instead of " + shown(choice.read) +
           ": a condition decides that only a running shell knows";
}

std::vector<ShellWord> directiveWords(std::string_view text, int line) {
    std::vector<ShellWord> out;
    std::string word;
    const auto flush = [&] {
        if (!word.empty())
            out.push_back({word, line, false});
        word.clear();
    };
    char quote = 0;
    for (const char c : text) {
        if (quote != 0)
            if (c == quote)
                quote = 0;
            else
                word += c;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '#' && word.empty())
            break;
        else if (isBlank(c))
            flush();
        else
            word += c;
    }
    flush();
    return out;
}

void ShellChoices::note(const std::string& name, const std::vector<ShellWord>& other,
                        const std::vector<ShellWord>& read, int line) {
    const auto joined = [](const std::vector<ShellWord>& words) {
        std::string out;
        for (const ShellWord& each : words)
            out += (out.empty() ? "" : " ") + each.text;
        return out;
    };
    constexpr std::size_t most = 100;
    if (all_.size() >= most || joined(other) == joined(read) || std::ranges::any_of(other, &ShellWord::open))
        return;
    if (!read.empty()) // it replaces what is said of the value that counts
        std::erase_if(all_, [&name](const ShellChoice& each) { return each.name == name && each.isRead; });
    all_.push_back({name, joined(other), joined(read), line, read.empty()});
}

std::vector<ShellChoice> ShellChoices::take() {
    std::erase_if(all_, [this](const ShellChoice& each) { return !used_.contains(each.name); });
    return std::move(all_);
}

void ShellBranches::open(std::string_view keyword) {
    constexpr std::size_t deepest = 100; // deeper than a person writes
    if (all_.size() >= deepest) {
        ++beyond_;
        return;
    }
    Branch branch;
    branch.kind = keyword == "if"     ? Kind::condition
                  : keyword == "case" ? Kind::choice
                  : keyword == "for"  ? Kind::count
                                      : Kind::loop;
    branch.waits = branch.kind == Kind::condition || branch.kind == Kind::choice;
    if (branch.kind == Kind::loop)
        branch.runs = Runs::perhaps;
    all_.push_back(std::move(branch));
}

void ShellBranches::close(std::string_view keyword) {
    if (beyond_ > 0) {
        --beyond_;
        return;
    }
    if (all_.empty())
        return;
    const Kind kind = all_.back().kind;
    const bool fits = keyword == "fi"     ? kind == Kind::condition
                      : keyword == "esac" ? kind == Kind::choice
                                          : kind == Kind::loop || kind == Kind::count;
    if (fits)
        all_.pop_back();
}

void ShellBranches::tested(std::optional<bool> holds) {
    if (!wantsTest())
        return;
    Branch& branch = all_.back();
    if (++branch.tests == 1)
        branch.holds = holds;
    else if (branch.join == ShellLink::both)
        branch.holds = both(branch.holds, holds);
    else if (branch.join == ShellLink::either)
        branch.holds = either(branch.holds, holds);
    else
        branch.holds.reset();
}

void ShellBranches::enter(Branch& branch, std::optional<bool> holds) {
    branch.waits = false;
    if (branch.before == Runs::yes || (holds && !*holds))
        branch.runs = Runs::no;
    else if (branch.before == Runs::perhaps || !holds)
        branch.runs = Runs::perhaps;
    else
        branch.runs = Runs::yes;
    // Of parts of which none is certain, one that holds by itself ends the rest.
    if (branch.before != Runs::yes)
        branch.before = holds.value_or(false)          ? Runs::yes
                        : branch.runs == Runs::perhaps ? Runs::perhaps
                                                       : branch.before;
}

void ShellBranches::then() {
    if (wantsTest())
        enter(all_.back(), all_.back().holds);
}

void ShellBranches::elseIf() {
    if (all_.empty() || all_.back().kind != Kind::condition)
        return;
    all_.back().waits = true;
    all_.back().tests = 0;
    all_.back().holds.reset();
}

void ShellBranches::otherwise() {
    if (!all_.empty() && all_.back().kind == Kind::condition)
        enter(all_.back(), true);
}

bool ShellBranches::wantsTest() const {
    return !all_.empty() && all_.back().kind == Kind::condition && all_.back().waits;
}

bool ShellBranches::wantsSubject() const {
    return !all_.empty() && all_.back().kind == Kind::choice && !all_.back().hasSubject;
}

bool ShellBranches::wantsPattern() const {
    return !all_.empty() && all_.back().kind == Kind::choice && all_.back().hasSubject && all_.back().waits;
}

void ShellBranches::setSubject(std::optional<std::string> subject) {
    all_.back().hasSubject = true;
    all_.back().subject = std::move(subject);
    endPart();
}

void ShellBranches::addPatterns(std::vector<ShellWord>& patterns) {
    Branch& branch = all_.back();
    for (const ShellWord& each : patterns) {
        const bool known = branch.subject && !each.open && each.text.find('[') == std::string::npos;
        if (each.text == "*" || (known && matches(each.text, *branch.subject)))
            branch.holds = true;
        else if (!known && branch.holds == false)
            branch.holds.reset();
    }
    patterns.clear();
}

void ShellBranches::endPatterns() { enter(all_.back(), all_.back().holds); }

void ShellBranches::endPart() {
    if (all_.empty() || all_.back().kind != Kind::choice)
        return;
    all_.back().waits = true;
    all_.back().holds = false;
    all_.back().runs = Runs::yes;
}

void ShellBranches::link(ShellLink link, bool isTest, std::optional<bool> holds) {
    const bool all = link == ShellLink::both;
    if (wantsTest())
        all_.back().join = link;
    if (link == ShellLink::none)
        guard_ = Runs::yes;
    else if (!isTest || guard_ == Runs::no)
        guard_ = all ? guard_ : Runs::perhaps;
    else if (!holds)
        guard_ = Runs::perhaps;
    else if (*holds != all)
        guard_ = Runs::no;
}

bool ShellBranches::skips() const {
    return guard_ == Runs::no ||
           std::ranges::any_of(all_, [](const Branch& each) { return each.runs == Runs::no && !each.waits; });
}

bool ShellBranches::mayRun() const {
    return guard_ == Runs::perhaps || std::ranges::any_of(all_, [](const Branch& each) {
               return each.runs == Runs::perhaps && !each.waits;
           });
}

bool ShellBranches::isInLoop() const {
    return std::ranges::any_of(all_, [](const Branch& each) { return each.kind == Kind::loop; });
}

int ShellBranches::times() const {
    int out = 1;
    for (const Branch& each : all_)
        out = std::min(out * each.times, 1'000'000);
    return out;
}

void ShellBranches::setTimes(int times) {
    if (!all_.empty())
        all_.back().times = std::clamp(times, 1, 100'000);
}

bool ShellBranches::isInFor() const { return !all_.empty() && all_.back().kind == Kind::count; }

} // namespace alidade::data::handoff
