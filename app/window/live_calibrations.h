// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "views/live/calibration_dialog.h"

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <functional>
#include <memory>

namespace alidade::views {
class Document;
} // namespace alidade::views

namespace alidade::app {

class ProfileShelf;

/// Calibrations of the open scenario's constants: from what the live page shows, from logs of nccl-tests,
/// from a table of step times, from benchmarks or one step time. Fits on a worker thread; keeps a profile,
/// and lets the scenario use it, when a person says so.
class LiveCalibrations : public QObject {
    Q_OBJECT

public:
    /// All must outlive this; dialogs belong to `window`.
    LiveCalibrations(views::Document& document, ProfileShelf& profiles, QWidget& window);

    /// \param start, end Unix s
    /// \param leftOut time that a person leaves out
    void fit(const std::shared_ptr<const Observation>& observation, const std::vector<Finding>& findings,
             double start, double end, const std::vector<ExcludedWindow>& leftOut = {});
    void fitLogs(const QStringList& files);
    void fitSteps(const QString& file);
    void fitBenches(const QStringList& files);
    void fitStepTime(double seconds);
    void askLogs();
    void askSteps();
    void askBenches();
    void askStepTime();
    views::CalibrationDialog* dialog() const { return dialog_; } ///< null while it is not open

signals:
    void excluded(const std::vector<alidade::ExcludedWindow>& windows); ///< of the last live fit
    void noted(const QString& aside, const QString& detail);            ///< for the card of the live page
    void failed(const QString& sentence, const QString& reason);

private:
    struct Outcome {
        Result<LiveCalibration> found = Error{};
        views::CalibrationSeries series;
    };
    using Fit = std::function<Outcome(const ScenarioSpec&, const Catalog&, const Profile&)>;
    void start(const QString& words, const QString& name, bool isLive, Fit fit);
    void save(const QString& name);
    void use(const QString& name);
    /// Whether the open scenario uses the profile that was kept last.
    void renewNote();

    views::Document& document_;
    ProfileShelf& profiles_;
    QWidget& window_;
    QPointer<views::CalibrationDialog> dialog_;
    int generation_ = 0;
    QString kept_; ///< name of the profile that was kept last
};

} // namespace alidade::app
