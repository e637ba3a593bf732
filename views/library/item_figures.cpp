// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/item_figures.h"

#include "data/scenario/scenario_json.h"
#include "model/estimate/estimate.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/run_order.h"
#include "views/document/batch_estimator.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/serving/load_data.h"

#include <cmath>

namespace alidade::views {

namespace {

/// A moment for further rows to ask, and for edits to come to rest.
constexpr int collectMilliseconds = 150;
/// Read at once on the GUI thread: a few milliseconds.
constexpr std::size_t mostAtOnce = 40;

QString answerOfTraining(const Training& training, double& value) {
    value = training.stepTime;
    return ItemFigures::tr("%1 per step, %2 MFU")
        .arg(quantity(training.stepTime, Dimension::seconds), quantity(training.mfu, Dimension::ratio));
}

QString answerOfServing(const Serving& serving, double& value) {
    value = serving.outputTokensPerSecond;
    const QString output = glance(serving.outputTokensPerSecond, Dimension::tokensPerSecond);
    const auto [gap, percentile] = knownPercentile(serving.itlPercentiles, serving.targetPercentile);
    if (!std::isfinite(gap) || !(gap > 0))
        return output;
    return ItemFigures::tr("%1, ITL %2 %3").arg(output, percentile, quantity(gap, Dimension::seconds));
}

/// Of a run what it costs; of a service, and of a run without an end, what it costs by the unit.
void tellCost(const Estimate& estimate, ItemFigure& figure) {
    if (!estimate.cost)
        return;
    const Cost& cost = *estimate.cost;
    const auto total = runTotal(cost);
    if (estimate.training && total) {
        figure.dollars = total->dollars;
        figure.cost = glance(figure.dollars, Dimension::dollars);
    } else if (estimate.serving && cost.dollarsPerMillionTokens) {
        figure.dollars = *cost.dollarsPerMillionTokens;
        figure.cost = ItemFigures::tr("%1 per 1 M tokens").arg(quantity(figure.dollars, Dimension::dollars));
    } else if (cost.dollarsPerHour > 0) {
        figure.dollars = cost.dollarsPerHour;
        figure.cost = quantity(figure.dollars, Dimension::dollarsPerHour);
    }
}

} // namespace

ItemFigure figureOf(const Estimate* estimate, const QString& error) {
    ItemFigure figure;
    if (estimate == nullptr) {
        figure.kind = BadgeKind::err;
        figure.answer = error.section(QStringLiteral("; "), 0, 0);
        return figure;
    }
    if (!estimate->runs || !estimate->fits) {
        figure.kind = estimate->runs ? BadgeKind::err : BadgeKind::warn;
        figure.answer =
            estimate->runs ? ItemFigures::tr("does not fit") : ItemFigures::tr("cannot run as written");
        return figure;
    }
    figure.kind = BadgeKind::ok;
    tellCost(*estimate, figure);
    if (estimate->training)
        figure.answer = answerOfTraining(*estimate->training, figure.value);
    else if (estimate->reinforcement) {
        figure.value = estimate->reinforcement->stepTime;
        figure.answer = ItemFigures::tr("%1 per step").arg(quantity(figure.value, Dimension::seconds));
    } else if (estimate->serving) {
        figure.answer = answerOfServing(*estimate->serving, figure.value);
        if (estimate->serving->meetsTargets && !*estimate->serving->meetsTargets)
            figure.kind = BadgeKind::warn;
    }
    return figure;
}

ItemFigures::ItemFigures(Document* document, QObject* parent)
    : QObject(parent)
    , document_(document)
    , batch_(new BatchEstimator(document->engine(), this)) {
    collect_.setSingleShot(true);
    collect_.setInterval(collectMilliseconds);
    connect(&collect_, &QTimer::timeout, this, &ItemFigures::start);
    connect(batch_, &BatchEstimator::estimated, this,
            [this](int index, const std::shared_ptr<const Estimate>& estimate, const QString& error) {
                const auto& [key, json] = running_[static_cast<std::size_t>(index)];
                take(key, json, figureOf(estimate.get(), error));
            });
    connect(batch_, &BatchEstimator::finished, this, [this] {
        if (!asked_.isEmpty())
            start();
    });
    connect(document, &Document::catalogChanged, this, &ItemFigures::forget);
}

ItemFigures::~ItemFigures() = default;

const ItemFigure& ItemFigures::figure(const QString& key, const std::string& json) {
    Answer& answer = answers_[key];
    if (answer.json != json) {
        const auto asked = asked_.constFind(key);
        if (asked == asked_.cend() || *asked != json) {
            asked_.insert(key, json);
            collect_.start();
        }
    }
    return answer.figure;
}

void ItemFigures::start() {
    running_.clear();
    std::vector<ScenarioSpec> specs;
    const auto asked = asked_; // those that cannot be read are answered on the way
    for (auto each = asked.cbegin(); each != asked.cend() && running_.size() < mostAtOnce; ++each) {
        Result<ScenarioSpec> spec = data::readScenario(each.value(), {});
        if (!spec) {
            take(each.key(), each.value(), figureOf(nullptr, text(spec.error())));
            continue;
        }
        running_.emplace_back(each.key(), each.value());
        specs.push_back(*std::move(spec));
    }
    batch_->run(std::move(specs), document_->catalog());
}

void ItemFigures::take(const QString& key, const std::string& json, const ItemFigure& figure) {
    if (const auto asked = asked_.constFind(key); asked != asked_.cend() && *asked == json)
        asked_.erase(asked);
    answers_.insert(key, {json, figure});
    emit renewed(QString(key));
}

/// Another catalog: the old answers stand until the new ones come.
void ItemFigures::forget() {
    const QStringList keys = answers_.keys();
    for (const QString& key : keys) {
        answers_[key].json.reset();
        emit renewed(key);
    }
}

} // namespace alidade::views
