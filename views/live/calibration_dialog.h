// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "views/live/calibration_plot.h"

#include <QDialog>

#include <optional>

class QLineEdit;
class QPushButton;

namespace alidade::views {

class BusyOverlay;
class CalibrationModel;
class DataTableView;
class TextLabel;
class VerdictLabel;

/// What a calibration found: each constant before and after with its band, how much of it is measured, what
/// cannot be told apart, and what was left out. Saving the profile and using it are two steps.
class CalibrationDialog : public QDialog {
    Q_OBJECT
public:
    explicit CalibrationDialog(QWidget* parent = nullptr);

    /// \param words "Fitting 14:02 – 14:30 of prometheus-a"
    void setBusy(const QString& words);
    void setFailure(const QString& sentence);
    /// \param name proposed for the profile
    void setResult(const LiveCalibration& calibration, const CalibrationSeries& series, const QString& name);
    /// Why a profile cannot be kept now; empty: it can.
    void setRefusal(const QString& reason);
    /// It is kept under this name.
    void setSaved(const QString& name);
    /// The scenario uses it.
    void setUsed(const QString& scenario);
    const std::optional<LiveCalibration>& result() const { return result_; }
    CalibrationModel* model() const { return model_; }
    CalibrationPlot* plot() const { return plot_; }
    /// Errors, notes and what cannot be told apart, as they are in the dialog.
    QString words() const;

signals:
    void cancelRequested();
    void saveRequested(const QString& name);
    void useRequested(const QString& name);

private:
    QWidget* makeContent();
    void renewButtons();

    std::optional<LiveCalibration> result_;
    CalibrationModel* model_;
    DataTableView* table_;
    CalibrationPlot* plot_;
    VerdictLabel* verdict_;
    TextLabel *errors_, *confounded_, *notes_, *message_;
    QLineEdit* name_;
    QPushButton *save_, *use_;
    QWidget* content_;
    BusyOverlay* busy_;
    QString saved_, refusal_;
};

} // namespace alidade::views
