// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QWidget>

class QAbstractButton;
class QButtonGroup;

namespace alidade::views {

/// A few choices side by side, exactly one of them taken. Tab reaches it, Left and Right change it.
class SegmentedButtons : public QWidget {
    Q_OBJECT
public:
    struct Option {
        QString text;
        QString reason; ///< why it cannot be chosen now; empty: it can
        bool operator==(const Option&) const = default;
    };

    explicit SegmentedButtons(QWidget* parent = nullptr);
    void setOptions(const QList<Option>& options);
    void setOptions(const QStringList& texts);
    /// Emits nothing. -1: none, for a value that is not among the options.
    void setCurrentIndex(int index);
    int currentIndex() const;
    QAbstractButton* button(int index) const;

signals:
    void currentEdited(int index);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void choose(int index);
    QButtonGroup* group_;
    QList<Option> options_;
};

} // namespace alidade::views
