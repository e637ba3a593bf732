// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"

#include <QStringList>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace alidade::views {

class EmptyState;
class SuggestionRow;

/// "What would change the answer": the best changes, each with the gain that a re-estimate really gave. Try
/// shows what it would bring in all views, until Enter adopts it or Esc goes back.
class SuggestionsView : public View {
    Q_OBJECT

public:
    explicit SuggestionsView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("What would change the answer"); }
    QString iconName() const override { return QStringLiteral("compare"); }
    QString helpTopic() const override { return QStringLiteral("suggestions"); }

protected:
    void updateEstimate() override;
    void updateBusy() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void renew();
    void rebuild();
    SuggestionRow* addRow();
    void keepRows(std::size_t suggestions, qsizetype warnings);
    void showWarnings();
    QLabel* addWarning();
    void showEmpty();

    QWidget* list_;
    QVBoxLayout* rows_;
    EmptyState* empty_;
    std::vector<SuggestionRow*> shown_; ///< one for each suggestion
    QList<QLabel*> warningLabels_;      ///< one for each warning
    bool renewed_ = true;               ///< the suggestions changed, or the one that is tried
    QStringList warnings_;              ///< that are below the suggestions
};

} // namespace alidade::views
