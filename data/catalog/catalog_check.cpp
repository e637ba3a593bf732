// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_check.h"

#include "data/catalog/field_io.h"
#include "model/base/calendar.h"
#include "model/scenario/fields.h"
#include "model/serving/number_format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::data {
namespace {

constexpr double tolerance = 0.01; ///< of sums: covers the rounding of published numbers

bool differ(double a, double b) { return std::abs(a - b) > tolerance * std::max(std::abs(a), std::abs(b)); }

/// Returns whether an entry documents a conflict of its sources about something.
bool recorded(const Provenance& provenance, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(provenance.conflicts, [&](const std::string& conflict) {
        return std::ranges::any_of(words,
                                   [&](auto word) { return conflict.find(word) != std::string::npos; });
    });
}

std::string scaled(double si, double unit, const char* label) { return numberText(si / unit) + ' ' + label; }
std::string inGb(Bytes bytes) { return scaled(std::round(bytes.si() / 1e7) * 1e7, 1e9, "GB"); }
std::string inGb(BytesPerSecond rate) { return scaled(rate.si(), 1e9, "GB/s"); }

class Checker {
public:
    explicit Checker(CatalogBuilder& builder)
        : builder_(builder)
        , catalog_(builder.catalog()) {}

    void check() {
        checkProvenance(CatalogKind::gpus, catalog_.gpus);
        checkProvenance(CatalogKind::instances, catalog_.instances);
        checkProvenance(CatalogKind::ultraservers, catalog_.ultraservers);
        checkProvenance(CatalogKind::efa, catalog_.efa);
        checkProvenance(CatalogKind::storage, catalog_.storage);
        checkProvenance(CatalogKind::prices, catalog_.prices);
        checkProvenance(CatalogKind::models, catalog_.models);
        checkProvenance(CatalogKind::frameworks, catalog_.frameworks);
        checkProvenance(CatalogKind::engines, catalog_.engines);
        for (const Instance& instance : catalog_.instances) {
            if (!builder_.isSound(CatalogKind::instances, instance.id))
                continue;
            checkMemory(instance);
            checkEfa(instance);
            checkNvlink(instance);
            checkStorage(instance);
        }
        for (const UltraServer& server : catalog_.ultraservers)
            if (builder_.isSound(CatalogKind::ultraservers, server.id))
                checkUltraServer(server);
        for (const EfaGeneration& generation : catalog_.efa)
            checkGeneration(generation);
        for (const StorageTier& tier : catalog_.storage)
            if (builder_.isSound(CatalogKind::storage, tier.id))
                checkTier(tier);
        checkPrices();
        for (const Framework& framework : catalog_.frameworks)
            checkSoftware(CatalogKind::frameworks, framework);
        for (const Framework& engine : catalog_.engines)
            checkSoftware(CatalogKind::engines, engine);
    }

private:
    const Gpu* soundGpu(const std::string& id) const {
        return builder_.isSound(CatalogKind::gpus, id) ? catalog_.gpu(id) : nullptr;
    }
    const Instance* soundInstance(const std::string& id) const {
        return builder_.isSound(CatalogKind::instances, id) ? catalog_.instance(id) : nullptr;
    }

    template <class T>
    void checkProvenance(CatalogKind kind, const std::vector<T>& entries) {
        const std::vector<std::string> keys = entryKeys<T>();
        for (const T& entry : entries) {
            if (!builder_.places().contains({kind, entry.id}))
                continue;
            const std::vector<Source>& sources = entry.provenance.sources;
            if (sources.empty() || sources.front().authority == "user")
                builder_.fault(kind, entry.id, "sources", "no source; add one with a title and a date");
            for (std::size_t i = 0; i < sources.size(); ++i)
                checkSource(kind, entry.id, i, sources[i], keys);
        }
    }

    void checkSource(CatalogKind kind, const std::string& id, std::size_t index, const Source& source,
                     const std::vector<std::string>& keys) {
        const auto fault = [&](std::string message) {
            builder_.fault(kind, id, "sources",
                           "source " + std::to_string(index + 1) + ": " + std::move(message));
        };
        if (source.title.empty())
            fault("no title");
        if (!source.date.empty() && !isDate(source.date))
            fault("'" + source.date + "' is not a date; use the form \"2026-11-20\"");
        for (const std::string& field : source.fields) {
            const Source one{{}, {}, {}, {}, {}, true, {field}};
            if (std::ranges::none_of(keys, [&](const std::string& key) { return standsFor(one, key); }))
                fault("'" + field + "' is not a key" + suggestion(field, keys));
        }
    }

