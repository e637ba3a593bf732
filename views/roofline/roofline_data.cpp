// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_data.h"

#include "views/document/text.h"
#include "views/layers/layer_rows.h"
#include "views/layers/names.h"
#include "views/theme/theme_controller.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double sameRate = 1e-3;    // relative difference of one and the same peak
constexpr double roomRightOf = 1.3;  // of the largest intensity to the end of its axis
constexpr double roomAfterRidge = 3; // of the last ridge
constexpr double roomAbove = 2;      // of the highest peak

double assumption(const Estimate& estimate, const char* name) {
    const auto found = std::ranges::find(estimate.assumptions, name, &AssumptionT<double>::name);
    return found == estimate.assumptions.end() ? 0 : found->value;
}

const Gpu* gpuOf(const ClusterSpec& cluster, const Catalog& catalog) {
    if (cluster.custom.gpu)
        return catalog.gpu(*cluster.custom.gpu);
    if (cluster.ultraserver)
        if (const UltraServer* server = catalog.ultraserver(*cluster.ultraserver))
            return catalog.gpu(server->gpu);
    const Instance* instance = cluster.instance ? catalog.instance(*cluster.instance) : nullptr;
    return instance ? catalog.gpu(instance->gpu) : nullptr;
}

bool isEfa(const ClusterSpec& cluster, const Catalog& catalog) {
    if (cluster.custom.gpu)
        return cluster.custom.network.value_or("").starts_with("efa");
    const Instance* instance = cluster.instance ? catalog.instance(*cluster.instance) : nullptr;
    return !instance || instance->efaGeneration.has_value();
}

/// Where one GPU's formats are equally fast, the roof is that of the first.
QList<PrecisionRoof> precisionsOf(const Estimate& e, const Catalog& catalog) {
    QList<PrecisionRoof> roofs;
    const auto add = [&roofs](const QString& name, double rate, bool present) {
        if (!(rate > 0))
            return;
        const auto known = std::ranges::find_if(roofs, [&](const PrecisionRoof& roof) {
            return std::abs(roof.flopsPerSecond - rate) < sameRate * rate;
        });
        if (known == roofs.end())
            roofs.append({name, rate, present});
        else
            known->present = known->present || present;
    };
    const PlanSpec& plan = e.scenario.plan;
    const QString format = text((e.serving ? plan.activations : plan.precision).value_or("bf16")).toUpper();
    const double peak = assumption(e, "peak");
    if (!e.serving)
        add(format, peak > 0 || !e.training ? peak : e.training->mfuPeakFlopsPerSecond, true);
    add(QStringLiteral("BF16"), assumption(e, "bf16_peak"), false);
    if (const Gpu* gpu = gpuOf(e.scenario.cluster, catalog))
        for (const auto& [name, rate] : {std::pair{"BF16", gpu->bf16}, {"FP8", gpu->fp8}, {"FP4", gpu->fp4}})
            add(text(name), rate ? rate->si() : 0, false);
    if (e.serving) { // which format its matrices compute in follows from the weights: known by its rate
        add(RooflineText::tr("GEMM"), peak, true);
        add(RooflineText::tr("Experts"), assumption(e, "expert_peak"), true);
        if (std::ranges::none_of(roofs, &PrecisionRoof::present) && !roofs.isEmpty())
            roofs.first().present = true;
    }
    std::ranges::sort(roofs, {}, &PrecisionRoof::flopsPerSecond);
    return roofs;
}

/// One GPU sends nothing to others.
QList<FabricRoof> fabricsOf(const Estimate& e, const Catalog& catalog) {
    const Bound network = isEfa(e.scenario.cluster, catalog) ? Bound::efa : Bound::network;
    QList<FabricRoof> roofs;
    for (const auto& [bound, name] : {std::pair{Bound::hbm, "hbm_bandwidth"},
                                      {Bound::nvlink, "nvlink_bandwidth"},
                                      {network, "network_bandwidth"}})
        if (const double rate = assumption(e, name); rate > 0 && (bound == Bound::hbm || e.gpus > 1))
            roofs.append({theme().classStyle(bound).name, bound, rate});
    return roofs;
}

bool isShown(Phase phase, RooflinePhase shown) {
    switch (shown) {
    case RooflinePhase::forward:
        return phase == Phase::forward;
    case RooflinePhase::backward:
        return passOf(phase) == Pass::backward;
    case RooflinePhase::recompute:
        return passOf(phase) == Pass::recompute;
    case RooflinePhase::decode:
        return phase == Phase::decode;
    case RooflinePhase::prefill:
        return phase == Phase::prefill;
    case RooflinePhase::all:
        return true;
    }
    Q_UNREACHABLE();
}

