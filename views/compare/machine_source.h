// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "model/search/machine_plans.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <stop_token>

class QTimer;

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// Searches the best plan of each machine on threads of its own. A newer request supersedes an older one.
class MachineSource : public QObject {
    Q_OBJECT

public:
    using Answer = std::shared_ptr<const Result<MachinePlans>>;

    explicit MachineSource(QObject* parent = nullptr);
    ~MachineSource() override;

    void start(const ScenarioSpec& spec, const std::shared_ptr<const Catalog>& catalog,
               const Profile& profile);
    void stop(); ///< nothing comes of it
    bool busy() const { return busy_; }

signals:
    void busyChanged(bool busy);
    void progressed(double done); ///< 0..1
    void answered(const alidade::views::MachineSource::Answer& answer);

private:
    void setBusy(bool busy);

    std::stop_source stop_;
    std::shared_ptr<std::atomic<double>> done_;
    QTimer* watch_;
    int generation_ = 0;
    bool busy_ = false;
};

} // namespace alidade::views
