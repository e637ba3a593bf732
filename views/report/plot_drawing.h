// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/plot.h"
#include "views/report/drawing.h"

namespace alidade::views {

/// Draws the plot of a report as wide as the text, in CSS pixels. Its height follows from what it shows.
Drawing drawPlot(const data::Plot& plot, const Theme& theme, double width);

// One kind each; `title` is written above the axis.
Drawing drawStepBar(const data::StepBar& plot, const Theme& theme, double width);
Drawing drawStackedBars(const data::StackedBars& plot, const QString& title, const Theme& theme,
                        double width);
Drawing drawMemoryStages(const data::MemoryStages& plot, const QString& title, const Theme& theme,
                         double width);
Drawing drawRoofline(const data::Roofline& plot, const QString& title, const Theme& theme, double width);
/// One panel a latency, side by side.
Drawing drawLoadCurves(const data::LoadCurves& plot, const Theme& theme, double width);
Drawing drawRangeBars(const data::RangeBars& plot, const QString& title, const Theme& theme, double width);
/// One row of boxes a layer, each filled from below to the load of the link above it.
Drawing drawFabricTree(const data::FabricTree& plot, const QString& title, const Theme& theme, double width);

/// Colors of the parts of the memory by their names, in their order: slate for what is held all the time,
/// sand for what comes and goes, gray for overhead.
std::vector<QColor> memoryPartColors(const QStringList& names, const Theme& theme);

} // namespace alidade::views
