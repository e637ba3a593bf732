// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QLineEdit>
#include <QList>
#include <QPointer>
#include <QString>

#include <functional>

class QListWidget;

namespace alidade::app {

/// Something that the locator can go to.
struct LocatorEntry {
    QString text;   ///< "Export report as PDF", "Tensor"
    QString detail; ///< where it belongs: "File", "Plan", "Sample scenario"
    QString keys;   ///< its shortcut, if it has one
    QIcon icon;
    std::function<void()> go;
    QString words; ///< not shown; found by them too: "theme color night"
};

/// How well a text answers what was typed: letters in their order, better where they begin words and are
/// together; 0: not at all. Case does not matter; an empty pattern fits everything.
int matchScore(const QString& pattern, const QString& text);

/// "Go to anything": a field that lists matching actions, fields and scenarios under itself. Up and Down
/// choose, Enter goes, Esc closes and gives the focus back.
class Locator : public QLineEdit {
    Q_OBJECT

public:
    /// \param entries called each time when the field gets the focus
    Locator(std::function<QList<LocatorEntry>()> entries, QWidget* window);

    /// Puts the caret into it. Esc gives the focus back to where it was.
    void open();
    /// What is listed now, best first.
    QStringList shown() const;

signals:
    void closed(); ///< it was left, or has gone somewhere

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override;

private:
    void list(const QString& pattern);
    void place();
    void go(int row);
    void closeList();

    std::function<QList<LocatorEntry>()> provider_;
    QList<LocatorEntry> entries_; ///< all
    QList<int> order_;            ///< indices of those listed
    QListWidget* list_;
    QPointer<QWidget> before_; ///< had the focus
    bool closing_ = false;
};

} // namespace alidade::app
