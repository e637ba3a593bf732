// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_facts.h"

#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_live.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

QString bytesText(double bytes) {
    return bytes > 0 ? quantity(bytes, Dimension::bytes) : QStringLiteral("–");
}

QString rateText(double bytesPerSecond) {
    return bytesPerSecond > 0 ? quantity(bytesPerSecond, Dimension::bytesPerSecond) : QStringLiteral("–");
}

Bound boundOf(LinkKind kind) { return kind == LinkKind::nvlink ? Bound::nvlink : Bound::efa; }

double shareOf(const TopologyData& data, const TopologyFocus& focus, LinkId link) {
    if (!data.hasTraffic)
        return -1;
    const auto& all = focus.load == TopologyLoad::active ? data.active : data.mean;
    return all[static_cast<std::size_t>(link.kind)][ix(link.index)];
}

QString coordinatesText(const TopologyData& data, int rank) {
    const Coordinates place = data.map.coordinates(rank);
    QStringList words;
    const auto add = [&](int degree, const char* name, int value) {
        if (degree > 1)
            words.append(QString::fromLatin1(name) + QLatin1Char(' ') + QString::number(value));
    };
    add(data.degrees.tensor, "TP", place.tensor);
    add(data.degrees.context, "CP", place.context);
    add(data.degrees.pipeline, "PP", place.pipeline);
    add(data.degrees.expert, "EP", place.expert);
    if (data.map.serving)
        words.prepend(data.replicaName(data.replicaOf(rank)));
    else
        add(data.degrees.data, "DP", place.data);
    return words.isEmpty() ? TopologyText::tr("alone") : words.join(QStringLiteral(", "));
}

/// Bytes that a GPU sends in a step for a kind of group, over the link that leads to its peers.
TopologyLine groupLine(const TopologyData& data, const TopologyFocus& focus, GroupKind kind, int gpu) {
    std::vector<int> ring = data.members(kind, gpu);
    TopologyLine line;
    line.group = kind;
    const bool far = data.crossesDomains(ring);
    line.tag = far ? Bound::efa : Bound::nvlink;
    line.name = kind == GroupKind::pipeline
                    ? TopologyText::tr("%1, %2 stages").arg(topologyGroupName(kind)).arg(ring.size())
                    : TopologyText::tr("%1, %2 GPUs").arg(topologyGroupName(kind)).arg(ring.size());
    if (!data.hasTraffic)
        return line;
    const LinkId link{far ? LinkKind::nic : LinkKind::nvlink, gpu};
    const double near = data.traffic.bytes({LinkKind::nvlink, gpu}, kind);
    const double bytes = far ? data.traffic.bytes(link, kind) : near;
    line.detail = bytesText(bytes + (far ? near : 0));
    const double rate = data.map.fabric.bandwidth(link);
    if (focus.load == TopologyLoad::mean && rate > 0 && data.stepSeconds > 0)
        line.share = bytes / (rate * data.stepSeconds);
    else if (bytes > 0)
        line.share = shareOf(data, focus, link);
    else
        line.share = 0;
    return line;
}

QList<TopologyLine> groupLines(const TopologyData& data, const TopologyFocus& focus, int gpu) {
    QList<TopologyLine> lines;
    for (const GroupKind kind : data.kinds)
        if (data.members(kind, gpu).size() > 1)
            lines.append(groupLine(data, focus, kind, gpu));
    return lines;
}

