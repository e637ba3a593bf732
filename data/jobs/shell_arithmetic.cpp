// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/shell_arithmetic.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace alidade::data::handoff {

namespace {

class Expression {
public:
    Expression(const std::string& text, const ShellVariables& variables)
        : text_(text)
        , variables_(variables) {}

    std::optional<std::int64_t> value() {
        const auto out = sum();
        skip();
        return at_ == text_.size() ? out : std::nullopt;
    }

private:
    using Number = std::optional<std::int64_t>;

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }
    bool take(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }

    Number sum() {
        Number left = product();
        while (left) {
            std::int64_t out = 0;
            if (take('+')) {
                const Number right = product();
                if (!right || __builtin_add_overflow(*left, *right, &out))
                    return {};
            } else if (take('-')) {
                const Number right = product();
                if (!right || __builtin_sub_overflow(*left, *right, &out))
                    return {};
            } else {
                break;
            }
            left = out;
        }
        return left;
    }

    Number product() {
        Number left = unary();
        while (left) {
            if (take('*')) {
                const Number right = unary();
                std::int64_t out = 0;
                if (!right || __builtin_mul_overflow(*left, *right, &out))
                    return {};
                left = out;
                continue;
            }
            const bool divides = take('/');
            if (!divides && !take('%'))
                break;
            const Number right = unary();
            if (!right || *right == 0 || *right == -1)
                return {};
            left = divides ? *left / *right : *left % *right;
        }
        return left;
    }

    Number unary() {
        if (++depth_ > 64)
            return {};
        skip();
        Number out;
        if (take('(')) {
            out = sum();
            if (!take(')'))
                return {};
        } else if (take('-')) {
            out = unary();
            if (!out || *out == INT64_MIN)
                return {};
            out = -*out;
        } else {
            out = atom();
        }
        --depth_;
        return out;
    }

    Number atom() {
        bool dollar = take('$');
        const bool brace = dollar && take('{');
        std::string word;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            word += text_[at_++];
        if (brace && !take('}'))
            return {};
        if (word.empty())
            return {};
        if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) {
            const auto value = variables_(word);
            if (!value)
                return {};
            word = *value;
        } else if (dollar) {
            return {}; // $1
        }
        if (word.empty() || word.size() > 18)
            return {};
        std::int64_t out = 0;
        for (const char c : word) {
            if (std::isdigit(static_cast<unsigned char>(c)) == 0)
                return {};
            out = out * 10 + (c - '0');
        }
        return out;
    }

    const std::string& text_;
    const ShellVariables& variables_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

std::optional<std::int64_t> evaluateArithmetic(const std::string& text, const ShellVariables& variables) {
    return Expression(text, variables).value();
}

int countOfLoop(const std::string& inside, const ShellVariables& variables) {
    const std::size_t first = inside.find(';');
    const std::size_t second = first == std::string::npos ? first : inside.find(';', first + 1);
    if (second == std::string::npos)
        return 1;
    const std::string condition = inside.substr(first + 1, second - first - 1);
    const std::size_t less = condition.find('<');
    if (less == std::string::npos)
        return 1;
    const bool even = less + 1 < condition.size() && condition[less + 1] == '=';
    const auto bound = evaluateArithmetic(condition.substr(less + (even ? 2 : 1)), variables);
    const std::size_t equals = inside.find('=');
    const auto start = equals < first
                           ? evaluateArithmetic(inside.substr(equals + 1, first - equals - 1), variables)
                           : std::nullopt;
    if (!bound || !start)
        return 1;
    return static_cast<int>(std::clamp<std::int64_t>(*bound - *start + (even ? 1 : 0), 1, 100'000));
}

} // namespace alidade::data::handoff
