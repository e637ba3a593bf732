// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/reply_reader.h"

#include "data/json/json.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace alidade::data {

namespace {

using Json = nlohmann::json;

constexpr int deepestReply = 64;
constexpr std::size_t longestSentence = 1000;
constexpr std::size_t mostWarnings = 50;

/// What the parser reads next. It can be moved over a piece of the text; then an opened array comes first.
struct ReplyCursor {
    const char* at;
    const char* end;
    const char* then = nullptr; ///< where reading goes on after `end`; nullptr: nowhere
    const char* thenEnd = nullptr;

    void jump(const char* to) {
        static constexpr std::string_view openedArray = ":[";
        then = to;
        thenEnd = end;
        at = openedArray.data();
        end = at + openedArray.size();
    }
};

/// All copies walk the same cursor. Without one it is the end.
class ReplyIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    explicit ReplyIterator(ReplyCursor* cursor)
        : cursor_(cursor) {}
    reference operator*() const { return *cursor_->at; }
    ReplyIterator& operator++() {
        if (++cursor_->at == cursor_->end && cursor_->then != nullptr) {
            cursor_->at = cursor_->then;
            cursor_->end = cursor_->thenEnd;
            cursor_->then = nullptr;
        }
        return *this;
    }
    ReplyIterator operator++(int) {
        ReplyIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const ReplyIterator& other) const { return atEnd() == other.atEnd(); }
    bool operator!=(const ReplyIterator& other) const { return atEnd() != other.atEnd(); }

private:
    bool atEnd() const { return cursor_ == nullptr || cursor_->at == cursor_->end; }

    ReplyCursor* cursor_;
};

/// Reads the envelope and hands on what is under "data".
class ReplyHandler {
public:
    ReplyHandler(std::string_view text, ReplyCursor& cursor, DataSink& sink, bool skim)
        : text_(text)
        , cursor_(cursor)
        , sink_(sink)
        , skim_(skim) {}

    bool null() { return skips() || (inData() ? given(sink_.null()) : inRoot()); }
    bool boolean(bool value) {
        if (skips())
            return true;
        if (inData())
            return refuse("unexpected boolean");
        envelope_.partial = envelope_.partial || (target_ == Target::partial && value);
        return inRoot();
    }
    bool number_integer(Json::number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(Json::number_unsigned_t value) { return number(static_cast<double>(value)); }
    bool number_float(double value, const std::string&) { return number(value); }
    bool binary(Json::binary_t&) { return false; }

    bool string(std::string& value) {
        if (skips())
            return true;
        if (inData())
            return given(sink_.text(value));
        keep(value);
        return inRoot();
    }

    bool start_object(std::size_t) { return begin('{'); }
    bool start_array(std::size_t) { return begin('['); }
    bool end_object() { return end(); }
    bool end_array() { return end(); }

    bool key(std::string& name) {
        if (skipNest_ > 0)
            return true;
        if (dataNest_ == 0)
            return rootKey(name);
        switch (sink_.key(name)) {
        case DataSink::Next::skip:
            skipNext_ = true;
            return true;
        case DataSink::Next::refuse:
            return given(false);
        case DataSink::Next::take:
            break;
        }
        if (skim_) {
            const std::string_view rest(cursor_.at, static_cast<std::size_t>(cursor_.end - cursor_.at));
            if (const std::size_t read = sink_.skim(rest); read > 0)
                cursor_.jump(rest.data() + read);
        }
        return true;
    }

    bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& error) {
        constexpr int overflow = 406;
        if (error.id == overflow)
            return refuse("the number " + printableExcerpt(token, 40) + " is too large");
        const std::size_t at = reached();
        const std::string_view what = error.what();
        if (what.find("unexpected end of input") != std::string_view::npos ||
            what.find("missing closing quote") != std::string_view::npos) {
            return refuse("it ends in the middle, after " + std::to_string(text_.size()) +
                          " bytes; the server or a proxy cut it off, try again");
        }
        const std::size_t from = at - std::min<std::size_t>(at, 1);
        return refuse("it is not valid JSON at byte " + std::to_string(at) + ": " +
                      printableExcerpt(text_.substr(from), 40));
    }

    ReplyEnvelope&& envelope() { return std::move(envelope_); }
    const std::string& refusal() const { return refusal_; }
    void refuseIfUntold() {
        if (refusal_.empty())
            refuse("unexpected response format");
    }

private:
    enum class Target : std::uint8_t { none, status, errorType, error, message, warnings, partial, data };