void tellPath(TopologyFacts& facts, const TopologyData& data, const TopologyFocus& focus, int gpu) {
    int to = focus.pathTo;
    if (to < 0 && focus.group) {
        const std::vector<int> ring = data.members(*focus.group, gpu);
        const auto own = std::ranges::find(ring, gpu);
        if (ring.size() > 1 && own != ring.end())
            to = std::next(own) == ring.end() ? ring.front() : *std::next(own);
    }
    if (to < 0 || to == gpu || to >= data.gpus())
        return;
    facts.pathTitle = TopologyText::tr("Path to %1").arg(data.gpuName(to).toLower());
    const std::vector<LinkId> links = path(data.map.fabric, gpu, to);
    const Fabric& fabric = data.map.fabric;
    const bool near = fabric.domainOf(gpu) == fabric.domainOf(to);
    const int switches = near ? 1 : fabric.switches(fabric.hostOf(gpu), fabric.hostOf(to));
    facts.pathAside = near ? TopologyText::tr("NVSwitch")
                           : counted(switches, TopologyText::tr("switch"), TopologyText::tr("switches"));
    for (const LinkId link : links)
        facts.path.append({.name = data.linkName(link),
                           .detail = rateText(fabric.bandwidth(link)),
                           .tag = boundOf(link.kind),
                           .share = shareOf(data, focus, link)});
    facts.pathNote = near ? TopologyText::tr("Both GPUs are in one NVLink domain.")
                          : TopologyText::tr("Each switch beyond the first adds %1.")
                                .arg(quantity(fabric.speeds.hopLatency, Dimension::seconds));
}

/// What is measured on a GPU, where the picture shows it, and the faults of its host.
void tellMeasured(TopologyFacts& facts, const TopologyFocus& focus, int host, int gpu) {
    if (!focus.live || focus.live->matched == 0)
        return;
    if (isLive(focus.color))
        if (const QString value = focus.live->valueText(focus.color, gpu); !value.isEmpty())
            facts.rows.append({topologyLiveName(focus.color), value});
    if (const QString& ails = focus.live->ails[ix(host)]; !ails.isEmpty())
        facts.rows.append({TopologyText::tr("Fault"), ails});
}

QString loadNote(const TopologyFocus& focus) {
    return focus.load == TopologyLoad::active
               ? TopologyText::tr("Load is the share of a link while its groups communicate.")
               : TopologyText::tr("Load is the mean share of a link over the step.");
}

void tellGpu(TopologyFacts& facts, const TopologyData& data, const TopologyFocus& focus, int gpu) {
    const int per = data.map.fabric.gpusPerHost, host = gpu / per, rank = data.rankOf(gpu);
    facts.title = data.gpuName(gpu);
    facts.subtitle =
        TopologyText::tr("%1, GPU %2 of it").arg(shortName(data.hostName(host), 22)).arg(gpu % per);
    if (rank < 0) {
        facts.rows.append({TopologyText::tr("State"),
                           data.isExcluded(host) ? TopologyText::tr("its host is left out")
                           : data.isUnfit(host)
                               ? TopologyText::tr("its host is not a %1").arg(text(data.map.machine))
                               : TopologyText::tr("idle: no rank runs here")});
        tellMeasured(facts, focus, host, gpu);
        return;
    }
    facts.rows.append({TopologyText::tr("Ranks"), coordinatesText(data, rank)});
    const PoolLayout* pool = data.map.poolOf(rank);
    if (pool != nullptr && data.map.serving && !pool->name.empty())
        facts.rows.append({TopologyText::tr("Pool"), text(pool->name)});
    if (data.estimate->training) {
        const auto stage = ix(data.map.coordinates(rank).pipeline);
        const auto& stages = data.estimate->training->stages;
        int layers = 0;
        for (const auto& each : stages)
            layers += each.layers;
        if (stage < stages.size())
            facts.rows.append(
                {TopologyText::tr("Layers"),
                 TopologyText::tr("%1 of %2, stage %3").arg(stages[stage].layers).arg(layers).arg(stage)});
    }
    if (const double memory = data.memory[ix(gpu)]; memory > 0)
        facts.rows.append(
            {TopologyText::tr("Memory"),
             data.memoryCapacity > 0
                 ? TopologyText::tr("%1 of %2").arg(bytesText(memory), bytesText(data.memoryCapacity))
                 : bytesText(memory)});
    facts.groups = groupLines(data, focus, gpu);
    facts.groupsAside = TopologyText::tr("sent per step");
    tellMeasured(facts, focus, host, gpu);
    facts.groupsNote =
        facts.groups.isEmpty() ? TopologyText::tr("It communicates with no other GPU.") : loadNote(focus);
    tellPath(facts, data, focus, gpu);
}

