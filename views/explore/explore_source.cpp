// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/explore_source.h"

#include "model/search/search.h"
#include "views/document/text.h"

#include <QElapsedTimer>

#include <algorithm>
#include <mutex>
#include <thread>

namespace alidade::views {

namespace {

constexpr qint64 partInterval = 120; // ms between partial results
constexpr int gridPoints = 12;       // on an axis of numbers

/// For one sweep or one drawing: all cores but one, which the window needs. Line, grid and outcomes each take
/// as many, and share the cores while they run at the same time.
int threadsToUse() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1); }

Result<SweepAxis> axisOf(const QString& path, const QString& values, const Scenario& present,
                         const Explorer& explorer, int points) {
    if (!values.trimmed().isEmpty()) {
        const Result<SweepAxis> typed =
            sweepAxis(path.toStdString() + "=" + values.trimmed().toStdString(), present);
        if (!typed || !typed->variable.hasOrder())
            return typed;
        SweepAxis out = *typed;
        std::ranges::stable_sort(out.values, {}, [&out](const FieldValue& value) {
            return placeOf(out.variable, value).value_or(0);
        });
        return out; // a curve goes from left to right
    }
    const Result<Variable> variable = Variable::named(path.toStdString(), present);
    if (!variable)
        return Error{variable.error()};
    SweepAxis out = usualAxis(*variable, present, explorer, points);
    if (out.values.size() < 2)
        return Error{variable->label() + ": only one value is legal here; list the values to try"};
    return out;
}

/// The points that are there while others are still estimated: those without are not known yet.
class Snapshots {
public:
    Snapshots(std::shared_ptr<const SweepAnswer> frame, std::size_t count,
              ExploreTask<SweepAnswer>::Partly partly)
        : frame_(std::move(frame))
        , points_(count)
        , done_(count, 0)
        , partly_(std::move(partly)) {
        clock_.start();
    }

    void add(std::size_t index, const SweepPoint& point) {
        const std::scoped_lock lock(mutex_);
        points_[index] = point;
        done_[index] = 1;
        if (clock_.elapsed() < partInterval)
            return;
        clock_.restart();
        auto part = std::make_shared<SweepAnswer>(*frame_);
        part->sweep.points.assign(points_.begin(),
                                  points_.begin() + (std::ranges::find(done_, 0) - done_.begin()));
        partly_(std::move(part));
    }

private:
    std::shared_ptr<const SweepAnswer> frame_;
    std::mutex mutex_;
    std::vector<SweepPoint> points_;
    std::vector<char> done_;
    ExploreTask<SweepAnswer>::Partly partly_;
    QElapsedTimer clock_;
};

std::size_t countOf(const Sweep& sweep) {
    std::size_t out = 1;
    for (const SweepAxis& each : sweep.axes)
        out *= each.values.size();
    return out;
}

void runSweep(SweepAnswer& out, const std::stop_token& stop, const ExploreTask<SweepAnswer>::Partly& partly) {
    const ExploreContext& context = *out.context;
    const SweepAsk& ask = out.ask;
    const Explorer explorer(context.spec, *context.catalog, context.profile, false);
    const Result<Scenario> present = explorer.scenarioWith({});
    if (!present) {
        out.error = present.error();
        return;
    }
    const bool two = !ask.up.isEmpty();
    const int points = two ? gridPoints : ask.points;
    // The axis that varies fastest is the last one: across.
    if (two) {
        Result<SweepAxis> up = axisOf(ask.up, ask.upValues, *present, explorer, points);
        if (!up) {
            out.error = up.error();
            return;
        }
        out.sweep.axes.push_back(*std::move(up));
    }
    Result<SweepAxis> across = axisOf(ask.across, ask.acrossValues, *present, explorer, points);
    if (!across) {
        out.error = across.error();
        return;
    }
    out.sweep.axes.push_back(*std::move(across));
    if (const std::size_t count = countOf(out.sweep); count > mostSweepPoints) {
        out.error = "More than " + std::to_string(mostSweepPoints) + " points; take fewer values";
        return;
    }
    // The scenario as it is: a sweep over the one value that it has.
    const SweepAxis& last = out.sweep.axes.back();
    Sweep now = sweep(explorer, {SweepAxis{last.variable, {last.variable.value(*present)}}});
    out.present = now.points.front();
    out.present.values.clear();
    for (const SweepAxis& each : out.sweep.axes)
        out.present.values.push_back(each.variable.value(*present));
    Snapshots snapshots(std::make_shared<SweepAnswer>(out), countOf(out.sweep), partly);
    SweepOptions options{.threads = threadsToUse(), .stop = stop};
    if (ask.optimize && ask.objective != nullptr) {
        options.optimize = usualFreeFields(context.spec, *context.catalog);
        options.objective = ask.objective;
    }
    options.done = [&](std::size_t index, const SweepPoint& point) { snapshots.add(index, point); };
    out.sweep = sweep(explorer, std::move(out.sweep.axes), options);
}

