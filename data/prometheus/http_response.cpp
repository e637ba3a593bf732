// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_response.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace alidade::data {

namespace {

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

std::string_view stripped(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

std::optional<std::uint64_t> wholeNumber(std::string_view text, int base) {
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    if (fault != std::errc() || end != text.data() + text.size() || value > most)
        return std::nullopt;
    return value;
}

} // namespace

std::string_view HttpHead::field(std::string_view name) const {
    for (const auto& [key, value] : fields)
        if (key == name)
            return value;
    return {};
}

bool HttpHead::has(std::string_view name) const {
    return std::any_of(fields.begin(), fields.end(), [&](const auto& each) { return each.first == name; });
}

HttpResponseReader::HttpResponseReader(std::function<void(const HttpHead&)> head,
                                       std::function<void(std::string_view)> body)
    : onHead_(std::move(head))
    , onBody_(std::move(body)) {}

HttpResponseReader::State HttpResponseReader::feed(std::string_view piece) {
    while (!piece.empty() && state_ != State::broken) {
        if (state_ == State::complete) { // more than one reply to one request
            keepAlive_ = false;
            break;
        }
        if (state_ == State::head)
            readHead(piece);
        else
            readBody(piece);
    }
    return state_;
}

HttpResponseReader::State HttpResponseReader::closed() {
    keepAlive_ = false;
    if (state_ == State::body && framing_ == Framing::untilClosed)
        state_ = State::complete;
    else if (state_ != State::complete)
        state_ = State::broken;
    return state_;
}

void HttpResponseReader::readHead(std::string_view& piece) {
    constexpr std::string_view start = "HTTP/1.";
    while (!piece.empty()) {
        line_ += piece.front();
        piece.remove_prefix(1);
        const std::size_t known = std::min(line_.size(), start.size());
        if (line_.size() > headBytes || std::string_view(line_).substr(0, known) != start.substr(0, known)) {
            state_ = State::broken;
            return;
        }
        if (line_.ends_with("\r\n\r\n") || line_.ends_with("\n\n")) {
            const std::string text = std::exchange(line_, {});
            return parseHead(text);
        }
    }
}

void HttpResponseReader::parseHead(std::string_view text) {
    std::size_t end = text.find('\n');
    const std::string_view first = stripped(text.substr(0, end));
    text.remove_prefix(end + 1);
    const bool http11 = first.size() > 7 && first[7] != '0';
    const auto status =
        first.size() >= 12 && first[8] == ' ' ? wholeNumber(first.substr(9, 3), 10) : std::nullopt;
    if (!status || *status < 100 || (first.size() > 12 && first[12] != ' ')) {
        state_ = State::broken;
        return;
    }
    head_ = {static_cast<int>(*status), std::string(stripped(first.substr(12))), {}};
    while (!text.empty()) {
        end = std::min(text.find('\n'), text.size());
        const std::string_view line = stripped(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = line.find(':');
        if (line.empty())
            continue;
        if (colon == std::string_view::npos || colon == 0) {
            state_ = State::broken;
            return;
        }
        head_.fields.emplace_back(lowered(line.substr(0, colon)), stripped(line.substr(colon + 1)));
    }
    if (head_.status >= 200)
        chooseFraming(http11); // else the true head follows (RFC 9110, 15.2)
}

void HttpResponseReader::chooseFraming(bool http11) {
    const std::string connection = lowered(head_.field("connection"));
    keepAlive_ = http11 ? connection.find("close") == std::string::npos
                        : connection.find("keep-alive") != std::string::npos;
    state_ = State::body;
    const bool empty = head_.status == 204 || head_.status == 304;
    if (head_.has("transfer-encoding") && !empty) {
        framing_ = Framing::chunked;
        if (lowered(head_.field("transfer-encoding")) != "chunked")
            state_ = State::broken;
        keepAlive_ = keepAlive_ && !head_.has("content-length");
    } else if (empty || head_.has("content-length")) {
        framing_ = Framing::length;
        const auto length =
            empty ? std::optional<std::uint64_t>(0) : wholeNumber(head_.field("content-length"), 10);
        const bool agree = std::all_of(head_.fields.begin(), head_.fields.end(), [&](const auto& each) {
            return each.first != "content-length" || each.second == head_.field("content-length");
        });
        if (!length || !agree)
            state_ = State::broken;
        left_ = length.value_or(0);
    } else {
        framing_ = Framing::untilClosed;
        keepAlive_ = false;
    }
    if (state_ == State::broken)
        return;
    if (framing_ == Framing::length && left_ == 0)
        state_ = State::complete;
    onHead_(head_);
}

void HttpResponseReader::give(std::string_view& piece) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece.size()));
    left_ -= size;
    const std::string_view part = piece.substr(0, size);
    piece.remove_prefix(size);
    onBody_(part);
}

void HttpResponseReader::readBody(std::string_view& piece) {
    switch (framing_) {
    case Framing::untilClosed:
        onBody_(std::exchange(piece, {}));
        return;
    case Framing::length:
        give(piece);
        if (left_ == 0)
            state_ = State::complete;
        return;
    case Framing::chunked:
        readChunked(piece);
    }
}

bool HttpResponseReader::takeLine(std::string_view& piece, std::size_t limit) {
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    line_ += piece.substr(0, end);
    const bool whole = end < piece.size();
    piece.remove_prefix(whole ? end + 1 : end);
    if (line_.size() > limit)
        state_ = State::broken;
    if (whole && line_.ends_with('\r'))
        line_.pop_back();
    return whole && state_ != State::broken;
}

void HttpResponseReader::readChunked(std::string_view& piece) {
    constexpr std::size_t longestLine = 1024;
    if (chunk_ == Chunk::data) {
        give(piece);
        if (left_ == 0)
            chunk_ = Chunk::end;
        return;
    }
    if (!takeLine(piece, longestLine))
        return;
    const std::string line = std::exchange(line_, {});
    if (chunk_ == Chunk::end) {
        if (!line.empty())
            state_ = State::broken;
        chunk_ = Chunk::size;
    } else if (chunk_ == Chunk::trailer) {
        if (line.empty())
            state_ = State::complete;
    } else {
        const auto size = wholeNumber(stripped(std::string_view(line).substr(0, line.find(';'))), 16);
        if (!size)
            state_ = State::broken;
        left_ = size.value_or(0);
        chunk_ = left_ == 0 ? Chunk::trailer : Chunk::data;
    }
}

} // namespace alidade::data
