// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"
#include "views/library/spec_difference.h"

#include <cstdint>
#include <optional>

class QAbstractTableModel;
class QSplitter;
class QStackedWidget;

namespace alidade::views {

class CellTable;
class DataTableView;
class EmptyState;
class History;
class HistoryModel;

/// The committed edits of the open scenario, newest first, with time and text; named versions are marked.
/// Below stands what the chosen one and the present scenario differ in. Restore makes it the present one
/// again, which is one undo step.
class HistoryView : public View {
    Q_OBJECT

public:
    HistoryView(Document* document, History* history, QWidget* parent = nullptr);

    QString title() const override { return tr("History"); }
    QString iconName() const override { return QStringLiteral("history"); }

    DataTableView* table() const { return table_; }
    void choose(std::int64_t number); ///< a version by its number
    std::optional<std::int64_t> chosen() const;
    /// What the chosen version and the present scenario differ in; empty while none is chosen.
    QList<FieldDifference> differences() const;
    QAction* restoreAction() const { return restore_; }
    QAction* pinAction() const { return pin_; }

signals:
    /// A name for a version; an empty one takes it away.
    void nameVersion(std::int64_t number, const QString& name);
    /// A separate scenario, as it was then.
    void openCopy(const QString& name, const QByteArray& json);

protected:
    void updateEstimate() override;

private:
    void renew();
    void renewDifference();
    void restore();
    void pin();
    std::optional<ScenarioSpec> chosenSpec() const;

    History* history_;
    HistoryModel* model_;
    DataTableView* table_;
    CellTable* difference_;
    QSplitter* splitter_;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QAction *restore_, *name_, *copy_, *pin_;
    bool outdated_ = true;
};

} // namespace alidade::views
