// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/plot_drawing.h"

#include "views/report/plot_parts.h"

namespace alidade::views {

Drawing drawPlot(const data::Plot& plot, const Theme& theme, double width) {
    struct Draw {
        QString title;
        const Theme& theme;
        double width;
        Drawing operator()(const data::StepBar& p) const { return drawStepBar(p, theme, width); }
        Drawing operator()(const data::StackedBars& p) const {
            return drawStackedBars(p, title, theme, width);
        }
        Drawing operator()(const data::MemoryStages& p) const {
            return drawMemoryStages(p, title, theme, width);
        }
        Drawing operator()(const data::Roofline& p) const { return drawRoofline(p, title, theme, width); }
        Drawing operator()(const data::RangeBars& p) const { return drawRangeBars(p, title, theme, width); }
        Drawing operator()(const data::LoadCurves& p) const { return drawLoadCurves(p, theme, width); }
        Drawing operator()(const data::FabricTree& p) const { return drawFabricTree(p, title, theme, width); }
    };
    Drawing drawing = std::visit(Draw{fromUtf8(plot.title), theme, width}, plot.content);
    if (plot.numbers)
        for (Shape& shape : drawing.shapes)
            if (auto* drawn = std::get_if<DrawnText>(&shape))
                drawn->text = fromUtf8(plot.numbers->text(drawn->text.toStdString()));
    return drawing;
}

} // namespace alidade::views