    void checkMemory(const Instance& i) {
        const Gpu* gpu = soundGpu(i.gpu);
        if (gpu == nullptr || !i.gpuMemory || !differ(i.gpuMemory->si(), i.gpus * gpu->memory.si()) ||
            recorded(i.provenance, {"emory"}))
            return;
        builder_.fault(CatalogKind::instances, i.id, "gpu_memory_gb_total",
                       inGb(*i.gpuMemory) + " is not " + std::to_string(i.gpus) + " x " + inGb(gpu->memory) +
                           "; correct one of them or record the conflict");
    }

    void checkEfa(const Instance& i) {
        const auto fault = [&](const char* key, std::string message) {
            builder_.fault(CatalogKind::instances, i.id, key, std::move(message));
        };
        if (i.efaGeneration.has_value() != i.efaPerDirection.has_value())
            fault(i.efaGeneration ? "efa_bandwidth_gb_per_s_per_direction" : "efa_generation",
                  "missing; EFA generation and bandwidth must be given together");
        const EfaGeneration* generation =
            i.efaGeneration ? catalog_.efaGeneration(*i.efaGeneration) : nullptr;
        if (generation == nullptr)
            return;
        const auto& most = generation->maxAggregatePerDirection;
        if (most && i.efaPerDirection && i.efaPerDirection->si() > most->si() * (1 + tolerance))
            fault("efa_bandwidth_gb_per_s_per_direction",
                  inGb(*i.efaPerDirection) + " exceeds the maximum of EFA " +
                      std::to_string(generation->version) + "; use at most " + inGb(*most));
        if (generation->nitroVersion && i.nitroVersion && *generation->nitroVersion != *i.nitroVersion &&
            !recorded(i.provenance, {"EFA generation"}))
            fault("efa_generation", "EFA " + std::to_string(generation->version) + " belongs to Nitro " +
                                        std::to_string(*generation->nitroVersion) +
                                        ", the instance has Nitro " + std::to_string(*i.nitroVersion) +
                                        "; correct one of them or record the conflict");
    }

    void checkNvlink(const Instance& i) {
        const Gpu* gpu = soundGpu(i.gpu);
        if (gpu == nullptr)
            return;
        const auto fault = [&](const char* key, std::string message) {
            builder_.fault(CatalogKind::instances, i.id, key, std::move(message));
        };
        if (i.nvlinkAggregateBidirectional && gpu->nvlinkPerDirection) {
            const double sum = 2 * i.gpus * gpu->nvlinkPerDirection->si();
            if (differ(i.nvlinkAggregateBidirectional->si(), sum))
                fault("nvlink_bandwidth_tb_per_s_total_bidirectional",
                      scaled(i.nvlinkAggregateBidirectional->si(), 1e12, "TB/s") + " is not 2 x " +
                          std::to_string(i.gpus) + " x " + inGb(*gpu->nvlinkPerDirection) + "; " +
                          "expected " + scaled(sum, 1e12, "TB/s"));
        }
        if (i.nvlinkGeneration && gpu->nvlinkGeneration && *i.nvlinkGeneration != *gpu->nvlinkGeneration)
            fault("nvlink_generation", "NVLink " + std::to_string(*i.nvlinkGeneration) +
                                           ", but its GPUs have NVLink " +
                                           std::to_string(*gpu->nvlinkGeneration));
        if (i.nvlinkDomain > 1 && i.nvlinkDomain % i.gpus != 0)
            fault("nvlink_domain_gpus", std::to_string(i.nvlinkDomain) + " is not a multiple of the " +
                                            std::to_string(i.gpus) + " GPUs; use 1 for no NVLink");
    }

    void checkStorage(const Instance& i) {
        if (i.nvmeDrives && i.nvmeEach && i.nvme && differ(i.nvme->si(), *i.nvmeDrives * i.nvmeEach->si()))
            builder_.fault(CatalogKind::instances, i.id, "local_nvme_gb_total",
                           inGb(*i.nvme) + " is not " + std::to_string(*i.nvmeDrives) + " x " +
                               inGb(*i.nvmeEach));
    }