/// "71 % of BF16": the share, and the roof that it is a share of.
QString achievedBy(const Operation& op, const RooflineData& data) {
    const double flops = op.flops / op.seconds;
    const double bytes = op.bytes / op.seconds;
    const auto isRoof = [&](double roof, double reached) {
        return roof > 0 && std::abs(reached / op.efficiency - roof) < 1e-2 * roof;
    };
    const QString share = quantity(op.efficiency, Dimension::ratio, {.significant = 2});
    for (const PrecisionRoof& roof : data.precisions)
        if (isRoof(roof.flopsPerSecond, flops))
            return RooflineText::tr("%1, %2 of %3")
                .arg(quantity(flops, Dimension::flopPerSecond), share, roof.name);
    if (isRoof(data.hbm(), bytes))
        return RooflineText::tr("%1, %2 of HBM").arg(quantity(bytes, Dimension::bytesPerSecond), share);
    return RooflineText::tr("%1, %2 of the roof")
        .arg(op.flops > 0 ? quantity(flops, Dimension::flopPerSecond)
                          : quantity(bytes, Dimension::bytesPerSecond),
             share);
}

QString limitOf(const Operation& op, const RooflineData& data) {
    const QString name = theme().classStyle(op.bound).name;
    const PrecisionRoof* present = data.present();
    if (op.bound != Bound::compute || !present || data.sustained <= 0)
        return name;
    return RooflineText::tr("%1, %2 of the peak sustained")
        .arg(name, quantity(data.sustained / present->flopsPerSecond, Dimension::ratio, {.significant = 2}));
}

RooflinePoint pointFor(const Layer& layer, const Operation& op, const RooflineData& data, bool saysPhase) {
    RooflinePoint point;
    point.selection = {
        .layer = text(layer.kind), .operation = text(op.name), .phase = text(phaseName(op.phase))};
    point.bound = op.bound;
    point.intensity = op.flops > 0 ? op.intensity : 0;
    point.flopsPerSecond = op.flops / op.seconds;
    point.hbmShare = data.hbm() > 0 ? op.bytes / op.seconds / data.hbm() : 0;
    point.seconds = op.seconds;
    const QString bytes = quantity(op.bytes, Dimension::bytes);
    point.work =
        op.flops > 0 ? RooflineText::tr("%1, %2").arg(quantity(op.flops, Dimension::flop), bytes) : bytes;
    point.achieved = achievedBy(op, data);
    point.card.title = saysPhase
                           ? RooflineText::tr("%1, %2").arg(text(op.name), phaseText(op.phase).toLower())
                           : text(op.name);
    point.card.tag = op.bound;
    point.card.rows = {{RooflineText::tr("Work"), point.work},
                       {RooflineText::tr("Intensity"), op.flops > 0
                                                           ? quantity(op.intensity, Dimension::flopPerByte)
                                                           : RooflineText::tr("no arithmetic")},
                       {RooflineText::tr("Achieved"), point.achieved},
                       {RooflineText::tr("Limit"), limitOf(op, data)},
                       {RooflineText::tr("Time"), quantity(op.seconds, Dimension::seconds)}};
    return point;
}

/// The same operation of another kind of layer?
bool isSameOperation(const RooflinePoint& a, const RooflinePoint& b) {
    return a.selection.operation == b.selection.operation && a.selection.phase == b.selection.phase &&
           a.intensity == b.intensity && a.flopsPerSecond == b.flopsPerSecond && a.seconds == b.seconds;
}

/// Of the step; of serving those of both steps.
std::vector<Layer> layersOf(const Estimate& estimate) {
    if (estimate.training)
        return estimate.training->layers;
    std::vector<Layer> layers;
    if (estimate.serving) {
        layers = estimate.serving->layers;
        layers.insert(layers.end(), estimate.serving->prefillLayers.begin(),
                      estimate.serving->prefillLayers.end());
    }
    return layers;
}

double decadeBelow(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }
double decadeAbove(double value) { return std::pow(10.0, std::ceil(std::log10(value) - 1e-9)); }

/// The next of 1, 2, 3, 4, 5, 10, ...
double stepAbove(double value) {
    const double decade = decadeBelow(value);
    for (const double digit : {1.0, 2.0, 3.0, 4.0, 5.0})
        if (digit * decade >= value)
            return digit * decade;
    return 10 * decade;
}

