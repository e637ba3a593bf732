// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Takes secrets out of text from elsewhere: a server may send back what it was sent. Finds each
/// secret as it is, in base64 (alone and as user:password), percent-encoded and escaped for JSON.
class Redaction {
public:
    Redaction() = default;
    Redaction(const Connection& connection, const Credentials& credentials);

    /// The text with "[secret]" in the place of each secret. A secret of fewer than four bytes cannot be
    /// replaced without telling where it stands: then a text that holds it is withheld as a whole.
    std::string operator()(std::string text) const;

    /// The same for the beginning of a longer text: what the cut left of a secret at its end goes too.
    std::string ofBeginning(std::string text) const;

private:
    std::vector<std::string> secrets_; ///< in all their forms, the longest first
    std::vector<std::string> short_;
};

/// The first `bytes` of a text for a message: control characters and bytes that are not UTF-8 as \xNN, white
/// space as one space, not cut inside a character.
std::string excerptOf(std::string_view text, std::size_t bytes = 200);

/// Overwrites what the strings hold, as far as the compiler's library lets one.
void wipe(Credentials& credentials);

} // namespace alidade::data