    void checkUltraServer(const UltraServer& u) {
        const auto fault = [&](const char* key, std::string message) {
            builder_.fault(CatalogKind::ultraservers, u.id, key, std::move(message));
        };
        if (u.instance.empty() != (u.instances == 0))
            fault("instances", "instance and instances must be given together");
        if (u.nvlinkDomain > u.gpus)
            fault("nvlink_domain_gpus", std::to_string(u.nvlinkDomain) + " of " + std::to_string(u.gpus) +
                                            " GPUs; use at most that number");
        const Gpu* gpu = soundGpu(u.gpu);
        if (gpu != nullptr && u.gpuMemory && differ(u.gpuMemory->si(), u.gpus * gpu->memory.si()) &&
            !recorded(u.provenance, {"emory", "HBM"}))
            fault("gpu_memory_tb_total", inGb(*u.gpuMemory) + " is not " + std::to_string(u.gpus) + " x " +
                                             inGb(gpu->memory) +
                                             "; correct one of them or record the conflict");
        const Instance* instance = soundInstance(u.instance);
        if (instance == nullptr)
            return;
        if (u.instances * instance->gpus != u.gpus)
            fault("gpus", std::to_string(u.gpus) + " is not " + std::to_string(u.instances) + " x " +
                              std::to_string(instance->gpus) + " of " + instance->id);
        if (u.gpu != instance->gpu)
            fault("gpu", "'" + u.gpu + "', but " + instance->id + " has '" + instance->gpu + "'");
        if (u.efaPerDirection && instance->efaPerDirection &&
            differ(u.efaPerDirection->si(), u.instances * instance->efaPerDirection->si()))
            fault("efa_bandwidth_gb_per_s_per_direction", inGb(*u.efaPerDirection) + " is not " +
                                                              std::to_string(u.instances) + " x " +
                                                              inGb(*instance->efaPerDirection));
        if (u.efaGeneration && instance->efaGeneration && *u.efaGeneration != *instance->efaGeneration)
            fault("efa_generation", "EFA " + std::to_string(*u.efaGeneration) + ", but " + instance->id +
                                        " has EFA " + std::to_string(*instance->efaGeneration));
    }

    void checkGeneration(const EfaGeneration& generation) {
        for (const std::string& id : generation.instances) {
            const Instance* instance = soundInstance(id);
            if (instance != nullptr && instance->efaGeneration != generation.version)
                builder_.fault(CatalogKind::efa, generation.id, "instances",
                               id + " is listed here, but its own entry has " +
                                   (instance->efaGeneration
                                        ? "EFA " + std::to_string(*instance->efaGeneration)
                                        : std::string("no EFA")));
        }
    }

    void checkTier(const StorageTier& tier) {
        const Instance* instance = soundInstance(tier.instance);
        if (instance != nullptr && instance->nvme && tier.capacity &&
            differ(instance->nvme->si(), tier.capacity->si()))
            builder_.fault(CatalogKind::storage, tier.id, "capacity_gb",
                           inGb(*tier.capacity) + ", but " + instance->id + " has " + inGb(*instance->nvme));
    }

