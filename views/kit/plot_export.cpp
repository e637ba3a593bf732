// SPDX-License-Identifier: GPL-3.0-or-later
// How a PlotBase leaves the screen: context menu, clipboard, files.
#include "data/file/write_file.h"
#include "views/icons/icon.h"
#include "views/kit/plot_base.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <qcustomplot.h>

namespace alidade::views {
namespace {

constexpr double pointsPerPixel = 0.75; // 96 pixels and 72 points an inch
constexpr double pictureScale = 2;

/// Into memory, so that it cannot fail.
void drawVector(QCustomPlot* plot, QPaintDevice* device, const QSize& size) {
    QCPPainter painter;
    painter.begin(device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.setMode(QCPPainter::pmNonCosmetic);
    plot->toPainter(&painter, size.width(), size.height());
    painter.end();
}

} // namespace

void PlotBase::fillMenu(QMenu* menu) {
    menu->addAction(icon(QLatin1StringView("copy")), tr("Copy picture"), this, &PlotBase::copyPicture);
    QMenu* exports = menu->addMenu(icon(QLatin1StringView("export")), tr("Export"));
    for (const QString& suffix : {QStringLiteral("svg"), QStringLiteral("pdf"), QStringLiteral("png")})
        exports->addAction(suffix.toUpper() + QStringLiteral("…"), this,
                           [this, suffix] { askForFile(suffix); });
    QAction* csv =
        exports->addAction(QStringLiteral("CSV…"), this, [this] { askForFile(QStringLiteral("csv")); });
    csv->setEnabled(table_ != nullptr);
    QAction* data = menu->addAction(icon(QLatin1StringView("table")), tr("Show data"), this,
                                    &PlotBase::showDataRequested);
    data->setShortcut(Qt::CTRL | Qt::Key_D);
    data->setEnabled(table_ != nullptr);
    menu->addSeparator();
    menu->addAction(icon(QLatin1StringView("fit")), tr("Fit"), this, &PlotBase::fit)->setShortcut(Qt::Key_F);
    menu->addAction(tr("Zoom to a rectangle"), this, [this] { armRubberBand(true); })->setShortcut(Qt::Key_Z);
}

void PlotBase::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(menu);
    menu->popup(event->reason() == QContextMenuEvent::Mouse ? event->globalPos()
                                                            : mapToGlobal(rect().center()));
}

void PlotBase::copyPicture() {
    const Theme screen = look_;
    applyTheme(Theme::paper(screen.fontScale()));
    QApplication::clipboard()->setPixmap(plot_->toPixmap(0, 0, pictureScale));
    applyTheme(screen);
    redraw();
}

void PlotBase::askForFile(const QString& suffix) {
    auto* dialog = new QFileDialog(this, tr("Export the plot"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(suffix.toUpper() + QStringLiteral(" (*.") + suffix + QLatin1Char(')'));
    dialog->selectFile((fileName_.isEmpty() ? QStringLiteral("plot") : fileName_) + QLatin1Char('.') +
                       suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const QString reason = exportTo(path);
        if (!reason.isEmpty())
            emit exportFailed(reason);
    });
    dialog->open();
}

QString PlotBase::exportTo(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (!QStringList{QStringLiteral("svg"), QStringLiteral("pdf"), QStringLiteral("png"),
                     QStringLiteral("csv")}
             .contains(suffix))
        return tr("%1: a plot is written as .svg, .pdf, .png or .csv").arg(path);
    QByteArray bytes;
    if (suffix == QLatin1String("csv")) {
        bytes = table_ ? tableText(table_(), TableFormat::csv).toUtf8() : QByteArray();
    } else {
        const Theme screen = look_;
        applyTheme(Theme::paper(screen.fontScale()));
        bytes = drawn(suffix);
        applyTheme(screen);
        redraw();
    }
    const QString fault = data::writeFile(path, bytes);
    return fault.isEmpty() ? fault : path + QStringLiteral(": ") + fault;
}

QByteArray PlotBase::drawn(const QString& suffix) {
    const QSize size = plot_->size();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (suffix == QLatin1String("png")) {
        plot_->toPixmap(size.width(), size.height(), pictureScale).save(&buffer, "PNG");
    } else if (suffix == QLatin1String("svg")) {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(), size));
        svg.setResolution(96);
        svg.setTitle(accessibleName());
        svg.setDescription(accessibleDescription());
        drawVector(plot_, &svg, size);
    } else {
        QPdfWriter pdf(&buffer);
        pdf.setResolution(96);
        pdf.setPageSize(QPageSize(QSizeF(size) * pointsPerPixel, QPageSize::Point));
        pdf.setPageMargins(QMarginsF());
        pdf.setTitle(accessibleName());
        drawVector(plot_, &pdf, size);
    }
    return buffer.data();
}

} // namespace alidade::views
