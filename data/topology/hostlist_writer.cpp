// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/hostlist.h"

#include <cstdint>

namespace alidade::data {

namespace {

constexpr std::size_t mostDigits = 9; ///< of a number that is counted; what precedes belongs to the name

/// A name, divided before the number at its end.
struct NumberedName {
    std::string_view stem, digits; ///< no digits: the name has no number at its end

    explicit NumberedName(std::string_view name) {
        std::size_t at = name.size();
        while (at > 0 && name.size() - at < mostDigits && name[at - 1] >= '0' && name[at - 1] <= '9')
            --at;
        stem = name.substr(0, at);
        digits = name.substr(at);
    }

    std::uint64_t number() const { return std::stoull(std::string(digits)); }

    /// Whether another name is this one, counted on by `steps`: a range pads to the width of its first
    /// number.
    bool continuesAfter(const NumberedName& first, std::uint64_t steps) const {
        if (stem != first.stem || digits.empty() || first.digits.empty())
            return false;
        std::string expected = std::to_string(first.number() + steps);
        if (expected.size() < first.digits.size())
            expected.insert(0, first.digits.size() - expected.size(), '0');
        return digits == expected;
    }
};

} // namespace

std::string compressHostlist(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size();) {
        const NumberedName first(names[i]);
        std::string ranges;
        std::size_t ends = i, count = 0;
        while (ends < names.size()) { // each turn one range of the bracket
            const NumberedName start(names[ends]);
            if (start.stem != first.stem || start.digits.empty() || first.digits.empty())
                break;
            std::size_t after = ends + 1;
            while (after < names.size() && NumberedName(names[after]).continuesAfter(start, after - ends))
                ++after;
            ranges += (ranges.empty() ? "" : ",") + std::string(start.digits);
            if (after - ends > 1)
                ranges += "-" + std::string(NumberedName(names[after - 1]).digits);
            count += after - ends;
            ends = after;
        }
        out += out.empty() ? "" : ",";
        if (count > 1) {
            out += std::string(first.stem) + "[" + ranges + "]";
            i = ends;
        } else {
            out += names[i++];
        }
    }
    return out;
}

} // namespace alidade::data