void tellCluster(TopologyFacts& facts, const TopologyData& data, const TopologyFocus& focus) {
    const Fabric& fabric = data.map.fabric;
    facts.title = TopologyText::tr("Cluster");
    facts.subtitle = text(data.map.machine);
    int out = 0;
    for (const bool excluded : data.map.excluded)
        out += excluded ? 1 : 0;
    facts.rows.append({TopologyText::tr("Hosts"), TopologyText::tr("%L1").arg(data.hosts())});
    facts.rows.append({TopologyText::tr("GPUs"),
                       TopologyText::tr("%L1, %L2 in use").arg(data.gpus()).arg(data.map.placement.ranks())});
    if (out > 0)
        facts.rows.append({TopologyText::tr("Left out"),
                           counted(out, TopologyText::tr("host"), TopologyText::tr("hosts"))});
    facts.rows.append({TopologyText::tr("NVLink domains"), TopologyText::tr("%L1").arg(fabric.domains)});
    facts.rows.append({TopologyText::tr("Network layers"),
                       fabric.layers > 0 ? QString::number(fabric.layers) : TopologyText::tr("unknown")});
    facts.rows.append({TopologyText::tr("Fabric"), fabric.assumed
                                                       ? TopologyText::tr("catalog; hosts per leaf assumed")
                                                       : TopologyText::tr("as reported")});
    if (data.map.placement.ranks() > 0) {
        facts.groups = groupLines(data, focus, data.gpuOf(0));
        facts.groupsAside = TopologyText::tr("rank 0, per step");
        facts.groupsNote =
            facts.groups.isEmpty() ? TopologyText::tr("No GPUs communicate.") : loadNote(focus);
    } else
        facts.groupsNote = TopologyText::tr("No ranks are placed here; see Problems.");
}

void tellBusiest(TopologyFacts& facts, const TopologyData& data, const TopologyFocus& focus) {
    if (!data.hasTraffic)
        return;
    facts.pathTitle = TopologyText::tr("Busiest links");
    for (const LinkKind kind : {LinkKind::nvlink, LinkKind::nic, LinkKind::uplink, LinkKind::trunk}) {
        const auto& all =
            (focus.load == TopologyLoad::active ? data.active : data.mean)[static_cast<std::size_t>(kind)];
        const auto most = std::ranges::max_element(all);
        if (most == all.end() || *most <= 0)
            continue;
        const LinkId link{kind, static_cast<int>(most - all.begin())};
        facts.path.append({.name = data.linkName(link),
                           .detail = rateText(data.map.fabric.bandwidth(link)),
                           .tag = boundOf(kind),
                           .share = *most});
    }
    if (facts.path.isEmpty())
        facts.pathNote = TopologyText::tr("No link carries traffic.");
}

void tellHost(TopologyFacts& facts, const TopologyData& data, const TopologyFocus& focus, int host) {
    const Fabric& fabric = data.map.fabric;
    const int per = fabric.gpusPerHost;
    facts.title = shortName(data.hostName(host), 26);
    facts.subtitle = TopologyText::tr("host");
    facts.rows.append({TopologyText::tr("Instance"), shortName(text(data.map.hostIds[ix(host)]), 24)});
    if (ix(host) < data.map.zones.size() && !data.map.zones[ix(host)].empty())
        facts.rows.append({TopologyText::tr("Zone"), text(data.map.zones[ix(host)])});
    if (const int leaf = fabric.leafOf(host); leaf >= 0)
        facts.rows.append({TopologyText::tr("Leaf"), shortName(data.nodeName(leaf), 24)});
    int first = -1, last = -1;
    for (int gpu = host * per; gpu < (host + 1) * per; ++gpu)
        if (const int rank = data.rankOf(gpu); rank >= 0) {
            first = first < 0 ? rank : std::min(first, rank);
            last = std::max(last, rank);
        }
    facts.rows.append(
        {TopologyText::tr("Ranks"), data.isExcluded(host) ? TopologyText::tr("none: left out")
                                    : data.isUnfit(host)  ? TopologyText::tr("none: another machine")
                                    : first < 0           ? TopologyText::tr("none: a spare")
                                    : first == last       ? QString::number(first)
                                                    : TopologyText::tr("%1 – %2").arg(first).arg(last)});
    tellMeasured(facts, focus, host, host * per);
    const LinkId uplink{LinkKind::uplink, host};
    facts.path.append({.name = data.linkName(uplink),
                       .detail = rateText(fabric.bandwidth(uplink)),
                       .tag = Bound::efa,
                       .share = shareOf(data, focus, uplink)});
    facts.pathTitle = TopologyText::tr("Links");
}

