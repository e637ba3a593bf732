// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/collective_case.h"

#include "model/collectives/one_shot.h"
#include "model/plan/fabric_inputs.h"

#include <cctype>

namespace alidade {

namespace {

/// Launch of a collective by a script of PyTorch, seconds (its smallest messages take so much longer than
/// those of nccl-tests).
constexpr double scriptLaunch = 15e-6;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// The part of a source's word: "H100" is the first of "h100-sxm", "h100-...".
const Gpu* partOf(const Catalog& catalog, const std::string& word) {
    const std::string key = lower(word);
    for (const Gpu& gpu : catalog.gpus)
        if (gpu.id == key || gpu.id.starts_with(key + "-"))
            return &gpu;
    return nullptr;
}

/// The number that ends before `end`, with commas between thousands; 0 if there is none.
double numberBefore(std::string_view text, std::size_t end) {
    double value = 0, place = 1;
    bool any = false;
    while (end > 0) {
        const char c = text[--end];
        if (std::isdigit(static_cast<unsigned char>(c))) {
            value += place * (c - '0');
            place *= 10;
            any = true;
        } else if (c != ',') {
            break;
        }
    }
    return any ? value : 0;
}

/// "EFAv3 2 x 200 Gb/s per GPU", "RoCE 3,200 Gb/s per node", "100 Gb/s per 2 GPUs": bytes/s per GPU; 0 if the
/// text says nothing of the kind.
double networkPerGpu(std::string_view fabric, int perNode) {
    constexpr std::string_view unit = " Gb/s per ";
    const std::size_t at = fabric.rfind(unit);
    if (at == std::string_view::npos)
        return 0;
    double gigabits = numberBefore(fabric, at);
    const std::size_t times = fabric.rfind(" x ", at);
    if (times != std::string_view::npos && at - times <= 8)
        gigabits *= numberBefore(fabric, times);
    const std::string_view share = fabric.substr(at + unit.size());
    double gpus = 1;
    if (share.starts_with("node"))
        gpus = perNode;
    else if (!share.empty() && std::isdigit(static_cast<unsigned char>(share.front())))
        gpus = share.front() - '0';
    return gigabits * 1e9 / 8 / gpus;
}

/// GPUs of one NVLink domain that spans nodes, as in "NVL72"; 0 without.
int rackDomain(std::string_view fabric) {
    for (std::size_t at = fabric.find("NVL"); at != std::string_view::npos; at = fabric.find("NVL", at + 1)) {
        int gpus = 0;
        for (const char c : fabric.substr(at + 3, 4)) {
            if (!std::isdigit(static_cast<unsigned char>(c)))
                break;
            gpus = 10 * gpus + (c - '0');
        }
        if (gpus > 0)
            return gpus;
    }
    return 0;
}

std::string networkOfFabric(std::string_view fabric) {
    const std::size_t efa = fabric.find("EFAv");
    if (efa != std::string_view::npos && efa + 4 < fabric.size())
        return std::string("efa") + fabric[efa + 4];
    return fabric.find("InfiniBand") != std::string_view::npos ? "infiniband" : "ethernet";
}

/// The machine of a row: what it says, completed from the catalog. \returns what is wrong
std::string readMachine(const PublishedCollective& row, const Catalog& catalog, CollectiveCase& out) {
    out.gpu = partOf(catalog, row.gpu);
    if (!out.gpu)
        return "'" + row.gpu + "' is not in the catalog";
    if (!out.gpu->nvlinkPerDirection)
        return out.gpu->name + " has no NVLink";
    out.perNode = std::max(1, row.gpus / std::max(1, row.nodes));
    out.domain = std::max(out.perNode, rackDomain(row.fabric));
    out.network = networkOfFabric(row.fabric);
    out.networkPerGpu = networkPerGpu(row.fabric, out.perNode);
    if (const Instance* instance = catalog.instance(row.instance);
        instance && instance->efaPerDirection && instance->efaGeneration) {
        out.network = "efa" + std::to_string(*instance->efaGeneration);
        out.networkPerGpu = instance->efaPerDirection->si() / instance->gpus;
    }
    return {};
}

/// An algorithm that the library was told to take; sources name what it chose by itself in the same place.
std::optional<CollectiveAlgorithm> forcedAlgorithm(const PublishedCollective& row) {
    const bool told =
        row.algo.find("forced") != std::string::npos || row.notes.find("NVLS disabled") != std::string::npos;
    if (!told)
        return std::nullopt;
    return row.algo.starts_with("Ring") ? CollectiveAlgorithm::ring : CollectiveAlgorithm::hierarchical;
}

/// Seconds of the measurement: as printed, or bytes over the bandwidth.
std::optional<double> measuredCollective(const PublishedCollective& row, CollectiveOp op) {
    if (row.timeS)
        return row.timeS;
    if (row.algBandwidth && *row.algBandwidth > 0)
        return *row.bytes / *row.algBandwidth;
    if (row.busBandwidth && *row.busBandwidth > 0)
        return *row.bytes * wireFactor<double>(op, row.gpus) / *row.busBandwidth;
    return std::nullopt;
}

/// Copies of a token that a library's own bandwidth counts, those for the sender's node or rank included.
double countedCopies(const PublishedCollective& row, const CollectiveCase& q) {
    const ExchangeShape<double>& s = q.exchange;
    if (q.kind == ExchangeKind::lowLatency)
        return s.expertsPerToken;
    if (row.bandwidthScope == "RDMA")
        return expectedGroups(s.experts, s.expertsPerToken, q.group.domains(), s.nodeLimit);
    return s.balanced ? std::min(s.expertsPerToken, q.group.ranks)
                      : expectedGroups(s.experts, s.expertsPerToken, q.group.ranks);
}

/// \returns seconds of the measurement
std::optional<double> readExchange(const PublishedCollective& row, CollectiveCase& q) {
    const PublishedExchange& ep = *row.ep;
    q.group = {.ranks = ep.ranks,
               .ranksPerNvlinkDomain = std::min(ep.ranks, q.domain),
               .ranksPerNode = std::min(ep.ranks, q.perNode)};
    // FP8 has a scale of four bytes for 128 elements.
    q.exchange = {.tokens = static_cast<double>(ep.tokensPerRank),
                  .hidden = static_cast<double>(ep.hidden),
                  .elementBytes = row.dtype == "fp8" ? 1 + 4.0 / 128 : 2,
                  .experts = std::max(ep.experts.value_or(256), ep.ranks),
                  .expertsPerToken = ep.perToken,
                  .balanced = row.library.find("OneSided") != std::string::npos};
    q.kind = ep.mode == "low-latency" ? ExchangeKind::lowLatency : ExchangeKind::fused;
    // The published tests of fused kernels choose experts from at most four nodes (DeepEP,
    // tests/test_internode.py).
    q.exchange.nodeLimit = q.kind == ExchangeKind::fused ? 4 : 0;
    if (row.timeS)
        return row.timeS;
    if (row.bandwidth && *row.bandwidth > 0) {
        const double token = q.exchange.tokens * q.exchange.hidden * q.exchange.elementBytes;
        return token * countedCopies(row, q) / *row.bandwidth;
    }
    return std::nullopt;
}

/// \returns seconds of the measurement
std::optional<double> readCollective(const PublishedCollective& row, CollectiveCase& q, std::string& why) {
    q.op = collectiveOf(row.op);
    if (!q.op) {
        why = "'" + row.op + "' is a test of one link, not a collective";
        return std::nullopt;
    }
    if (!row.bytes) {
        why = "the source does not say for how many bytes";
        return std::nullopt;
    }
    q.bytes = *row.bytes;
    q.group = {
        .ranks = row.gpus, .ranksPerNvlinkDomain = std::min(row.gpus, q.domain), .ranksPerNode = q.perNode};
    q.only = forcedAlgorithm(row);
    q.oneShot = row.algo.find("one-shot") != std::string::npos;
    q.launch = row.library.starts_with("torch") ? scriptLaunch : 0;
    return measuredCollective(row, *q.op);
}

} // namespace

std::optional<CollectiveCase> collectiveCase(const PublishedCollective& row, const Catalog& catalog,
                                             std::string& why) {
    CollectiveCase out;
    why = readMachine(row, catalog, out);
    if (!why.empty())
        return std::nullopt;
    const std::optional<double> measured = row.ep ? readExchange(row, out) : readCollective(row, out, why);
    if (!why.empty())
        return std::nullopt;
    if (!measured) {
        why = "the source gives neither a time nor a bandwidth";
        return std::nullopt;
    }
    if (!out.group.insideOneDomain() && out.networkPerGpu <= 0) {
        why = "the source does not say how fast the network is";
        return std::nullopt;
    }
    out.measured = *measured;
    return out;
}

const Parameter* constantOf(const CollectiveCase& which, const Profile& profile, Input input) {
    const std::string_view name = inputInfo(input).name;
    const std::string_view stack = name.starts_with("network_") ? std::string_view(which.network) : "*";
    return findParameter(profile, name, which.gpu->id, which.gpu->architecture, "*", stack);
}

Inputs collectiveInputs(const CollectiveCase& which, const Catalog& catalog, const Profile& profile) {
    Inputs out;
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        const Parameter* parameter = constantOf(which, profile, input);
        if (!parameter)
            parameter = constantOf(which, catalog.defaultProfile, input);
        if (parameter)
            out[input] = parameter->value;
    }
    out[Input::nvlinkBandwidth] = which.gpu->nvlinkPerDirection->si();
    out[Input::networkBandwidth] = which.networkPerGpu;
    return out;
}

double collectiveSeconds(const CollectiveCase& which, const Inputs& inputs) {
    const FabricRates<double> rates = fabricRates<double>(inputs, Bound::network);
    if (!which.op)
        return expertExchange(which.kind, which.exchange, which.group, rates).seconds + which.launch;
    const double library = collectiveOnGroup(*which.op, which.bytes, which.group, rates, which.only).seconds;
    if (!which.oneShot)
        return library + which.launch;
    return std::min(library, oneShotAllReduceTime<double>(which.bytes, which.group.ranks, rates.nvlink)) +
           which.launch;
}

} // namespace alidade
