// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace alidade::data {

/// A sample's value as the API writes it: a decimal number, "NaN", "+Inf" or "-Inf". nullopt: neither, or
/// beyond the range of a double.
std::optional<double> sampleValue(std::string_view text);

/// Reads samples at the beginning of a JSON array: `:[[1767225600.5,"0.25"],[...` from its colon, in exactly
/// the form in which servers write them, without white space. The last sample is left, so that what remains
/// is never empty; reading stops at whatever has another form. Calls `add(milliseconds, value)` for each.
/// \returns how many bytes were read: up to the '[' of a sample, or 0
template <class Add>
std::size_t skimSamples(std::string_view text, Add&& add) {
    constexpr std::string_view opening = ":[[";
    constexpr int mostDigits = 12; ///< of seconds; milliseconds then fit a double's 53 bits
    if (!text.starts_with(opening))
        return 0;
    const char* const end = text.data() + text.size();
    const char* sample = text.data() + 2; ///< the '[' of the sample that is read
    std::size_t read = 0;
    for (;;) {
        const char* at = sample + 1;
        std::int64_t time = 0;
        int digits = 0;
        for (; at < end && *at >= '0' && *at <= '9' && digits < mostDigits; ++at, ++digits)
            time = 10 * time + (*at - '0');
        if (digits == 0 || (digits > 1 && sample[1] == '0'))
            return read;
        int decimals = 0;
        if (at < end && *at == '.') {
            for (++at; at < end && *at >= '0' && *at <= '9' && decimals < 3; ++at, ++decimals)
                time = 10 * time + (*at - '0');
            if (decimals == 0)
                return read;
        }
        for (; decimals < 3; ++decimals)
            time *= 10;
        if (end - at < 3 || at[0] != ',' || at[1] != '"')
            return read;
        at += 2;
        double value = 0;
        const bool negative = *at == '-';
        if (end - at > 2 && at[negative ? 1 : 0] >= '0' && at[negative ? 1 : 0] <= '9') {
            const auto [stop, error] = std::from_chars(at, end, value);
            if (error != std::errc())
                return read;
            at = stop;
        } else {
            const auto* quote =
                static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
            const auto word =
                quote == nullptr ? std::nullopt : sampleValue({at, static_cast<std::size_t>(quote - at)});
            if (!word)
                return read;
            value = *word;
            at = quote;
        }
        constexpr std::string_view next = "\"],[";
        if (static_cast<std::size_t>(end - at) < next.size() ||
            std::memcmp(at, next.data(), next.size()) != 0) {
            return read;
        }
        add(time, value);
        sample = at + next.size() - 1;
        read = static_cast<std::size_t>(sample - text.data());
    }
}

} // namespace alidade::data
