// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/machine_source.h"

#include "model/catalog/catalog.h"
#include "views/document/workers.h"

#include <QTimer>

#include <utility>

namespace alidade::views {

namespace {

constexpr int progressInterval = 100; // ms

} // namespace

MachineSource::MachineSource(QObject* parent)
    : QObject(parent)
    , watch_(new QTimer(this)) {
    watch_->setInterval(progressInterval);
    connect(watch_, &QTimer::timeout, this, [this] { emit progressed(*done_); });
}

MachineSource::~MachineSource() { stop_.request_stop(); }

void MachineSource::start(const ScenarioSpec& spec, const std::shared_ptr<const Catalog>& catalog,
                          const Profile& profile) {
    stop_.request_stop();
    stop_ = std::stop_source();
    done_ = std::make_shared<std::atomic<double>>(0);
    const int generation = ++generation_;
    setBusy(true);
    runFor(
        this, Work::computing,
        [spec, catalog, profile = std::make_shared<const Profile>(profile), done = done_,
         stop = stop_.get_token()]() -> Answer {
            return std::make_shared<const Result<MachinePlans>>(bestPlanOfEachMachine(
                spec, *catalog, *profile, "all", stop, [done](double share) { *done = share; }));
        },
        [this, generation](const Answer& answer) {
            if (generation != generation_)
                return;
            setBusy(false);
            emit answered(answer);
        });
}

void MachineSource::stop() {
    stop_.request_stop();
    ++generation_;
    setBusy(false);
}

void MachineSource::setBusy(bool busy) {
    if (std::exchange(busy_, busy) == busy)
        return;
    if (busy)
        watch_->start();
    else
        watch_->stop();
    emit busyChanged(busy);
}

} // namespace alidade::views
