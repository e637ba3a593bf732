// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a quantity of each dimension: no crash, a refusal is a whole sentence, and what is accepted is
// printed as text that is read again as the same value.
#include "model/units/dimension.h"
#include "model/units/format.h"
#include "model/units/parse.h"

#include <cmath>
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

void checkDimension(std::string_view text, Dimension dimension) {
    const auto value = parseQuantity(text, dimension);
    if (!value) {
        require(value.error().ends_with('.') && value.error().size() < 500);
        return;
    }
    require(std::isfinite(*value) && (*value >= 0 || mayBeNegative(dimension)));
    const auto edited = parseQuantity(editText(*value, dimension), dimension);
    require(edited && *edited == *value);
    const Formatted parts = editParts(*value, dimension);
    const auto fromParts = parseQuantity(parts.number, dimension, parts.unit);
    require(fromParts && *fromParts == *value);
    if (std::abs(*value) > 1e300) // three digits of the largest doubles round up to infinity
        return;
    const std::string printed = formatQuantity(*value, dimension);
    const auto read = parseQuantity(printed, dimension);
    require(read && formatQuantity(*read, dimension) == printed);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Dimension dimension : allDimensions)
        checkDimension(text, dimension);
    return 0;
}
