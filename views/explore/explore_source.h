// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/outcomes.h"
#include "model/explore/sensitivity.h"
#include "model/explore/solve.h"
#include "model/explore/sweep.h"
#include "views/explore/explore_task.h"

#include <QObject>
#include <QString>

namespace alidade::views {

/// What a sweep is asked. Paths of fields, or names of numbers of the catalog and the calibration.
struct SweepAsk {
    QString across, up;                    ///< `up` empty: over one field
    QString acrossValues, upValues;        ///< "8..64:step 8", "1,2,4"; empty: the usual ones
    const PlanFigure* objective = nullptr; ///< what re-optimizing looks for
    bool optimize = false;
    int points = 24; ///< on an axis of numbers
};

struct SweepAnswer {
    SweepAsk ask;
    ExploreContextPtr context;
    Sweep sweep;
    SweepPoint present; ///< the scenario as it is
    bool finished = false;
    double seconds = 0;
    std::string error; ///< not empty: nothing was swept
};

struct SensitivityAnswer {
    Result<Sensitivity> sensitivity = Error{};
    SensitivityRange range;
};

struct SolveAsk {
    QString variable;
    QString goal; ///< "training.run_time_s<=30 d"
};
struct SolveAnswer {
    SolveAsk ask;
    Result<Solution> solution = Error{};
    std::optional<Variable> variable;
    Goal goal;
};

struct OutcomeAnswer {
    Result<Outcomes> outcomes = Error{};
    double seconds = 0;
};

/// Runs what-ifs on separate threads, each kind by itself. A newer one supersedes an older one.
class ExploreSource : public QObject {
    Q_OBJECT

public:
    enum class Part { line, grid, sensitivity, solve, outcomes };

    explicit ExploreSource(QObject* parent = nullptr);
    ~ExploreSource() override;

    void sweepLine(const ExploreContextPtr& context, const SweepAsk& ask);
    void sweepGrid(const ExploreContextPtr& context, const SweepAsk& ask);
    void weigh(const ExploreContextPtr& context, const PlanFigure* figure, const SensitivityRange& range);
    void solve(const ExploreContextPtr& context, const SolveAsk& ask);
    void draw(const ExploreContextPtr& context, const OutcomeQuestion& question);
    void stop(Part part); ///< what is there so far stays
    void drop();          ///< nothing of it is wanted any more
    bool busy(Part part) const;
    bool anyBusy() const;

    /// The newest ones; null before the first.
    const std::shared_ptr<const SweepAnswer>& line() const { return line_; }
    const std::shared_ptr<const SweepAnswer>& grid() const { return grid_; }
    const std::shared_ptr<const SensitivityAnswer>& sensitivity() const { return sensitivity_; }
    const std::shared_ptr<const SolveAnswer>& solution() const { return solution_; }
    const std::shared_ptr<const OutcomeAnswer>& outcomes() const { return outcomes_; }

signals:
    /// A part began, has more, or is finished.
    void changed(alidade::views::ExploreSource::Part part);

private:
    static ExploreTask<SweepAnswer>::Job sweepJob(const ExploreContextPtr& context, const SweepAsk& ask);

    ExploreTask<SweepAnswer> lineTask_, gridTask_;
    ExploreTask<SensitivityAnswer> sensitivityTask_;
    ExploreTask<SolveAnswer> solveTask_;
    ExploreTask<OutcomeAnswer> outcomesTask_;
    std::shared_ptr<const SweepAnswer> line_, grid_;
    std::shared_ptr<const SensitivityAnswer> sensitivity_;
    std::shared_ptr<const SolveAnswer> solution_;
    std::shared_ptr<const OutcomeAnswer> outcomes_;
};

} // namespace alidade::views
