// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_export.h"

#include "data/file/write_file.h"
#include "data/handoff/slurm_topology_file.h"
#include "data/topology/host_lists.h"
#include "model/catalog/catalog.h"
#include "views/document/text.h"
#include "views/kit/table_text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_paint.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr double pngRatio = 2;
constexpr int wholeWidth = 1600, mostHeight = 4000; // px of a picture of the whole cluster

TextTable hostTable(const TopologyData& data, TopologyLoad load) {
    TextTable table;
    for (const CellColumn& column : topologyColumns())
        table.headers.append(column.title);
    for (const CellRow& row : topologyRows(data, load)) {
        QStringList cells;
        for (const Cell& cell : row.cells)
            cells.append(cell.value.isValid() ? cell.value.toString() : cell.text);
        table.rows.append(cells);
    }
    return table;
}

} // namespace

QString exportTopology(const TopologyPicture& picture, const QString& file, bool whole) {
    const TopologyData& data = *picture.data;
    if (file.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
        return data::writeFile(file,
                               tableText(hostTable(data, picture.focus.load), TableFormat::csv).toUtf8());
    QSize size = picture.size;
    TopologyCamera camera = picture.camera;
    if (whole) {
        const QSizeF bounds = data.scene.bounds().size();
        const double height = wholeWidth * bounds.height() / std::max(bounds.width(), 1.0);
        size = QSize(wholeWidth, std::clamp(static_cast<int>(height), wholeWidth / 4, mostHeight));
        camera = wholeTopology(data.scene, size);
    }
    const Theme paper = Theme::paper(picture.fontScale);
    const TopologyLook marks = topologyLook(data, picture.focus, paper);
    const auto draw = [&](QPainter& painter, bool vector) {
        TopologyPainter().paint(painter, data, marks, paper, camera, size, vector);
    };
    if (file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(), size));
        svg.setTitle(TopologyText::tr("Topology"));
        svg.setResolution(96);
        {
            QPainter painter(&svg);
            draw(painter, true);
        }
        return data::writeFile(file, buffer.data());
    }
    QImage image(size * pngRatio, QImage::Format_RGB32);
    image.setDevicePixelRatio(pngRatio);
    {
        QPainter painter(&image);
        draw(painter, false);
    }
    QByteArray content;
    QBuffer buffer(&content);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return TopologyText::tr("the picture could not be made");
    return data::writeFile(file, content);
}

QString exportRanks(const TopologyData& data, RankFile kind, const QString& file) {
    const std::string fault = kind == RankFile::table ? std::string() : data::hostNameFault(data.map);
    if (!fault.empty())
        return text(fault);
    const std::string content = kind == RankFile::slurm ? data::slurmHostFile(data.map)
                                : kind == RankFile::mpi ? data::rankFile(data.map)
                                                        : data::rankTable(data.map);
    return content.empty() ? TopologyText::tr("no ranks are placed in this cluster")
                           : data::writeFile(file, QByteArray::fromStdString(content));
}

QString exportForSlurm(const Catalog& catalog, const std::string& topology, const QString& file) {
    const Topology* found = catalog.topology(topology);
    if (found == nullptr)
        return TopologyText::tr("the scenario names no imported topology");
    const bool yaml = file.endsWith(QLatin1String(".yaml"), Qt::CaseInsensitive);
    const auto written = data::writeSlurmTopology(
        *found, yaml ? data::SlurmTopologyFormat::yaml : data::SlurmTopologyFormat::conf,
        data::slurmPluginOf(*found));
    return written ? data::writeFile(file, QByteArray::fromStdString(written->text)) : text(written.error());
}

QList<CellColumn> topologyColumns() {
    return {{TopologyText::tr("Host"), false, {}},
            {TopologyText::tr("Instance"), false, {}},
            {TopologyText::tr("NVLink domain"), false, {}},
            {TopologyText::tr("Leaf"), false, {}},
            {TopologyText::tr("First rank"), true, {}},
            {TopologyText::tr("Last rank"), true, {}},
            {TopologyText::tr("Uplink load"), true, TopologyText::tr("Share of its bandwidth")},
            {TopologyText::tr("State"), false, {}}};
}

QList<CellRow> topologyRows(const TopologyData& data, TopologyLoad load) {
    const auto& uplinks =
        (load == TopologyLoad::active ? data.active : data.mean)[static_cast<std::size_t>(LinkKind::uplink)];
    const int per = data.map.fabric.gpusPerHost;
    QList<CellRow> rows;
    rows.reserve(data.hosts());
    for (int host = 0; host < data.hosts(); ++host) {
        int first = -1, last = -1;
        for (int gpu = host * per; gpu < std::min((host + 1) * per, data.gpus()); ++gpu)
            if (const int rank = data.rankOf(gpu); rank >= 0) {
                first = first < 0 ? rank : std::min(first, rank);
                last = std::max(last, rank);
            }
        const auto number = [](int rank) {
            return rank < 0 ? Cell{QStringLiteral("–"), {}, {}} : Cell{QString::number(rank), rank, {}};
        };
        const int leaf = data.map.fabric.leafOf(host);
        rows.append({QString::number(host),
                     {{data.hostName(host), {}, {}},
                      {text(data.map.hostIds[ix(host)]), {}, {}},
                      {text(data.map.domainIds[ix(data.map.fabric.domainOf(host * per))]), {}, {}},
                      {leaf >= 0 ? data.nodeName(leaf) : QStringLiteral("–"), {}, {}},
                      number(first),
                      number(last),
                      {data.hasTraffic ? quantity(uplinks[ix(host)], Dimension::ratio) : QStringLiteral("–"),
                       data.hasTraffic ? QVariant(static_cast<double>(uplinks[ix(host)])) : QVariant(),
                       {}},
                      {data.isExcluded(host) ? TopologyText::tr("left out")
                       : data.isUnfit(host)  ? TopologyText::tr("another machine")
                       : first < 0           ? TopologyText::tr("spare")
                                             : TopologyText::tr("in use"),
                       {},
                       {}}}});
    }
    return rows;
}

} // namespace alidade::views
