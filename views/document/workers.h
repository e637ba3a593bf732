// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFutureWatcher>
#include <QThreadPool>
#include <QtConcurrentRun>

#include <memory>
#include <type_traits>
#include <utility>

namespace alidade::views {

// Threads of the views. Everything that takes longer than a frame runs here and not on the thread of the
// window: estimates, searches, files, servers. A job takes values in and gives a value out; it shares nothing
// with the window but immutable data behind shared_ptr<const T>, so that no lock is needed and a result that
// comes too late is simply dropped.
//
// Why not QtConcurrent's default pool: see Work. packaging/check-tree refuses its use elsewhere.
// Why a job may never end: a disk or a server that does not answer cannot be interrupted. The window goes on
// without it, and the process exits while it is still blocked; only files that are being written are waited
// for (PendingWrite).

/// What a worker spends its time on. Each kind has its own threads, and none of them are those of
/// QThreadPool::globalInstance(): Qt's painting waits for that pool, so that two blocked workers would freeze
/// the window on a machine with two cores.
enum class Work {
    computing, ///< as many at a time as there are cores
    waiting    ///< for files and servers: many at a time, any of which may never return
};

/// A file that a worker is writing: to be held by the worker. Before the process exits it waits some time for
/// those that there are, so that nothing which a person has saved or exported is lost.
class PendingWrite {
public:
    PendingWrite();
    PendingWrite(const PendingWrite& other);
    PendingWrite& operator=(const PendingWrite&) = default;
    ~PendingWrite();

    static int count();
};

/// Lives as long as the process: the program ends while a worker is blocked.
QThreadPool& workers(Work kind);

/// Jobs that still run on a thread of either kind.
int runningWorkers();

/// Runs a function on a thread of its kind; any thread may call. Arguments as in QtConcurrent::run.
template <class Function, class... Arguments>
auto runOn(Work kind, Function&& function, Arguments&&... arguments) {
    return QtConcurrent::run(&workers(kind), std::forward<Function>(function),
                             std::forward<Arguments>(arguments)...);
}

/// The same, and hands the result to `then(const Result&)` on the owner's thread, unless the owner is gone by
/// then.
template <class Function, class Then>
void runFor(QObject* owner, Work kind, Function function, Then then) {
    using Value = std::shared_ptr<const std::invoke_result_t<Function>>;
    auto* watcher = new QFutureWatcher<Value>(owner);
    QObject::connect(watcher, &QFutureWatcherBase::finished, owner,
                     [watcher, then = std::move(then)]() mutable {
                         watcher->deleteLater();
                         const Value value = watcher->result();
                         then(*value);
                     });
    watcher->setFuture(runOn(kind, [function = std::move(function)]() mutable -> Value {
        return std::make_shared<const std::invoke_result_t<Function>>(function());
    }));
}

} // namespace alidade::views
