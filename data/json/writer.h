// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// The shortest JSON number that reads back as the same double; "null" if it is not finite.
std::string jsonNumber(double value);

/// Writes one JSON document, indented, keys in the order in which they come; with `architecture`, as
/// ScenarioWriter has it, a visitor of visitEstimate and visitScenario. Keys are empty for the root and for
/// elements of arrays. Arrays of plain values stay on one line.
class JsonWriter {
public:
    void beginObject(std::string_view key) { open(key, '{'); }
    void endObject() { close('}'); }
    void beginArray(std::string_view key) { open(key, '['); }
    void endArray() { close(']'); }

    void number(std::string_view key, double value, Dimension = Dimension::number, std::string_view = {});
    void constant(std::string_view key, double value, Dimension, std::string_view) { number(key, value); }
    void integer(std::string_view key, std::int64_t value, std::string_view = {});
    void text(std::string_view key, std::string_view value); ///< bytes that are no UTF-8 become U+FFFD
    void flag(std::string_view key, bool value) { plain(key, value ? "true" : "false"); }
    void null(std::string_view key) { plain(key, "null"); }
    /// A value that is JSON already, indented by two spaces a level; may have several lines.
    void document(std::string_view key, std::string_view json);

    /// The document, with a newline at its end.
    std::string take();

private:
    struct Level {
        bool array = false;
        bool empty = true;
        bool broken = false; ///< each element has its own line
    };
    void start(std::string_view key, bool container);
    void open(std::string_view key, char bracket);
    void close(char bracket);
    void plain(std::string_view key, std::string_view text);
    void newLine();

    std::string out_;
    std::vector<Level> levels_;
};

} // namespace alidade::data
