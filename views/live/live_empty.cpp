// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_empty.h"

#include "views/kit/states.h"
#include "views/live/live_text.h"

#include <QBoxLayout>
#include <QPushButton>

#include <cmath>

namespace alidade::views {
namespace {

constexpr double shortestOffer = 1800; // s
constexpr double offeredAfter = 60;    // s

QString sourceName(const LiveSession& session) {
    return session.source() ? text(session.source()->name) : QString();
}

} // namespace

LiveEmpty::LiveEmpty(LiveSession* session, QWidget* parent)
    : QStackedWidget(parent)
    , session_(session)
    , none_(new EmptyState(QStringLiteral("live"), QString()))
    , failed_(new EmptyState(QStringLiteral("error"), QString()))
    , second_(new QPushButton(tr("Open snapshot…"))) {
    for (Notice* notice : {none_, failed_}) {
        addWidget(notice);
        connect(notice, &Notice::triggered, this, &LiveEmpty::act);
    }
    auto* column = static_cast<QBoxLayout*>(none_->layout());
    second_->setFlat(true);
    column->insertWidget(column->count() - 1, second_, 0, Qt::AlignHCenter);
    connect(second_, &QPushButton::clicked, this, &LiveEmpty::openSnapshotRequested);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    renew();
}

Notice* LiveEmpty::notice() const { return static_cast<Notice*>(currentWidget()); }

LiveEmpty::What LiveEmpty::whatIs(const LiveSession& session) {
    const LiveState& state = *session.state();
    if (session.source() == nullptr)
        return What::noSource;
    if (!state.result)
        return state.phase == LivePhase::failed ? What::failed : What::connecting;
    const Observation& seen = *state.result->observation;
    if (seen.tables.empty())
        return state.result->lastData ? What::noData : What::noMetrics;
    return hasValues(seen) ? What::nothing : What::noData;
}

void LiveEmpty::renew() {
    what_ = whatIs(*session_);
    const QString name = sourceName(*session_);
    const LiveState& state = *session_->state();
    second_->setVisible(what_ == What::noSource);
    setCurrentWidget(what_ == What::failed ? failed_ : none_);
    switch (what_) {
    case What::nothing:
        break;
    case What::noSource:
        none_->setText(tr("See the plan and the running cluster on one axis"),
                       tr("Alidade reads a Prometheus server: step time, tokens/s, MFU and power against the "
                          "plan,\nwhich nodes have faults and what those cost, and it fits the model to your "
                          "cluster. It only reads."));
        none_->setAction(tr("Connect…"));
        break;
    case What::connecting:
        none_->setText(tr("Asking %1").arg(name), tr("This can take a few seconds."));
        none_->setAction({});
        break;
    case What::failed:
        failed_->setText(tr("%1 did not answer").arg(name), text(state.error));
        failed_->setAction(tr("Try again"));
        break;
    case What::noData: {
        const TimeGrid& grid = state.result->request.grid;
        none_->setText(
            tr("No data between %1 and %2").arg(dayAndTimeText(grid.start), dayAndTimeText(grid.end())),
            state.result->lastData ? tr("The server has no samples in this range. The latest are from %1.")
                                         .arg(dayAndTimeText(*state.result->lastData))
                                   : tr("The server has these metrics, but no samples in this range. Choose "
                                        "another range or job above."));
        none_->setAction(state.result->lastData ? tr("Go to that time") : tr("Try again"));
        break;
    }
    case What::noMetrics:
        none_->setText(tr("No mapped metric was found on %1").arg(name),
                       tr("None of the metrics that Alidade reads has a series there%1.\n"
                          "The mapping assigns metrics to signals; it can be edited.")
                           .arg(state.result->request.job.empty()
                                    ? QString()
                                    : tr(" for %1").arg(text(state.result->request.job))));
        none_->setAction(tr("Mapping…"));
        break;
    }
}

void LiveEmpty::act() {
    switch (what_) {
    case What::noSource:
        return emit connectRequested();
    case What::noMetrics:
        return emit mappingRequested();
    case What::noData:
        if (const auto& last = session_->state()->result->lastData) {
            const TimeGrid& grid = session_->state()->result->request.grid;
            const double length = std::max(grid.end() - grid.start, shortestOffer);
            return session_->setSpan({.start = *last - length, .end = *last + offeredAfter, .fixed = true});
        }
        return session_->ask();
    default:
        return session_->ask();
    }
}

} // namespace alidade::views
