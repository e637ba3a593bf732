// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/exporter.h"
#include "app/window/report_options.h"
#include "data/report/branding.h"
#include "model/base/result.h"
#include "views/compare/compare_list.h"

#include <QDialog>

#include <functional>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTimer;

namespace alidade::views {
class ReportPreview;
}

namespace alidade::app {

class ReportContent;

/// A scenario that the report may be about.
struct ReportScenario {
    QString name;
    ScenarioSpec spec;
    bool chosen = true;
};

/// A scenario that can be added to those of a report.
struct ReportChoice {
    QString group; ///< "Library"; empty: is before the groups
    QString name;
    std::function<Result<ScenarioSpec>()> spec; ///< an error if it is not there any more
};
/// All of them at the moment; empty: none can be added.
using ReportChoices = std::function<std::vector<ReportChoice>()>;

/// Asks how a report is made, with a preview of the file in its format next to it. Estimates and preview are
/// made by workers.
class ReportDialog : public QDialog {
    Q_OBJECT

public:
    static constexpr int mostScenarios = views::CompareList::most; ///< that are compared

    /// \param source catalog and what belongs to it; the scenarios are those of the list, at least one
    /// \param choices that may be added to the list
    ReportDialog(ReportSource source, std::vector<ReportScenario> scenarios, const ReportOptions& options,
                 ReportChoices choices, QWidget* parent);
    ~ReportDialog() override;

    ReportOptions options() const;
    /// The source with the scenarios that are chosen. \pre one of them is
    ReportSource source() const;
    views::ReportPreview& preview() const { return *preview_; }

signals:
    /// All is asked for; the dialog is closed.
    void exportRequested();

private:
    QWidget* makeForm(const ReportOptions& options);
    void addChoices(const ReportOptions& options);
    void readLogo();
    void askLogo();
    void renewContent();
    void renewPreview();
    void renewButtons();
    int chosenScenarios() const;
    void fillAddMenu();
    void addScenario(const ReportChoice& choice);
    QString dayFault() const; ///< what is wrong with the last day of the prices; empty: nothing

    ReportSource source_;
    std::vector<ReportScenario> scenarios_;
    ReportChoices choices_;
    QComboBox *format_, *paper_, *locale_;
    QLineEdit *title_, *organization_, *author_, *confidentiality_, *validUntil_, *logoFile_;
    QLabel* fault_;
    QListWidget *sections_, *list_;
    QPushButton* add_;
    QPushButton* export_ = nullptr; ///< made after the form
    views::ReportPreview* preview_;
    QTimer* later_;
    std::shared_ptr<const ReportContent> content_;
    data::Logo logo_;
    bool logoIsBad_ = false;
    bool estimating_ = false, estimateAgain_ = false;
    int logos_ = 0; ///< generation
};

} // namespace alidade::app
