// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_search.h"

#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"

#include <QRegularExpression>

#include <array>

namespace alidade::views {
namespace {

/// 0: the same, 1: begins so, 2: contains it, -1: no match.
int matchOf(const std::string& name, const QString& words) {
    const QString shown = text(name);
    const qsizetype place = shown.indexOf(words, 0, Qt::CaseInsensitive);
    return place < 0 ? -1 : place > 0 ? 2 : shown.size() == words.size() ? 0 : 1;
}

/// Hits in the order in which they are shown.
class HitLists {
public:
    explicit HitLists(qsizetype most)
        : most_(most) {}
    void add(int match, const TopologyHit& hit) {
        if (match >= 0 && lists_[ix(match)].size() < most_)
            lists_[ix(match)].append(hit);
    }
    QList<TopologyHit> best() const {
        QList<TopologyHit> all;
        for (const auto& list : lists_)
            all += list;
        return all.mid(0, most_);
    }

private:
    qsizetype most_;
    std::array<QList<TopologyHit>, 3> lists_;
};

} // namespace

QList<TopologyHit> searchTopology(const TopologyData& data, const QString& typed, qsizetype most) {
    const QString words = typed.trimmed();
    if (words.isEmpty())
        return {};
    HitLists hits(most);
    static const QRegularExpression number(QStringLiteral("^(?:(rank|gpu)\\s*)?([0-9]{1,9})$"),
                                           QRegularExpression::CaseInsensitiveOption);
    if (const auto found = number.match(words); found.hasMatch()) {
        const bool isGpu = found.captured(1).compare(QLatin1String("gpu"), Qt::CaseInsensitive) == 0;
        const int index = found.captured(2).toInt();
        if (isGpu ? index < data.gpus() : index < data.map.placement.ranks()) {
            const int gpu = isGpu ? index : data.gpuOf(index);
            hits.add(0,
                     {isGpu ? TopologyText::tr("GPU %1").arg(index) : TopologyText::tr("Rank %1").arg(index),
                      data.hostName(data.map.fabric.hostOf(gpu)),
                      {.gpu = gpu, .link = {}}});
        }
        if (!found.captured(1).isEmpty())
            return hits.best();
    }
    const int per = data.map.fabric.gpusPerHost;
    for (int host = 0; host < data.hosts(); ++host) {
        int match = matchOf(data.map.hostIds[ix(host)], words);
        if (const int byName = matchOf(data.map.hostNames[ix(host)], words);
            byName >= 0 && (match < 0 || byName < match))
            match = byName;
        if (match < 0)
            continue;
        const int rank = data.rankOf(host * per);
        hits.add(match, {text(data.map.hostIds[ix(host)]),
                         data.isExcluded(host) ? TopologyText::tr("host, left out")
                         : data.isUnfit(host)  ? TopologyText::tr("host, another machine")
                         : rank < 0            ? TopologyText::tr("host, idle")
                                               : TopologyText::tr("host of rank %1").arg(rank),
                         {.host = host, .link = {}}});
    }
    for (int node = 0; node < data.map.fabric.nodes(); ++node)
        hits.add(matchOf(data.map.nodeIds[ix(node)], words),
                 {data.nodeName(node),
                  TopologyText::tr("switch, layer %1").arg(data.map.fabric.nodeLayer[ix(node)] + 1),
                  {.node = node, .link = {}}});
    for (std::size_t card = 0; card < data.scene.cards().size(); ++card)
        if (const int domain = data.scene.cards()[card].domain; domain >= 0)
            hits.add(matchOf(data.map.domainIds[ix(domain)], words),
                     {text(data.map.domainIds[ix(domain)]),
                      TopologyText::tr("NVLink domain"),
                      {.card = static_cast<int>(card), .link = {}}});
    return hits.best();
}

} // namespace alidade::views
