// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/stale_bar.h"

#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/live/live_text.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

namespace alidade::views {

StaleBar::StaleBar(LiveSession* session, QWidget* parent)
    : QWidget(parent)
    , session_(session)
    , words_(new TextLabel(FontRole::small, Role::text))
    , retry_(new QPushButton(tr("Try again"))) {
    const Theme& look = theme();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(look.px(34), look.px(3), look.px(12), look.px(4));
    words_->setElided(true);
    row->addWidget(words_, 1);
    row->addWidget(retry_);
    connect(retry_, &QPushButton::clicked, session, &LiveSession::ask);
    renew();
}

void StaleBar::renew() {
    const LiveState& state = *session_->state();
    setVisible(state.phase == LivePhase::stale);
    if (state.phase != LivePhase::stale)
        return;
    QString words = tr("Data is %1 old: %2").arg(lengthText(session_->age()), text(state.error));
    if (session_->isAsking())
        words += tr(" Trying again.");
    else if (const auto next = session_->nextAsk())
        words += tr(" Next attempt in %1.").arg(lengthText(*next));
    if (words == words_->text())
        return;
    words_->setText(words);
    setAccessibleName(words);
}

QString StaleBar::words() const { return words_->text(); }

void StaleBar::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.fillRect(rect(), look.color(Role::warnBg));
    painter.fillRect(QRect(0, height() - 1, width(), 1), look.color(Role::line));
    const double side = look.px(16);
    paintIcon(painter, QRectF(look.px(12), (height() - side) / 2, side, side), QLatin1StringView("warning"),
              look.color(Role::warn));
}

} // namespace alidade::views
