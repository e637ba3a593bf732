// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "views/start/plan_search.h"

#include <QDialog>
#include <QList>
#include <QString>

#include <memory>
#include <optional>
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
class SegmentedButtons;
class TextLabel;

enum class PlanKind { trainingRun, service };

/// The guided way to a scenario: model, machine, size, and the tokens of a run or the load and the targets of
/// a service. Everything that is wrong is marked at once, each next to its field. It estimates a few dozen
/// usual layouts and starts from the best of them: see PlanChoice.
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
    /// A field with a number, and the line under it that says what is wrong with it.
    struct Quantity {
        QString path;
        QLineEdit* edit = nullptr;
        TextLabel* fault = nullptr;
        bool needed = true; ///< empty is wrong
    };

    void addTuning();
    void addQuantity(const char* path, const QString& label, const QString& text, bool needed = true);
    void showRow(const Quantity& quantity, bool visible);
    bool isAsked(const Quantity& quantity) const;
    void setFault(const Quantity& quantity, const QString& fault);
    void fitHeight();
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
    SegmentedButtons* tuning_ = nullptr; ///< of training: all weights, or LoRA
    QList<Quantity> quantities_;
    TextLabel* message_;
    QProgressBar* progress_;
    QPushButton* start_;
    std::vector<ScenarioSpec> candidates_;
    PlanChoice choice_;
};

} // namespace alidade::views
