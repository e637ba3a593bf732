// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/unit_ladder.h"

#include "model/units/constants.h"

#include <algorithm>

namespace alidade {
namespace {

/// A power of ten, used from its own size on.
constexpr Rung power(int exponent, std::string_view label) {
    double factor = 1;
    for (int i = 0; i < exponent; ++i)
        factor *= 10;
    return {factor, {factor, label}, exponent, true};
}

constexpr Rung multiple(double from, double factor, std::string_view label) {
    return {from, {factor, label}, 0, false};
}

constexpr Rung number[] = {power(0, ""), power(6, "M"), power(9, "B"), power(12, "T")};
constexpr Rung ratio[] = {{0, {0.01, "%"}, -2, true}};
constexpr Rung bytes[] = {power(0, "B"),   power(3, "kB"),  power(6, "MB"), power(9, "GB"),
                          power(12, "TB"), power(15, "PB"), power(18, "EB")};
constexpr Rung binaryBytes[] = {power(0, "B"),
                                multiple(0x1p10, 0x1p10, "KiB"),
                                multiple(0x1p20, 0x1p20, "MiB"),
                                multiple(0x1p30, 0x1p30, "GiB"),
                                multiple(0x1p40, 0x1p40, "TiB"),
                                multiple(0x1p50, 0x1p50, "PiB"),
                                multiple(0x1p60, 0x1p60, "EiB")};
constexpr Rung seconds[] = {{1e-9, {1e-9, "ns"}, -9, true},
                            {1e-6, {1e-6, "µs"}, -6, true},
                            {1e-3, {1e-3, "ms"}, -3, true},
                            power(0, "s"),
                            multiple(120, 60, "min"),
                            multiple(7200, secondsPerHour, "h"),
                            multiple(172800, secondsPerDay, "days")};
constexpr Rung flop[] = {power(0, "FLOP"),   power(3, "kFLOP"),  power(6, "MFLOP"), power(9, "GFLOP"),
                         power(12, "TFLOP"), power(15, "PFLOP"), power(18, "EFLOP")};
constexpr Rung bytesPerSecond[] = {power(0, "B/s"),   power(3, "kB/s"),  power(6, "MB/s"), power(9, "GB/s"),
                                   power(12, "TB/s"), power(15, "PB/s"), power(18, "EB/s")};
constexpr Rung binaryBytesPerSecond[] = {power(0, "B/s"),
                                         multiple(0x1p10, 0x1p10, "KiB/s"),
                                         multiple(0x1p20, 0x1p20, "MiB/s"),
                                         multiple(0x1p30, 0x1p30, "GiB/s"),
                                         multiple(0x1p40, 0x1p40, "TiB/s"),
                                         multiple(0x1p50, 0x1p50, "PiB/s"),
                                         multiple(0x1p60, 0x1p60, "EiB/s")};
constexpr Rung flopPerSecond[] = {power(0, "FLOP/s"),  power(3, "kFLOP/s"),  power(6, "MFLOP/s"),
                                  power(9, "GFLOP/s"), power(12, "TFLOP/s"), power(15, "PFLOP/s"),
                                  power(18, "EFLOP/s")};
constexpr Rung flopPerByte[] = {power(0, "FLOP/byte")};
constexpr Rung dollars[] = {power(0, "$"), power(6, "M$"), power(9, "B$"), power(12, "T$")};
constexpr Rung dollarsPerHour[] = {power(0, "$/h"), power(6, "M$/h"), power(9, "B$/h"), power(12, "T$/h")};
constexpr Rung watts[] = {power(0, "W"), power(3, "kW"), power(6, "MW"), power(9, "GW"), power(12, "TW")};
constexpr Rung wattHours[] = {power(0, "Wh"), power(3, "kWh"), power(6, "MWh"), power(9, "GWh"),
                              power(12, "TWh")};
constexpr Rung tokens[] = {power(0, "tokens"), power(6, "M tokens"), power(9, "B tokens"),
                           power(12, "T tokens")};
constexpr Rung tokensPerSecond[] = {power(0, "tokens/s"), power(6, "M tokens/s"), power(9, "B tokens/s"),
                                    power(12, "T tokens/s")};

} // namespace

std::span<const Rung> unitLadder(Dimension dimension, bool binary) {
    switch (dimension) {
    case Dimension::number:
        return number;
    case Dimension::ratio:
        return ratio;
    case Dimension::bytes:
        return binary ? binaryBytes : bytes;
    case Dimension::seconds:
        return seconds;
    case Dimension::flop:
        return flop;
    case Dimension::bytesPerSecond:
        return binary ? binaryBytesPerSecond : bytesPerSecond;
    case Dimension::flopPerSecond:
        return flopPerSecond;
    case Dimension::flopPerByte:
        return flopPerByte;
    case Dimension::dollars:
        return dollars;
    case Dimension::dollarsPerHour:
        return dollarsPerHour;
    case Dimension::watts:
        return watts;
    case Dimension::wattHours:
        return wattHours;
    case Dimension::tokens:
        return tokens;
    case Dimension::tokensPerSecond:
        return tokensPerSecond;
    }
    return number;
}

const Rung& baseRung(std::span<const Rung> ladder) {
    const auto base =
        std::find_if(ladder.begin(), ladder.end(), [](const Rung& r) { return r.unit.factor == 1; });
    return base == ladder.end() ? ladder.front() : *base;
}

const Rung& rungFor(std::span<const Rung> ladder, double absValue) {
    if (absValue == 0)
        return baseRung(ladder);
    const auto above =
        std::find_if(ladder.begin() + 1, ladder.end(), [&](const Rung& r) { return absValue < r.from; });
    return *(above - 1);
}

} // namespace alidade
