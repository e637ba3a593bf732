// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_sheet.h"

#include "data/catalog/field.h"
#include "model/catalog/catalog.h"
#include "model/workload/parameters.h"
#include "views/document/text.h"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>

#include <algorithm>
#include <type_traits>

namespace alidade::views {

namespace {

struct CatalogTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

using Cell = CatalogSheet::Cell;
using Column = CatalogSheet::Column;

const QString dash = QStringLiteral("–");

/// Columns that most people look for, by kind; the others wait behind the column menu.
const QHash<QString, QStringList>& commonKeys() {
    const auto words = [](const char* list) { return QString::fromLatin1(list).split(QLatin1Char(' ')); };
    static const QHash<QString, QStringList> keys = {
        {QStringLiteral("gpus"),
         words("name architecture dense_bf16_tflops dense_fp8_tflops dense_fp4_tflops "
               "hbm_capacity_gb hbm_bandwidth_gb_per_s "
               "nvlink_bandwidth_gb_per_s_per_direction tdp_w")},
        {QStringLiteral("instances"),
         words("gpu gpus gpu_memory_gb_total efa_generation efa_bandwidth_gb_per_s_per_direction "
               "nvlink_bandwidth_tb_per_s_total_bidirectional nvlink_domain_gpus local_nvme_tb_raw")},
        {QStringLiteral("ultraservers"),
         words("instance instances gpu gpus nvlink_domain_gpus gpu_memory_tb_total efa_generation "
               "efa_bandwidth_gb_per_s_per_direction nvlink_bandwidth_tb_per_s_total_bidirectional "
               "capacity_model")},
        {QStringLiteral("efa"),
         words("version nitro_version max_aggregate_gb_per_s_per_direction "
               "latency_vs_previous_percent collectives_vs_previous_percent instances")},
        {QStringLiteral("storage"), words("name service throughput_mb_per_s_per_tib throughput_max_mb_per_s "
                                          "client_max_gbps capacity_gb latency efa_supported")},
        {QStringLiteral("prices"), words("item region purchase terms usd_per_hour date current")},
        {QStringLiteral("models"),
         words("name computed_parameters organization layers hidden_size attention_heads kv_heads "
               "ffn_intermediate_size vocab_size max_context_tokens")},
        {QStringLiteral("frameworks"), words("name version stack")}};
    return keys;
}

Cell wordCell(const std::string& word) {
    return word.empty() ? Cell{dash, {}} : Cell{text(word), text(word)};
}

Cell listCell(const std::vector<std::string>& words) {
    QStringList list;
    for (const std::string& word : words)
        list.append(text(word));
    return wordCell(list.join(QStringLiteral(", ")).toStdString());
}

/// \param digits significant ones; catalog values are given, not computed, so none is rounded away
Cell numberCell(double value, int digits = 9) {
    return {quantity(value, Dimension::number, {.significant = digits, .trimZeros = true}), value};
}

Cell flagCell(bool value) {
    return {value ? CatalogTexts::tr("yes") : CatalogTexts::tr("no"), value ? 1 : 0};
}

/// Reads any member of an entry that a field of the catalog may name.
template <class T>
struct CellOf {
    const T& entry;
    const data::FieldUnit& unit;

    Cell number(double si) const { return numberCell(si * unit.divide / unit.multiply); }

