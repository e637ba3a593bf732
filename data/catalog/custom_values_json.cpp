// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/custom_values_json.h"

namespace alidade::data {

void writeCustomValues(JsonWriter& writer, std::span<const CustomValue> values) {
    if (values.empty())
        return;
    const auto known = [&writer](std::string_view key, const std::string& text) {
        if (!text.empty())
            writer.text(key, text);
    };
    writer.beginArray("custom_values");
    for (const CustomValue& each : values) {
        writer.beginObject({});
        writer.text("kind", name(each.kind));
        writer.text("entry", each.entry);
        known("key", each.key);
        writer.text("label", each.label);
        writer.text("value", each.value);
        writer.text("shipped", each.shipped);
        known("date", each.date);
        known("source", each.source);
        writer.endObject();
    }
    writer.endArray();
}

} // namespace alidade::data
