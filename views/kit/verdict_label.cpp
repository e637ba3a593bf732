// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/verdict_label.h"

#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QLabel>

namespace alidade::views {

VerdictLabel::VerdictLabel(QWidget* parent)
    : QWidget(parent)
    , icon_(new QLabel)
    , sentence_(new TextLabel(FontRole::verdict, Role::text))
    , detail_(new TextLabel(FontRole::body, Role::text2))
    , badges_(new QHBoxLayout)
    , note_(new Badge) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(9);
    badges_->setSpacing(6);
    row->addWidget(icon_);
    row->addWidget(sentence_);
    row->addWidget(detail_);
    row->addLayout(badges_);
    row->addStretch(1);
    row->addWidget(note_);
    sentence_->setElided(true);
    detail_->setElided(true);
    note_->hide();
    connect(&ThemeController::instance(), &ThemeController::changed, this, &VerdictLabel::renewIcon);
    renewIcon();
}

void VerdictLabel::setVerdict(BadgeKind kind, const QString& sentence, const QString& detail) {
    kind_ = kind;
    sentence_->setText(sentence);
    detail_->setText(detail);
    detail_->setVisible(!detail.isEmpty());
    setAccessibleName(sentence);
    setAccessibleDescription(detail);
    renewIcon();
}

void VerdictLabel::setBadges(const QList<State>& badges) {
    while (QLayoutItem* item = badges_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const State& state : badges)
        badges_->addWidget(new Badge(state.kind, state.text));
}

void VerdictLabel::setNote(const QString& note) {
    note_->setState(BadgeKind::neutral, note);
    note_->setVisible(!note.isEmpty());
}

QString VerdictLabel::sentence() const { return sentence_->text(); }

void VerdictLabel::renewIcon() {
    icon_->setVisible(kind_ == BadgeKind::ok || kind_ == BadgeKind::warn || kind_ == BadgeKind::err);
    const auto [name, ink] = kind_ == BadgeKind::err    ? std::pair{QLatin1StringView("error"), Role::err}
                             : kind_ == BadgeKind::warn ? std::pair{QLatin1StringView("warning"), Role::warn}
                                                        : std::pair{QLatin1StringView("check"), Role::ok};
    icon_->setPixmap(icon(name, ink).pixmap(QSize(theme().px(22), theme().px(22)), devicePixelRatioF()));
}

} // namespace alidade::views
