// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/search/search_changes.h"
#include "views/search/search_source.h"

#include <QStringList>
#include <QWidget>

#include <functional>
#include <optional>

class QAction;
class QToolButton;

namespace alidade::views {

class CellTable;
class DockTitleBar;
class TextLabel;

/// The best plans of an answer under a line that says what all of them share, or what changed since an older
/// answer. While a search goes on, columns stay once they are there, and what is under the pointer stays
/// where it is.
class SearchList : public QWidget {
    Q_OBJECT

public:
    explicit SearchList(QWidget* parent = nullptr);

    /// \param isInView of a plan by its place in the answer
    /// \param more the same search as the answer before
    void setAnswer(const CatalogSearch& answer, const std::function<bool(int)>& isInView, bool more);
    /// nullopt: nothing is compared
    void setChanges(const CatalogSearch& answer, const std::optional<SearchChanges>& changes);

    CellTable* table() const { return table_; }
    CellTable* changes() const { return changes_; } ///< visible while its action is checked
    QAction* changesAction() const { return showChanges_; }
    DockTitleBar* bar() const { return bar_; }
    QString sharedText() const;

private:
    void renewParts();

    DockTitleBar* bar_;
    TextLabel* shared_;
    CellTable *table_, *changes_;
    QAction* showChanges_;
    QStringList kept_; ///< columns that stay while the search goes on
    QToolButton* changesButton_;
};

} // namespace alidade::views
