// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/explain_text.h"

#include "model/catalog/catalog.h"
#include "model/plan/inputs.h"
#include "model/scenario/charged_price.h"
#include "model/scenario/fields.h"
#include "model/units/written_words.h"
#include "views/document/text.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <array>

namespace alidade::views {

namespace {

struct ExplainWords {
    Q_DECLARE_TR_FUNCTIONS(ExplainDialog)
};

constexpr std::size_t mostInputs = 3;  // on a card
constexpr qsizetype longestLine = 150; // characters of a formula on a card

/// Names whose parts do not say what they are.
const QHash<QString, QString>& writtenNames() {
    static const QHash<QString, QString> names{
        {QStringLiteral("itl"), ExplainWords::tr("Mean ITL")},
        {QStringLiteral("gradient_reduce_exposed"), ExplainWords::tr("Exposed gradient reduction")},
        {QStringLiteral("parameter_gather_exposed"), ExplainWords::tr("Exposed parameter all-gather")},
        {QStringLiteral("exposed_communication"), ExplainWords::tr("Exposed communication")},
        {QStringLiteral("exposed_hop_time"), ExplainWords::tr("Exposed time between stages")},
        {QStringLiteral("exposed_host_stream"), ExplainWords::tr("Exposed transfers from host memory")},
        {QStringLiteral("busiest_stage_rest"), ExplainWords::tr("Rest of the busiest stage")},
        {QStringLiteral("context_read"), ExplainWords::tr("Reading the context")},
        {QStringLiteral("boundary_bytes"), ExplainWords::tr("Bytes between stages")},
        {QStringLiteral("bulk_step_latency"), ExplainWords::tr("Latency of a step, large messages")},
        {QStringLiteral("chunk_forward"), ExplainWords::tr("Forward time of a chunk")},
        {QStringLiteral("chunk_backward_input"), ExplainWords::tr("Backward time of a chunk, inputs")},
        {QStringLiteral("chunk_backward_weight"), ExplainWords::tr("Backward time of a chunk, weights")},
        {QStringLiteral("backward_input_time"), ExplainWords::tr("Backward time, inputs")},
        {QStringLiteral("backward_weight_time"), ExplainWords::tr("Backward time, weights")},
        {QStringLiteral("layer_backward_input_time"), ExplainWords::tr("Backward time of a layer, inputs")},
        {QStringLiteral("layer_backward_weight_time"), ExplainWords::tr("Backward time of a layer, weights")},
        {QStringLiteral("layer_forward_time"), ExplainWords::tr("Forward time of a layer")},
        {QStringLiteral("stage_backward_input"), ExplainWords::tr("Backward time of a stage, inputs")},
        {QStringLiteral("stage_backward_weight"), ExplainWords::tr("Backward time of a stage, weights")},
        {QStringLiteral("stage_forward"), ExplainWords::tr("Forward time of a stage")},
        {QStringLiteral("stage_hand_overs"), ExplainWords::tr("Transfers between stages")},
        {QStringLiteral("stage_trainable"), ExplainWords::tr("Trainable parameters of a stage")},
        {QStringLiteral("delta_keys_per_gpu"), ExplainWords::tr("DeltaNet key heads per GPU")},
        {QStringLiteral("delta_values_per_gpu"), ExplainWords::tr("DeltaNet value heads per GPU")},
        {QStringLiteral("delta_value_size"), ExplainWords::tr("DeltaNet value size")},
        {QStringLiteral("ffn_per_gpu"), ExplainWords::tr("MLP width per GPU")},
        {QStringLiteral("further_switches"), ExplainWords::tr("Additional switches on the path")},
        {QStringLiteral("gate_up_width"), ExplainWords::tr("Width of gate and up projections")},
        {QStringLiteral("expert_gate_up_width"),
         ExplainWords::tr("Width of an expert's gate and up projections")},
        {QStringLiteral("host_ratio"), ExplainWords::tr("Host time against GPU time")},
        {QStringLiteral("kernels_against_ordinary_layer"),
         ExplainWords::tr("Kernels against an ordinary layer")},
        {QStringLiteral("kv_transfer_left"), ExplainWords::tr("Exposed KV transfer")},
        {QStringLiteral("uncovered_transfer"), ExplainWords::tr("Exposed transfer")},
        {QStringLiteral("log_of_waiting_over_tail"), ExplainWords::tr("Logarithm of waiting over tail")},
        {QStringLiteral("low_latency"), ExplainWords::tr("Latency of the low-latency algorithm")},
        {QStringLiteral("low_latency_time"), ExplainWords::tr("Time of the low-latency algorithm")},
        {QStringLiteral("layer_activation_bytes_every_other"),
         ExplainWords::tr("Activation bytes of every other layer")},
        {QStringLiteral("own_part_copy"), ExplainWords::tr("Copy of the GPU's own part")},
        {QStringLiteral("trunk_crowding"), ExplainWords::tr("Contention on the trunks")},
        {QStringLiteral("waiting_for_host"), ExplainWords::tr("Waiting for the host")},
        {QStringLiteral("weights_in_hbm"), ExplainWords::tr("Weights in HBM")},
        {QStringLiteral("other_stages_time"), ExplainWords::tr("Time of the other stages")},
        {QStringLiteral("tpot_against_itl"), ExplainWords::tr("Mean over requests instead of gaps")},
        {QStringLiteral("low"), ExplainWords::tr("Low end of the band")},
        {QStringLiteral("high"), ExplainWords::tr("High end of the band")}};
    return names;
}

/// "stage_time_2" is the second step that is called stage_time.
std::pair<QString, QString> nameAndNumber(const QString& name) {
    const qsizetype bar = name.lastIndexOf(QLatin1Char('_'));
    bool number = false;
    const int count = name.mid(bar + 1).toInt(&number);
    return bar > 0 && number && count > 1 ? std::pair(name.left(bar), name.mid(bar + 1))
                                          : std::pair(name, QString());
}

/// What the model calls an input; empty for steps of a formula.
QString inputLabel(const QString& name) {
    static const QHash<QString, QString> labels = [] {
        QHash<QString, QString> all;
        for (std::size_t i = 0; i < inputCount; ++i) {
            const InputInfo& info = inputInfo(static_cast<Input>(i));
            all.insert(QString::fromLatin1(info.name), QString::fromLatin1(info.label));
        }
        return all;
    }();
    return labels.value(name);
}

/// The formula with each name replaced. Names are letters, digits and underscores; so are numbers and the
/// names of functions, which the replacement gives back.
template <class Replacement>
QString withNames(const Explanation& explanation, Replacement&& replacement) {
    QString result;
    QString word;
    const QString formula = text(explanation.formula) + QLatin1Char(' ');
    for (const QChar c : formula) {
        if (c.isLetterOrNumber() || c == QLatin1Char('_')) {
            word += c;
            continue;
        }
        result += replacement(word);
        word.clear();
        result += c == QLatin1Char('*') ? QChar(u'×') : c == QLatin1Char('-') ? QChar(u'−') : c;
    }
    return result.trimmed();
}

const ExplainedTerm* termCalled(const Explanation& explanation, const QString& word) {
    const auto term = std::ranges::find(explanation.terms, word.toStdString(), &ExplainedTerm::name);
    return term == explanation.terms.end() ? nullptr : &*term;
}

QString shortened(const QString& words) {
    return words.size() <= longestLine ? words : words.left(longestLine - 1) + QChar(u'…');
}

/// An input of the hardware: the column of its entry that holds it.
struct HardwareColumn {
    const char *input, *kind, *key;
};
constexpr std::array hardwareColumns = {
    HardwareColumn{"bf16_peak", "gpus", "dense_bf16_tflops"},
    HardwareColumn{"hbm_bandwidth", "gpus", "hbm_bandwidth_gb_per_s"},
    HardwareColumn{"nominal_memory_bytes", "gpus", "hbm_capacity_gb"},
    HardwareColumn{"gpu_power", "gpus", "tdp_w"},
    HardwareColumn{"nvlink_bandwidth", "gpus", "nvlink_bandwidth_gb_per_s_per_direction"},
    HardwareColumn{"capacity_bytes", "instances", "gpu_memory_gb_total"},
    HardwareColumn{"device_memory_bytes", "instances", "gpu_memory_gb_total"},
    HardwareColumn{"network_bandwidth", "instances", "efa_bandwidth_gb_per_s_per_direction"}};

QUrl catalogPlace(const QString& kind, const std::string& entry, const QString& key) {
    QUrl url;
    url.setScheme(QStringLiteral("catalog"));
    url.setPath(kind + QLatin1Char('/') + QString::fromLatin1(QUrl::toPercentEncoding(text(entry))) +
                QLatin1Char('/') + key);
    return url;
}

/// "dense_fp8_tflops" of the format that the GEMMs run in.
QString peakColumn(const ScenarioSpec& scenario) {
    const std::string format = scenario.plan.precision.value_or("bf16");
    const bool four = format.find("fp4") != std::string::npos;
    const bool eight = format.find("fp8") != std::string::npos;
    return four    ? QStringLiteral("dense_fp4_tflops")
           : eight ? QStringLiteral("dense_fp8_tflops")
                   : QStringLiteral("dense_bf16_tflops");
}

QUrl fieldPlace(const QString& path) {
    QUrl url;
    url.setScheme(QStringLiteral("field"));
    url.setPath(path);
    return url;
}

QUrl placeOfPrice(const ExplainedTerm& term, OrderPart part, const ScenarioSpec& scenario,
                  const Catalog& catalog) {
    const Price* found = chargedPrice(catalog, scenario, part);
    if (term.kind == SourceKind::catalog)
        return found == nullptr
                   ? QUrl()
                   : catalogPlace(QStringLiteral("prices"), found->id, QStringLiteral("usd_per_hour"));
    return fieldPlace(part == OrderPart::base ? QStringLiteral("order.base.dollars_per_instance_hour")
                                              : QStringLiteral("cluster.dollars_per_instance_hour"));
}

QUrl placeOfHardware(const QString& name, const ScenarioSpec& scenario, const Catalog& catalog) {
    const UltraServer* server =
        scenario.cluster.ultraserver ? catalog.ultraserver(*scenario.cluster.ultraserver) : nullptr;
    const std::string id = server ? server->instance : scenario.cluster.instance.value_or("");
    const Instance* instance = catalog.instance(id);
    if (instance == nullptr)
        return {};
    if (name == QLatin1String("peak") || name == QLatin1String("expert_peak"))
        return catalogPlace(QStringLiteral("gpus"), instance->gpu, peakColumn(scenario));
    for (const HardwareColumn& each : hardwareColumns)
        if (name == QLatin1String(each.input))
            return catalogPlace(QString::fromLatin1(each.kind),
                                QLatin1String(each.kind) == QLatin1String("gpus") ? instance->gpu : id,
                                QString::fromLatin1(each.key));
    return {};
}

QUrl placeOfField(const QString& name) {
    for (const char* group : {"workload.", "plan.", "cluster.", "workload.finetune."}) {
        const QString path = QLatin1String(group) + name;
        if (findField(path.toStdString()) != nullptr)
            return fieldPlace(path);
    }
    return {};
}

bool isOfModel(const QString& name) {
    for (int i = 0; i <= static_cast<int>(Input::mtpDepth); ++i)
        if (name == QLatin1String(inputInfo(static_cast<Input>(i)).name))
            return true;
    return false;
}

} // namespace

QString kindWords(SourceKind kind) {
    switch (kind) {
    case SourceKind::catalog:
        return ExplainWords::tr("catalog");
    case SourceKind::fitted:
        return ExplainWords::tr("fitted");
    case SourceKind::assumed:
        return ExplainWords::tr("assumed");
    case SourceKind::user:
        return ExplainWords::tr("yours");
    case SourceKind::derived:
        return ExplainWords::tr("computed");
    }
    return {};
}

QUrl placeOfTerm(const ExplainedTerm& term, const ScenarioSpec& scenario, const Catalog& catalog) {
    const QString name = nameAndNumber(text(term.name)).first;
    if (term.kind == SourceKind::fitted)
        return QUrl(QStringLiteral("validation:"));
    if (name == QLatin1String("price"))
        return placeOfPrice(term, OrderPart::rest, scenario, catalog);
    if (name == QLatin1String("base_price"))
        return placeOfPrice(term, OrderPart::base, scenario, catalog);
    if (isOfModel(name))
        return scenario.workload.model && catalog.model(*scenario.workload.model) != nullptr
                   ? catalogPlace(QStringLiteral("models"), *scenario.workload.model, name)
                   : QUrl();
    if (const QUrl hardware = placeOfHardware(name, scenario, catalog); hardware.isValid())
        return hardware;
    return inputLabel(name).isEmpty() ? QUrl() : placeOfField(name);
}

QString termWords(const std::string& identifier) {
    const auto [name, number] = nameAndNumber(text(identifier));
    QString words = inputLabel(name);
    if (words.isEmpty())
        words = writtenNames().value(name);
    if (words.isEmpty()) {
        QStringList parts;
        for (const QString& part : name.split(QLatin1Char('_')))
            parts.append(text(writtenWord(part.toStdString())));
        words = parts.join(QLatin1Char(' '));
        if (!words.isEmpty() && words[0].isLower())
            words[0] = words[0].toUpper();
    }
    return number.isEmpty() ? words : words + QLatin1Char(' ') + number;
}

QString termValue(const ExplainedTerm& term) {
    return quantity(term.value, term.dimension, {.significant = 4});
}

QString formulaInWords(const Explanation& explanation) {
    if (explanation.terms.empty())
        return {};
    return withNames(explanation, [&](const QString& word) {
        return termCalled(explanation, word) != nullptr ? termWords(word.toStdString()) : word;
    });
}

QString formulaInFigures(const Explanation& explanation) {
    if (explanation.terms.empty())
        return {};
    return withNames(explanation, [&](const QString& word) {
        const ExplainedTerm* term = termCalled(explanation, word);
        return term == nullptr ? word : termValue(*term);
    });
}

CardContent explanationCard(const QString& label, const Explanation& explanation) {
    CardContent card;
    card.title =
        label + QStringLiteral(": ") + quantity(explanation.value, explanation.dimension, {.significant = 4});
    if (!explanation.terms.empty()) {
        card.rows.append({ExplainWords::tr("Formula"), shortened(formulaInWords(explanation))});
        card.rows.append({ExplainWords::tr("In figures"), shortened(formulaInFigures(explanation))});
    }
    QStringList inputs;
    for (std::size_t i = 0; i < std::min(mostInputs, explanation.inputs.size()); ++i)
        inputs.append(ExplainWords::tr("%1 %2 (%3)")
                          .arg(termWords(explanation.inputs[i].name), termValue(explanation.inputs[i]),
                               kindWords(explanation.inputs[i].kind)));
    if (explanation.inputs.size() > mostInputs)
        inputs.append(ExplainWords::tr("%1 more").arg(explanation.inputs.size() - mostInputs));
    if (!inputs.isEmpty())
        card.rows.append({ExplainWords::tr("Inputs"), inputs.join(QStringLiteral(", "))});
    if (!explanation.source.empty())
        card.rows.append({ExplainWords::tr("Source"), shortened(text(explanation.source))});
    return card;
}

} // namespace alidade::views
