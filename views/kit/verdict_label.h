// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/tag.h"

class QHBoxLayout;
class QLabel;

namespace alidade::views {

class TextLabel;

/// The answer in words on top of a view: icon, one sentence, a detail next to it (or below, where it would
/// cut the sentence), at most two badges, and a note at the far right.
class VerdictLabel : public QWidget {
    Q_OBJECT
public:
    struct State {
        BadgeKind kind;
        QString text;
    };

    explicit VerdictLabel(QWidget* parent = nullptr);
    /// `kind` decides the icon: check, warning or error; none for neutral.
    void setVerdict(BadgeKind kind, const QString& sentence, const QString& detail = {});
    void setBadges(const QList<State>& badges);
    /// What is at the far right, such as the error on the nearest published run; empty: nothing.
    void setNote(const QString& note);
    QString sentence() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void renewIcon();
    void arrange();
    BadgeKind kind_ = BadgeKind::neutral;
    QLabel* icon_;
    TextLabel* sentence_;
    TextLabel* detail_;
    QHBoxLayout* badges_;
    Badge* note_;
    QHBoxLayout *row_, *below_;
};

} // namespace alidade::views
