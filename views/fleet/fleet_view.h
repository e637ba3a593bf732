// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/fleet/fleet_file.h"
#include "views/document/view.h"
#include "views/explore/explore_task.h"

#include <memory>

class QPushButton;
class QStackedWidget;

namespace alidade::views {

class CellTable;
class EmptyState;
class ExplorePanel;
class FleetForm;
class FleetPlot;
class VerdictLabel;

/// Several services on shared pools: what they are asked for on the left, instances over the week, services
/// and bill on the right. A fleet is a file of its own, beside the scenario.
class FleetView : public View {
    Q_OBJECT

public:
    explicit FleetView(Document* document, QWidget* parent = nullptr);
    ~FleetView() override;

    QString title() const override { return tr("Fleet"); }
    QString iconName() const override { return QStringLiteral("fleet"); }

    void openSample();
    void openFile(const QString& fileName);
    /// Takes the traffic of a service from a trace: rates, lengths and shared prefixes.
    void importTrace(int service, const QString& fileName);
    bool isBusy() const;

    // For tests and pictures
    FleetForm* form() const { return form_; }
    FleetPlot* plot() const { return plot_; }
    CellTable* services() const { return services_; }
    CellTable* bill() const { return bill_; }
    EmptyState* empty() const { return empty_; }
    QString sentence() const;
    /// The newest answer; null before the first.
    const std::shared_ptr<const FleetAnswer>& answer() const { return answer_; }

signals:
    void finished();

private:
    struct Answered {
        data::FleetFile file;
        std::shared_ptr<const FleetAnswer> answer;
        std::string error;
        double done = 0; ///< 0..1, of one that is still worked on
    };
    QWidget* makeContent();
    QWidget* makeTables();
    void askFile();
    void askTrace();
    void read(const QString& fileName, std::function<data::FleetReading()> reader);
    void ask();
    void take(const std::shared_ptr<const Answered>& answered, bool finished);
    void showAnswer();
    void showServices(const FleetPlan* plan);
    void showBill(const FleetPlan* plan);
    void showRejected();

    ExploreTask<Answered> task_;
    data::FleetFile file_; ///< as it was last planned
    std::shared_ptr<const FleetAnswer> answer_;
    QStackedWidget* states_;
    EmptyState* empty_;
    VerdictLabel* verdict_;
    QPushButton *open_, *trace_;
    FleetForm* form_;
    ExplorePanel* panel_;
    FleetPlot* plot_;
    CellTable *services_, *bill_, *rejected_;
    int reading_ = 0;
};

} // namespace alidade::views
