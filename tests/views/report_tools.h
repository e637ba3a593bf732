// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace alidade::tests {

/// What an outside program said of a file.
struct ToolRun {
    int exitCode = -1; ///< -1: it did not start
    QString output;    ///< standard output and standard error
};

/// Runs a program to its end, within 30 s.
inline ToolRun runTool(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForStarted() || !process.waitForFinished(30'000) ||
        process.exitStatus() != QProcess::NormalExit)
        return {-1, process.errorString()};
    return {process.exitCode(), QString::fromUtf8(process.readAll())};
}

/// Text with each run of white space, no-break ones too, as one space.
inline QString simplified(QString text) {
    text.replace(QChar::Nbsp, u' ');
    return text.simplified();
}

} // namespace alidade::tests
