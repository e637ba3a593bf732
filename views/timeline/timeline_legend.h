// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace alidade::views {

class PlotBase;

/// Names of the fills under the timeline; part of the picture, also in exports.
class TimelineLegend : public QCPLayoutElement {
public:
    explicit TimelineLegend(PlotBase& owner);
    /// \param weights weight gradients are separate blocks
    void setContents(int chunks, bool weights);
    void update(UpdatePhase phase) override;

protected:
    void draw(QCPPainter* painter) override;
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }

private:
    struct Entry {
        char kind; ///< of an event; ' ': waiting
        QString text;
    };
    double swatchWidth(const Entry& entry) const;

    PlotBase& owner_;
    QList<Entry> entries_;
    int chunks_ = 1;
};

} // namespace alidade::views