    Cell operator()(std::string T::* member) const { return wordCell(entry.*member); }
    Cell operator()(std::vector<std::string> T::* member) const { return listCell(entry.*member); }
    Cell operator()(bool T::* member) const { return flagCell(entry.*member); }
    Cell operator()(const data::Choice<T>& choice) const { return wordCell(choice.words[choice.get(entry)]); }
    template <class V>
    Cell operator()(std::optional<V> T::* member) const {
        const std::optional<V>& value = entry.*member;
        return value ? shown(*value) : Cell{dash, {}};
    }
    template <class V>
    Cell operator()(V T::* member) const {
        return shown(entry.*member);
    }

private:
    template <class V>
    Cell shown(const V& value) const {
        if constexpr (std::is_same_v<V, bool>)
            return flagCell(value);
        else if constexpr (std::is_arithmetic_v<V>)
            return number(static_cast<double>(value));
        else
            return number(value.si());
    }
};

template <class T>
bool isNumber(const data::Field<T>& field) {
    return !std::holds_alternative<std::string T::*>(field.member) &&
           !std::holds_alternative<std::vector<std::string> T::*>(field.member) &&
           !std::holds_alternative<data::Choice<T>>(field.member) &&
           !std::holds_alternative<bool T::*>(field.member) &&
           !std::holds_alternative<std::optional<bool> T::*>(field.member);
}

template <class T>
CatalogSheet sheet(const QString& kind, const QString& title, const QString& group,
                   const std::vector<T>& entries) {
    CatalogSheet made{.kind = kind, .title = title, .group = group, .columns = {}, .rows = {}};
    const QStringList common = commonKeys().value(kind);
    made.columns.append({QStringLiteral("id"), CatalogTexts::tr("Id"), false, true});
    for (const data::Field<T>& field : data::fieldsOf<T>()) {
        const QString key = QString::fromLatin1(field.key);
        const QString unit = QString::fromLatin1(field.unit.label);
        const QString label = CatalogTexts::tr(field.label);
        made.columns.append({key, unit.isEmpty() ? label : label + QStringLiteral(", ") + unit,
                             isNumber(field), common.contains(key)});
    }
    for (const T& entry : entries) {
        CatalogSheet::Row row{.id = text(entry.id), .cells = {}, .provenance = &entry.provenance};
        row.cells.append(wordCell(entry.id));
        for (const data::Field<T>& field : data::fieldsOf<T>())
            row.cells.append(std::visit(CellOf<T>{entry, field.unit}, field.member));
        made.rows.append(row);
    }
    return made;
}

/// Catalogs hold no computed total, so it stands here as what it is: counted from the other columns.
void addParameterCounts(CatalogSheet& sheet, const std::vector<Architecture>& models) {
    const int place = 2; // after id and name
    sheet.columns.insert(
        place, {QStringLiteral("computed_parameters"), CatalogTexts::tr("Parameters, counted"), true, true});
    for (qsizetype i = 0; i < sheet.rows.size(); ++i) {
        const double count = static_cast<double>(countParameters(models[static_cast<std::size_t>(i)]).total);
        sheet.rows[i].cells.insert(place, {quantity(count, Dimension::tokens, {.significant = 4}), count});
    }
}

} // namespace

QList<CatalogSheet> sheetsOf(const Catalog& catalog) {
    const QString hardware = CatalogTexts::tr("Hardware");
    const QString money = CatalogTexts::tr("Money");
    const QString workloads = CatalogTexts::tr("Workloads");
    QList<CatalogSheet> sheets = {
        sheet(QStringLiteral("gpus"), CatalogTexts::tr("GPUs"), hardware, catalog.gpus),
        sheet(QStringLiteral("instances"), CatalogTexts::tr("Instances"), hardware, catalog.instances),
        sheet(QStringLiteral("ultraservers"), CatalogTexts::tr("UltraServers"), hardware,
              catalog.ultraservers),
        sheet(QStringLiteral("efa"), CatalogTexts::tr("EFA"), hardware, catalog.efa),
        sheet(QStringLiteral("storage"), CatalogTexts::tr("Storage"), hardware, catalog.storage),
        sheet(QStringLiteral("prices"), CatalogTexts::tr("Prices"), money, catalog.prices),
        sheet(QStringLiteral("models"), CatalogTexts::tr("Models"), workloads, catalog.models),
        sheet(QStringLiteral("frameworks"), CatalogTexts::tr("Frameworks"), workloads, catalog.frameworks)};
    addParameterCounts(sheets[6], catalog.models);
    return sheets;
}

} // namespace alidade::views
