// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/band_label.h"
#include "views/kit/data_table_view.h"
#include "views/kit/degree_field.h"
#include "views/kit/plot_base.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/step_bar.h"
#include "views/kit/unit_field.h"

#include <QMainWindow>
#include <QStandardItemModel>
#include <QWidget>

#include <memory>

/// One of each component with figures that illustrate, for tests that drive them and for pictures that people
/// look at.
class Gallery : public QWidget {
    Q_OBJECT
public:
    Gallery();

    alidade::views::BandLabel* figure = nullptr;
    alidade::views::StepBar* bar = nullptr;
    alidade::views::UnitField* field = nullptr;
    alidade::views::UnitField* refusedField = nullptr;
    alidade::views::DegreeField* degree = nullptr;
    alidade::views::SegmentedButtons* segments = nullptr;
    alidade::views::DataTreeView* tree = nullptr;
    alidade::views::DataTableView* table = nullptr;
    alidade::views::PlotBase* plot = nullptr;
    alidade::views::BusyOverlay* busy = nullptr;

private:
    QWidget* classes();
    QWidget* figures();
    QWidget* controls();
    QWidget* fields();
    QWidget* states();
    QWidget* icons();
    QWidget* tables();
    QWidget* plots();
};

/// A small main window: menus, rail, tool bar, docks, tabs, status bar. For pictures of what the style does
/// to them.
std::unique_ptr<QMainWindow> makeWindow();

/// Saves what the widget looks like as NAME-THEME[-2x].png into $ALIDADE_GRAB_DIR, if that is set.
void saveGrab(QWidget& widget, const QString& name);

/// A bandwidth in bytes per second, read and written as a person does: "3.35 TB/s", "400 Gbps".
alidade::views::UnitText bandwidthText(double bytesPerSecond);
alidade::views::UnitParse parseBandwidth(const QString& text);
