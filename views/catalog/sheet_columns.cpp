// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/sheet_columns.h"

#include "views/catalog/catalog_sheet.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace alidade::views {

namespace {

using data::CatalogKind;

struct ColumnTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

QStringList keys(const char* list) { return QString::fromLatin1(list).split(QLatin1Char(' ')); }

/// Words in which recorded disagreements name a value, next to its key and its label.
struct DisputeWord {
    const char* word;
    const char* keyPart;
};
constexpr std::array disputeWords = {
    DisputeWord{"NVMe", "nvme"},
    DisputeWord{"HBM total", "gpu_memory"},
    DisputeWord{"GPU memory", "gpu_memory"},
    DisputeWord{"EFA generation", "efa_generation"},
    DisputeWord{"BF16 dense", "dense_bf16"},
    DisputeWord{"host link", "pcie"},
    DisputeWord{"PCIe", "pcie"},
    DisputeWord{"NVLink", "nvlink_bandwidth"},
    DisputeWord{"TDP", "tdp"},
    DisputeWord{"Capacity Block rate", "usd_per_hour"},
};

} // namespace

QList<CatalogKind> sheetKinds() {
    return {CatalogKind::gpus,   CatalogKind::instances,  CatalogKind::ultraservers,
            CatalogKind::efa,    CatalogKind::storage,    CatalogKind::prices,
            CatalogKind::models, CatalogKind::frameworks, CatalogKind::engines};
}

SheetInfo sheetInfo(CatalogKind kind) {
    const QString hardware = ColumnTexts::tr("Hardware");
    const QString money = ColumnTexts::tr("Money");
    const QString workloads = ColumnTexts::tr("Workloads");
    const QString software = ColumnTexts::tr("Software");
    switch (kind) {
    case CatalogKind::gpus:
        return {ColumnTexts::tr("GPUs"), hardware, ColumnTexts::tr("GPU"), ColumnTexts::tr("GPU"),
                keys("name architecture dense_bf16_tflops dense_fp8_tflops dense_fp4_tflops hbm_capacity_gb "
                     "hbm_bandwidth_gb_per_s nvlink_bandwidth_gb_per_s_per_direction tdp_w")};
    case CatalogKind::instances:
        return {ColumnTexts::tr("Instances"), hardware, ColumnTexts::tr("instance"),
                ColumnTexts::tr("Instance"),
                keys("gpu price gpus gpu_memory_gb_total efa_generation efa_bandwidth_gb_per_s_per_direction "
                     "nvlink_bandwidth_tb_per_s_total_bidirectional nvlink_domain_gpus local_nvme_gb_total")};
    case CatalogKind::ultraservers:
        return {
            ColumnTexts::tr("UltraServers"), hardware, ColumnTexts::tr("UltraServer"),
            ColumnTexts::tr("UltraServer"),
            keys("instance instances gpu price gpus nvlink_domain_gpus gpu_memory_tb_total efa_generation "
                 "efa_bandwidth_gb_per_s_per_direction nvlink_bandwidth_tb_per_s_total_bidirectional "
                 "capacity_model")};
    case CatalogKind::efa:
        return {ColumnTexts::tr("EFA"), hardware, ColumnTexts::tr("EFA generation"),
                ColumnTexts::tr("Generation"),
                keys("version nitro_version max_aggregate_gb_per_s_per_direction latency_vs_previous_percent "
                     "collectives_vs_previous_percent instances")};
    case CatalogKind::storage:
        return {ColumnTexts::tr("Storage"), hardware, ColumnTexts::tr("storage tier"),
                ColumnTexts::tr("Tier"),
                keys("name service throughput_mb_per_s_per_tib throughput_max_mb_per_s client_max_gbps "
                     "capacity_gb latency efa_supported")};
    case CatalogKind::prices:
        return {ColumnTexts::tr("Prices"), money, ColumnTexts::tr("price"), ColumnTexts::tr("Price"),
                keys("item region purchase terms usd_per_hour date valid_from valid_until current")};
    case CatalogKind::models:
        return {ColumnTexts::tr("Models"), workloads, ColumnTexts::tr("model"), ColumnTexts::tr("Model"),
                keys("name computed_parameters organization layers hidden_size attention_heads kv_heads "
                     "ffn_intermediate_size moe.routed_experts moe.experts_per_token vocab_size "
                     "max_context_tokens")};
    case CatalogKind::frameworks:
        return {ColumnTexts::tr("Frameworks"), software, ColumnTexts::tr("framework"),
                ColumnTexts::tr("Framework"), keys("name version stack")};
    case CatalogKind::engines:
        return {ColumnTexts::tr("Engines"), software, ColumnTexts::tr("engine"), ColumnTexts::tr("Engine"),
                keys("name version stack memory_share")};
    case CatalogKind::scenarios:
        break;
    }
    return {};
}

bool isDisputed(const QStringList& conflicts, const CatalogSheet::Column& column) {
    const auto about = [&column](const QString& words) {
        const bool named = std::ranges::any_of(disputeWords, [&](const DisputeWord& each) {
            return words.contains(QLatin1String(each.word)) &&
                   column.key.contains(QLatin1String(each.keyPart));
        });
        return named || words.contains(column.key);
    };
    static const QStringList words = {
        QStringLiteral("id"),   QStringLiteral("name"), QStringLiteral("notes"), QStringLiteral("conflicts"),
        QStringLiteral("gpus"), QStringLiteral("norm"), QStringLiteral("layers")};
    return !words.contains(column.key) && std::ranges::any_of(conflicts, about);
}

} // namespace alidade::views
