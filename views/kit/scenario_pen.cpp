// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/scenario_pen.h"

#include <QList>
#include <QPainter>
#include <QPixmap>

#include <array>

namespace alidade::views {

namespace {

constexpr double baselineWidth = 2.2, otherWidth = 1.6; // logical pixels
constexpr int lineLength = 36, lineHeight = 6;

/// Lengths of dashes and gaps in logical pixels.
const std::array<QList<double>, scenarioDashes>& dashes() {
    static const std::array<QList<double>, scenarioDashes> all{QList<double>{7, 3},
                                                               {2, 2},
                                                               {9, 3, 2, 3},
                                                               {5, 2, 1.5, 2, 1.5, 2},
                                                               {14, 4},
                                                               {4, 4},
                                                               {12, 3, 4, 3},
                                                               {2, 5},
                                                               {9, 3, 2, 3, 2, 3, 2, 3},
                                                               {4, 2},
                                                               {16, 3, 2, 3},
                                                               {6, 6}};
    return all;
}

} // namespace

QPen scenarioPen(int place, bool isBaseline, const Theme& look) {
    QPen pen(look.color(isBaseline ? Role::text : Role::text2), isBaseline ? baselineWidth : otherWidth);
    pen.setCapStyle(Qt::FlatCap);
    if (!isBaseline) {
        QList<double> pattern = dashes()[static_cast<std::size_t>(place % scenarioDashes)];
        for (double& each : pattern) // Qt counts in widths of the pen
            each /= pen.widthF();
        pen.setDashPattern(pattern);
    }
    return pen;
}

QIcon scenarioLine(int place, bool isBaseline, const Theme& look) {
    QIcon out;
    for (const double ratio : {1.0, 2.0}) {
        QPixmap picture(QSize(look.px(lineLength), look.px(lineHeight)) * ratio);
        picture.setDevicePixelRatio(ratio);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.setPen(scenarioPen(place, isBaseline, look));
        const double middle = look.px(lineHeight) / 2.0;
        painter.drawLine(QPointF(0, middle), QPointF(look.px(lineLength), middle));
        out.addPixmap(picture);
    }
    return out;
}

} // namespace alidade::views
