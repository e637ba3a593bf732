// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/memory_data.h"

#include <qcustomplot.h>

namespace alidade::views {

class PlotBase;

/// Names of the tones under a memory plot, in as many lines as they need; part of the picture, also in
/// exports.
class MemoryLegend : public QCPLayoutElement {
public:
    explicit MemoryLegend(PlotBase& owner);
    void setParts(const QList<MemoryPart>& parts);
    void update(UpdatePhase phase) override;

protected:
    void draw(QCPPainter* painter) override;
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }

private:
    struct Entry {
        MemoryTone tone;
        QString text;
    };
    /// Left upper corners of the entries for a width, and the height of all.
    std::pair<QList<QPointF>, double> arranged(double width) const;
    PlotBase& owner_;
    QList<Entry> entries_;
};

} // namespace alidade::views