void findEnds(RooflineData& data) {
    const PrecisionRoof* present = data.present();
    if (!present || data.hbm() <= 0)
        return;
    const double highest = data.precisions.constLast().flopsPerSecond;
    AxisEnds x{data.ridge() / 10, roomAfterRidge * highest / data.hbm()};
    AxisEnds y{present->flopsPerSecond / 10, roomAbove * highest};
    double slowest = 1; // share of HBM of what has no arithmetic
    for (const RooflinePoint& point : std::as_const(data.points)) {
        if (point.intensity <= 0) {
            slowest = std::min(slowest, point.hbmShare);
            continue;
        }
        x.low = std::min(x.low, point.intensity);
        x.high = std::max(x.high, roomRightOf * point.intensity);
        y.low = std::min(y.low, point.flopsPerSecond);
        y.high = std::max(y.high, roomAbove * point.flopsPerSecond);
    }
    data.intensities = {decadeBelow(x.low), decadeAbove(x.high)};
    if (data.withoutArithmetic() > 0 && slowest > 0)
        y.low = std::min(y.low, slowest * data.hbm() * data.intensities.low);
    data.rates = {decadeBelow(y.low), stepAbove(y.high)};
}

} // namespace

const PrecisionRoof* RooflineData::present() const {
    const auto found = std::ranges::find(precisions, true, &PrecisionRoof::present);
    return found == precisions.end() ? nullptr : &*found;
}

double RooflineData::hbm() const {
    return fabrics.isEmpty() || fabrics[0].bound != Bound::hbm ? 0 : fabrics[0].bytesPerSecond;
}

double RooflineData::ridge() const {
    const PrecisionRoof* roof = present();
    return roof && hbm() > 0 ? roof->flopsPerSecond / hbm() : 0;
}

int RooflineData::withoutArithmetic() const {
    return static_cast<int>(std::ranges::count(points, 0.0, &RooflinePoint::intensity));
}

RooflineData rooflineData(const Estimate& estimate, const Catalog& catalog, RooflinePhase phase) {
    RooflineData data;
    data.precisions = precisionsOf(estimate, catalog);
    data.fabrics = fabricsOf(estimate, catalog);
    if (const PrecisionRoof* present = data.present())
        data.sustained = assumption(estimate, "gemm_compute_efficiency") * present->flopsPerSecond;
    constexpr std::size_t ofOneKind = 3; // embedding, decoder, head
    const std::vector<Layer> layers = layersOf(estimate);
    const bool severalKinds =
        (estimate.serving ? estimate.serving->layers.size() : layers.size()) > ofOneKind;
    const bool both = estimate.serving && phase == RooflinePhase::all;
    QList<int> counts; // layers that have the operation of a point
    for (const Layer& layer : layers)
        for (const Operation& op : layer.ops) {
            if (!isShown(op.phase, phase) || op.seconds <= 0)
                continue;
            const bool saysPhase = estimate.serving ? both : op.phase != Phase::forward;
            RooflinePoint point = pointFor(layer, op, data, saysPhase);
            if (severalKinds)
                point.card.rows.append(
                    {RooflineText::tr("Layer"), text(layer.title.empty() ? layer.kind : layer.title)});
            // Layers of several kinds share operations: one point, of the kind that there is most of.
            const qsizetype known = std::ranges::find_if(data.points,
                                                         [&point](const RooflinePoint& other) {
                                                             return isSameOperation(point, other);
                                                         }) -
                                    data.points.begin();
            if (known == data.points.size()) {
                data.points.append(std::move(point));
                counts.append(layer.count);
            } else if (counts[known] < layer.count) {
                data.points[known] = std::move(point);
                counts[known] = layer.count;
            }
        }
    findEnds(data);
    return data;
}

bool hasPhase(const Estimate& estimate, RooflinePhase phase) {
    return std::ranges::any_of(layersOf(estimate), [phase](const Layer& layer) {
        return std::ranges::any_of(layer.ops,
                                   [phase](const Operation& op) { return isShown(op.phase, phase); });
    });
}

void setBefore(RooflineData& data, const RooflineData& baseline) {
    for (RooflinePoint& point : data.points) {
        const auto found = std::ranges::find(baseline.points, point.selection, &RooflinePoint::selection);
        if (found == baseline.points.end() || !(found->intensity > 0) || !(point.intensity > 0))
            continue;
        point.beforeIntensity = found->intensity;
        point.beforeFlopsPerSecond = found->flopsPerSecond;
    }
}

int pointOf(const RooflineData& data, const Selection& selection) {
    // The same layer and phase, else the same layer, else the phase in a layer that shares the operation.
    int best = -1, bestRank = 0;
    for (int i = 0; i < data.points.size(); ++i) {
        const Selection& point = data.points[i].selection;
        if (point.operation != selection.operation || selection.operation.isEmpty())
            continue;
        const int rank =
            1 + (point.layer == selection.layer ? 4 : 0) + (point.phase == selection.phase ? 2 : 0);
        if (rank > bestRank) {
            best = i;
            bestRank = rank;
        }
    }
    return best;
}

} // namespace alidade::views