    /// Checks that defaults are fields of a scenario with valid values.
    void checkSoftware(CatalogKind kind, const Framework& entry) {
        const auto check = [&](std::string_view key, const auto& defaults) {
            for (const auto& [path, text] : defaults) {
                const alidade::Field* field = findField(path);
                if (field == nullptr) {
                    const std::string near = nearestField(path);
                    builder_.fault(kind, entry.id, key,
                                   "a scenario has no field '" + path + "'" +
                                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
                } else if (const auto value = parseField(*field, text); !value) {
                    builder_.fault(kind, entry.id, key, path + ": " + value.error());
                }
            }
        };
        check("defaults", entry.defaults);
        check("moe_defaults", entry.moeDefaults);
        check("quantized_defaults", entry.quantizedDefaults);
        check("small_gpu_defaults", entry.smallGpuDefaults);
        check("overlapped", entry.overlapped);
        for (const std::string& word : entry.nativeWeights)
            if (!numberFormat(word))
                builder_.fault(kind, entry.id, "native_weights",
                               "'" + word + "' is not a weight format; use one of plan.weights");
        const bool serves = kind == CatalogKind::engines;
        if (serves ? !memoryShare(entry.memoryShare) : !entry.memoryShare.empty())
            builder_.fault(kind, entry.id, "memory_share",
                           "'" + entry.memoryShare +
                               (serves ? "' is not valid; use \"all\", \"weights_and_cache\" or \"rest\""
                                       : "' does not apply to a training framework; remove it"));
        const bool known = entry.cacheOfRequest == "growing" || entry.cacheOfRequest == "whole";
        if (serves ? !known : !entry.cacheOfRequest.empty())
            builder_.fault(kind, entry.id, "cache_of_request",
                           "'" + entry.cacheOfRequest +
                               (serves ? "' is not valid; use \"growing\" or \"whole\""
                                       : "' does not apply to a training framework; remove it"));
        for (const auto& [key, value] : {std::pair("ignores_windows", entry.ignoresWindows),
                                         std::pair("decodes_by_query_head", entry.decodesByQueryHead),
                                         std::pair("reduces_in_switch", entry.reducesInSwitch),
                                         std::pair("fused_reductions", !entry.fusedReductions.empty())})
            if (value && !serves)
                builder_.fault(kind, entry.id, key, "this does not apply to a training framework; remove it");
        if (entry.sharedExpertAdapters && serves)
            builder_.fault(kind, entry.id, "shared_expert_adapters",
                           "this does not apply to a serving engine; remove it");
    }

    void checkPrices() {
        std::map<std::string, std::vector<const Price*>> seen;
        for (const Price& price : catalog_.prices) {
            if (!isDate(price.date))
                builder_.fault(CatalogKind::prices, price.id, "date",
                               "'" + price.date + "' is not a date; use the form \"2026-11-20\"");
            const bool dated = !price.validFrom.empty() || !price.validUntil.empty();
            if (!checkDates(price) || !price.current)
                continue;
            const std::string key = price.item + '\n' + price.region + '\n' +
                                    purchaseWords()[static_cast<std::size_t>(price.purchase)] + '\n' +
                                    price.terms + (dated ? "\ndated" : "");
            std::vector<const Price*>& before = seen[key];
            const auto found =
                std::ranges::find_if(before, [&](const Price* each) { return datesOverlap(*each, price); });
            const Price* other = found == before.end() ? nullptr : *found;
            before.push_back(&price);
            if (other == nullptr)
                continue;
            const std::string which = price.item + " in " + price.region + " for the same purchase and terms";
            if (dated)
                builder_.fault(CatalogKind::prices, price.id, "valid_from",
                               "a second price of " + which + " on the same days as '" + other->id +
                                   "'; let one end on the day before the other begins");
            else
                builder_.fault(CatalogKind::prices, price.id, "current",
                               "a second current price of " + which +
                                   "; set \"current\": false in the older one, or give both their days with "
                                   "valid_from and valid_until");
        }
    }

    /// \returns whether the days of a price are days, in their order
    bool checkDates(const Price& price) {
        const auto fault = [&](const char* key, const std::string& text) {
            builder_.fault(CatalogKind::prices, price.id, key, text);
            return false;
        };
        for (const auto& [key, day] :
             {std::pair("valid_from", price.validFrom), std::pair("valid_until", price.validUntil)})
            if (!day.empty() && !dayOfDate(day))
                return fault(key, "'" + day + "' is not a day; use the form \"2026-11-20\"");
        if (!price.validFrom.empty() && !price.validUntil.empty() && price.validUntil < price.validFrom)
            return fault("valid_until", "'" + price.validUntil + "' is before valid_from");
        return true;
    }

    static bool datesOverlap(const Price& a, const Price& b) {
        const auto beginsInTime = [](const Price& each, const Price& other) {
            return each.validFrom.empty() || other.validUntil.empty() || each.validFrom <= other.validUntil;
        };
        return beginsInTime(a, b) && beginsInTime(b, a);
    }

    CatalogBuilder& builder_;
    const Catalog& catalog_;
};

} // namespace

void checkContents(CatalogBuilder& builder) {
    builder.checkReferences();
    Checker(builder).check();
}

} // namespace alidade::data