void tellLink(TopologyFacts& facts, const TopologyData& data, const TopologyFocus& focus, LinkId link) {
    const Fabric& fabric = data.map.fabric;
    facts.title = shortName(data.linkName(link), 30);
    facts.subtitle = TopologyText::tr("link");
    facts.rows.append({TopologyText::tr("Bandwidth"),
                       TopologyText::tr("%1 per direction").arg(rateText(fabric.bandwidth(link)))});
    facts.rows.append({TopologyText::tr("Shared by"),
                       counted(fabric.sharedBy(link), TopologyText::tr("GPU"), TopologyText::tr("GPUs"))});
    if (link.kind == LinkKind::trunk && fabric.parentOf(link.index) < 0)
        facts.rows.append({TopologyText::tr("Above"), TopologyText::tr("nothing: top of the network")});
    if (!data.hasTraffic) {
        facts.groupsNote = TopologyText::tr("The plan does not run, so its traffic is unknown.");
        return;
    }
    const LinkLoad load = data.traffic.load(link);
    facts.rows.append({TopologyText::tr("Bytes per step"), bytesText(load.bytes)});
    facts.rows.append({TopologyText::tr("Mean load"), quantity(load.meanShare, Dimension::ratio)});
    facts.rows.append({TopologyText::tr("While in use"), quantity(load.activeShare, Dimension::ratio)});
    for (const GroupKind kind : allGroupKinds) {
        if ((load.groups & bitOf(kind)) == 0)
            continue;
        const double bytes = data.traffic.bytes(link, kind);
        facts.groups.append({.name = topologyGroupName(kind),
                             .detail = bytesText(bytes),
                             .tag = boundOf(link.kind),
                             .share = load.bytes > 0 ? bytes / load.bytes : 0,
                             .group = kind});
    }
    facts.groupsAside = TopologyText::tr("share of its bytes");
    facts.groupsNote =
        facts.groups.isEmpty() ? TopologyText::tr("No group of this plan uses it.") : QString();
    Q_UNUSED(focus)
}

} // namespace

QString topologyGroupName(GroupKind kind) {
    QString word = text(groupWord(kind)).toUpper();
    word.replace(QLatin1String("-SHARD"), TopologyText::tr(" shards"));
    word.replace(QLatin1String("-REPLICA"), TopologyText::tr(" replicas"));
    return word;
}

namespace {

QString linkKindName(LinkKind kind) {
    switch (kind) {
    case LinkKind::nvlink:
        return TopologyText::tr("NVLink");
    case LinkKind::nic:
        return TopologyText::tr("network card");
    case LinkKind::uplink:
        return TopologyText::tr("uplink of a host");
    case LinkKind::trunk:
        return TopologyText::tr("link between switches");
    }
    Q_UNREACHABLE();
}

} // namespace