    bool refuse(std::string why) {
        refusal_ = std::move(why);
        return false;
    }
    bool given(bool good) { return good || refuse(sink_.refusal); }
    /// The value that comes is not wanted.
    bool skips() {
        const bool skipped = skipNext_ || skipNest_ > 0;
        skipNext_ = false;
        return skipped;
    }
    bool inData() const { return dataNest_ > 0 || (depth_ == 1 && target_ == Target::data); }
    bool inRoot() { return depth_ > 0 || refuse("it is not a JSON object"); }

    bool number(double value) { return skips() || (inData() ? given(sink_.number(value)) : inRoot()); }

    bool begin(char bracket) {
        if (depth_ >= deepestReply)
            return refuse("it is nested deeper than " + std::to_string(deepestReply) + " levels");
        const bool data = inData();
        ++depth_;
        if (skips()) {
            ++skipNest_;
            return true;
        }
        if (data) {
            ++dataNest_;
            return given(sink_.begin(bracket));
        }
        if (depth_ == 1)
            return bracket == '{' || refuse("it is not a JSON object");
        if (target_ != Target::warnings || depth_ > 2)
            ++skipNest_;
        return true;
    }

    bool end() {
        --depth_;
        if (skipNest_ > 0) {
            --skipNest_;
            return true;
        }
        if (dataNest_ > 0) {
            --dataNest_;
            return given(sink_.end());
        }
        return true;
    }

    bool rootKey(const std::string& name) {
        static constexpr std::array<std::pair<std::string_view, Target>, 8> known{
            {{"status", Target::status},
             {"errorType", Target::errorType},
             {"error", Target::error},
             {"message", Target::message},
             {"warnings", Target::warnings},
             {"infos", Target::warnings},
             {"isPartial", Target::partial},
             {"data", Target::data}}};
        const auto* const found =
            std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == name; });
        skipNext_ = found == known.end();
        target_ = skipNext_ ? Target::none : found->second;
        if (!skipNext_) {
            const auto bit = 1U << (found - known.begin());
            if ((seen_ & bit) != 0)
                return refuse("the key \"" + name + "\" occurs twice");
            seen_ |= bit;
        }
        return true;
    }

    void keep(const std::string& value) {
        switch (target_) {
        case Target::status:
            envelope_.status = printableExcerpt(value, longestSentence);
            break;
        case Target::errorType:
            envelope_.errorType = printableExcerpt(value, longestSentence);
            break;
        case Target::error:
            envelope_.error = printableExcerpt(value, longestSentence);
            break;
        case Target::message:
            envelope_.message = printableExcerpt(value, longestSentence);
            break;
        case Target::warnings:
            if (envelope_.warnings.size() < mostWarnings)
                envelope_.warnings.push_back(printableExcerpt(value, longestSentence));
            else
                ++envelope_.warningsLeftOut;
            break;
        case Target::none:
        case Target::partial:
        case Target::data:
            break;
        }
    }

    std::size_t reached() const {
        const char* at = cursor_.then != nullptr ? cursor_.then : cursor_.at;
        return static_cast<std::size_t>(at - text_.data());
    }

    std::string_view text_;
    ReplyCursor& cursor_;
    DataSink& sink_;
    bool skim_;
    ReplyEnvelope envelope_;
    std::string refusal_;
    Target target_ = Target::none;
    unsigned seen_ = 0;     ///< bits of the root's keys that were there
    int depth_ = 0;         ///< objects and arrays that are open
    int dataNest_ = 0;      ///< of them: those under "data"
    int skipNest_ = 0;      ///< of them: those that are not needed
    bool skipNext_ = false; ///< the next value is not wanted
};

} // namespace

std::string printableExcerpt(std::string_view text, std::size_t longest) {
    static constexpr std::string_view hexDigits = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        const auto point = firstCodePoint(text);
        const auto byte = static_cast<unsigned char>(text.front());
        const std::string_view piece = text.substr(0, point.length);
        std::string next(piece);
        if (point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0) ||
            (byte >= 0x80 && point.length == 1)) {
            next = {'\\', 'x', hexDigits[byte >> 4U], hexDigits[byte & 15U]};
        }
        if (out.size() + next.size() > longest)
            return out + "...";
        out += next;
        text.remove_prefix(point.length);
    }
    return out;
}

Result<ReplyEnvelope> readReply(std::string_view text, DataSink& sink, bool skim) {
    // The parser takes a NUL byte for the end and would not look at what follows.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return Error{"it has a NUL byte at byte " + std::to_string(nul) + "; JSON is text"};
    ReplyCursor cursor{text.data(), text.data() + text.size()};
    ReplyHandler handler(text, cursor, sink, skim);
    if (!Json::sax_parse(ReplyIterator(&cursor), ReplyIterator(nullptr), &handler)) {
        handler.refuseIfUntold();
        return Error{handler.refusal()};
    }
    return handler.envelope();
}

} // namespace alidade::data
