// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/gate.h"

#include "data/json/json.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace alidade::data {
namespace {

using Json = nlohmann::json;

/// Iterates over the text and reports how far the parser has read, so that every error can name its place.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** reached)
        : at_(at)
        , reached_(reached) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        *reached_ = ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

private:
    const char* at_;
    const char** reached_;
};

std::string place(std::string_view text, std::size_t offset) {
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " + std::to_string(offset - lineStart + 1);
}

/// Returns text for an error message, without control characters or broken UTF-8, cut to fit a line.
std::string refusedExcerpt(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string out;
    for (const char c : text.substr(0, longest))
        out += c >= ' ' && c <= '~' ? c : '?';
    return text.size() > longest ? out + "..." : out;
}

/// Builds the document while checking the limits; the parser stops when a handler returns false.
class Gate {
public:
    Gate(std::string_view text, const JsonLimits& limits, const char* const& reached)
        : text_(text)
        , limits_(limits)
        , reached_(reached) {}

    bool null() { return add(nullptr) != nullptr; }
    bool boolean(bool value) { return add(value) != nullptr; }
    bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }
    bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }
    bool number_float(double value, const std::string&) { return add(value) != nullptr; }
    bool binary(Json::binary_t&) { return false; }
    bool string(std::string& value) { return shortEnough(value) && add(std::move(value)) != nullptr; }

    bool start_object(std::size_t) { return open(Json::value_t::object); }
    bool start_array(std::size_t) { return open(Json::value_t::array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (!shortEnough(name))
            return false;
        const auto [entry, isNew] =
            open_.back()->get_ref<Json::object_t&>().try_emplace(std::move(name), nullptr);
        if (!isNew)
            return refuse(startOfString(),
                          "the key \"" + refusedExcerpt(name) + "\" occurs twice; remove one of them");
        member_ = &entry->second;
        return true;
    }

    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) {
        const std::size_t offset =
            std::min(position == 0 ? 0 : position - 1, text_.size()); // of the last character read
        constexpr int overflow = 406;
        if (error.id == overflow)
            return refuse(offset + 1 - std::min(token.size(), offset + 1),
                          "the number " + refusedExcerpt(token) + " is too large; the largest is 1.8e308");
        return refuse(offset, syntaxError(offset, error.what()));
    }

    Json&& document() { return std::move(root_); }
    const std::string& refusal() const { return refusal_; }

private:
    template <class T>
    Json* add(T&& value) {
        if (++values_ > limits_.values) {
            refuse(here(), "more than " + std::to_string(limits_.values) + " values; split the document");
            return nullptr;
        }
        if (open_.empty()) {
            root_ = Json(std::forward<T>(value));
            return &root_;
        }
        if (open_.back()->is_array()) {
            auto& array = open_.back()->get_ref<Json::array_t&>();
            array.emplace_back(std::forward<T>(value));
            return &array.back();
        }
        *member_ = Json(std::forward<T>(value));
        return member_;
    }

    bool open(Json::value_t kind) {
        if (open_.size() >= limits_.depth)
            return refuse(here(), "nested deeper than " + std::to_string(limits_.depth) +
                                      " levels; flatten the document");
        Json* container = add(kind);
        if (container != nullptr)
            open_.push_back(container);
        return container != nullptr;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    bool shortEnough(const std::string& value) {
        return value.size() <= limits_.stringBytes ||
               refuse(startOfString(), "a string of " + std::to_string(value.size()) +
                                           " bytes; the longest is " + std::to_string(limits_.stringBytes));
    }

    bool refuse(std::size_t offset, const std::string& why) {
        refusal_ = place(text_, offset) + ": " + why;
        return false;
    }

    /// Returns the offset of the character that the parser read last.
    std::size_t here() const {
        const auto read = static_cast<std::size_t>(reached_ - text_.data());
        return read == 0 ? 0 : read - 1;
    }

    /// Returns the offset of the opening quote of the string that ends here.
    std::size_t startOfString() const {
        std::size_t at = here();
        while (at > 0) {
            --at;
            std::size_t backslashes = 0;
            while (backslashes < at && text_[at - 1 - backslashes] == '\\')
                ++backslashes;
            if (text_[at] == '"' && backslashes % 2 == 0)
                break;
        }
        return at;
    }

    std::string syntaxError(std::size_t at, std::string_view what) const {
        const auto says = [&](std::string_view words) { return what.find(words) != std::string_view::npos; };
        const std::string_view rest = text_.substr(at);
        if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
            return "the document is empty; expected a JSON object";
        if (says("ill-formed UTF-8"))
            return "the text is not valid UTF-8; save the file as UTF-8";
        if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#'))
            return "JSON does not allow comments; remove it";
        if (says("; expected end of input"))
            return "text after the end of the document; a file holds one document";
        if (says("unexpected end of input"))
            return "the document ends too early; close the open bracket";
        const std::string_view word =
            text_.substr(at - std::min<std::size_t>(at, 1)); // the second letter may be wrong
        for (const char* number : {"NaN", "nan", "Infinity", "inf", "Inf"})
            if (rest.starts_with(number) || word.starts_with(number))
                return std::string(number) + " is not a JSON number; use null for unknown";
        // The parser's message without its own place: "syntax error while parsing value - unexpected ']';
        // ..."
        const std::size_t detail = what.find(" - ");
        return "not valid JSON: " +
               refusedExcerpt(detail == std::string_view::npos ? what : what.substr(detail + 3));
    }

    std::string_view text_;
    const JsonLimits& limits_;
    const char* const& reached_;
    Json root_;
    std::vector<Json*> open_; ///< open objects and arrays, outermost first
    Json* member_ = nullptr;  ///< value of the last key of the innermost object
    std::size_t values_ = 0;
    std::string refusal_;
};

} // namespace

Result<Json> parseJson(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes)
        return Error{"line 1, column 1: " + std::to_string(text.size()) + " bytes; the limit is " +
                     std::to_string(limits.bytes)};
    if (text.starts_with("\xEF\xBB\xBF"))
        return Error{"line 1, column 1: byte order mark; save the file as UTF-8 without one"};
    // The parser takes a NUL byte for the end and ignores what follows.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return Error{place(text, nul) + ": NUL byte; JSON is text, save the file as UTF-8"};
    const char* reached = text.data();
    Gate gate(text, limits, reached);
    const CountingIterator begin(text.data(), &reached);
    const CountingIterator end(text.data() + text.size(), &reached);
    if (!Json::sax_parse(begin, end, &gate))
        return Error{gate.refusal()};
    return std::move(gate.document());
}

} // namespace alidade::data
