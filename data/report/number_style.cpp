// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/number_style.h"

#include "data/report/report.h"
#include "model/base/calendar.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordChar(char c) { return isDigit(c) || isLetter(c); }
/// Holds the parts of an identifier, an address or a version together.
bool isJoint(char c) { return c == '.' || c == '-' || c == '/' || c == ':' || c == '@' || c == '+'; }

std::size_t endOfIdentifier(std::string_view text, std::size_t at) {
    const bool number = at < text.size() && isDigit(text[at]); // "30.00/h" is one with its unit
    while (at < text.size() && (isWordChar(text[at]) || (isJoint(text[at]) && !(number && text[at] == '/') &&
                                                         at + 1 < text.size() && isWordChar(text[at + 1]))))
        ++at;
    return at;
}

/// What precedes a version, as in "NCCL 2.21".
bool namesAVersion(std::string_view word) {
    constexpr std::array<std::string_view, 24> words{
        "Alidade", "Apache", "CUDA",  "DeepSeek", "Gemma",   "Llama",   "Megatron-LM", "Mistral",
        "Mixtral", "NCCL",   "NeMo",  "Phi",      "PyTorch", "Python",  "Qt",          "Qwen",
        "Section", "SGLang", "Slurm", "driver",   "section", "version", "vLLM",        "Granite"};
    return std::ranges::find(words, word) != words.end();
}

/// "1,234", "1,234.5" or "0.5"; not "10.0.0.1".
bool isNumber(std::string_view token) {
    const std::size_t point = token.find('.');
    const std::string_view whole = token.substr(0, point);
    if (point != std::string_view::npos &&
        (point + 1 == token.size() || !std::ranges::all_of(token.substr(point + 1), isDigit)))
        return false;
    const std::size_t comma = whole.find(',');
    if (comma == std::string_view::npos)
        return point != std::string_view::npos; // a short whole number is the same in both
    if (comma > 3 || (whole.size() - comma) % 4 != 0)
        return false;
    for (std::size_t i = 0; i < whole.size(); ++i)
        if ((whole[i] == ',') != (i >= comma && (i - comma) % 4 == 0))
            return false;
    return true;
}

std::string germanNumber(std::string_view token) {
    std::string out(token);
    for (char& c : out)
        c = c == ',' ? '.' : c == '.' ? ',' : c;
    return out;
}

/// "4.1.2027" of "2027-01-04"; empty if it is not a day.
std::string germanDay(std::string_view token) {
    if (token.size() != 10 || !dayOfDate(token))
        return {};
    const auto number = [&](std::size_t at) {
        return std::string(token.substr(token[at] == '0' ? at + 1 : at, token[at] == '0' ? 1 : 2));
    };
    return number(8) + '.' + number(5) + '.' + std::string(token.substr(0, 4));
}

class Rewriter {
public:
    explicit Rewriter(std::string_view text)
        : text_(text) {}

    std::string german(const std::vector<std::string>& names) {
        while (at_ < text_.size())
            if (const std::size_t name = nameHere(names); name > 0)
                copy(name);
            else if (isLetter(text_[at_]))
                copyWord();
            else if (isDigit(text_[at_]))
                rewriteNumber();
            else
                copyOther();
        return std::move(out_);
    }

private:
    std::size_t nameHere(const std::vector<std::string>& names) const {
        std::size_t longest = 0;
        if (at_ > 0 && isWordChar(text_[at_ - 1]) && isWordChar(text_[at_]))
            return 0;
        for (const std::string& name : names)
            if (name.size() > longest && text_.substr(at_).starts_with(name))
                longest = name.size();
        return longest;
    }

    void copy(std::size_t size) {
        out_ += text_.substr(at_, size);
        at_ += size;
        lastWord_ = {};
    }

    void copyWord() {
        const std::size_t end = endOfIdentifier(text_, at_);
        const std::string_view word = text_.substr(at_, end - at_);
        copy(word.size());
        lastWord_ = word;
    }

    void rewriteNumber() {
        std::size_t end = at_;
        while (end < text_.size() &&
               (isDigit(text_[end]) || ((text_[end] == '.' || text_[end] == ',') && end + 1 < text_.size() &&
                                        isDigit(text_[end + 1]))))
            ++end;
        const std::size_t whole = endOfIdentifier(text_, at_);
        const std::string_view identifier = text_.substr(at_, whole - at_);
        if (const std::string day = germanDay(identifier); !day.empty()) {
            out_ += day;
            at_ = whole;
        } else if (const std::string_view token = text_.substr(at_, end - at_);
                   whole <= end && isNumber(token) && !namesAVersion(lastWord_)) {
            out_ += germanNumber(token);
            at_ = end;
        } else {
            copy(std::max(whole, end) - at_); // an identifier such as "2x8" or "10.0.0.1"
        }
        lastWord_ = {};
    }

    void copyOther() {
        const bool blank = text_[at_] == ' ';
        const std::string_view before = lastWord_;
        copy(1);
        lastWord_ = blank ? before : std::string_view(); // "NCCL 2.21", not "NCCL: 2.21"
    }

    std::string_view text_, lastWord_;
    std::size_t at_ = 0;
    std::string out_;
};

class ReportRewriter {
public:
    explicit ReportRewriter(std::shared_ptr<const NumberStyle> style)
        : style_(std::move(style)) {}

    void rewrite(Report& report) const {
        rewrite(report.subtitle);
        for (Sentence& sentence : report.answer)
            for (TextRun& run : sentence)
                rewrite(run.text);
        for (KeyFigure& figure : report.keyFigures)
            for (std::string* text : {&figure.question, &figure.value, &figure.unit, &figure.detail})
                rewrite(*text);
        for (ReportSection& section : report.sections)
            rewrite(section);
        rewrite(report.footer.date);
        rewrite(report.footer.catalogVersion);
        for (Report& part : report.parts)
            rewrite(part);
    }

private:
    void rewrite(std::string& text) const { text = style_->text(text); }

    void rewrite(ReportSection& section) const {
        rewrite(section.title);
        for (std::string& text : section.text)
            rewrite(text);
        for (Plot& plot : section.plots) {
            rewrite(plot.description);
            plot.numbers = style_; // its other texts are made when it is drawn
        }
        for (Table& table : section.tables) {
            rewrite(table.title);
            rewrite(table.note);
            for (auto& row : table.rows)
                for (Cell& cell : row)
                    rewrite(cell.text);
        }
    }

    std::shared_ptr<const NumberStyle> style_;
};

} // namespace

std::optional<NumberLocale> numberLocaleNamed(std::string_view name) {
    return name == "en"   ? std::optional(NumberLocale::en)
           : name == "de" ? std::optional(NumberLocale::de)
                          : std::nullopt;
}

std::string NumberStyle::text(std::string_view english) const {
    return locale == NumberLocale::de ? Rewriter(english).german(names) : std::string(english);
}

Report localized(Report report) {
    if (report.numbers.locale != NumberLocale::en)
        ReportRewriter(std::make_shared<const NumberStyle>(report.numbers)).rewrite(report);
    return report;
}

} // namespace alidade::data
