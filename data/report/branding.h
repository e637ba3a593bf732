// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

enum class LogoKind : std::uint8_t { none, png, svg };

/// A picture for the head of a report, as in its file.
struct Logo {
    LogoKind kind = LogoKind::none;
    std::string bytes{};
    double width = 0, height = 0; ///< in its own units, > 0
};

/// Whose document a report is. Texts are untrusted: each is one printable line once it went through
/// brandingText().
struct Branding {
    std::string organization{};
    std::string title{}; ///< empty: the report's own
    std::string author{};
    std::string confidentiality{}; ///< "Confidential"
    Logo logo{};
};

/// A text as one line without control characters, blanks at the ends, or what turns the direction of text; at
/// most 200 bytes, cut at a character.
std::string brandingText(std::string_view text);

/// Largest logo: of its file, and of its width and height in pixels.
inline constexpr std::size_t mostLogoBytes = 1024 * 1024;
inline constexpr double mostLogoPixels = 4096;

/// Which groups of sections a report has; all unless some are named.
struct SectionChoice {
    std::set<std::string, std::less<>> names{}; ///< empty: all
    bool has(std::string_view name) const { return names.empty() || names.contains(name); }
};

/// What a group of sections holds, for a person.
struct SectionGroup {
    std::string_view name, title;
};
/// In the order of the document.
const std::vector<SectionGroup>& sectionGroups();

/// The group of a section by its id; empty: it is always there.
std::string_view groupOfSection(std::string_view id);

/// Reads names that are separated by commas. \returns an error that lists the known ones
Result<SectionChoice> sectionChoice(std::string_view text);

} // namespace alidade::data
