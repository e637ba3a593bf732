// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Returns the shortest JSON number that reads back as the same double; "null" if it is not finite.
std::string jsonNumber(double value);

/// Writes one JSON document, indented, with keys in the order of the calls. With the `architecture` of
/// ScenarioWriter it is a visitor for visitEstimate and visitScenario. Keys are empty for the root and for
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
    void text(std::string_view key, std::string_view value); ///< invalid UTF-8 becomes U+FFFD
    void flag(std::string_view key, bool value) { plain(key, value ? "true" : "false"); }
    void null(std::string_view key) { plain(key, "null"); }
    /// Writes a value that is already JSON, indented by two spaces per level; may have several lines.
    void document(std::string_view key, std::string_view json);

    /// Returns the document, with a trailing newline.
    std::string take();

private:
    struct Level {
        bool array = false;
        bool empty = true;
        bool broken = false; ///< each element is on its own line
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
