// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/calibration/map_fit.h"
#include "model/catalog/catalog.h"
#include "model/catalog/profile.h"
#include "model/collectives/collective_op.h"
#include "model/observation/finding.h"
#include "model/scenario/spec.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Time that a calibration leaves out, with the reason.
struct ExcludedWindow {
    double start = 0, end = 0; ///< Unix s
    std::string why;           ///< "straggler gpu-0007", "restart and warm-up"
};

/// A constant before and after, or (not `applied`) a figure that was measured as well: `how` says which of
/// the profile's constants follow from it.
struct CalibratedParameter {
    std::string name;  ///< of the profile: "serving_memory_efficiency"; of a figure: "decode_hbm_efficiency"
    std::string label; ///< for a person
    std::string unit;
    double before = 0;        ///< NaN: the profile has nothing that says the same
    double after = 0;         ///< NaN: only the interval is known
    double logSd = 0;         ///< of ln(after)
    double low = 0, high = 0; ///< 10 % and 90 %; where only an interval can be known, that interval
    double dataShare = 0;     ///< 0: only the prior speaks, 1: measured
    bool interval = false;    ///< the data give bounds and no point
    bool applied = false;     ///< a constant of the profile, not a figure
    bool changed = false;     ///< a constant with a new value in the profile; else it keeps its own
    std::string how;          ///< what it was read from; what would separate it, where the data do not
};

/// What a calibration was made from.
enum class CalibrationEvidence : std::uint8_t { serving, training, collectives, stepTimes, benchmark };

/// Constants of the running cluster that a calibration found, with what they were found from.
struct LiveCalibration {
    CalibrationEvidence evidence = CalibrationEvidence::training;
    std::string source;   ///< for a person: server without credentials and job, or names of files
    std::string quantity; ///< whose errors are reported: "inter-token latency"
    std::vector<CalibratedParameter> parameters; ///< measured figures first
    std::vector<ConfoundedPair> confounded;      ///< indices into parameters
    std::vector<ExcludedWindow> excluded;        ///< in order of time
    double start = 0, end = 0; ///< Unix s, of what was used; 0: logs and tables have no times
    std::size_t samples = 0;   ///< windows, rows or steps that were used
    double spread = 0;         ///< of what was fitted: half of the distance of its quartiles / median
    ErrorFigures before, after;
    std::optional<ErrorFigures> leftOut; ///< leave-one-out
    std::vector<std::string> notes;      ///< what was not identifiable, and which measurement identifies it
    Profile profile;                     ///< the profile that it started from with the fitted values over it
};

/// Constants of the scenario from what was measured on the cluster that runs it, by MAP with the profile's
/// values as priors (see cost-model: calibration). An error says what is missing, or which figure is outside
/// physics and what makes it so.
/// \param findings whose time is left out, in addition to checkpoints, restarts and warm-up
/// \param leftOut further time that a person leaves out
Result<LiveCalibration> calibrateLive(const ScenarioSpec& spec, const Catalog& catalog,
                                      const Profile& profile, const Observation& observation,
                                      const std::vector<Finding>& findings,
                                      const std::vector<ExcludedWindow>& leftOut = {});

/// One table of a run of nccl-tests on the scenario's machines.
struct MeasuredCollective {
    struct Point {
        double bytes = 0;     ///< as NCCL counts them
        double seconds = 0;   ///< > 0
        bool inPlace = false; ///< of the two figures of a size
    };
    std::string log; ///< where it is from, for a person
    CollectiveOp op = CollectiveOp::allReduce;
    int ranks = 0, nodes = 1;
    std::vector<Point> points;
};

/// Latency, fill and efficiency of NVLink and of the network from logs of nccl-tests. Leave-one-out is over
/// sizes.
Result<LiveCalibration> calibrateCollectives(const ScenarioSpec& spec, const Catalog& catalog,
                                             const Profile& profile,
                                             const std::vector<MeasuredCollective>& tables);

/// Step times of one run in their order, seconds.
struct MeasuredStepTimes {
    std::string file; ///< for a person
    std::vector<double> seconds;
    /// In place of `seconds`: tokens per second of one GPU, which a log reports by the step.
    std::vector<double> tokensPerSecondPerGpu = {};
    bool areMeans = false;  ///< each is of several steps already: one is enough
    double globalBatch = 0; ///< sequences of a step, as the run reports; 0: it does not
};

/// What step times alone can determine: one number, and so an overall factor that the constants share by how
/// uncertain each was. Warm-up at the front and outliers are left out.
Result<LiveCalibration> calibrateStepTimes(const ScenarioSpec& spec, const Catalog& catalog,
                                           const Profile& profile, const MeasuredStepTimes& steps);

/// The load of one benchmark of a serving deployment, and what came of it. NaN: the tool does not report it.
struct ServedRun {
    static constexpr double untold = std::numeric_limits<double>::quiet_NaN();
    std::string file, tool, model; ///< for a person; the model as the tool names it
    double requestRate = untold;   ///< 1/s, asked for; NaN or infinite: as many as `concurrency` allows
    double concurrency = untold;   ///< requests in flight at most
    double promptTokens = untold, outputTokens = untold;               ///< of a request, means
    double requestsPerSecond = untold, outputTokensPerSecond = untold; ///< of the whole deployment
    double ttft = untold, itl = untold, e2e = untold;                  ///< s, means
    double requests = untold, failed = untold;
    double acceptLength = untold; ///< tokens of a step with speculation
};

/// What one or a few benchmarks determine: each its time to the first token, gap between tokens and
/// throughput under its load. The constants share a deviation by how uncertain each was; what the runs do not
/// move keeps its value and its band.
Result<LiveCalibration> calibrateServedRuns(const ScenarioSpec& spec, const Catalog& catalog,
                                            const Profile& profile, const std::vector<ServedRun>& runs);

} // namespace alidade
