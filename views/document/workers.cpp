// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/workers.h"

#include <QThread>

#include <algorithm>
#include <atomic>

namespace alidade::views {

namespace {

constexpr int mostWaiting = 64;

std::atomic<int> pendingWrites{0};

QThreadPool* makePool(const char* name, int threads) {
    auto* pool = new QThreadPool; // never deleted, which would wait for its workers
    pool->setObjectName(QLatin1String(name));
    pool->setMaxThreadCount(threads);
    return pool;
}

} // namespace

PendingWrite::PendingWrite() { ++pendingWrites; }
PendingWrite::PendingWrite(const PendingWrite&)
    : PendingWrite() {}
PendingWrite::~PendingWrite() { --pendingWrites; }
int PendingWrite::count() { return pendingWrites; }

QThreadPool& workers(Work kind) {
    static QThreadPool* const computing = makePool("computing", std::max(2, QThread::idealThreadCount()));
    static QThreadPool* const waiting = makePool("waiting", mostWaiting);
    return kind == Work::computing ? *computing : *waiting;
}

int runningWorkers() {
    return workers(Work::computing).activeThreadCount() + workers(Work::waiting).activeThreadCount();
}

} // namespace alidade::views
