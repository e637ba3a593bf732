// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/small_file.h"

#include "data/file/write_file.h"
#include "data/json/file.h"
#include "views/document/text.h"
#include "views/document/workers.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <utility>

namespace alidade::app {

using views::runFor;
using views::Work;

namespace {

SmallFile readNow(const QString& file) {
    SmallFile out;
    out.exists = QFileInfo::exists(file);
    if (!out.exists)
        return out;
    const Result<std::string> content = data::readFile(file.toStdString());
    if (content)
        out.content = QByteArray::fromStdString(*content);
    else
        out.error = views::text(content.error());
    return out;
}

/// \returns why it could not be written; empty: it is
QString writeNow(const QString& file, const QByteArray& content) {
    if (content.isEmpty()) {
        QFile old(file);
        return !old.exists() || old.remove() ? QString() : file + QStringLiteral(": ") + old.errorString();
    }
    QDir().mkpath(QFileInfo(file).absolutePath());
    const QString fault = data::writeFile(file, content, {.readers = data::WriteOptions::Readers::ownerOnly});
    return fault.isEmpty() ? fault : file + QStringLiteral(": ") + fault;
}

} // namespace

QString settingsFile(const QString& name) {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation))
        .filePath(QStringLiteral("alidade/") + name);
}

void readSmallFile(QObject* owner, const QString& file, std::function<void(const SmallFile&)> then) {
    runFor(owner, Work::waiting, [file] { return readNow(file); }, std::move(then));
}

void writeSmallFile(QObject* owner, const QString& file, const QByteArray& content,
                    std::function<void(const QString&)> then) {
    runFor(owner, Work::waiting, [file, content] { return writeNow(file, content); }, std::move(then));
}

void writeNamedFile(QObject* owner, const QString& file, const QByteArray& content,
                    std::function<void(const QString&)> then) {
    runFor(
        owner, Work::waiting,
        [file, content, pending = views::PendingWrite()] { return data::writeFile(file, content); },
        std::move(then));
}

} // namespace alidade::app
