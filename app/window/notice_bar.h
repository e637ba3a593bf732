// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/tag.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <functional>
#include <utility>

class QHBoxLayout;
class QLabel;
class QProgressBar;

namespace alidade::views {
class TextLabel;
}

namespace alidade::app {

/// One line above the page for what happened and what can be done about it: errors of files, a file that
/// changed on disk, an export on its way. Never modal; a newer notice takes the place of an older one.
class NoticeBar : public QWidget {
    Q_OBJECT

public:
    using Action = std::pair<QString, std::function<void()>>;

    explicit NoticeBar(QWidget* parent = nullptr);

    /// \param kind ok, warn or err
    void showNotice(views::BadgeKind kind, const QString& sentence, const QString& detail = {},
                    const QList<Action>& actions = {});
    /// With a bar that moves until the next notice.
    void showProgress(const QString& sentence, const QList<Action>& actions = {});
    void dismiss();
    /// What is said now stays until it is answered or something newer is said.
    void setStays(bool stays) { stays_ = stays; }
    /// What is said now concerns one page, and passes when another is shown.
    void setPage(const QString& name) { page_ = name; }
    void pageShown(const QString& name);
    /// Dismisses what does not stay.
    void dismissPassing();

    views::BadgeKind kind() const { return kind_; }
    QString sentence() const;
    QString detail() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fill(const QString& sentence, const QString& detail, const QList<Action>& actions);
    void renewIcon();

    views::BadgeKind kind_ = views::BadgeKind::neutral;
    bool stays_ = false;
    QString page_;
    QLabel* icon_;
    views::TextLabel *sentence_, *detail_;
    QProgressBar* progress_;
    QHBoxLayout* buttons_;
};

} // namespace alidade::app
