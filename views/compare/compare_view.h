// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"
#include "views/compare/compare_list.h"
#include "views/compare/machine_source.h"
#include "views/document/view.h"
#include "views/kit/table_text.h"

#include <QList>
#include <QTimer>

#include <functional>

class QMenu;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace alidade::views {

class BusyOverlay;
class CompareBarsPlot;
class CompareScatter;
class CompareSource;
class CompareTable;
class EmptyState;
class ErrorState;
class SegmentedButtons;
class TextLabel;
class VerdictLabel;
struct CompareGrid;

/// Up to twelve scenarios side by side: the result in words, inputs that differ, figures with the best one
/// marked, the reasons of the difference in parts that add up, and pictures of step, memory and cost.
class CompareView : public View {
    Q_OBJECT

public:
    /// A scenario to choose from.
    struct Choice {
        QString group; ///< "Library"
        data::ListedScenario scenario;
    };
    /// Where scenarios come from that are not in the list themselves.
    struct Scenarios {
        std::function<QList<Choice>()> choices; ///< to add; the open one is not among them
        /// The present state of a stored one, with its name. \returns an error if it is not there
        std::function<Result<ScenarioSpec>(std::int64_t id)> stored;
    };

    explicit CompareView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Compare"); }
    QString iconName() const override { return QStringLiteral("compare"); }

    void setScenarios(const Scenarios& scenarios);
    const Scenarios& scenarios() const { return scenarios_; }
    /// A stored scenario, or the catalog of them, changed.
    void scenariosChanged();
    CompareList& list() const { return *list_; }
    /// The scenarios as they are compared, in their order; without those that are not there.
    std::vector<ScenarioSpec> specs() const;

    void addScenario(const data::ListedScenario& scenario);
    void sameJobOnEveryMachine();
    void copyAs(TableFormat format) const;
    void copyPicture() const;

    // For tests and pictures
    CompareTable* table() const { return table_; }
    CompareBarsPlot* steps() const { return steps_; }
    CompareBarsPlot* memory() const { return memory_; }
    CompareScatter* cost() const { return cost_; }
    CompareSource* source() const { return source_; }
    const ExploreTask<MachineAnswer>* machines() const { return &machines_; }
    QMenu* addMenu() const { return addMenu_; }
    QString sentence() const;
    QString remark() const; ///< what was left out

signals:
    void openRequested(const alidade::data::ListedScenario& scenario);
    void reportRequested();

protected:
    void updateEstimate() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeStrip(QWidget* strip);
    void makeActions();
    QWidget* makePictures();
    QToolButton* button(const QString& words, const char* icon, const QString& toolTip);
    void connectParts();
    void fillAddMenu();
    void renewRequest();
    void renewAnswer();
    void renewGrid();
    void choose(int scenario);
    void takeMachines(const MachineAnswer& answer);
    void stopMachines();
    void renewBusy();
    void sortBy(const QString& key);
    void sortByCurrent();
    void removeCurrent();
    void takeBaseline();
    void moveCurrent(int by);
    void openScenario(int scenario);
    void renameCurrent();
    void say(const QString& note);
    int chosen() const;

    CompareList* list_;
    CompareSource* source_;
    ExploreTask<MachineAnswer> machines_;
    Scenarios scenarios_;
    QStackedWidget* states_;
    EmptyState* empty_;
    QWidget* content_;
    BusyOverlay* busy_;
    VerdictLabel* verdict_;
    TextLabel* detail_;
    TextLabel* remark_;
    SegmentedButtons* everything_;
    SegmentedButtons* orientation_;
    QMenu* addMenu_;
    QToolButton* machinesButton_ = nullptr;
    QToolButton* reportButton_ = nullptr;
    CompareTable* table_;
    CompareBarsPlot* steps_;
    CompareBarsPlot* memory_;
    CompareScatter* cost_;
    QTimer renew_; ///< several changes at once cost one comparison
};

} // namespace alidade::views
