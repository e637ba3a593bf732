// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_policy.h"

#include <algorithm>
#include <array>

namespace alidade {
namespace {

struct FaultWords {
    FaultKind kind;
    std::string_view name, label;
};

constexpr std::array faultWords{
    FaultWords{FaultKind::xid, "xid", "XID"},
    FaultWords{FaultKind::doubleBitErrors, "double_bit_errors", "double-bit ECC errors"},
    FaultWords{FaultKind::singleBitErrors, "single_bit_errors", "corrected ECC errors rising"},
    FaultWords{FaultKind::rowRemap, "row_remap", "row remapping"},
    FaultWords{FaultKind::thermal, "thermal", "thermal throttling"},
    FaultWords{FaultKind::power, "power", "power throttling"},
    FaultWords{FaultKind::missingGpu, "missing_gpu", "lost GPU"},
    FaultWords{FaultKind::missingTarget, "missing_target", "no metrics"},
    FaultWords{FaultKind::efaRetransmits, "efa_retransmits", "EFA retransmits"},
    FaultWords{FaultKind::efaConnections, "efa_connections", "EFA connections impaired"},
    FaultWords{FaultKind::straggler, "straggler", "straggler"},
    FaultWords{FaultKind::stall, "stall", "hang"},
    FaultWords{FaultKind::restart, "restart", "restart"},
    FaultWords{FaultKind::badLoss, "bad_loss", "loss is not a number"},
    FaultWords{FaultKind::engineRestart, "engine_restart", "engine restart"},
    FaultWords{FaultKind::blankValues, "blank_values", "blank values"},
};

struct ActionWords {
    HealthAction action;
    std::string_view name, label;
};

constexpr std::array actionWords{
    ActionWords{HealthAction::ignore, "ignore", "ignore"},
    ActionWords{HealthAction::watch, "watch", "watch"},
    ActionWords{HealthAction::restartJob, "restart_job", "restart the job"},
    ActionWords{HealthAction::resetGpu, "reset_gpu", "reset the GPU"},
    ActionWords{HealthAction::rebootNode, "reboot_node", "reboot the node"},
    ActionWords{HealthAction::replaceNode, "replace_node", "replace the node"},
};

constexpr auto faultKinds = [] {
    std::array<FaultKind, faultWords.size()> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = faultWords[i].kind;
    return out;
}();

constexpr auto healthActions = [] {
    std::array<HealthAction, actionWords.size()> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = actionWords[i].action;
    return out;
}();

} // namespace

std::string_view faultName(FaultKind kind) { return faultWords[static_cast<std::size_t>(kind)].name; }
std::string_view faultLabel(FaultKind kind) { return faultWords[static_cast<std::size_t>(kind)].label; }
std::span<const FaultKind> allFaultKinds() { return faultKinds; }

std::string_view actionName(HealthAction action) {
    return actionWords[static_cast<std::size_t>(action)].name;
}
std::string_view actionLabel(HealthAction action) {
    return actionWords[static_cast<std::size_t>(action)].label;
}
FindingLevel levelOf(HealthAction action) {
    switch (action) {
    case HealthAction::ignore:
        return FindingLevel::none;
    case HealthAction::watch:
        return FindingLevel::watch;
    case HealthAction::restartJob:
        return FindingLevel::soon;
    default:
        return FindingLevel::now;
    }
}
std::string_view levelName(FindingLevel level) {
    constexpr std::array<std::string_view, 4> names{"none", "watch", "soon", "now"};
    return names.at(static_cast<std::size_t>(level));
}
std::span<const HealthAction> allHealthActions() { return healthActions; }

const HealthRule* findRule(const HealthPolicy& policy, FaultKind kind, int code) {
    const HealthRule* general = nullptr;
    for (const HealthRule& rule : policy.rules) {
        if (rule.kind == kind && rule.code == code)
            return &rule;
        if (rule.kind == kind && rule.code == 0)
            general = &rule;
    }
    return general;
}

HealthRule ruleFor(const HealthPolicy& policy, FaultKind kind, int code) {
    if (const HealthRule* rule = findRule(policy, kind, code))
        return *rule;
    HealthRule out;
    out.kind = kind; // code 0: nothing is said of this one
    out.meaning = std::string(faultLabel(kind));
    out.advice = "Watch it.";
    return out;
}

} // namespace alidade
