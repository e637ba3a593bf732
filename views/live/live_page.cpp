// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_page.h"

#include "views/live/calibration_card.h"
#include "views/live/health_panel.h"
#include "views/live/live_bar.h"
#include "views/live/live_body.h"
#include "views/live/live_empty.h"
#include "views/live/live_time.h"
#include "views/live/node_map_view.h"
#include "views/live/stale_bar.h"

#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace alidade::views {
namespace {

constexpr int ageEvery = 1000; // ms

} // namespace

LivePage::LivePage(LiveSession* session, QWidget* parent)
    : QWidget(parent)
    , session_(session)
    , time_(new LiveTime(this))
    , bar_(new LiveBar(session))
    , stale_(new StaleBar(session))
    , pages_(new QStackedWidget)
    , body_(new LiveBody(session, time_))
    , empty_(new LiveEmpty(session)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(stale_);
    pages_->addWidget(empty_);
    pages_->addWidget(body_);
    column->addWidget(pages_, 1);
    connectParts();
    auto* tick = new QTimer(this);
    tick->setInterval(ageEvery);
    connect(tick, &QTimer::timeout, this, [this] {
        if (!isVisible())
            return;
        bar_->renewAge();
        stale_->renew();
    });
    tick->start();
    showState();
}

LivePage::~LivePage() = default;

void LivePage::connectParts() {
    connect(session_, &LiveSession::stateChanged, this, &LivePage::showState);
    connect(session_, &LiveSession::choicesChanged, this, &LivePage::showState);
    connect(bar_, &LiveBar::connectRequested, this, &LivePage::connectRequested);
    connect(bar_, &LiveBar::mappingRequested, this, &LivePage::mappingRequested);
    connect(bar_, &LiveBar::saveSnapshotRequested, this, &LivePage::saveSnapshotRequested);
    connect(empty_, &LiveEmpty::connectRequested, this, &LivePage::connectRequested);
    connect(empty_, &LiveEmpty::mappingRequested, this, &LivePage::mappingRequested);
    connect(empty_, &LiveEmpty::openSnapshotRequested, this, &LivePage::openSnapshotRequested);
    connect(body_->health(), &HealthPanel::editPolicyRequested, this, &LivePage::editPolicyRequested);
    connect(body_->health(), &HealthPanel::excludeRequested, this, &LivePage::excludeRequested);
    connect(body_->health(), &HealthPanel::topologyRequested, this, &LivePage::topologyRequested);
    connect(body_->calibration(), &CalibrationCard::fitRequested, this, &LivePage::fitRequested);
    connect(body_, &LiveBody::prometheusRequested, this, &LivePage::prometheusRequested);
    connect(body_, &LiveBody::grafanaRequested, this, &LivePage::grafanaRequested);
    connect(body_->health(), &HealthPanel::markRequested, this, &LivePage::markRequested);
    connect(body_, &LiveBody::hostChosen, this, [this](const QString& host) {
        selectHost(host);
        emit hostSelected(host);
    });
}

void LivePage::showState() {
    const LiveState& state = *session_->state();
    stale_->renew();
    const bool hasCharts = LiveEmpty::whatIs(*session_) == LiveEmpty::What::nothing;
    if (hasCharts)
        body_->show(state);
    else
        empty_->renew();
    pages_->setCurrentWidget(hasCharts ? static_cast<QWidget*>(body_) : empty_);
}

void LivePage::selectHost(const QString& host) {
    host_ = host;
    body_->setSelectedHost(host);
}

void LivePage::setCalibrationNote(const QString& aside, const QString& detail) {
    body_->calibration()->setNote(aside, detail);
}

bool LivePage::canSaveSnapshot() const { return session_->isCurrent(); }

} // namespace alidade::views
