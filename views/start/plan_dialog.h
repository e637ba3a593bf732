// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QDialog>

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

class BatchEstimator;
class Document;
class TextLabel;

/// The guided way to a training scenario: model, machine, size, tokens. It estimates a few dozen usual
/// layouts and starts from the fastest that runs and fits; if none does, from the one that lacks least.
class PlanDialog : public QDialog {
    Q_OBJECT

public:
    /// \param own a model that the catalog does not have
    PlanDialog(Document& document, const std::optional<Architecture>& own, QWidget* parent = nullptr);
    ~PlanDialog() override;

signals:
    void planned(const alidade::ScenarioSpec& spec);

private:
    QLineEdit* addQuantity(const QString& label, const QString& text);
    void fillChoices();
    std::optional<ScenarioSpec> wanted();
    void search();
    void consider(int index, const Estimate* estimate);
    void finish();

    Document& document_;
    std::optional<Architecture> own_;
    BatchEstimator* batch_;
    QComboBox *model_, *machine_;
    QSpinBox* count_;
    QLineEdit *sequence_, *batchSize_, *tokens_;
    TextLabel* message_;
    QProgressBar* progress_;
    QPushButton* start_;
    std::vector<ScenarioSpec> candidates_;
    int best_ = -1;
    double bestRate_ = 0; ///< tokens/s of the best that runs and fits
    int nearest_ = -1;
    double nearestLack_ = 0; ///< bytes that the nearest one needs too much
};

/// The layouts that the guided way tries: tensor parallel inside an NVLink domain, pipelines up to 16 stages,
/// recompute from none to full.
std::vector<ScenarioSpec> usualLayouts(const ScenarioSpec& base);

} // namespace alidade::views
