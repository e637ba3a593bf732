// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/calibration_card.h"

#include "views/kit/text_label.h"
#include "views/live/live_text.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

namespace alidade::views {

CalibrationCard::CalibrationCard(QWidget* parent)
    : QWidget(parent)
    , title_(new TextLabel(FontRole::strong, Role::text, tr("Calibration")))
    , aside_(new TextLabel(FontRole::small, Role::text2, tr("not applied")))
    , words_(new TextLabel(FontRole::small, Role::text2))
    , fit_(new QPushButton(tr("Fit from this window…"))) {
    const Theme& look = theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(look.px(14), look.px(10), look.px(14), look.px(12));
    column->setSpacing(look.px(5));
    auto* head = new QHBoxLayout;
    head->addWidget(title_);
    head->addStretch(1);
    aside_->setElided(true);
    aside_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    head->addWidget(aside_, 3);
    column->addLayout(head);
    words_->setWordWrap(true);
    column->addWidget(words_);
    auto* row = new QHBoxLayout;
    row->addWidget(fit_);
    row->addStretch(1);
    column->addLayout(row);
    connect(fit_, &QPushButton::clicked, this, [this] {
        if (quiet_)
            emit fitRequested(quiet_->start, quiet_->end);
    });
    setAccessibleName(tr("Calibration"));
    fill();
}

void CalibrationCard::setQuiet(const std::optional<QuietWindow>& quiet, double rangeLength) {
    quiet_ = quiet;
    rangeLength_ = rangeLength;
    fill();
}

void CalibrationCard::setNote(const QString& aside, const QString& detail) {
    aside_->setText(aside);
    detail_ = detail;
    fill();
}

void CalibrationCard::setCompact(bool on) {
    compact_ = on;
    fill();
}

void CalibrationCard::fill() {
    QString words = tr("No ten minutes without a fault in this range. Try a longer one.");
    if (quiet_) {
        words = tr("%1 is quiet: ").arg(spanText(quiet_->start, quiet_->end, rangeLength_));
        words +=
            !detail_.isEmpty()
                ? detail_
                : tr("%1 without a fault, %2. The fit shows which constants of the model they determine.")
                      .arg(lengthText(quiet_->end - quiet_->start),
                           counted(static_cast<int>(quiet_->points), tr("sample"), tr("samples")));
    }
    if (words != words_->text())
        words_->setText(words);
    words_->setVisible(!compact_ || !quiet_); // without a window they say why there is nothing to press
    fit_->setToolTip(words_->isHidden() ? words : QString());
    fit_->setEnabled(quiet_.has_value());
    setAccessibleDescription(words);
}

QString CalibrationCard::words() const { return words_->text(); }

void CalibrationCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::base));
    painter.fillRect(QRect(0, 0, width(), 1), theme().color(Role::line));
}

} // namespace alidade::views
