// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

class QListWidget;
class QTextBrowser;

namespace alidade::views {

/// The user guide in a separate window, so that it can stay open during the work: chapters left, text right.
class GuideWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit GuideWindow(QWidget* parent = nullptr);

    /// Opens at a chapter, by the topic of a view ("layers"); an unknown one opens the first chapter.
    void showChapter(const QString& topic);
    QString chapter() const; ///< name of the anchor that was last gone to

protected:
    void changeEvent(QEvent* event) override;

private:
    void load();
    void go(const QString& anchor);

    QListWidget* chapters_;
    QTextBrowser* text_;
    QString anchor_;
};

} // namespace alidade::views
