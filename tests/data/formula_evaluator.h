// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace alidade::test {

/// Evaluates the arithmetic that explanations print: + - * / parentheses, max min sqrt exp pow, numbers and
/// names. Written independently of the program, as a reader with a calculator would do it.
class FormulaEvaluator {
public:
    FormulaEvaluator(std::string formula, std::map<std::string, double> values)
        : text_(std::move(formula))
        , values_(std::move(values)) {}

    /// Absent if the formula is not well formed or uses a name without a value.
    std::optional<double> result() {
        const double value = sum();
        space();
        return wrong_ || at_ != text_.size() ? std::nullopt : std::optional(value);
    }

private:
    void space() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool take(char c) {
        space();
        if (at_ < text_.size() && text_[at_] == c) {
            ++at_;
            return true;
        }
        return false;
    }
    double sum() {
        double value = product();
        while (!wrong_)
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                break;
        return value;
    }
    double product() {
        double value = factor();
        while (!wrong_)
            if (take('*'))
                value *= factor();
            else if (take('/'))
                value /= factor();
            else
                break;
        return value;
    }
    double factor() {
        if (take('(')) {
            const double value = sum();
            wrong_ |= !take(')');
            return value;
        }
        if (take('-'))
            return -factor();
        space();
        const char first = at_ < text_.size() ? text_[at_] : '\0';
        if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') {
            char* end = nullptr;
            const double value = std::strtod(text_.c_str() + at_, &end);
            at_ = static_cast<std::size_t>(end - text_.c_str());
            return value;
        }
        return name();
    }
    double name() {
        std::string word;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            word += text_[at_++];
        }
        if (word.empty()) {
            wrong_ = true;
            return 0;
        }
        if (take('('))
            return function(word);
        const auto known = values_.find(word);
        wrong_ |= known == values_.end();
        return wrong_ ? 0 : known->second;
    }
    double function(const std::string& word) {
        std::vector<double> arguments{sum()};
        while (!wrong_ && take(','))
            arguments.push_back(sum());
        wrong_ |= !take(')');
        const std::size_t count = word == "sqrt" || word == "exp" ? 1 : 2;
        if (wrong_ || arguments.size() != count) {
            wrong_ = true;
            return 0;
        }
        if (word == "max")
            return std::max(arguments[0], arguments[1]);
        if (word == "min")
            return std::min(arguments[0], arguments[1]);
        if (word == "pow")
            return std::pow(arguments[0], arguments[1]);
        if (word == "sqrt")
            return std::sqrt(arguments[0]);
        wrong_ |= word != "exp";
        return std::exp(arguments[0]);
    }

    std::string text_;
    std::map<std::string, double> values_;
    std::size_t at_ = 0;
    bool wrong_ = false;
};

} // namespace alidade::test