void runSolve(SolveAnswer& out, const ExploreContext& context, const std::stop_token& stop) {
    const Explorer explorer(context.spec, *context.catalog, context.profile, false);
    const Result<Scenario> present = explorer.scenarioWith({});
    if (!present) {
        out.solution = Error{present.error()};
        return;
    }
    const Result<Variable> variable = Variable::named(out.ask.variable.toStdString(), *present);
    if (!variable) {
        out.solution = Error{variable.error()};
        return;
    }
    out.variable = *variable;
    const auto value = numberOf(variable->value(*present));
    if (!variable->isNumber() || !value) {
        out.solution = Error{variable->label() + " has no number here that could be changed"};
        return;
    }
    const Result<Estimate> estimate = explorer.with({});
    const Result<Goal> goal = goalOf(out.ask.goal.toStdString(), *estimate);
    if (!goal) {
        out.solution = Error{goal.error()};
        return;
    }
    out.goal = *goal;
    out.solution = alidade::solve(explorer, *variable, *value, *goal, stop);
}

} // namespace

ExploreSource::ExploreSource(QObject* parent)
    : QObject(parent)
    , lineTask_(this,
                [this](const auto& answer, bool) {
                    line_ = answer;
                    emit changed(Part::line);
                })
    , gridTask_(this,
                [this](const auto& answer, bool) {
                    grid_ = answer;
                    emit changed(Part::grid);
                })
    , sensitivityTask_(this,
                       [this](const auto& answer, bool) {
                           sensitivity_ = answer;
                           emit changed(Part::sensitivity);
                       })
    , solveTask_(this,
                 [this](const auto& answer, bool) {
                     solution_ = answer;
                     emit changed(Part::solve);
                 })
    , outcomesTask_(this, [this](const auto& answer, bool) {
        outcomes_ = answer;
        emit changed(Part::outcomes);
    }) {}

ExploreSource::~ExploreSource() = default;

ExploreTask<SweepAnswer>::Job ExploreSource::sweepJob(const ExploreContextPtr& context, const SweepAsk& ask) {
    return [context, ask](const std::stop_token& stop, const ExploreTask<SweepAnswer>::Partly& partly) {
        QElapsedTimer clock;
        clock.start();
        auto out = std::make_shared<SweepAnswer>();
        out->ask = ask;
        out->context = context;
        runSweep(*out, stop, partly);
        out->finished = true;
        out->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        return std::shared_ptr<const SweepAnswer>(std::move(out));
    };
}

void ExploreSource::sweepLine(const ExploreContextPtr& context, const SweepAsk& ask) {
    lineTask_.start(sweepJob(context, ask));
    emit changed(Part::line);
}

void ExploreSource::sweepGrid(const ExploreContextPtr& context, const SweepAsk& ask) {
    gridTask_.start(sweepJob(context, ask));
    emit changed(Part::grid);
}

void ExploreSource::weigh(const ExploreContextPtr& context, const PlanFigure* figure,
                          const SensitivityRange& range) {
    sensitivityTask_.start([context, figure, range](const std::stop_token& stop, const auto&) {
        auto out = std::make_shared<SensitivityAnswer>();
        out->range = range;
        out->sensitivity = alidade::sensitivity(context->spec, *context->catalog, context->profile,
                                                std::string(figure->path), range, stop);
        return std::shared_ptr<const SensitivityAnswer>(std::move(out));
    });
    emit changed(Part::sensitivity);
}

void ExploreSource::solve(const ExploreContextPtr& context, const SolveAsk& ask) {
    solveTask_.start([context, ask](const std::stop_token& stop, const auto&) {
        auto out = std::make_shared<SolveAnswer>();
        out->ask = ask;
        runSolve(*out, *context, stop);
        return std::shared_ptr<const SolveAnswer>(std::move(out));
    });
    emit changed(Part::solve);
}

void ExploreSource::draw(const ExploreContextPtr& context, const OutcomeQuestion& question) {
    outcomesTask_.start([context, question](const std::stop_token& stop, const auto&) {
        QElapsedTimer clock;
        clock.start();
        auto out = std::make_shared<OutcomeAnswer>();
        const Explorer explorer(context->spec, *context->catalog, context->profile, false);
        out->outcomes = alidade::outcomes(explorer, question, {.threads = threadsToUse(), .stop = stop});
        out->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        return std::shared_ptr<const OutcomeAnswer>(std::move(out));
    });
    emit changed(Part::outcomes);
}

void ExploreSource::stop(Part part) {
    switch (part) {
    case Part::line:
        return lineTask_.stop();
    case Part::grid:
        return gridTask_.stop();
    case Part::sensitivity:
        return sensitivityTask_.stop();
    case Part::solve:
        return solveTask_.stop();
    case Part::outcomes:
        return outcomesTask_.stop();
    }
}

void ExploreSource::drop() {
    lineTask_.drop();
    gridTask_.drop();
    sensitivityTask_.drop();
    solveTask_.drop();
    outcomesTask_.drop();
    line_ = grid_ = nullptr;
    sensitivity_ = nullptr;
    solution_ = nullptr;
    outcomes_ = nullptr;
}

bool ExploreSource::busy(Part part) const {
    switch (part) {
    case Part::line:
        return lineTask_.busy();
    case Part::grid:
        return gridTask_.busy();
    case Part::sensitivity:
        return sensitivityTask_.busy();
    case Part::solve:
        return solveTask_.busy();
    case Part::outcomes:
        break;
    }
    return outcomesTask_.busy();
}

bool ExploreSource::anyBusy() const {
    return lineTask_.busy() || gridTask_.busy() || sensitivityTask_.busy() || solveTask_.busy() ||
           outcomesTask_.busy();
}

} // namespace alidade::views
