// SPDX-License-Identifier: GPL-3.0-or-later
#include "gallery.h"
#include "views/icons/icon.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/plot_parts.h"
#include "views/kit/rail.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>
#include <qcustomplot.h>

using namespace alidade;
using namespace alidade::views;

namespace {

void addRail(QMainWindow& window) {
    auto* rail = new Rail;
    for (const char* name :
         {"plan", "timeline", "topology", "serving", "search", "compare", "live", "catalog", "report"}) {
        const QString text = QString::fromLatin1(name);
        rail->addView(text, text.at(0).toUpper() + text.sliced(1));
    }
    window.addToolBar(Qt::LeftToolBarArea, rail);
}

PlotBase* makeRoofline() {
    auto* plot = new PlotBase;
    plot->setAccessibleName(QStringLiteral("Roofline"));
    plot->setAxisTitle(PlotAxis::y, QStringLiteral("TFLOP/s per GPU"));
    plot->setAxisTitle(PlotAxis::x, QStringLiteral("FLOP per byte"));
    plot->setLogarithmic(PlotAxis::x, true);
    plot->setLogarithmic(PlotAxis::y, true);
    plot->setDataRange(PlotAxis::x, 0.3, 10000);
    plot->setDataRange(PlotAxis::y, 1, 3000);
    QCPGraph* roof = plot->plot()->addGraph();
    roof->setData({0.3, 295, 10000}, {1, 989.5, 989.5}, true);
    plot->style(roof, [roof](const Theme& look) { roof->setPen(QPen(look.color(Role::text), 1.5)); });
    for (const Bound bound : classOrder) {
        QCPGraph* points = plot->plot()->addGraph();
        const double x = std::pow(10.0, 0.35 * stackPosition(bound) - 0.2);
        points->setData({x}, {3 + 60.0 * stackPosition(bound)});
        points->setLineStyle(QCPGraph::lsNone);
        plot->style(points, [points, bound](const Theme& look) {
            points->setScatterStyle(classScatter(bound, 10, look));
        });
    }
    addLabel(*plot, 1000, 1300, QStringLiteral("BF16 989.5"), Role::text);
    return plot;
}

QWidget* makeTabs() {
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    auto* list = new QListWidget;
    for (int i = 0; i < 40; ++i)
        list->addItem(QStringLiteral("GPU %1").arg(i));
    list->setCurrentRow(3);
    tabs->addTab(list, QStringLiteral("GPUs"));
    auto* text = new QPlainTextEdit(QStringLiteral("A note about an override."));
    tabs->addTab(text, QStringLiteral("Notes"));
    auto* spin = new QSpinBox;
    spin->setAccessibleName(QStringLiteral("Nodes"));
    tabs->addTab(spin, QStringLiteral("Count"));
    return tabs;
}

} // namespace

std::unique_ptr<QMainWindow> makeWindow() {
    auto window = std::make_unique<QMainWindow>();
    for (const char* name : {"File", "Edit", "View", "Scenario", "Help"})
        window->menuBar()->addMenu(QString::fromLatin1(name))->addAction(QStringLiteral("Entry"));
    addRail(*window);
    auto* bar = window->addToolBar(QStringLiteral("Main"));
    bar->setObjectName(QStringLiteral("main"));
    bar->setMovable(false);
    auto* scenario = new QComboBox;
    scenario->addItem(QStringLiteral("Llama 3.1 405B on 2,048 × p5.48xlarge"));
    scenario->setAccessibleName(QStringLiteral("Scenario"));
    bar->addWidget(scenario);
    bar->addAction(icon(QLatin1StringView("undo")), QStringLiteral("Undo"));
    bar->addAction(icon(QLatin1StringView("redo")), QStringLiteral("Redo"))->setEnabled(false);
    bar->addSeparator();
    QAction* pin = bar->addAction(icon(QLatin1StringView("pin")), QStringLiteral("Pin"));
    pin->setCheckable(true);
    pin->setChecked(true);
    auto* find = new QLineEdit;
    find->setPlaceholderText(QStringLiteral("Go to anything…"));
    bar->addWidget(find);

    auto* dock = new QDockWidget;
    dock->setObjectName(QStringLiteral("roofline"));
    dock->setTitleBarWidget(new DockTitleBar(QStringLiteral("roofline"), QStringLiteral("Roofline"), dock));
    dock->setWidget(makeRoofline());
    window->addDockWidget(Qt::RightDockWidgetArea, dock);
    auto* plain = new QDockWidget(QStringLiteral("Problems"));
    plain->setObjectName(QStringLiteral("problems"));
    plain->setWidget(new QPlainTextEdit(QStringLiteral("Tensor 6 does not divide 128 heads")));
    window->addDockWidget(Qt::BottomDockWidgetArea, plain);

    window->setCentralWidget(makeTabs());
    auto* progress = new QProgressBar;
    progress->setValue(40);
    progress->setMaximumWidth(120);
    window->statusBar()->addPermanentWidget(progress);
    window->statusBar()->addWidget(new QLabel(QStringLiteral("Saved")));
    window->resize(1100, 700);
    return window;
}
