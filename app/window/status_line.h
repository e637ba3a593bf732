// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/tag.h"

#include <QStatusBar>

#include <optional>

class QLabel;
class QTimer;
class QToolButton;

namespace alidade::views {
class Document;
class TextLabel;
} // namespace alidade::views

namespace alidade::app {

/// The state at the bottom: saved or not, problems, and what the answer rests on: catalog, prices, time it
/// took.
class StatusLine : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusLine(views::Document* document, QWidget* parent = nullptr);

    /// Without an open scenario there is nothing to say about saving and problems.
    void setScenarioOpen(bool open);
    /// What becomes of the edits where they are kept in a workspace; no words: the document is a file.
    void setKeeping(views::BadgeKind kind, const QString& words);

    /// What the page Live is connected to, and how long its last answer took; shown while that page is.
    void setLive(views::BadgeKind kind, const QString& words, const QString& answer);
    void setLiveShown(bool shown);
    /// "Snapshot kept, 3.1 MB"; stays until the next one.
    void setLiveNote(const QString& words);

signals:
    void problemsClicked();

private:
    void renew();
    void renewProblems();

    views::Document* document_;
    QLabel* mark_;
    views::TextLabel *saved_, *catalog_, *prices_, *time_;
    views::TextLabel *live_, *answer_, *liveNote_;
    QToolButton* problems_;
    QTimer* patience_;                  ///< runs while an estimate is young
    std::optional<views::Role> marked_; ///< the ink of the mark
    bool open_ = true;
    bool liveShown_ = false;
    views::BadgeKind keepingKind_ = views::BadgeKind::neutral;
    QString keeping_;
};

} // namespace alidade::app
