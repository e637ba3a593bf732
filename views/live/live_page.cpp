// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_page.h"

#include "views/live/live_time.h"

namespace alidade::views {

LivePage::LivePage(LiveSession* session, QWidget* parent)
    : QWidget(parent)
    , session_(session)
    , time_(new LiveTime(this))
    , bar_(nullptr)
    , body_(nullptr)
    , empty_(nullptr) {
    connect(session, &LiveSession::stateChanged, this, &LivePage::show_);
}

LivePage::~LivePage() = default;

void LivePage::show_() {}
void LivePage::choose(const QString& host) {
    selectHost(host);
    emit hostSelected(host);
}
void LivePage::selectHost(const QString& host) { host_ = host; }
void LivePage::setCalibrationNote(const QString&, const QString&) {}
bool LivePage::canSaveSnapshot() const { return session_->state()->result != nullptr; }

} // namespace alidade::views
