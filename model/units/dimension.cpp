// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/dimension.h"

namespace alidade {
namespace {

struct Words {
    std::string_view name;
    std::string_view baseUnit;
    std::string_view examples;
    bool mayBeNegative = false;
};

constexpr Words wordsOf(Dimension dimension) {
    switch (dimension) {
    case Dimension::number:
        return {"a plain number", "", "2,048 or 1.5", true};
    case Dimension::ratio:
        return {"a ratio", "", "0.85 or 85 %", true};
    case Dimension::bytes:
        return {"a memory size", "bytes", "80 GB or 80 GiB"};
    case Dimension::seconds:
        return {"a time", "s", "6.13 s or 2 h"};
    case Dimension::flop:
        return {"an amount of computation", "FLOP", "2.5 PFLOP or 1e15 FLOP"};
    case Dimension::bytesPerSecond:
        return {"a bandwidth", "bytes/s", "3.35 TB/s or 400 Gbps"};
    case Dimension::flopPerSecond:
        return {"a compute rate", "FLOP/s", "989.5 TFLOP/s or 2.25 PFLOP/s"};
    case Dimension::flopPerByte:
        return {"an arithmetic intensity", "FLOP/byte", "295 FLOP/byte or 295"};
    case Dimension::dollars:
        return {"an amount of money", "dollars", "$1.2 M or 98.32 USD", true};
    case Dimension::dollarsPerHour:
        return {"a price per hour", "dollars/h", "$98.32/h or 98.32 USD/h"};
    case Dimension::watts:
        return {"a power", "W", "700 W or 10.2 kW"};
    case Dimension::wattHours:
        return {"an energy", "Wh", "950 kWh or 1.2 MWh"};
    case Dimension::tokens:
        return {"a number of tokens", "tokens", "15.6 T tokens or 8,192"};
    case Dimension::tokensPerSecond:
        return {"a token rate", "tokens/s", "2.7 M tokens/s or 950 tokens/s"};
    }
    return {};
}

} // namespace

std::string_view dimensionName(Dimension dimension) { return wordsOf(dimension).name; }
std::string_view baseUnitName(Dimension dimension) { return wordsOf(dimension).baseUnit; }
std::string_view unitExamples(Dimension dimension) { return wordsOf(dimension).examples; }
bool mayBeNegative(Dimension dimension) { return wordsOf(dimension).mayBeNegative; }

} // namespace alidade
