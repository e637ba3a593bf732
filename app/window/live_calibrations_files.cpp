// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_calibrations.h"
#include "data/import/bench_results.h"
#include "data/import/measured_collectives.h"
#include "data/import/step_times.h"
#include "data/json/file.h"
#include "model/scenario/scenario.h"
#include "model/units/format.h"
#include "model/units/parse.h"
#include "views/document/text.h"

#include <QDate>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>

namespace alidade::app {

using views::CalibrationSeries;

namespace {

std::string contentOf(const QString& file, std::string& fault) {
    const Result<std::string> content = data::readFile(file.toStdString());
    if (!content)
        fault = content.error();
    return content ? *content : std::string();
}

} // namespace

void LiveCalibrations::fitLogs(const QStringList& files) {
    start(tr("Fitting %1").arg(views::counted(static_cast<int>(files.size()), tr("log"), tr("logs"))),
          tr("nccl-tests, %1").arg(QDate::currentDate().toString(Qt::ISODate)), false,
          [files](const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) -> Outcome {
              const Result<Scenario> scenario = resolve(spec, catalog, profile);
              if (!scenario)
                  return {Error{scenario.error()}, {}};
              std::vector<MeasuredCollective> tables;
              for (const QString& file : files) {
                  std::string fault;
                  const std::string content = contentOf(file, fault);
                  auto read = data::readMeasuredCollectives(content, QFileInfo(file).fileName().toStdString(),
                                                            scenario->gpusPerNode);
                  if (fault.empty() && !read.faults.empty())
                      fault = read.faults.front();
                  if (!fault.empty())
                      return {Error{fault}, {}};
                  for (MeasuredCollective& each : read.tables)
                      tables.push_back(std::move(each));
              }
              return {calibrateCollectives(spec, catalog, profile, tables), {}};
          });
}

void LiveCalibrations::fitSteps(const QString& file) {
    start(tr("Fitting %1").arg(QFileInfo(file).fileName()), QFileInfo(file).completeBaseName(), false,
          [file](const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) -> Outcome {
              std::string fault;
              const std::string content = contentOf(file, fault);
              const std::string name = QFileInfo(file).fileName().toStdString();
              auto read = data::readStepTimes(content, name);
              if (fault.empty() && !read.faults.empty())
                  fault = read.faults.front();
              if (!fault.empty())
                  return {Error{fault}, {}};
              CalibrationSeries series;
              series.title = tr("Step time, s");
              series.clock = false;
              for (std::size_t i = 0; i < read.seconds.size(); ++i)
                  series.times.push_back(static_cast<double>(i + 1));
              series.values = read.seconds;
              return {calibrateStepTimes(spec, catalog, profile, {name, read.seconds}), series};
          });
}

void LiveCalibrations::fitBenches(const QStringList& files) {
    start(tr("Fitting %1")
              .arg(files.size() == 1
                       ? QFileInfo(files.front()).fileName()
                       : views::counted(static_cast<int>(files.size()), tr("result"), tr("results"))),
          QFileInfo(files.value(0)).completeBaseName(), false,
          [files](const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) -> Outcome {
              std::vector<ServedRun> runs;
              for (const QString& file : files) {
                  std::string fault;
                  const std::string content = contentOf(file, fault);
                  if (!fault.empty())
                      return {Error{fault}, {}};
                  auto read = data::readBenchResults(content, QFileInfo(file).fileName().toStdString());
                  if (!read.faults.empty())
                      return {Error{read.faults.front()}, {}};
                  if (read.isTraining() && files.size() > 1)
                      return {Error{QFileInfo(file).fileName().toStdString() +
                                    " is the log of a training run; choose it alone"},
                              {}};
                  if (read.isTraining())
                      return {calibrateStepTimes(spec, catalog, profile, read.steps), {}};
                  for (ServedRun& run : read.runs)
                      runs.push_back(std::move(run));
              }
              return {calibrateServedRuns(spec, catalog, profile, runs), {}};
          });
}

void LiveCalibrations::fitStepTime(double seconds) {
    const std::string words = "a step time of " + formatQuantity(seconds, Dimension::seconds);
    start(tr("Fitting %1").arg(views::text(words)),
          tr("Step time, %1").arg(QDate::currentDate().toString(Qt::ISODate)), false,
          [=](const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) -> Outcome {
              return {calibrateStepTimes(spec, catalog, profile, {words, {seconds}, {}, true, 0}), {}};
          });
}

void LiveCalibrations::askStepTime() {
    auto* dialog = new QInputDialog(&window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("One measured step time"));
    dialog->setLabelText(tr("Mean time of a training step of the open scenario, such as 6.31 s:"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& words) {
        const Result<double> seconds = parseQuantity(words.toStdString(), Dimension::seconds);
        if (seconds && *seconds > 0)
            fitStepTime(*seconds);
        else
            emit failed(tr("Not a step time"),
                        seconds ? tr("Enter a time above 0, such as 6.31 s.") : views::text(seconds.error()));
    });
    dialog->open();
}

void LiveCalibrations::askBenches() {
    auto* dialog = new QFileDialog(&window_, tr("Results of benchmarks, or a training log"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Results and logs (*.json *.jsonl *.txt *.log *.out)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &LiveCalibrations::fitBenches);
    dialog->open();
}

void LiveCalibrations::askLogs() {
    auto* dialog = new QFileDialog(&window_, tr("Logs of nccl-tests"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &LiveCalibrations::fitLogs);
    dialog->open();
}

void LiveCalibrations::askSteps() {
    auto* dialog = new QFileDialog(&window_, tr("Table of step times"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Tables (*.csv *.tsv *.txt)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &LiveCalibrations::fitSteps);
    dialog->open();
}

} // namespace alidade::app
