// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include <functional>

namespace alidade::app {

/// A file of the program's settings: "$XDG_CONFIG_HOME/alidade/NAME".
QString settingsFile(const QString& name);

struct SmallFile {
    bool exists = false;
    QByteArray content;
    QString error; ///< why what exists cannot be read; empty: it can
};

// Both work on another thread and answer on this one, unless `owner` is gone.

/// At most 16 MiB.
void readSmallFile(QObject* owner, const QString& file, std::function<void(const SmallFile&)> then);
/// In one step, readable by the person alone; makes the folder. An empty content removes the file.
void writeSmallFile(QObject* owner, const QString& file, const QByteArray& content,
                    std::function<void(const QString& error)> then);

/// A file that a person has named: as data::writeFile. The process waits for it when it exits.
/// \param then receives why it could not be written; empty: it is
void writeNamedFile(QObject* owner, const QString& file, const QByteArray& content,
                    std::function<void(const QString& fault)> then);

} // namespace alidade::app
