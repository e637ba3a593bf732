// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/report_options.h"
#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"
#include "model/search/search.h"

#include <QObject>
#include <QString>

#include <memory>
#include <string>
#include <vector>

class QProcess;
class QTemporaryDir;

namespace alidade::app {

/// What a report is made of.
struct ReportSource {
    ScenarioSpec spec;
    /// Others that the report compares it with.
    std::vector<ScenarioSpec> others = {};
    /// Has the topologies and the calibrations that the scenarios name; null: they name none.
    std::shared_ptr<const Catalog> catalog = nullptr;
    std::string catalogChanges = {}; ///< a document that overrides the shipped catalog; empty: nothing does
    QString userCatalog = {};        ///< file or folder under `catalogChanges`; empty: none
    /// Recommends `spec`, and is reported with it; null: no search did. \pre there are no others
    std::shared_ptr<const SearchAnswer> search = nullptr;
};

/// Writes a report by running the program's own `report` on temporary copies of all that it needs, so that
/// the window stays free. One at a time.
class Exporter : public QObject {
    Q_OBJECT

public:
    /// \param executable the alidade program
    explicit Exporter(QString executable, QObject* parent = nullptr);
    ~Exporter() override;

    bool running() const;
    /// \param fileName ends in .pdf, .html, .xlsx, .csv or .json; is replaced only by a complete report
    /// \param options their suffix is not used: the file name has one
    void start(const ReportSource& source, const QString& fileName, const ReportOptions& options = {});
    void cancel();

signals:
    void started(const QString& fileName);
    void finished(const QString& fileName);
    /// \param reason what the program said, in one line
    void failed(const QString& fileName, const QString& reason);

private:
    void run(const QStringList& arguments);
    void end(int exitCode, bool crashed);
    void move(const QString& report);
    void tell(const QString& reason);

    QString executable_;
    QString fileName_;
    std::shared_ptr<QTemporaryDir> folder_; ///< scenario and unfinished report of the run
    QProcess* process_ = nullptr;
    bool preparing_ = false; ///< what the report needs is being written
    bool moving_ = false;    ///< the report is done and on its way to its place
    bool canceled_ = false;
};

} // namespace alidade::app
