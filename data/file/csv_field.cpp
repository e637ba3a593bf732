// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/file/csv_field.h"

#include "model/units/text.h"

#include <algorithm>

namespace alidade::data {

std::string csvField(std::string_view text) {
    std::string field = printable(text, "\t\r\n");
    std::ranges::replace_if(field, [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
    const std::size_t first = field.find_first_not_of(' ');
    if (first != std::string::npos && std::string_view("=+-@").find(field[first]) != std::string_view::npos)
        field.insert(field.begin(), '\'');
    if (field.find_first_of(",\"") == std::string::npos)
        return field;
    std::string out = "\"";
    for (const char c : field)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

} // namespace alidade::data
