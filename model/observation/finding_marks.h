// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding.h"

#include <map>
#include <optional>
#include <string>

namespace alidade {

/// What a person has said of a finding: that it is known, that it should be quiet for a while, and why.
struct FindingMark {
    bool acknowledged = false;
    std::optional<double> mutedUntil; ///< Unix s; infinity: for good
    std::string note;
    double at = 0; ///< Unix s, of the last change
    bool isEmpty() const { return !acknowledged && !mutedUntil && note.empty(); }
    bool operator==(const FindingMark&) const = default;
};

/// By finding, as `markKey` names it.
using FindingMarks = std::map<std::string, FindingMark>;

/// The same thing at the same place has the same key, whenever it is seen: "xid 94 gpu-0031 2".
std::string markKey(const Finding& finding);

bool isMuted(const FindingMark& mark, double now);

} // namespace alidade
