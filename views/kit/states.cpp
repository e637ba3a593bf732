// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/states.h"

#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QEvent>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr int dimAfter = 300;     // ms
constexpr int cancelAfter = 1000; // ms
constexpr float veil = 0.55F;     // over the old content, which stays at 45 %

} // namespace

Notice::Notice(const QString& iconName, Role ink, QWidget* parent)
    : QWidget(parent)
    , iconName_(iconName)
    , ink_(ink)
    , icon_(new QLabel)
    , sentence_(new TextLabel(FontRole::body, Role::text))
    , detail_(new TextLabel(FontRole::small, Role::text2))
    , button_(new QPushButton) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(6);
    column->addStretch(1);
    for (QLabel* label : {icon_, static_cast<QLabel*>(sentence_), static_cast<QLabel*>(detail_)}) {
        label->setAlignment(Qt::AlignCenter);
        column->addWidget(label);
    }
    sentence_->setWordWrap(true);
    detail_->setWordWrap(true);
    column->addSpacing(4);
    column->addWidget(button_, 0, Qt::AlignHCenter);
    column->addStretch(1);
    button_->hide();
    connect(button_, &QPushButton::clicked, this, &Notice::triggered);
    connect(&ThemeController::instance(), &ThemeController::changed, this, &Notice::renewIcon);
    renewIcon();
}

void Notice::setText(const QString& sentence, const QString& detail) {
    sentence_->setText(sentence);
    detail_->setText(detail);
    detail_->setVisible(!detail.isEmpty());
    setAccessibleName(sentence);
    setAccessibleDescription(detail);
}

void Notice::setAction(const QString& text) {
    button_->setText(text);
    button_->setVisible(!text.isEmpty());
}

void Notice::renewIcon() {
    const QByteArray name = iconName_.toLatin1();
    const QSize size(theme().px(30), theme().px(30));
    icon_->setPixmap(icon(QLatin1StringView(name), ink_).pixmap(size, devicePixelRatioF()));
}

EmptyState::EmptyState(const QString& iconName, const QString& sentence, const QString& detail,
                       const QString& action, QWidget* parent)
    : Notice(iconName, Role::text3, parent) {
    setText(sentence, detail);
    setAction(action);
}

ErrorState::ErrorState(const QString& what, const QString& stillHolds, QWidget* parent)
    : Notice(QStringLiteral("error"), Role::err, parent) {
    setText(what, stillHolds);
    setAction(tr("Try again"));
}

void ErrorState::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(Role::err), 1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

BusyOverlay::BusyOverlay(QWidget* target)
    : QWidget(target)
    , dim_(new QTimer(this))
    , offer_(new QTimer(this))
    , text_(new TextLabel(FontRole::small, Role::text2))
    , cancel_(new QPushButton(tr("Cancel"))) {
    auto* column = new QVBoxLayout(this);
    column->addStretch(1);
    column->addWidget(text_, 0, Qt::AlignHCenter);
    column->addWidget(cancel_, 0, Qt::AlignHCenter);
    cancel_->setAccessibleName(cancel_->text());
    column->addStretch(1);
    for (QTimer* timer : {dim_, offer_})
        timer->setSingleShot(true);
    dim_->setInterval(dimAfter);
    offer_->setInterval(cancelAfter);
    connect(dim_, &QTimer::timeout, this, [this] {
        setGeometry(parentWidget()->rect());
        raise();
        show();
    });
    connect(offer_, &QTimer::timeout, this, [this] { cancel_->setVisible(cancellable_); });
    connect(cancel_, &QPushButton::clicked, this, &BusyOverlay::cancelRequested);
    target->installEventFilter(this);
    hide();
}

void BusyOverlay::start(const QString& text, bool cancellable) {
    text_->setText(text);
    setAccessibleName(text);
    cancellable_ = cancellable;
    if (busy_)
        return;
    busy_ = true;
    done_ = -1;
    cancel_->hide();
    dim_->start();
    offer_->start();
}

void BusyOverlay::setProgress(double done, const QString& text) {
    done_ = done;
    if (!text.isEmpty())
        text_->setText(text);
    update();
}

void BusyOverlay::stop() {
    busy_ = false;
    dim_->stop();
    offer_->stop();
    hide();
}

bool BusyOverlay::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && isVisible())
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void BusyOverlay::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    QColor ground = look.color(Role::base);
    ground.setAlphaF(veil);
    painter.fillRect(rect(), ground);
    const QRectF line(0, 0, width(), 2);
    painter.fillRect(line, look.color(Role::line));
    // Without a known end the line is full but pale: work goes on, nothing is claimed.
    QColor ink = look.color(Role::accent);
    if (done_ < 0)
        ink.setAlphaF(0.5F);
    painter.fillRect(QRectF(0, 0, width() * (done_ < 0 ? 1 : std::clamp(done_, 0.0, 1.0)), 2), ink);
}

} // namespace alidade::views
