// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_plot.h"

#include "views/kit/plot_parts.h"
#include "views/memory/memory_art.h"
#include "views/memory/memory_legend.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr int fewestColumns = 6; // that share the width, so that one bar is not a wall
constexpr int roomForNumbers = 8;

} // namespace

MemoryPlot::MemoryPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new MemoryArt(*this))
    , legend_(new MemoryLegend(*this)) {
    setAccessibleName(tr("Memory per stage"));
    setFileName(QStringLiteral("memory"));
    setAxisTitle(PlotAxis::y, tr("GB per GPU"));
    setTickText(PlotAxis::y, [](double bytes) { return QLocale().toString(bytes / 1e9, 'g', 6); });
    QCPAxis* stages = axis(PlotAxis::x);
    stages->grid()->setVisible(false);
    stages->setTickLabels(false); // the art writes the numbers of the stages
    // In the place of a title of that axis.
    QCPLayoutGrid* grid = plot()->plotLayout();
    grid->take(grid->element(2, 0));
    grid->addElement(2, 0, legend_);
    style(stages, [this](const Theme& look) {
        const int numbers = QFontMetrics(look.font(FontRole::small)).height() + roomForNumbers;
        plot()->axisRect()->setMinimumMargins(QMargins(look.px(34), 4, 4, numbers));
    });
}

const MemoryData& MemoryPlot::data() const { return art_->data(); }
int MemoryPlot::selectedStage() const { return art_->selectedStage(); }
int MemoryPlot::selectedPart() const { return art_->selectedPart(); }
QRectF MemoryPlot::partRect(int stage, int part) const { return art_->partRect(stage, part); }
QRectF MemoryPlot::column(int stage) const { return art_->column(stage); }
int MemoryPlot::labelStep() const { return art_->labelStep(); }

QList<std::pair<QString, QRectF>> MemoryPlot::partNames() const { return art_->partNames(); }
QList<std::pair<QString, QRectF>> MemoryPlot::limitWords() const { return art_->limitWords(); }

void MemoryPlot::makeBars() {
    for (QCPBars* bars : std::as_const(bars_))
        plot()->removePlottable(bars);
    bars_.clear();
    for (const MemoryPart& part : data().parts) {
        QCPBars* bars = addMemoryBars(*this, part.tone);
        bars->setWidth(memoryBarWidth);
        bars->setSelectable(QCP::stNone);
        if (!bars_.isEmpty())
            bars->moveAbove(bars_.constLast());
        bars_.append(bars);
    }
}

void MemoryPlot::setData(const MemoryData& data) {
    const bool otherParts = data.parts != art_->data().parts;
    const bool otherStages = data.stages.size() != art_->data().stages.size();
    art_->setData(data);
    if (otherParts)
        makeBars();
    QVector<double> places;
    for (int i = 0; i < data.stages.size(); ++i)
        places.append(i);
    for (qsizetype part = 0; part < bars_.size(); ++part) {
        QVector<double> heights;
        for (const StageMemory& stage : data.stages)
            heights.append(stage.parts[part]);
        bars_[part]->setData(places, heights, true);
    }
    // The parts of a single stage are labeled in the picture.
    legend_->setParts(data.stages.size() == 1 ? QList<MemoryPart>() : data.parts);
    const double columns = std::max<double>(fewestColumns, static_cast<double>(data.stages.size()));
    const double middle = static_cast<double>(data.stages.size() - 1) / 2;
    if (data.stages.size() == 1) // next to a single bar stand the names of its parts
        setDataRange(PlotAxis::x, -columns / 6, columns * 5 / 6);
    else
        setDataRange(PlotAxis::x, middle - columns / 2, middle + columns / 2);
    setDataRange(PlotAxis::y, 0, data.top());
    if (otherStages)
        fit();
    if (selectedStage() >= data.stages.size() || selectedPart() >= data.parts.size())
        art_->setSelected(-1, -1);
    setSummary(memoryInWords(data));
    redraw();
}

void MemoryPlot::setSelected(int stage, int part) {
    if (stage == selectedStage() && part == selectedPart())
        return;
    art_->setSelected(stage, part);
    const QString words = memoryInWords(data());
    setSummary(stage < 0 ? words
                         : HoverCard::words(data().stages[stage].card) + QStringLiteral(". ") + words);
    redraw();
}

MemoryPlot::Hit MemoryPlot::hitAt(const QPointF& position) const {
    if (!plot()->axisRect()->rect().contains(position.toPoint()))
        return {};
    const int stage = static_cast<int>(std::lround(plot()->xAxis->pixelToCoord(position.x())));
    if (stage < 0 || stage >= data().stages.size())
        return {};
    Hit hit{stage, -1};
    for (int part = 0; part < data().parts.size(); ++part)
        if (art_->partRect(stage, part).contains(position))
            hit.part = part;
    return hit;
}

PlotSpot MemoryPlot::spotOf(const Hit& hit) const {
    const StageMemory& stage = data().stages[hit.stage];
    CardContent card = stage.card;
    if (hit.part >= 0)
        card.title += QStringLiteral(" · ") + data().parts[hit.part].name + QLatin1Char(' ') +
                      gigabyteText(stage.parts[hit.part]);
    QRect subject = art_->column(hit.stage).toAlignedRect();
    subject.setTop(subject.center().y());
    return {subject, card};
}

void MemoryPlot::walkStages(int steps) {
    const int count = static_cast<int>(data().stages.size());
    if (count == 0)
        return;
    const int now = selectedStage();
    emit chosen(now < 0 ? (steps > 0 ? 0 : count - 1) : std::clamp(now + steps, 0, count - 1),
                selectedPart());
    if (selectedStage() >= 0)
        showCard(spotOf({selectedStage(), selectedPart()}));
}

void MemoryPlot::walkParts(int steps) {
    const int count = static_cast<int>(data().parts.size());
    if (count == 0 || data().stages.isEmpty())
        return;
    const int stage = selectedStage() < 0 ? data().worst : selectedStage();
    emit chosen(stage, std::clamp(selectedPart() + steps, 0, count - 1));
    if (selectedStage() >= 0)
        showCard(spotOf({selectedStage(), selectedPart()}));
}

void MemoryPlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    switch (plain ? event->key() : 0) {
    case Qt::Key_Left:
        return walkStages(-1);
    case Qt::Key_Right:
        return walkStages(1);
    case Qt::Key_Up:
        return walkParts(1);
    case Qt::Key_Down:
        return walkParts(-1);
    default:
        PlotBase::keyPressEvent(event);
    }
}

std::optional<PlotSpot> MemoryPlot::spotAt(const QPointF& position) const {
    const Hit hit = hitAt(position);
    return hit.stage < 0 ? std::nullopt : std::optional(spotOf(hit));
}

void MemoryPlot::clicked(const QPointF& position) {
    if (const Hit hit = hitAt(position); hit.stage >= 0)
        emit chosen(hit.stage, hit.part);
}

} // namespace alidade::views
