// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"
#include "views/document/latest_worker.h"
#include "views/serving/accuracy_dialog.h"
#include "views/serving/test_time_data.h"

#include <array>

class QBoxLayout;
class QPushButton;
class QStackedWidget;

namespace alidade::views {

class SegmentedButtons;
class TestTimePlot;
class TextLabel;

/// An answered question of a service: its latency and its price against the samples that it draws or their
/// thinking budget, with the accuracy where a table of measured ones was given. A chosen point can be made
/// the scenario's. The points are estimated on a worker, and only while this view is to be seen.
class TestTimeView : public EstimateView {
    Q_OBJECT
public:
    explicit TestTimeView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Questions"); }
    QString iconName() const override { return QStringLiteral("serving"); }
    QString helpTopic() const override { return QStringLiteral("questions"); }
    TestTimePlot* plot(TestTimeMeasure measure) const { return plots_[static_cast<std::size_t>(measure)]; }
    SegmentedButtons* axes() const { return axes_; }
    QPushButton* useButton() const { return use_; }
    QPushButton* accuracyButton() const { return ask_; }
    QString sentence() const;
    QString detail() const;
    QString offer() const;
    bool isComputing() const { return busy_; }
    /// Measured accuracies, as the dialog gives them.
    void setAccuracy(const TypedAccuracy& accuracy);

protected:
    QString nothingYet() const override { return tr("No question to answer yet"); }
    bool canShow(const Estimate& estimate) const override;
    std::pair<QString, QString> nothingIn(const Estimate& estimate) const override;
    void showEstimate() override;
    void showDifference() override {}
    void chooseRow(const QString& key) override { choose(key.toInt()); }
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Answered {
        ScenarioSpec scenario;
        TestTimeAxis axis = TestTimeAxis::samples;
        TestTimeQuestion question;
        TestTimeTable table;
        std::string error;
    };
    QWidget* makeHead();
    QWidget* makeFoot();
    void connectPlot(TestTimePlot& plot);
    void askAccuracy();
    void compute();
    void take(const std::shared_ptr<const Answered>& answered);
    void showNone(const QString& why, const QString& detail);
    void choose(int row);
    void use(int row);
    void arrange();
    TestTimeAxis axis() const;
    const TestTimeData& data() const;

    LatestWorker worker_;
    std::uint64_t generation_ = 0; ///< of the newest question
    bool busy_ = false;
    std::shared_ptr<const Answered> answered_;
    QStackedWidget* pages_; ///< the picture, or why there is none
    EmptyState* none_;
    BusyOverlay* computing_ = nullptr;
    std::array<TestTimePlot*, 3> plots_; ///< by TestTimeMeasure
    QBoxLayout* row_ = nullptr;
    TextLabel *sentence_, *detail_, *offer_;
    SegmentedButtons* axes_;
    QPushButton *ask_, *use_;
    QWidget* foot_ = nullptr;
    TypedAccuracy accuracy_;
};

} // namespace alidade::views
