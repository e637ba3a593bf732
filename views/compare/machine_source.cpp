// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/machine_source.h"

#include <QElapsedTimer>

#include <mutex>

namespace alidade::views {

namespace {

constexpr qint64 partInterval = 100; // ms between reports of the progress

} // namespace

ExploreTask<MachineAnswer>::Job machineJob(const ExploreContextPtr& context) {
    return [context](const std::stop_token& stop, const ExploreTask<MachineAnswer>::Partly& partly) {
        std::mutex mutex;
        QElapsedTimer sincePart;
        sincePart.start();
        const auto tell = [&](double done) {
            const std::unique_lock lock(mutex, std::try_to_lock);
            if (!lock.owns_lock() || sincePart.elapsed() < partInterval)
                return;
            sincePart.restart();
            partly(std::make_shared<const MachineAnswer>(MachineAnswer{.context = context, .done = done}));
        };
        return std::make_shared<const MachineAnswer>(
            MachineAnswer{.context = context,
                          .plans = bestPlanOfEachMachine(context->spec, *context->catalog, context->profile,
                                                         "all", stop, tell),
                          .done = 1});
    };
}

} // namespace alidade::views
