// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"
#include "views/validation/run_picture.h"

#include <memory>

class QComboBox;
class QStackedWidget;

namespace alidade::views {

class BandLabel;
class BusyOverlay;
class CellTable;
class ClassTable;
class DockTitleBar;
class EmptyState;
class ErrorState;
class FilterPanel;
class RunPanel;
class RunPlot;
class SegmentedButtons;
class ValidationSource;
class VerdictLabel;

/// How far to trust a number: predictions next to published measurements. Filters at the left; the error
/// figures of what passes them on top; below, the scatter next to the errors class by class, and the rows
/// next to the chosen one.
class ValidationView : public View {
    Q_OBJECT

public:
    /// `source` must outlive this.
    ValidationView(Document* document, ValidationSource* source, QWidget* parent = nullptr);

    QString title() const override { return tr("Validation"); }
    QString iconName() const override { return QStringLiteral("validation"); }

    const RunFilter& filter() const { return filter_; }
    void setFilter(const RunFilter& filter);
    /// Nothing but these rows, of whatever speed; of serving what most of them tell.
    void showRuns(const QStringList& ids);
    void choose(const QString& key); ///< runKey; unknown: none is chosen

    // For tests and pictures
    QString sentence() const;
    FilterPanel* filterPanel() const { return filters_; }
    RunPlot* scatter() const { return plot_; }
    ClassTable* classTable() const { return classes_; }
    RunPanel* runPanel() const { return panel_; }
    CellTable* table(int page) const { return tables_[page]; }
    SegmentedButtons* pages() const { return pageButtons_; }
    SegmentedButtons* kinds() const { return kindButtons_; }
    QComboBox* colorBy() const { return field_; }

    enum Page { runsPage, worstPage, memoryPage, skippedPage, pageCount };

signals:
    /// A person wants to see a published run as a scenario.
    void openScenario(const alidade::ScenarioSpec& spec);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeStrip();
    QWidget* makeScatter();
    QWidget* makeClasses();
    QWidget* makeTables();
    void connectParts();
    void renewReport();
    void renewRows();
    void renewPicture();
    void renewTables();
    void renewPlotTitle();
    void showPage(int page);
    void emphasize(int place);
    void open(const QString& key);
    const ValidationRow* rowOf(const QString& key) const;
    void fitColumns();
    void fit();

    ValidationSource* source_;
    std::shared_ptr<const ValidationReport> report_;
    std::shared_ptr<const Catalog> catalog_; ///< that the report was made with
    RunFilter filter_;
    std::vector<const ValidationRow*> rows_; ///< that pass the filter
    /// The same rows for error figures: of all speeds as one, those of the step time that each means.
    std::vector<const ValidationRow*> figured_;
    std::vector<ValidationRow> times_; ///< that `figured_` points to then
    RunField by_ = RunField::gpu;      ///< of colors and classes
    RunPictureKind kind_ = RunPictureKind::against;
    QString chosen_; ///< runKey

    QStackedWidget* states_; ///< content, or what is there while there is none
    QWidget* nothing_;       ///< under the veil while there is no report yet
    QWidget* content_;
    EmptyState* empty_;
    ErrorState* error_;
    BusyOverlay* busy_;
    FilterPanel* filters_;
    VerdictLabel* verdict_;
    QList<BandLabel*> figures_;
    DockTitleBar* plotBar_ = nullptr;
    DockTitleBar* tableBar_ = nullptr;
    QComboBox* field_;
    SegmentedButtons* kindButtons_;
    SegmentedButtons* pageButtons_;
    RunPlot* plot_;
    ClassTable* classes_;
    QStackedWidget* tablePages_; ///< a table each, and last what is there while one has no row
    EmptyState* noRow_;
    QList<CellTable*> tables_;
    bool columnsFitted_ = false; ///< once; then they are the person's
    RunPanel* panel_;
};

} // namespace alidade::views
