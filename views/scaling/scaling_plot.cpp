// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scaling/scaling_plot.h"

#include "model/scaling/scaled_model.h"
#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"
#include "views/kit/scenario_pen.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {

namespace {

constexpr double reach = 14; // px from a point that the pointer means it

} // namespace

QString lossText(double loss) { return quantity(loss, Dimension::number, {.significant = 4}); }

/// What a ScalingPlot shows.
class ScalingArt : public PlotArt {
public:
    explicit ScalingArt(PlotBase& owner)
        : PlotArt(owner, Clip::axes) {}

    /// A place among the answer's curves.
    struct Place {
        int curve = -1, model = -1;
        bool isSet() const { return curve >= 0; }
        bool operator==(const Place&) const = default;
    };

    std::shared_ptr<const BudgetAnswer> answer;
    LossLaw law;
    Place chosen;

    const BudgetModel* modelAt(Place place) const {
        if (!answer || !place.isSet() || place.curve >= static_cast<int>(answer->curves.size()))
            return nullptr;
        const auto& models = answer->curves[static_cast<std::size_t>(place.curve)].models;
        if (place.model < 0 || place.model >= static_cast<int>(models.size()))
            return nullptr;
        const BudgetModel& model = models[static_cast<std::size_t>(place.model)];
        return model.trains() ? &model : nullptr;
    }

    QPointF pointOf(const BudgetModel& model) const { return pixel(model.parameters, model.loss); }

    Place nearest(const QPointF& position) const {
        Place out;
        double least = reach * reach;
        eachModel([&](Place place, const BudgetModel& model) {
            const QPointF away = pointOf(model) - position;
            if (const double d = QPointF::dotProduct(away, away); d < least) {
                least = d;
                out = place;
            }
        });
        return out;
    }

    template <class Visit>
    void eachModel(const Visit& visit) const {
        for (int i = 0; answer && i < static_cast<int>(answer->curves.size()); ++i) {
            const auto& models = answer->curves[static_cast<std::size_t>(i)].models;
            for (int k = 0; k < static_cast<int>(models.size()); ++k)
                if (models[static_cast<std::size_t>(k)].trains())
                    visit(Place{i, k}, models[static_cast<std::size_t>(k)]);
        }
    }

protected:
    void draw(QCPPainter* painter) override {
        if (!answer)
            return;
        const Theme& look = owner_.look();
        drawLaw(*painter, look);
        LabelPlacer labels(area());
        for (int i = static_cast<int>(answer->curves.size()) - 1; i >= 0; --i)
            drawCurve(*painter, look, labels, i);
        if (const BudgetModel* model = modelAt(chosen)) {
            painter->setPen(QPen(look.color(Role::accent), look.px(2)));
            painter->setBrush(Qt::NoBrush);
            painter->drawEllipse(pointOf(*model), look.px(7), look.px(7));
        }
        labels.paint(*painter, look.color(Role::base));
    }

private:
    /// The isoFLOP curve of the best model's work: what 6 N D alone would make of the other sizes.
    void drawLaw(QCPPainter& painter, const Theme& look) const {
        const BudgetModel* best = answer->best();
        if (best == nullptr)
            return;
        const double work = best->active * best->tokens; // N D
        const double share = best->active / best->parameters;
        QPolygonF line;
        const QRectF room = area();
        for (double x = room.left(); x <= room.right(); x += look.px(3)) {
            const double size = parentPlot()->xAxis->pixelToCoord(x);
            line.append({x, pixelY(lossOf(law, size * share, work / (size * share)))});
        }
        QPen pen(look.color(Role::text2), look.px(1));
        pen.setDashPattern({2, 4});
        painter.setPen(pen);
        painter.drawPolyline(line);
    }

    void drawCurve(QCPPainter& painter, const Theme& look, LabelPlacer& labels, int index) const {
        const BudgetCurve& curve = answer->curves[static_cast<std::size_t>(index)];
        QPolygonF line;
        for (const BudgetModel& each : curve.models)
            if (each.trains())
                line.append(pointOf(each));
        if (line.isEmpty())
            return;
        const QPen pen = scenarioPen(index, index == 0, look);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
        const BudgetModel* best = curve.best();
        painter.setPen(Qt::NoPen);
        for (const BudgetModel& each : curve.models) {
            if (!each.trains())
                continue;
            painter.setBrush(pen.color());
            const double side = &each == best ? look.px(4) : look.px(2);
            painter.drawEllipse(pointOf(each), side, side);
        }
        const QPointF at = pointOf(*best);
        const double gap = look.px(8);
        labels.addAt({{at + QPointF(0, gap), Qt::AlignHCenter | Qt::AlignTop},
                      {at - QPointF(0, gap), Qt::AlignHCenter | Qt::AlignBottom},
                      {at + QPointF(gap, gap), Qt::AlignLeft | Qt::AlignTop},
                      {at + QPointF(-gap, gap), Qt::AlignRight | Qt::AlignTop}},
                     text(curve.machine) + QStringLiteral(": ") + text(parameterText(best->parameters)),
                     {look.font(FontRole::small), look.color(Role::text)});
    }
};

