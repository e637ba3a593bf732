// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_calibrations.h"

#include "app/window/profile_shelf.h"
#include "data/calibration/live_profile.h"
#include "model/catalog/catalog.h"
#include "model/observation/slice.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/live/calibration_dialog.h"

#include <QDate>
#include <QDateTime>
#include <QFutureWatcher>

#include <cmath>

namespace alidade::app {

using views::CalibrationDialog;
using views::CalibrationSeries;
using views::text;

namespace {

QString clockText(double unix) {
    return QDateTime::fromSecsSinceEpoch(std::llround(unix)).toString(QStringLiteral("HH:mm"));
}

/// What the fit is held against: the step time of the job, else the ITL.
CalibrationSeries seriesOf(const Observation& seen) {
    CalibrationSeries out;
    const SignalTable* table = seen.table(Signal::stepTime);
    if (table == nullptr)
        table = seen.table(Signal::stepTime, Statistic::mean);
    double scale = 1;
    out.title = LiveCalibrations::tr("Step time, s");
    if (table == nullptr) {
        table = seen.table(Signal::interTokenLatency, Statistic::mean);
        scale = 1e3;
        out.title = LiveCalibrations::tr("ITL, ms");
    }
    if (table == nullptr || table->rows.empty())
        return out;
    const auto row = table->row(0, seen.grid.points);
    for (std::size_t i = 0; i < row.size(); ++i) {
        out.times.push_back(seen.grid.at(i));
        out.values.push_back(row[i] * scale);
    }
    return out;
}

} // namespace

LiveCalibrations::LiveCalibrations(views::Document& document, ProfileShelf& profiles, QWidget& window)
    : QObject(&window)
    , document_(document)
    , profiles_(profiles)
    , window_(window) {
    connect(&document, &views::Document::specChanged, this, &LiveCalibrations::renewNote);
}

void LiveCalibrations::renewNote() {
    if (kept_.isEmpty())
        return;
    if (document_.spec().calibration == kept_.toStdString())
        emit noted(tr("used by this scenario"), tr("The open scenario is estimated with %1.").arg(kept_));
    else
        emit noted(tr("not applied"),
                   tr("Profile %1 is kept; the open scenario does not use it.").arg(kept_));
}

void LiveCalibrations::start(const QString& words, const QString& name, bool isLive, Fit fit) {
    if (!dialog_) {
        dialog_ = new CalibrationDialog(&window_);
        dialog_->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog_, &CalibrationDialog::saveRequested, this, &LiveCalibrations::save);
        connect(dialog_, &CalibrationDialog::useRequested, this, &LiveCalibrations::use);
        connect(dialog_, &CalibrationDialog::cancelRequested, this, [this] { ++generation_; });
    }
    dialog_->setBusy(words);
    dialog_->open();
    const int generation = ++generation_;
    auto* watcher = new QFutureWatcher<std::shared_ptr<const Outcome>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation, name, isLive] {
        watcher->deleteLater();
        if (generation != generation_ || !dialog_)
            return;
        const std::shared_ptr<const Outcome> outcome = watcher->result();
        if (!outcome->found) {
            dialog_->setFailure(text(outcome->found.error()));
            return;
        }
        dialog_->setResult(*outcome->found, outcome->series, name);
        if (isLive)
            emit excluded(outcome->found->excluded);
    });
    watcher->setFuture(views::runOn(views::Work::computing, [fit = std::move(fit), spec = document_.spec(),
                                                             catalog = document_.catalog()] {
        auto outcome = std::make_shared<Outcome>();
        try {
            const Profile* named = catalog->profile(spec.calibration.value_or("default"));
            *outcome = fit(spec, *catalog, named != nullptr ? *named : catalog->defaultProfile);
        } catch (const std::exception& e) {
            outcome->found = Error{std::string("the fit failed inside the program: ") + e.what()};
        }
        return std::shared_ptr<const Outcome>(outcome);
    }));
}

void LiveCalibrations::fit(const std::shared_ptr<const Observation>& observation,
                           const std::vector<Finding>& findings, double from, double to,
                           const std::vector<ExcludedWindow>& leftOut) {
    if (!observation)
        return;
    const QString job = text(observation->job);
    start(tr("Fitting %1 – %2").arg(clockText(from), clockText(to)),
          tr("%1, %2").arg(job.isEmpty() ? document_.displayName() : job,
                           QDate::currentDate().toString(Qt::ISODate)),
          true, [=](const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) {
              const Observation part = sliceOf(*observation, from, to);
              return Outcome{calibrateLive(spec, catalog, profile, part, findings, leftOut), seriesOf(part)};
          });
}

void LiveCalibrations::save(const QString& name) {
    if (!dialog_ || !dialog_->result())
        return;
    const std::string json = data::writeLiveProfile(*dialog_->result(), name.toStdString(),
                                                    QDate::currentDate().toString(Qt::ISODate).toStdString());
    const QString kept = profiles_.add(name, json);
    if (kept.isEmpty()) {
        dialog_->setRefusal(tr("The profile was not kept: no workspace is open for writing."));
        return;
    }
    dialog_->setSaved(kept);
    kept_ = kept;
    renewNote();
}

/// The engine may still be reading the profile: it is estimated again when it has it.
void LiveCalibrations::use(const QString& name) {
    const QString reason =
        document_.setFields({{"calibration", name.toStdString()}}, tr("use the calibration %1").arg(name));
    if (!reason.isEmpty()) {
        emit failed(tr("The profile is not valid for the scenario"), reason);
        return;
    }
    if (dialog_)
        dialog_->setUsed(document_.displayName());
    kept_ = name;
    renewNote();
}

} // namespace alidade::app