void tellBaseline(TopologyFacts& facts, const TopologyData& baseline, const TopologyFocus& focus) {
    if (!baseline.hasTraffic)
        return;
    if (focus.link) {
        if (focus.link->index >= baseline.map.fabric.linkCount(focus.link->kind))
            return; // another cluster
        const LinkLoad load = baseline.traffic.load(*focus.link);
        facts.rows.append(
            {TopologyText::tr("In the baseline"), TopologyText::tr("mean %1, in use %2")
                                                      .arg(quantity(load.meanShare, Dimension::ratio),
                                                           quantity(load.activeShare, Dimension::ratio))});
        return;
    }
    for (const LinkKind kind : {LinkKind::nvlink, LinkKind::nic, LinkKind::uplink, LinkKind::trunk}) {
        const auto& all =
            (focus.load == TopologyLoad::active ? baseline.active
                                                : baseline.mean)[static_cast<std::size_t>(kind)];
        const auto most = std::ranges::max_element(all);
        if (most == all.end() || *most <= 0)
            continue;
        facts.rows.append({TopologyText::tr("Baseline, busiest %1").arg(linkKindName(kind)),
                           quantity(*most, Dimension::ratio)});
    }
}

TopologyFacts topologyFacts(const TopologyData& data, const TopologyFocus& focus) {
    TopologyFacts facts;
    if (focus.link)
        tellLink(facts, data, focus, *focus.link);
    else if (focus.gpu >= 0)
        tellGpu(facts, data, focus, focus.gpu);
    else if (focus.host >= 0)
        tellHost(facts, data, focus, focus.host);
    else if (focus.node >= 0) {
        tellLink(facts, data, focus, {LinkKind::trunk, focus.node});
        facts.title = shortName(data.nodeName(focus.node), 26);
        facts.subtitle =
            TopologyText::tr("switch, layer %1").arg(data.map.fabric.nodeLayer[ix(focus.node)] + 1);
        facts.rows.prepend(
            {TopologyText::tr("Hosts below"), QString::number(data.map.fabric.nodeHosts[ix(focus.node)])});
    } else {
        tellCluster(facts, data, focus);
        tellBusiest(facts, data, focus);
    }
    return facts;
}

QString topologyWords(const TopologyFacts& facts) {
    QStringList words{facts.title + QStringLiteral(", ") + facts.subtitle};
    for (const auto& [label, value] : facts.rows)
        words.append(label + QStringLiteral(": ") + value);
    const auto tell = [&words](const QList<TopologyLine>& lines) {
        for (const TopologyLine& line : lines)
            words.append(line.name + QStringLiteral(": ") + line.detail +
                         (line.share >= 0 ? QStringLiteral(", ") + quantity(line.share, Dimension::ratio)
                                          : QString()));
    };
    tell(facts.groups);
    if (!facts.pathTitle.isEmpty())
        words.append(facts.pathTitle);
    tell(facts.path);
    return words.join(QStringLiteral("; "));
}

CardContent topologyCard(const TopologyData& data, const TopologyFocus& focus, const TopologyThing& thing) {
    TopologyFocus about = focus;
    about.gpu = thing.gpu;
    about.host = thing.host;
    about.node = thing.node;
    about.link = thing.link;
    about.pathTo = -1;
    about.group.reset();
    CardContent card;
    if (thing.card >= 0) {
        const TopologyScene::Card& shown = data.scene.cards()[ix(thing.card)];
        card.title = data.cardName(thing.card);
        card.rows.append({TopologyText::tr("Hosts"), QString::number(shown.count)});
        card.rows.append({TopologyText::tr("GPUs"), QString::number(shown.count * data.scene.gpusPerHost())});
        return card;
    }
    const TopologyFacts facts = topologyFacts(data, about);
    card.title = facts.title;
    if (thing.link)
        card.tag = boundOf(thing.link->kind);
    if (thing.gpu >= 0)
        card.rows.append({TopologyText::tr("Host"), data.hostName(data.map.fabric.hostOf(thing.gpu))});
    for (const auto& row : facts.rows)
        if (card.rows.size() < 5)
            card.rows.append(row);
    return card;
}

} // namespace alidade::views
