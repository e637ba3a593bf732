// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace alidade {

namespace {

struct PartName {
    std::string_view words; ///< how the source's words for the part begin
    std::string_view gpu;   ///< id in the catalog
    double network;         ///< bytes/s per GPU and direction of the usual cluster of such parts
};

/// The longest that fits wins.
constexpr std::array parts = {
    PartName{"A100-SXM4-80GB", "a100-80gb-sxm", 25e9},
    PartName{"A100-SXM4-40GB", "a100-40gb-sxm", 25e9},
    PartName{"A100-80GB", "a100-80gb-sxm", 25e9},
    PartName{"A100", "a100-80gb-sxm", 25e9},
    PartName{"H100-96GB", "h100-sxm-96gb", 50e9},
    PartName{"H100", "h100-sxm", 50e9},
    PartName{"H800", "h800-sxm", 50e9},
    PartName{"H20-96GB", "h20-sxm", 50e9},
    PartName{"A800", "a100-80gb-sxm", 25e9},
    PartName{"H200", "h200-sxm", 50e9},
    PartName{"H200-NVL", "h200-nvl", 50e9},
    PartName{"B200", "b200-sxm", 50e9},
    PartName{"B300", "b300-sxm", 100e9},
    PartName{"GB200", "gb200", 50e9},
    PartName{"GB300", "gb300", 100e9},
    PartName{"RTX PRO 6000 Blackwell S", "rtx-pro-6000-se", 50e9},
};

const PartName* partNamed(std::string_view words) {
    const PartName* best = nullptr;
    for (const PartName& each : parts)
        if (words.starts_with(each.words) && (!best || each.words.size() > best->words.size()))
            best = &each;
    return best;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A number with commas between groups of digits that ends right before `end`; `begin` is set to where it
/// starts.
double numberBefore(std::string_view words, std::size_t end, std::size_t& begin) {
    begin = end;
    while (begin > 0 && (isDigit(words[begin - 1]) || words[begin - 1] == ',' || words[begin - 1] == '.'))
        --begin;
    std::string digits;
    for (const char c : words.substr(begin, end - begin))
        if (c != ',')
            digits += c;
    return std::strtod(digits.c_str(), nullptr);
}

std::string networkOfWords(std::string_view words) {
    const bool ethernet = saysWord(words, "RoCE") || saysWord(words, "Ethernet") || saysWord(words, "TCP");
    return ethernet ? "ethernet" : "infiniband";
}

} // namespace

std::string publishedGpu(std::string_view words, const Catalog& catalog) {
    const PartName* part = partNamed(words);
    const std::string id(part ? part->gpu : words);
    return catalog.gpu(id) ? id : std::string();
}

std::optional<double> publishedNetworkRate(std::string_view words, int gpusPerNode) {
    for (const auto& [unit, bitsPerS] :
         {std::pair<std::string_view, double>{" Gb/s", 1e9}, {" Tb/s", 1e12}}) {
        const std::size_t at = words.find(unit);
        if (at == std::string_view::npos)
            continue;
        std::size_t begin = 0;
        const double rate = numberBefore(words, at, begin) * bitsPerS / 8;
        if (rate <= 0)
            continue;
        const std::string_view after = words.substr(at + unit.size(), 24);
        if (begin >= 2 && words.substr(begin - 2, 2) == "x ") { // "8x 400 Gb/s": ports of a node
            const std::size_t ports = begin >= 3 && words[begin - 3] == ' ' ? begin - 3 : begin - 2;
            std::size_t start = 0;
            return rate * numberBefore(words, ports, start) / gpusPerNode;
        }
        return saysWord(after, "per GPU") || saysWord(words, "per GPU") ? rate : rate / gpusPerNode;
    }
    return std::nullopt;
}

std::string publishedCluster(const PublishedHardware& hardware, const Catalog& catalog, ClusterSpec& out,
                             std::vector<std::string>& assumed) {
    if (!hardware.gpus || *hardware.gpus < 1)
        return "the source does not give the number of GPUs";
    const int gpus = *hardware.gpus;
    if (const Instance* instance = catalog.instance(hardware.instance)) {
        out.instance = instance->id;
        out.instances = (gpus + instance->gpus - 1) / instance->gpus;
        out.gpus = gpus;
        return {};
    }
    const std::string gpu = publishedGpu(hardware.gpu, catalog);
    if (gpu.empty())
        return "the catalog has no GPU '" + hardware.gpu + "'; add a catalog entry of that id";
    CustomClusterSpec& custom = out.custom;
    const int perNode = std::min(hardware.gpusPerNode, gpus);
    custom.gpu = gpu;
    custom.gpusPerNode = perNode;
    // Whether a run fits is up to the memory that the device has, not to the rounded figure on its label.
    if (const auto reported = catalog.gpu(gpu)->deviceReportedMemory)
        custom.memoryBytesPerGpu = reported->si();
    custom.nvlinkDomain = std::max(hardware.scaleUpDomain, perNode);
    custom.network = networkOfWords(hardware.network);
    custom.networkBytesPerSPerGpuPerDirection = publishedNetworkRate(hardware.network, hardware.gpusPerNode);
    out.instances = (gpus + perNode - 1) / perNode;
    out.gpus = gpus;
    if (!custom.networkBytesPerSPerGpuPerDirection) {
        const PartName* part = partNamed(hardware.gpu);
        custom.networkBytesPerSPerGpuPerDirection = part ? part->network : 50e9;
        if (gpus > *custom.nvlinkDomain)
            assumed.emplace_back("cluster.custom.network_bytes_per_s_per_gpu_per_direction");
    }
    return {};
}

} // namespace alidade
