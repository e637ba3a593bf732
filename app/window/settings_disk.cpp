// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings_disk.h"

#include "data/file/write_file.h"
#include "views/document/workers.h"

#include <QDir>
#include <QFileInfo>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace alidade::app {

struct SettingsDisk::State {
    std::mutex mutex;
    std::condition_variable idle;
    std::optional<std::pair<QString, QByteArray>> next;
    bool isBusy = false;
};

SettingsDisk::SettingsDisk()
    : state_(std::make_shared<State>()) {}

SettingsDisk& SettingsDisk::instance() {
    static SettingsDisk* const disk = new SettingsDisk; // never deleted: a worker may still report to it
    return *disk;
}

void SettingsDisk::write(const QString& file, const QByteArray& content) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->next = {file, content};
        if (std::exchange(state_->isBusy, true))
            return;
    }
    [[maybe_unused]] const auto future = views::runOn(views::Work::waiting, [state = state_] { run(state); });
}

bool SettingsDisk::finish(std::chrono::milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    return state_->idle.wait_for(lock, patience, [this] { return !state_->isBusy; });
}

void SettingsDisk::run(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    while (state->next) {
        const auto [file, content] = *std::exchange(state->next, std::nullopt);
        lock.unlock();
        QDir().mkpath(QFileInfo(file).absolutePath());
        const QString fault = data::writeFile(file, content);
        QMetaObject::invokeMethod(
            &instance(),
            [words = fault.isEmpty() ? fault : file + QStringLiteral(": ") + fault] {
                instance().report(words);
            },
            Qt::QueuedConnection);
        lock.lock();
    }
    state->isBusy = false;
    state->idle.notify_all();
}

void SettingsDisk::report(const QString& fault) {
    const bool isNew = !std::exchange(wasTold_, !fault.isEmpty());
    if (isNew && !fault.isEmpty())
        emit failed(fault);
}

} // namespace alidade::app
