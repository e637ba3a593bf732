// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/start/plan_dialog.h"

#include <QList>
#include <QStringList>
#include <QWidget>

#include <optional>

class QGridLayout;
class QVBoxLayout;

namespace alidade::views {

class BatchEstimator;
class Document;
class LinkButton;
class SampleCard;
class TextLabel;

/// What one sees first: ways in, the sample scenarios with their real estimate, and recent files.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(Document* document, QWidget* parent = nullptr);
    ~StartPage() override;

    /// The guided way to a training run, of one's own model if there is one.
    void planRun(const std::optional<Architecture>& own = std::nullopt);
    void planService(); ///< the guided way to a service
    void setRecentFiles(const QStringList& files);
    /// The workspace that is open, as a way into it; no name: none is.
    void setWorkspace(const QString& name, int scenarios);
    const QList<SampleCard*>& cards() const { return cards_; }

signals:
    void openSample(const QString& id);
    void openFleet(const QString& id); ///< a sample
    void openFile(const QString& fileName);
    void openSpec(const alidade::ScenarioSpec& spec);
    void askOpen();
    void startNew();
    void newWorkspace();
    void showLibrary();
    void showCatalog();
    void showGuide();
    void clearRecent();

protected:
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeSide();
    QWidget* makeMain();
    QWidget* makeBrand();
    QWidget* makeDropZone();
    void showDayOf(const QString& file, LinkButton* link);
    LinkButton* addLink(QVBoxLayout* column, const QString& icon, const QString& text, const QString& keys,
                        void (StartPage::*signal)());
    void guide(PlanKind kind, const std::optional<Architecture>& own);
    QWidget* makeFleets();
    void arrangeCards();
    void estimateSamples();

    Document* document_;
    BatchEstimator* batch_;
    QList<SampleCard*> cards_;
    QGridLayout* grid_ = nullptr;
    int columns_ = 0;
    LinkButton* workspace_ = nullptr;
    QWidget* recent_ = nullptr;
    QVBoxLayout* recentRows_ = nullptr;
    TextLabel* estimatedWith_ = nullptr;
    bool estimated_ = false; ///< with the present catalog
};

} // namespace alidade::views
