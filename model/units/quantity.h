// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace alidade {

/// What a number measures. Values are in SI base units (bytes, seconds, FLOP, watts), dollars, or dollars per
/// hour; a ratio is 0..1; `number` is a count or a factor without a unit.
enum class Dimension : std::uint8_t {
    number,
    ratio,
    bytes,
    seconds,
    flop,
    bytesPerSecond,
    flopPerSecond,
    flopPerByte,
    dollars,
    dollarsPerHour,
    watts,
    wattHours,
    tokens,
    tokensPerSecond,
};

/// A double with a dimension, so that bytes cannot be passed as bits per second. Constructed only
/// by name (`gigabytes(80)`, `Bytes::si(8e10)`), read only by name (`x.si()`).
template <Dimension D>
class Quantity {
public:
    static constexpr Dimension dimension = D;
    constexpr Quantity() = default;
    static constexpr Quantity si(double value) { return Quantity(value); }
    constexpr double si() const { return value_; }

    constexpr auto operator<=>(const Quantity&) const = default;
    constexpr Quantity operator+(Quantity other) const { return Quantity(value_ + other.value_); }
    constexpr Quantity operator-(Quantity other) const { return Quantity(value_ - other.value_); }
    constexpr Quantity operator*(double factor) const { return Quantity(value_ * factor); }
    constexpr Quantity operator/(double divisor) const { return Quantity(value_ / divisor); }
    constexpr double operator/(Quantity other) const { return value_ / other.value_; }

private:
    constexpr explicit Quantity(double value)
        : value_(value) {}
    double value_ = 0;
};

template <Dimension D>
constexpr Quantity<D> operator*(double factor, Quantity<D> q) {
    return q * factor;
}

using Bytes = Quantity<Dimension::bytes>;
using Seconds = Quantity<Dimension::seconds>;
using Flop = Quantity<Dimension::flop>;
using BytesPerSecond = Quantity<Dimension::bytesPerSecond>;
using FlopPerSecond = Quantity<Dimension::flopPerSecond>;
using Dollars = Quantity<Dimension::dollars>;
using DollarsPerHour = Quantity<Dimension::dollarsPerHour>;
using Watts = Quantity<Dimension::watts>;
using WattHours = Quantity<Dimension::wattHours>;
using Tokens = Quantity<Dimension::tokens>;
using TokensPerSecond = Quantity<Dimension::tokensPerSecond>;
using FlopPerByte = Quantity<Dimension::flopPerByte>;
using Ratio = Quantity<Dimension::ratio>;

constexpr Seconds operator/(Bytes b, BytesPerSecond r) { return Seconds::si(b.si() / r.si()); }
constexpr Seconds operator/(Flop f, FlopPerSecond r) { return Seconds::si(f.si() / r.si()); }
constexpr BytesPerSecond operator/(Bytes b, Seconds t) { return BytesPerSecond::si(b.si() / t.si()); }
constexpr FlopPerSecond operator/(Flop f, Seconds t) { return FlopPerSecond::si(f.si() / t.si()); }
constexpr Bytes operator*(BytesPerSecond r, Seconds t) { return Bytes::si(r.si() * t.si()); }
constexpr Dollars operator*(DollarsPerHour r, Seconds t) { return Dollars::si(r.si() * t.si() / 3600.0); }

constexpr Bytes gigabytes(double v) { return Bytes::si(v * 1e9); }
constexpr Seconds hours(double v) { return Seconds::si(v * 3600.0); }

} // namespace alidade
