// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "views/start/plan_search.h"

#include <QDialog>
#include <QList>
#include <QString>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace alidade::views {

class BatchEstimator;
class Document;
class TextLabel;

enum class PlanKind { trainingRun, service };

/// The guided way to a scenario: model, machine, size, and the tokens of a run or the load and the targets of
/// a service. It estimates a few dozen usual layouts and starts from the best of them: see PlanChoice.
class PlanDialog : public QDialog {
    Q_OBJECT

public:
    /// \param own a model that the catalog does not have
    PlanDialog(Document& document, PlanKind kind, const std::optional<Architecture>& own,
               QWidget* parent = nullptr);
    ~PlanDialog() override;

signals:
    void planned(const alidade::ScenarioSpec& spec);

private:
    void addQuantity(const char* path, const QString& label, const QString& text);
    void fillChoices();
    std::optional<ScenarioSpec> wanted();
    void search();
    void finish();

    Document& document_;
    PlanKind kind_;
    std::optional<Architecture> own_;
    BatchEstimator* batch_;
    QComboBox *model_, *machine_;
    QSpinBox* count_;
    QList<std::pair<QString, QLineEdit*>> quantities_; ///< paths of the fields
    TextLabel* message_;
    QProgressBar* progress_;
    QPushButton* start_;
    std::vector<ScenarioSpec> candidates_;
    PlanChoice choice_;
};

} // namespace alidade::views
