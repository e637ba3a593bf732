// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace alidade::views {

class TextLabel;

/// Title of a dock or of a part of a view: icon, title, subtitle in small, and on the right what the owner
/// adds. As title bar of a QDockWidget it is what the dock is dragged by.
class DockTitleBar : public QWidget {
    Q_OBJECT
public:
    /// `iconName` may be empty.
    explicit DockTitleBar(const QString& iconName, const QString& title, QWidget* parent = nullptr);

    /// Without icon and title: they are said elsewhere, as by a tab.
    void setTitleShown(bool shown);
    /// What is at the right end needs so much.
    int leastWidth() const;
    void setTitle(const QString& title);
    /// Cut with an ellipsis where there is no room.
    void setSubtitle(const QString& subtitle);
    void addRight(QWidget* widget);
    /// A flat button with the action's text or icon.
    QToolButton* addRight(QAction* action);
    /// Small text on the right, such as "worst: stage 1".
    TextLabel* addRightText(const QString& text);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void renewIcon();
    QString iconName_;
    QLabel* icon_;
    TextLabel* title_;
    TextLabel* subtitle_;
    QHBoxLayout* right_;
};

} // namespace alidade::views
