// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/finding_marks.h"

namespace alidade {

std::string markKey(const Finding& finding) {
    std::string out(faultName(finding.kind));
    if (finding.code != 0)
        out += ' ' + std::to_string(finding.code);
    out += ' ' + (finding.where.host.empty() ? std::string("job") : finding.where.host);
    if (finding.where.gpu >= 0)
        out += ' ' + std::to_string(finding.where.gpu);
    return finding.where.part.empty() ? out : out + ' ' + finding.where.part;
}

bool isMuted(const FindingMark& mark, double now) { return mark.mutedUntil && *mark.mutedUntil > now; }

} // namespace alidade
