// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/communication_plot.h"

#include "views/document/text.h"

#include <QKeyEvent>
#include <QLocale>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double rowPixels = 16.5; // logical pixels at 10 pt: least height of a lane
constexpr double otherPixels = 56; // of the axis and its title

} // namespace

CommunicationPlot::CommunicationPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new CommunicationArt(*this)) {
    setAccessibleName(tr("Compute and communication of each kind of layer"));
    setFileName(QStringLiteral("communication"));
    QCPAxis* rows = axis(PlotAxis::y);
    rows->setRangeReversed(true);
    rows->grid()->setVisible(false);
    rows->setTickLabels(false); // the art writes the names of the lanes
    plot()->axisRect()->setRangeZoom(Qt::Horizontal);
    plot()->axisRect()->setRangeDrag(Qt::Horizontal);
    // No title over the lanes.
    plot()->plotLayout()->take(plot()->plotLayout()->element(0, 0));
    plot()->plotLayout()->simplify();
}

void CommunicationPlot::applyTheme(const Theme& look) {
    PlotBase::applyTheme(look);
    if (art_)
        fitLabels();
}

void CommunicationPlot::fitLabels() {
    const int height = QFontMetrics(look().font(FontRole::small)).height();
    plot()->axisRect()->setMinimumMargins(
        QMargins(static_cast<int>(std::ceil(art_->labelWidth())), 0, look().px(16), height + look().px(8)));
    setMinimumHeight(static_cast<int>(art_->rows() * look().px(rowPixels)) + look().px(otherPixels));
}

void CommunicationPlot::setData(const CommunicationData& data) {
    const bool otherLanes = data.lanes() != art_->data().lanes();
    art_->setData(data);
    art_->setSelected({});
    const ScaledUnit unit = chooseUnit(Dimension::seconds, data.longest);
    setTickText(PlotAxis::x,
                [unit](double seconds) { return QLocale::c().toString(seconds / unit.factor, 'g', 6); });
    setAxisTitle(PlotAxis::x, tr("%1 per GPU, layer and %2").arg(text(unit.label), data.per));
    setDataRange(PlotAxis::x, 0, data.longest);
    setDataRange(PlotAxis::y, 0, art_->rows());
    if (otherLanes)
        fit();
    axis(PlotAxis::y)->setRange(0, std::max(art_->rows(), 1.0));
    fitLabels();
    setSummary(communicationInWords(data));
    redraw();
}

void CommunicationPlot::setCounts(const CommunicationData& data) {
    art_->setData(data);
    redraw();
}

const LaneSegment& CommunicationPlot::segment(const LanePlace& place) const {
    return data().layers[place.layer].lanes[place.lane].segments[place.segment];
}

void CommunicationPlot::setSelected(const Selection& wanted) {
    LanePlace found;
    for (int layer = 0; layer < data().layers.size() && !found.valid(); ++layer) {
        const auto& lanes = data().layers[layer].lanes;
        for (int lane = 0; lane < lanes.size() && !found.valid(); ++lane)
            for (int i = 0; i < lanes[lane].segments.size() && !found.valid(); ++i) {
                const Selection& here = lanes[lane].segments[i].selection;
                if (!wanted.operation.isEmpty() && here.layer == wanted.layer &&
                    here.operation == wanted.operation &&
                    (wanted.group.isEmpty() || here.group == wanted.group) &&
                    (wanted.phase.isEmpty() || here.phase == wanted.phase))
                    found = {layer, lane, i};
            }
    }
    // The same thing may occur there several times; the one that a person chose stays.
    if (selected().valid() && found.valid() && segment(selected()).selection == segment(found).selection)
        return;
    art_->setSelected(found);
    const QString words = communicationInWords(data());
    setSummary(found.valid() ? HoverCard::words(segment(found).card) + QStringLiteral(". ") + words : words);
    redraw();
}

void CommunicationPlot::choose(const LanePlace& place) {
    art_->setSelected(place);
    emit chosen(segment(place).selection);
    setSummary(HoverCard::words(segment(place).card) + QStringLiteral(". ") + communicationInWords(data()));
    redraw();
}

/// To the next lane that has segments, at the same time; or along the lane.
void CommunicationPlot::walk(int lanes, int segments) {
    QList<LanePlace> starts;
    for (int layer = 0; layer < data().layers.size(); ++layer)
        for (int lane = 0; lane < data().layers[layer].lanes.size(); ++lane)
            if (!data().layers[layer].lanes[lane].segments.isEmpty())
                starts.append({layer, lane, 0});
    if (starts.isEmpty())
        return;
    LanePlace place = selected();
    if (!place.valid()) {
        place = lanes < 0 ? starts.last() : starts.first();
    } else if (lanes != 0) {
        const double time = segment(place).from;
        const auto now = std::ranges::find_if(starts, [&](const LanePlace& each) {
            return each.layer == place.layer && each.lane == place.lane;
        });
        place = starts[std::clamp<qsizetype>(now - starts.begin() + lanes, 0, starts.size() - 1)];
        const auto& there = data().layers[place.layer].lanes[place.lane].segments;
        const auto nearest = std::ranges::min_element(
            there, {}, [&](const LaneSegment& s) { return std::abs(s.from - time); });
        place.segment = static_cast<int>(nearest - there.begin());
    } else {
        const auto count = data().layers[place.layer].lanes[place.lane].segments.size();
        place.segment = std::clamp(place.segment + segments, 0, static_cast<int>(count) - 1);
    }
    choose(place);
    showCard(spotOf(place));
}

PlotSpot CommunicationPlot::spotOf(const LanePlace& place) const {
    return {art_->segmentRect(place).toAlignedRect() & plot()->rect(), segment(place).card};
}

void CommunicationPlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    switch (plain ? event->key() : 0) {
    case Qt::Key_Left:
        return walk(0, -1);
    case Qt::Key_Right:
        return walk(0, 1);
    case Qt::Key_Up:
        return walk(-1, 0);
    case Qt::Key_Down:
        return walk(1, 0);
    default:
        PlotBase::keyPressEvent(event);
    }
}

std::optional<PlotSpot> CommunicationPlot::spotAt(const QPointF& position) const {
    const LanePlace place = art_->at(position);
    return place.valid() ? std::optional(spotOf(place)) : std::nullopt;
}

void CommunicationPlot::clicked(const QPointF& position) {
    if (const LanePlace place = art_->at(position); place.valid())
        choose(place);
}

bool CommunicationPlot::eventFilter(QObject* watched, QEvent* event) {
    const bool done = PlotBase::eventFilter(watched, event);
    // Without Ctrl the wheel scrolls what does not fit.
    if (event->type() == QEvent::Wheel &&
        !(static_cast<QWheelEvent*>(event)->modifiers() & Qt::ControlModifier)) {
        event->ignore();
        return true;
    }
    return done;
}

} // namespace alidade::views
