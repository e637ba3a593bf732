// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a scenario file, and as what a person types into each field: no crash, a refusal has its place
// and says what is wrong, and what is accepted is written as text that is read again as the same.
#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace alidade;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

void checkFile(std::string_view text) {
    const data::ScenarioReading reading = data::readScenario(text);
    require(reading.spec.has_value() == reading.faults.empty());
    for (const data::JsonFault& fault : reading.faults)
        require(!fault.message.empty() && (fault.pointer.empty() || fault.pointer.front() == '/'));
    if (!reading.spec)
        return;
    const std::string written = data::writeScenario(*reading.spec);
    const data::ScenarioReading again = data::readScenario(written);
    require(again.spec.has_value() && data::writeScenario(*again.spec) == written);
}

void checkField(const Field& field, std::string_view text) {
    const auto value = parseField(field, text);
    if (!value) {
        require(!value.error().empty() && value.error().size() < 1000);
        return;
    }
    require(alidade::checkField(field, *value).empty());
    const auto again = parseField(field, fieldText(field, *value));
    require(again && *again == *value);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    checkFile(text);
    if (size < 200) // what people type is short
        for (const Field& field : fieldTable())
            checkField(field, text);
    return 0;
}
