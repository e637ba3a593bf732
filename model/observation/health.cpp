// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_policy.h"

namespace alidade {

std::vector<Finding> judgeHealth(const Observation& observation, const HealthPolicy& policy,
                                 const std::vector<HealthPolicy>&, const HealthContext&) {
    std::vector<Finding> out;
    const SignalTable* xid = observation.table(Signal::xid);
    for (std::size_t i = 0; xid != nullptr && i < xid->rows.size(); ++i) {
        double before = 0;
        const std::span<const double> values = xid->row(i, observation.grid.points);
        for (std::size_t at = 0; at < values.size(); ++at) {
            if (values[at] > 0 && values[at] != before) {
                Finding finding;
                finding.code = static_cast<int>(values[at]);
                const HealthRule rule = ruleFor(policy, finding.kind, finding.code);
                finding.where = xid->rows[i];
                finding.start = observation.grid.at(at);
                finding.action = rule.action;
                finding.advice = rule.advice;
                finding.title = finding.where.host + ": XID " + std::to_string(finding.code);
                out.push_back(finding);
            }
            before = values[at] >= 0 ? values[at] : before;
        }
    }
    return out;
}

std::vector<NodeRank> replaceFirst(const std::vector<Finding>&) { return {}; }

} // namespace alidade