ScalingPlot::ScalingPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new ScalingArt(*this)) {
    setAccessibleName(tr("Loss over the size of the model"));
    setFileName(QStringLiteral("scaling"));
    setLogarithmic(PlotAxis::x, true);
    setAxisTitle(PlotAxis::x, tr("parameters, logarithmic; dotted: by FLOP alone"));
    setAxisTitle(PlotAxis::y, tr("loss"));
    setTickText(PlotAxis::x, [](double value) { return text(parameterText(value)); });
    setTickText(PlotAxis::y, [](double value) { return lossText(value); });
    setAnswer({}, {});
    setTableSource([this] {
        TextTable out{
            {tr("Machine"), tr("Parameters"), tr("Tokens"), tr("Loss"), tr("Dollars"), tr("Seconds")}, {}};
        art_->eachModel([&](ScalingArt::Place place, const BudgetModel& model) {
            const auto number = [](double value) { return QString::number(value, 'g', 9); };
            out.rows.append({text(art_->answer->curves[static_cast<std::size_t>(place.curve)].machine),
                             number(model.parameters), number(model.tokens), number(model.loss),
                             number(model.dollars), number(model.seconds)});
        });
        return out;
    });
}

void ScalingPlot::setAnswer(const std::shared_ptr<const BudgetAnswer>& answer, const LossLaw& law) {
    art_->answer = answer;
    art_->law = law;
    art_->chosen = {};
    double left = std::numeric_limits<double>::infinity(), right = 0, low = left, high = 0;
    art_->eachModel([&](ScalingArt::Place, const BudgetModel& model) {
        left = std::min(left, model.parameters);
        right = std::max(right, model.parameters);
        low = std::min(low, model.loss);
        high = std::max(high, model.loss);
    });
    if (right > 0) {
        setDataRange(PlotAxis::x, left / 1.2, right * 1.2);
        const double room = std::max(0.01, high - low);
        setDataRange(PlotAxis::y, low - 0.15 * room, high + 0.05 * room);
    } else {
        setDataRange(PlotAxis::x, 1e9, 1e12); // of usual models, as long as there is nothing to show
        setDataRange(PlotAxis::y, 1.9, 2.4);
    }
    fit();
    const BudgetModel* best = answer ? answer->best() : nullptr;
    setSummary(best ? tr("A model of %2 parameters on %3 has the lowest loss, %1")
                          .arg(lossText(best->loss), text(parameterText(best->parameters)),
                               text(answer->curves.front().machine))
               : answer ? tr("No size can be trained")
                        : QString());
    redraw();
}

void ScalingPlot::setChosen(int curve, int model) {
    art_->chosen = {curve, model};
    redraw();
}

std::optional<PlotSpot> ScalingPlot::spotAt(const QPointF& position) const {
    const ScalingArt::Place place = art_->nearest(position);
    const BudgetModel* model = art_->modelAt(place);
    if (model == nullptr)
        return std::nullopt;
    CardContent card;
    card.title = tr("%1 parameters").arg(text(parameterText(model->parameters)));
    card.rows = {{tr("Machine"), text(art_->answer->curves[static_cast<std::size_t>(place.curve)].machine)},
                 {tr("Tokens"), quantity(model->tokens, Dimension::tokens)},
                 {tr("Loss"), lossText(model->loss)},
                 {tr("Run"), quantity(model->seconds, Dimension::seconds)},
                 {tr("Cost"), quantity(model->dollars, Dimension::dollars)},
                 {tr("MFU"), quantity(model->mfu, Dimension::ratio)}};
    const QPointF at = art_->pointOf(*model);
    return PlotSpot{QRectF(at.x() - 6, at.y() - 6, 12, 12).toRect(), card};
}

void ScalingPlot::clicked(const QPointF& position) {
    if (const ScalingArt::Place place = art_->nearest(position); place.isSet())
        emit chosen(place.curve, place.model);
}

void ScalingPlot::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    QList<ScalingArt::Place> places; // all sizes in their order, curve by curve
    art_->eachModel([&](ScalingArt::Place place, const BudgetModel&) { places.append(place); });
    if (places.isEmpty() || event->modifiers() & ~Qt::KeypadModifier || (step == 0 && !enters)) {
        PlotBase::keyPressEvent(event);
        return;
    }
    if (enters) {
        if (art_->modelAt(art_->chosen) != nullptr)
            emit adopted();
        return;
    }
    const qsizetype from = places.indexOf(art_->chosen);
    const ScalingArt::Place next = places[std::clamp<qsizetype>(from + step, 0, places.size() - 1)];
    emit chosen(next.curve, next.model);
    if (const BudgetModel* model = art_->modelAt(next))
        if (const auto spot = spotAt(art_->pointOf(*model)))
            showCard(*spot);
}

} // namespace alidade::views
