// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_art.h"
#include "views/memory/memory_data.h"

#include <optional>
#include <utility>

namespace alidade::views {

/// What is on the bars of a memory plot: limits with their words, whiskers, outlines of the worst and of
/// the chosen stage, what is too much, and the numbers of the stages. A single stage has its parts labeled.
class MemoryArt : public PlotArt {
public:
    explicit MemoryArt(PlotBase& owner);

    void setData(const MemoryData& data) { data_ = data; }
    const MemoryData& data() const { return data_; }
    /// Indices into data(); -1: none. A part counts only with a stage.
    void setSelected(int stage, int part) {
        stage_ = stage;
        part_ = part;
    }
    int selectedStage() const { return stage_; }
    int selectedPart() const { return part_; }

    /// A stage's column over the whole height, in pixels of the plot.
    QRectF column(int stage) const;
    /// The drawn part of a bar, in pixels of the plot.
    QRectF partRect(int stage, int part) const;
    /// Labels of stages are shown for every n-th one, so that they do not meet.
    int labelStep() const;

    /// The words that were drawn last, and where.
    const QList<std::pair<QString, QRectF>>& partNames() const { return partNames_; }
    const QList<std::pair<QString, QRectF>>& limitWords() const { return limitWords_; }

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawExcess(QPainter& painter) const;
    void drawWhiskers(QPainter& painter) const;
    void drawOutlines(QPainter& painter) const;
    void drawBaseline(QPainter& painter) const;
    void drawLimits(QPainter& painter) const;
    void drawLimitWords(QPainter& painter);
    void drawExcessWords(QPainter& painter, const QRectF& limits);
    struct NamedPart {
        int index;
        QString words;
        QSizeF size;
    };
    QRectF partNamesArea() const;
    void drawPartNames(QPainter& painter);
    void drawName(QPainter& painter, const NamedPart& part, const QPointF& corner);
    void nameInColumns(QPainter& painter, QList<NamedPart> named, const QRectF& area);
    void nameAtParts(QPainter& painter, const QList<NamedPart>& named, const QRectF& area);
    void drawStageNumbers(QPainter& painter) const;
    QRectF barRect(int stage) const;

    MemoryData data_;
    int stage_ = -1;
    int part_ = -1;
    QList<std::pair<QString, QRectF>> partNames_, limitWords_;
};

/// Share of a column that its bar takes.
inline constexpr double memoryBarWidth = 0.8;

} // namespace alidade::views
