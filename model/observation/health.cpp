// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"

#include <algorithm>
#include <array>
#include <future>
#include <iterator>

namespace alidade {
namespace {

std::string placeOf(const Entity& where) {
    if (where.host.empty())
        return "Job";
    return where.gpu >= 0 ? where.host + ", GPU " + std::to_string(where.gpu) : where.host;
}

std::string whatOf(const Evidence& each, const HealthRule& rule) {
    if (!each.what.empty())
        return each.what;
    switch (each.kind) {
    case FaultKind::xid:
        return "XID " + std::to_string(each.code) +
               (rule.code == each.code && each.code != 0 && !rule.meaning.empty() ? ", " + rule.meaning : "");
    case FaultKind::missingGpu:
        return "lost";
    case FaultKind::missingTarget:
        return each.where.part.empty() ? "no metrics" : "no metrics of " + each.where.part;
    case FaultKind::rowRemap:
        return each.code == remapFailed    ? "row remap failed"
               : each.code == remapPending ? "row remap pending"
                                           : "rows remapped";
    default:
        return std::string(faultLabel(each.kind));
    }
}

std::string joinedFacts(const std::vector<std::string>& facts) {
    std::string out;
    for (const std::string& fact : facts)
        out += (out.empty() ? "" : ", ") + fact;
    return out;
}

/// What the other presets say where they ask for something else.
std::vector<std::string> otherOpinions(const Evidence& each, const HealthPolicy& policy, HealthAction action,
                                       const std::vector<HealthPolicy>& presets) {
    std::vector<std::string> out;
    for (const HealthPolicy& preset : presets) {
        const HealthRule* rule = findRule(preset, each.kind, each.code);
        if (preset.id == policy.id || rule == nullptr || rule->action == action ||
            (each.code != 0 && rule->code != each.code)) { // silent about this code
            continue;
        }
        out.push_back(preset.name + ": " + std::string(actionLabel(rule->action)));
    }
    return out;
}

Finding findingOf(const HealthView& view, const Evidence& each, std::optional<FaultCost> cost,
                  const HealthPolicy& policy, const std::vector<HealthPolicy>& presets) {
    const HealthRule rule = ruleFor(policy, each.kind, each.code);
    Finding out;
    out.kind = each.kind;
    out.code = each.code;
    out.action = rule.action;
    out.where = each.where;
    out.start = each.start;
    if (!each.lasts)
        out.end = each.last;
    out.before = each.before;
    out.times = each.times;
    out.title = placeOf(each.where) + ": " + whatOf(each, rule);
    std::vector<std::string> facts = each.facts;
    for (const std::size_t stop : each.stops) {
        const std::optional<double> redone = view.job.stops[stop].redone;
        if (redone && *redone > view.cluster.step()) {
            facts.push_back("the last " + durationText(*redone) +
                            " before it, since the checkpoint, done again");
        }
    }
    if (each.before)
        facts.emplace_back("since before the observed time");
    if (each.times > 1)
        facts.push_back(std::to_string(each.times) + " times");
    out.evidence = joinedFacts(facts);
    if (!out.evidence.empty() && out.evidence.front() >= 'a' && out.evidence.front() <= 'z')
        out.evidence.front() = static_cast<char>(out.evidence.front() - 'a' + 'A');
    out.advice = rule.advice;
    out.otherAdvice = otherOpinions(each, policy, rule.action, presets);
    out.cost = cost;
    return out;
}

/// What each detector sees, in their order; side by side where there is much to look at.
EvidenceList findAll(const HealthView& view) {
    constexpr std::size_t much = 200'000; ///< points times hosts
    constexpr std::array detectors{findXids,       findMemoryErrors, findMissingGpus, findBlankValues,
                                   findStragglers, findThrottling,   findRetransmits, findBadConnections,
                                   findOutages,    findJobFaults};
    std::array<EvidenceList, detectors.size()> found;
    const bool alone = view.cluster.points() * view.cluster.hosts().size() < much;
    std::vector<std::future<void>> running;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        const auto look = [&view, &found, &detectors, i] { detectors[i](view, found[i]); };
        if (alone)
            look();
        else
            running.push_back(std::async(std::launch::async, look));
    }
    for (std::future<void>& each : running)
        each.get();
    EvidenceList out;
    for (EvidenceList& each : found)
        std::ranges::move(each, std::back_inserter(out));
    return out;
}

} // namespace

std::vector<Finding> judgeHealth(const Observation& observation, const HealthPolicy& policy,
                                 const std::vector<HealthPolicy>& presets, const HealthContext& context) {
    const ClusterDigest cluster(observation);
    const JobTimeline job = jobTimeline(cluster, policy.limits.stallSteps);
    const HealthView view{cluster, job, policy.limits, context.gpusPerNode};
    EvidenceList evidence;
    if (cluster.points() > 0) {
        evidence = findAll(view);
        tellStories(view, evidence);
    }
    const std::vector<std::optional<FaultCost>> costs = faultCosts(view, evidence, context.dollarsPerHour);
    std::vector<Finding> out;
    for (std::size_t i = 0; i < evidence.size(); ++i)
        out.push_back(findingOf(view, evidence[i], costs[i], policy, presets));
    std::ranges::stable_sort(out, [](const Finding& a, const Finding& b) {
        return a.action != b.action ? a.action > b.action : a.start < b.start;
    });
    return out;
}

std::vector<NodeRank> replaceFirst(const std::vector<Finding>& findings) {
    std::vector<NodeRank> out;
    for (const Finding& finding : findings) {
        if (finding.where.host.empty())
            continue;
        auto node = std::ranges::find(out, finding.where.host, &NodeRank::host);
        if (node == out.end())
            node = out.insert(out.end(), NodeRank{finding.where.host, finding.action, 0, 0, {}});
        if (node->why.empty())
            node->why = finding.title;
        else if (finding.action > node->action)
            node->why = finding.title + "; " + node->why;
        else
            node->why += "; " + finding.title;
        node->action = std::max(node->action, finding.action);
        node->seconds += finding.cost ? finding.cost->seconds : 0;
        node->findings += finding.times;
    }
    std::erase_if(out, [](const NodeRank& node) { return node.action < HealthAction::resetGpu; });
    std::ranges::stable_sort(out, [](const NodeRank& a, const NodeRank& b) {
        return a.action != b.action     ? a.action > b.action
               : a.seconds != b.seconds ? a.seconds > b.seconds
                                        : a.findings > b.findings;
    });
    return out;
}

} // namespace alidade
