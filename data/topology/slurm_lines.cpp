// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/slurm_lines.h"

#include "data/json/reader.h"

#include <algorithm>

namespace alidade::data {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string keyOf(std::string_view text) {
    std::string out(text);
    std::ranges::transform(
        out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// Up to the comment sign; "\#" is not a comment.
std::string_view withoutComment(std::string_view line) {
    for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
        if (at == 0 || line[at - 1] != '\\')
            return line.substr(0, at);
    return line;
}

/// Reads KEY=VALUE, KEY="A VALUE", ... of one logical line.
class Settings {
public:
    Settings(const std::string& line, SlurmLine& out)
        : line_(line)
        , out_(out) {}

    /// \returns an empty text, or what is wrong
    std::string run() {
        for (at_ = line_.find_first_not_of(blanks); at_ < line_.size();
             at_ = line_.find_first_not_of(blanks, at_)) {
            const std::size_t end = std::min(line_.find_first_of(" \t\r=", at_), line_.size());
            const std::string key = line_.substr(at_, end - at_);
            const std::size_t sign = line_.find_first_not_of(blanks, end);
            if (key.empty() || sign >= line_.size() || line_[sign] != '=') {
                return "'" + (key.empty() ? "=" : key.substr(0, 40)) +
                       "' without a value; write settings as KEY=VALUE";
            }
            at_ = std::min(line_.find_first_not_of(blanks, sign + 1), line_.size());
            std::string value;
            if (!take(value))
                return "the quote of " + key + " is not closed; end it on the same line";
            if (out_.value(keyOf(key)) != nullptr)
                return key + " occurs twice; keep one of them";
            out_.settings.emplace_back(keyOf(key), std::move(value));
        }
        return {};
    }

private:
    bool take(std::string& value) {
        if (at_ < line_.size() && line_[at_] == '"') {
            const std::size_t end = line_.find('"', at_ + 1);
            if (end == std::string::npos)
                return false;
            value = line_.substr(at_ + 1, end - at_ - 1);
            at_ = end + 1;
            return true;
        }
        const std::size_t end = std::min(line_.find_first_of(blanks, at_), line_.size());
        value = line_.substr(at_, end - at_);
        at_ = end;
        return true;
    }

    const std::string& line_;
    SlurmLine& out_;
    std::size_t at_ = 0;
};

} // namespace

const std::string* SlurmLine::value(std::string_view key) const {
    for (const auto& [name, value] : settings)
        if (name == key)
            return &value;
    return nullptr;
}

std::vector<SlurmLine> readSlurmLines(std::string_view text, const std::string& fileName,
                                      std::vector<std::string>& faults) {
    std::vector<SlurmLine> out;
    std::string joined;
    std::size_t number = 0, first = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        ++number;
        std::string_view line = withoutComment(text.substr(at, end - at));
        at = end + 1;
        line = line.substr(0, line.find_last_not_of(blanks) + 1); // npos + 1 is 0: nothing but blanks
        const bool goesOn = line.ends_with('\\');
        first = joined.empty() ? number : first;
        joined += goesOn ? line.substr(0, line.size() - 1) : line;
        if (goesOn && at < text.size())
            continue;
        SlurmLine settings{first, {}};
        if (const std::string wrong = Settings(joined, settings).run(); !wrong.empty())
            addFault(faults, fileName + ":" + std::to_string(first) + ": " + wrong);
        else if (!settings.settings.empty())
            out.push_back(std::move(settings));
        joined.clear();
    }
    return out;
}

} // namespace alidade::data
