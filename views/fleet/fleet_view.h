// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/fleet_replay.h"
#include "views/document/view.h"
#include "views/explore/question_page.h"
#include "views/fleet/fleet_document.h"

#include <functional>
#include <memory>
#include <vector>

class QPushButton;

namespace alidade::views {

class CellTable;
class EmptyState;
class ExplorePanel;
class FleetForm;
class FleetPlot;
class FleetTables;

/// A fleet to open: what reads it, on another thread, and where Save will write it.
struct FleetSource {
    QString name;       ///< for messages
    QString fileName{}; ///< empty: none yet
    std::function<data::FleetReading()> read;
    bool isModified = false; ///< it has edits that the file does not have
    bool isShown = true;     ///< false: it is planned when the page is first looked at
};

/// Reads a fleet file.
std::function<data::FleetReading()> readingOf(const QString& fileName);

/// Several services on shared pools: what they are asked for on the left, instances over the week, services
/// and bill on the right. A fleet is a separate file, next to the scenario; edits are steps to undo.
class FleetView : public View {
    Q_OBJECT

public:
    explicit FleetView(Document* document, QWidget* parent = nullptr);
    ~FleetView() override;

    QString title() const override { return tr("Fleet"); }
    QString iconName() const override { return QStringLiteral("fleet"); }

    FleetDocument* fleet() { return &fleet_; }
    /// Takes the place of the open fleet, whose edits are lost; one that cannot be read leaves it.
    void open(const FleetSource& source);
    void openFile(const QString& fileName);
    void openSample(const QString& id = {}); ///< empty: the first one
    void close();
    /// What is typed and not yet left becomes a step to undo. \returns false for what cannot be, which the
    /// form says
    bool commit(const QString& what = {});
    /// Takes the traffic of a service from a trace: rates, lengths and shared prefixes.
    void importTrace(int service, const QString& fileName);
    bool isBusy() const;

    // For tests and pictures
    FleetForm* form() const { return form_; }
    FleetPlot* plot() const { return plot_; }
    FleetTables* tables() const { return tables_; }
    CellTable* services() const;
    CellTable* bill() const;
    EmptyState* empty() const { return empty_; }
    QPushButton* openButton() const { return open_; }
    QPushButton* saveButton() const { return save_; }
    QString sentence() const;
    /// The newest answer; null before the first.
    const std::shared_ptr<const FleetAnswer>& answer() const { return answer_; }
    const std::vector<ServiceReplay>& replays() const { return replays_; }

signals:
    void finished();
    void openRequested(); ///< a person wants another fleet
    void sampleRequested();
    void saveRequested();
    void fileRead(const QString& fileName); ///< it is open now
    void notRead();                         ///< what was to be opened; the open one stays

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Answered {
        data::FleetFile file;
        std::shared_ptr<const FleetAnswer> answer;
        std::string error;
        QString calibration; ///< name of the profile; empty: the default
    };
    struct Replayed {
        std::vector<ServiceReplay> replays;
        std::vector<std::string> notPlayed; ///< names of services
    };
    void askTrace();
    void read(const QString& name, std::function<data::FleetReading()> reader,
              std::function<void(const data::FleetFile&)> take);
    void ask();
    void take(const std::shared_ptr<const Answered>& answered);
    void replay();
    void takeReplay(const std::shared_ptr<const Replayed>& replayed);
    void forgetAnswer();
    void showFleet();
    void showState();
    void showAnswer();
    void renewReplay();
    const FleetPlan* best() const;

    FleetDocument fleet_;
    std::shared_ptr<const Answered> answered_;
    std::shared_ptr<const FleetAnswer> answer_;
    std::vector<ServiceReplay> replays_;
    EmptyState* empty_;
    QPushButton *open_, *save_, *trace_;
    FleetForm* form_;
    ExplorePanel* panel_;
    FleetPlot* plot_;
    FleetTables* tables_;
    QuestionPage* page_;
    QuestionTask<Answered> plan_;
    QuestionTask<Replayed> replay_;
    std::string planned_; ///< the document that the answer is about
    int reading_ = 0;
    int readings_ = 0; ///< so far
    bool plansWhenShown_ = false;
};

} // namespace alidade::views
