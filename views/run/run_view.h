// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"
#include "views/run/run_story.h"

#include <QHash>

class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace alidade::views {

class BandLabel;
class CellTable;
class EmptyState;
class ExplorePanel;
class FieldRow;
class FinishPlot;
class IntervalPlot;
class RunCalendarView;
class SegmentedButtons;
class ShareDelegate;
class SparePlot;
class TextLabel;
class VerdictLabel;

/// The whole run of a training scenario: when it ends, what interrupts it, how often to take a checkpoint and
/// where it goes, what spares are worth, and how the end spreads over simulated outcomes.
class RunView : public View {
    Q_OBJECT
public:
    explicit RunView(Document* document, QWidget* parent = nullptr);
    ~RunView() override;

    QString title() const override { return tr("Whole run"); }
    QString iconName() const override { return QStringLiteral("play"); }
    QString helpTopic() const override { return QStringLiteral("run"); }

    QString sentence() const;
    bool isEmpty() const; ///< says why there is nothing to show
    bool isBusy() const;  ///< outcomes are being drawn
    /// Of the estimate that is shown, as far as it is drawn; null before the first.
    const RunStoryPtr& story() const { return story_; }

    // For tests
    const QList<BandLabel*>& figures() const { return figures_; }
    QPushButton* previewButton() const { return preview_; }
    QPushButton* adoptButton() const { return adopt_; }
    RunCalendarView* calendar() const { return calendar_; }
    SegmentedButtons* outcomeSwitch() const { return outcomeSwitch_; }
    IntervalPlot* intervalPlot() const { return interval_; }
    CellTable* causes() const { return causes_; }
    CellTable* tiers() const { return tiers_; }
    SparePlot* sparePlot() const { return spares_; }
    FinishPlot* finishPlot() const { return finish_; }
    CellTable* deadlineSteps() const { return steps_; }
    CellTable* worths() const { return worths_; }
    /// Start and deadline.
    const QList<FieldRow*>& dates() const { return dates_; }
    ExplorePanel* finishPanel() const { return finishPanel_; }
    ExplorePanel* calendarPanel() const { return calendarPanel_; }
    ExplorePanel* intervalPanel() const { return intervalPanel_; }
    QScrollArea* scrollArea() const { return scroll_; }
    /// Whether a part says why it is empty.
    bool saysWhy(const ExplorePanel* part) const;

signals:
    /// A person wants to set a field of the scenario: "run.start".
    void fieldRequested(const QString& path);
    void explainRequested(const QString& label, const QString& path);

protected:
    void updateEstimate() override;
    void updateBusy() override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// What a part shows, and what is there instead where there is nothing to show.
    struct Part {
        QWidget* content;
        EmptyState* why;
    };

    QWidget* makeStrip();
    ExplorePanel* makePanel(const QString& icon, const QString& title, QWidget* content);
    /// Empty: the part shows its content.
    void say(ExplorePanel* part, const QString& what, const QString& why);
    QWidget* makeBody();
    void makeCalendarPanel();
    void makeIntervalPanel();
    void makeTablePanels();
    void makeOutcomePanels();
    void connectParts();

    void showNothing();
    void applyFix();
    void showAnswer();
    void showInterval();
    void showTables();
    void showStory();
    void nameOutcome();
    void showOutcomes();
    void renewButtons();
    void renewDates();
    void renewHeights();
    void ask();
    void take(const RunStoryPtr& story, bool finished);
    void previewInterval(double seconds);
    void previewBest();
    void previewStep(int row);
    bool isPreviewedHere() const;
    void followField();
    void explain(int index);

    std::shared_ptr<const Estimate> shown_;
    RunStoryPtr story_;
    ExploreTask<RunStory> task_;
    double better_ = 0; ///< s: the interval that the button previews; 0: none
    Edit step_;         ///< that was previewed last
    QString missing_;   ///< field that the answer lacks: "run.start"

    QStackedWidget* states_;
    EmptyState* empty_;
    VerdictLabel* verdict_ = nullptr;
    QPushButton *preview_ = nullptr, *adopt_ = nullptr, *field_ = nullptr;
    QList<BandLabel*> figures_;
    QScrollArea* scroll_ = nullptr;
    QHash<const ExplorePanel*, Part> parts_;
    ExplorePanel *calendarPanel_ = nullptr, *intervalPanel_ = nullptr, *causePanel_ = nullptr,
                 *tierPanel_ = nullptr, *sparePanel_ = nullptr, *finishPanel_ = nullptr;
    QList<FieldRow*> dates_; ///< editors of the start and of the deadline
    RunCalendarView* calendar_ = nullptr;
    SegmentedButtons* outcomeSwitch_ = nullptr;
    IntervalPlot* interval_ = nullptr;
    CellTable *causes_ = nullptr, *tiers_ = nullptr, *steps_ = nullptr, *worths_ = nullptr;
    ShareDelegate* shares_ = nullptr;
    TextLabel* tierNote_ = nullptr;
    SparePlot* spares_ = nullptr;
    FinishPlot* finish_ = nullptr;
};

} // namespace alidade::views
