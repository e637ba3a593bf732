// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/verdict_label.h"

#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace alidade::views {
namespace {

constexpr int apart = 9; // between the parts of a verdict, pixels

} // namespace

VerdictLabel::VerdictLabel(QWidget* parent)
    : QWidget(parent)
    , icon_(new QLabel)
    , sentence_(new TextLabel(FontRole::verdict, Role::text))
    , detail_(new TextLabel(FontRole::body, Role::text2))
    , badges_(new QHBoxLayout)
    , note_(new Badge)
    , row_(new QHBoxLayout)
    , below_(new QHBoxLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(row_);
    column->addLayout(below_);
    row_->setSpacing(apart);
    badges_->setSpacing(6);
    row_->addWidget(icon_);
    row_->addWidget(sentence_);
    row_->addWidget(detail_);
    row_->addLayout(badges_);
    row_->addStretch(1);
    row_->addWidget(note_);
    sentence_->setElided(true);
    detail_->setElided(true);
    note_->hide();
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        renewIcon();
        arrange(); // its parts have another font by now
    });
    renewIcon();
}

void VerdictLabel::setVerdict(BadgeKind kind, const QString& sentence, const QString& detail) {
    const bool isSameKind = kind_ == kind;
    kind_ = kind;
    sentence_->setText(sentence);
    detail_->setText(detail);
    detail_->setVisible(!detail.isEmpty());
    setAccessibleName(sentence);
    setAccessibleDescription(detail);
    if (!isSameKind)
        renewIcon(); // a label with a new pixmap asks for a new layout, up to the window
    arrange();
}

void VerdictLabel::setBadges(const QList<State>& badges) {
    while (QLayoutItem* item = badges_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const State& state : badges)
        badges_->addWidget(new Badge(state.kind, state.text));
    arrange();
}

void VerdictLabel::setNote(const QString& note) {
    note_->setState(BadgeKind::neutral, note);
    note_->setVisible(!note.isEmpty());
    arrange();
}

/// The sentence is said in full: a detail that has no room next to it goes below, and a sentence that is too
/// long even so takes all the room and wraps.
void VerdictLabel::arrange() {
    int room = width();
    if (!icon_->isHidden())
        room -= icon_->sizeHint().width() + apart;
    for (int i = 0; i < badges_->count(); ++i) // new ones are not to be seen yet, but will be
        room -= badges_->itemAt(i)->widget()->sizeHint().width() + apart;
    if (!note_->isHidden())
        room -= note_->sizeHint().width() + apart;
    const auto widthOf = [](const QLabel* label) {
        return label->fontMetrics().horizontalAdvance(label->text()) + 2;
    };
    const int sentence = widthOf(sentence_);
    const bool beside = detail_->text().isEmpty() || sentence + apart + widthOf(detail_) <= room;
    if (beside != (row_->indexOf(detail_) >= 0)) {
        if (beside) {
            below_->removeWidget(detail_);
            row_->insertWidget(row_->indexOf(sentence_) + 1, detail_);
        } else {
            row_->removeWidget(detail_);
            below_->addWidget(detail_);
        }
    }
    below_->setContentsMargins(icon_->isHidden() ? 0 : icon_->sizeHint().width() + apart, 0, 0, 0);
    const bool wraps = sentence > room;
    if (wraps != sentence_->wordWrap()) {
        sentence_->setElided(!wraps);
        sentence_->setWordWrap(wraps);
        row_->setStretchFactor(sentence_, wraps ? 1 : 0);
        row_->setStretch(row_->count() - 2, wraps ? 0 : 1); // the free room before the note
    }
}

void VerdictLabel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
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
