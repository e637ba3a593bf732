// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace alidade::test {

/// What one run of the program left behind.
struct Outcome {
    int status = -1; ///< -1: it did not end by itself
    QByteArray out, err;
    /// First line of standard error.
    QString said() const { return QString::fromUtf8(err.split('\n').first()); }
};

/// Runs the real executable, as a script would: no terminal, a folder that cannot be written, and a display
/// that is dead.
class Program {
public:
    Program() {
        environment_ = QProcessEnvironment::systemEnvironment();
        environment_.insert(QStringLiteral("DISPLAY"), QStringLiteral(":4711"));
        environment_.remove(QStringLiteral("WAYLAND_DISPLAY"));
        environment_.remove(QStringLiteral("QT_QPA_PLATFORM"));
    }
    void set(const char* variable, const char* value) {
        environment_.insert(QString::fromLatin1(variable), QString::fromLatin1(value));
    }
    void unset(const char* variable) { environment_.remove(QString::fromLatin1(variable)); }
    /// Where standard output goes instead of being collected.
    void writeTo(const QString& file) { output_ = file; }

    Outcome run(const QStringList& arguments) const {
        QProcess process;
        process.setProcessEnvironment(environment_);
        process.setWorkingDirectory(QStringLiteral("/proc")); // read-only even for root
        if (!output_.isEmpty())
            process.setStandardOutputFile(output_);
        process.start(qEnvironmentVariable("ALIDADE_EXECUTABLE"), arguments);
        Outcome outcome;
        if (!process.waitForFinished(60'000)) {
            outcome.err = process.errorString().toUtf8();
            return outcome;
        }
        outcome.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        outcome.out = process.readAllStandardOutput();
        outcome.err = process.readAllStandardError();
        return outcome;
    }

private:
    QProcessEnvironment environment_;
    QString output_;
};

} // namespace alidade::test
