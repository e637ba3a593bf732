// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/slow_work.h"

#include <utility>

namespace alidade::app {

SlowWork::SlowWork(QObject* parent)
    : QObject(parent) {
    patience_.setSingleShot(true);
    patience_.setInterval(patienceMilliseconds);
    connect(&patience_, &QTimer::timeout, this, [this] { emit isSlow(sentence_); });
}

void SlowWork::begin(const QString& sentence) {
    end();
    sentence_ = sentence;
    patience_.start();
}

void SlowWork::end() {
    patience_.stop();
    if (const QString sentence = std::exchange(sentence_, {}); !sentence.isEmpty())
        emit ended(sentence);
}

void SlowWork::cancel() {
    if (!isGoingOn())
        return;
    emit canceled();
    end();
}

} // namespace alidade::app
