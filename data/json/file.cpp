// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/file.h"

#include <QFile>
#include <QFileInfo>

namespace alidade::data {

Result<std::string> readFile(const std::string& path, std::size_t limit) {
    const QString name = QString::fromStdString(path);
    const QFileInfo info(name);
    if (!info.exists())
        return Error{"there is no such file"};
    if (info.isDir())
        return Error{"is a directory; a file is needed"};
    const auto tooLarge = [&](qint64 size) { return size > static_cast<qint64>(limit); };
    const auto refusal = [&](qint64 size) {
        return Error{std::to_string(size) + " bytes; at most " + std::to_string(limit) + " are read"};
    };
    if (tooLarge(info.size()))
        return refusal(info.size());
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return Error{"cannot be read: " + file.errorString().toStdString()};
    const QByteArray bytes =
        file.read(static_cast<qint64>(limit) + 1); // pipes and devices do not know their size
    if (tooLarge(bytes.size()))
        return refusal(bytes.size());
    return bytes.toStdString();
}

} // namespace alidade::data
