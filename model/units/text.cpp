// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/text.h"

#include <vector>

namespace alidade {
namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr CodePoint wrongByte = {replacement, 1};

/// Returns the length of the sequence that begins with this byte, 0 if it cannot begin one.
std::size_t sequenceLength(unsigned char lead) {
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead < 0xE0)
        return 2;
    if (lead >= 0xE0 && lead < 0xF0)
        return 3;
    return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

} // namespace

CodePoint firstCodePoint(std::string_view text) {
    if (text.empty())
        return {};
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = sequenceLength(lead);
    if (length == 0 || length > text.size())
        return wrongByte;
    if (length == 1)
        return {lead, 1};
    char32_t value = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0u) != 0x80u)
            return wrongByte;
        value = (value << 6) | (byte & 0x3Fu);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool outside = value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF);
    return overlong || outside ? wrongByte : CodePoint{value, length};
}

bool isSpace(char32_t c) {
    return c == U' ' || (c >= U'\t' && c <= U'\r') || c == 0x00A0 || c == 0x2007 || c == 0x2009 ||
           c == 0x202F;
}

bool isDash(char32_t c) { return c >= 0x2010 && c <= 0x2015; }

std::string_view trimmed(std::string_view text) {
    std::size_t begin = text.size();
    std::size_t end = 0;
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = firstCodePoint(text.substr(i));
        if (!isSpace(c.value)) {
            begin = begin < i ? begin : i;
            end = i + c.length;
        }
        i += c.length;
    }
    return begin < end ? text.substr(begin, end - begin) : std::string_view{};
}

bool isUnprintable(char32_t c) {
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
    const bool direction = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                           (c >= 0x2066 && c <= 0x2069);
    return control || direction;
}

std::string printable(std::string_view text, std::string_view kept) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const CodePoint c = firstCodePoint(text);
        const bool isKept = c.value < 0x80 && kept.find(static_cast<char>(c.value)) != std::string_view::npos;
        if (c.value == replacement || (isUnprintable(c.value) && !isKept))
            out += "\uFFFD";
        else
            out += text.substr(0, c.length);
        text.remove_prefix(c.length);
    }
    return out;
}

std::string elided(std::string_view text, std::size_t characters) {
    std::vector<std::size_t> starts; // of the characters
    for (std::size_t at = 0; at < text.size(); at += firstCodePoint(text.substr(at)).length)
        starts.push_back(at);
    if (starts.size() <= characters)
        return std::string(text);
    const std::size_t front = (characters - 1) * 3 / 5;
    const std::size_t back = characters - 1 - front;
    std::string out(text.substr(0, starts[front]));
    out += "…";
    return out += text.substr(starts[starts.size() - back]);
}

std::string quoted(std::string_view text) {
    constexpr int longest = 40;
    std::string result = "'";
    int count = 0;
    while (!text.empty()) {
        const CodePoint c = firstCodePoint(text);
        if (++count > longest) {
            result += "…";
            break;
        }
        if (isUnprintable(c.value) || c.value == replacement)
            result += '?';
        else
            result += text.substr(0, c.length);
        text.remove_prefix(c.length);
    }
    return result + "'";
}

} // namespace alidade
