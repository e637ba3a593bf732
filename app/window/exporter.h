// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QObject>
#include <QString>

#include <memory>
#include <string>

class QProcess;
class QTemporaryDir;

namespace alidade::app {

/// Writes a report by running the program's own `report` on a temporary scenario file, so that the window
/// stays free. One at a time.
class Exporter : public QObject {
    Q_OBJECT

public:
    /// \param executable the alidade program
    explicit Exporter(QString executable, QObject* parent = nullptr);
    ~Exporter() override;

    bool running() const;
    /// \param fileName ends in .pdf, .html, .csv or .json; is replaced only by a complete report
    /// \param catalogChanges a document that stands over the shipped catalog; empty: nothing does
    void start(const ScenarioSpec& spec, const QString& fileName, const std::string& catalogChanges = {});
    void cancel();

signals:
    void started(const QString& fileName);
    void finished(const QString& fileName);
    /// \param reason what the program said, in one line
    void failed(const QString& fileName, const QString& reason);

private:
    void end(int exitCode, bool crashed);
    void move(const QString& report);
    void tell(const QString& reason);

    QString executable_;
    QString fileName_;
    std::shared_ptr<QTemporaryDir> folder_; ///< scenario and unfinished report of the run
    QProcess* process_ = nullptr;
    bool moving_ = false; ///< the report is done and on its way to its place
    bool cancelled_ = false;
};

} // namespace alidade::app
