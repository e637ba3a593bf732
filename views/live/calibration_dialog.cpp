// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/calibration_dialog.h"

#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/live/calibration_model.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// Widths of the columns at first, logical pixels at 10 pt.
constexpr int calibrationColumns[] = {210, 80, 80, 260, 150, 420};

QString percent(double share) { return quantity(share, Dimension::ratio, {.significant = 2}); }

QString errorWords(const LiveCalibration& of) {
    QString words = CalibrationDialog::tr("Error on %1, median: %2 before, %3 after")
                        .arg(text(of.quantity.empty() ? std::string("the measurements") : of.quantity),
                             percent(of.before.median), percent(of.after.median));
    words += of.leftOut ? CalibrationDialog::tr(", %1 on data left out of the fit (leave-one-out).")
                              .arg(percent(of.leftOut->median))
                        : CalibrationDialog::tr("; too little data for leave-one-out.");
    return words;
}

QString pairWords(const LiveCalibration& of) {
    QStringList pairs;
    const auto name = [&](std::size_t i) {
        const CalibratedParameter& p = of.parameters[i];
        return text(p.label.empty() ? p.name : p.label);
    };
    for (const ConfoundedPair& each : of.confounded)
        if (each.first < of.parameters.size() && each.second < of.parameters.size())
            pairs.append(CalibrationDialog::tr("%1 and %2 (correlation %3)")
                             .arg(name(each.first), name(each.second))
                             .arg(each.correlation, 0, 'f', 2));
    return pairs.isEmpty()
               ? QString()
               : CalibrationDialog::tr("The data cannot separate: %1.").arg(pairs.join(QStringLiteral("; ")));
}

} // namespace

CalibrationDialog::CalibrationDialog(QWidget* parent)
    : QDialog(parent)
    , model_(new CalibrationModel(this))
    , table_(new DataTableView)
    , plot_(new CalibrationPlot)
    , verdict_(new VerdictLabel)
    , errors_(new TextLabel(FontRole::body, Role::text))
    , confounded_(new TextLabel(FontRole::body, Role::warn))
    , notes_(new TextLabel(FontRole::small, Role::text2))
    , message_(new TextLabel(FontRole::small, Role::text2))
    , name_(new QLineEdit)
    , save_(new QPushButton(tr("&Save Profile")))
    , use_(new QPushButton(tr("&Use in This Scenario")))
    , content_(makeContent())
    , busy_(new BusyOverlay(content_)) {
    setWindowTitle(tr("Calibration"));
    setObjectName(QStringLiteral("calibrationDialog"));
    const Theme& look = theme();
    name_->setObjectName(QStringLiteral("profileName"));
    name_->setAccessibleName(tr("Name of the profile"));
    name_->setPlaceholderText(tr("Name of the profile"));
    name_->setMinimumWidth(look.px(260));
    save_->setObjectName(QStringLiteral("saveProfile"));
    use_->setObjectName(QStringLiteral("useProfile"));
    save_->setProperty(primaryProperty, true);
    save_->setDefault(true);
    use_->setAutoDefault(false);
    use_->setToolTip(tr("The scenario is estimated with these constants from then on; it can be undone"));
    message_->setElided(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* foot = new QHBoxLayout;
    foot->addWidget(name_);
    foot->addWidget(save_);
    foot->addWidget(use_);
    foot->addWidget(message_, 1);
    foot->addWidget(buttons);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(look.px(20), look.px(16), look.px(20), look.px(16));
    all->setSpacing(look.px(12));
    all->addWidget(content_, 1);
    all->addLayout(foot);
    resize(look.px(1120), look.px(680));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::finished, this, [this] {
        if (busy_->isBusy())
            emit cancelRequested();
    });
    connect(busy_, &BusyOverlay::cancelRequested, this, [this] {
        emit cancelRequested();
        reject();
    });
    connect(save_, &QPushButton::clicked, this, [this] { emit saveRequested(name_->text().trimmed()); });
    connect(use_, &QPushButton::clicked, this, [this] { emit useRequested(saved_); });
    connect(name_, &QLineEdit::textChanged, this, &CalibrationDialog::renewButtons);
    renewButtons();
}

QWidget* CalibrationDialog::makeContent() {
    const Theme& look = theme();
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(look.px(8));
    table_->setObjectName(QStringLiteral("constants"));
    table_->setAccessibleName(tr("Constants"));
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setItemDelegateForColumn(CalibrationModel::range, new CalibratedRangeDelegate(table_));
    table_->setItemDelegateForColumn(CalibrationModel::dataShare, new DataShareDelegate(table_));
    for (int i = 0; i < CalibrationModel::columns; ++i)
        table_->setColumnWidth(i, look.px(calibrationColumns[i]));
    for (TextLabel* label : {errors_, confounded_, notes_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    errors_->setObjectName(QStringLiteral("errors"));
    confounded_->setObjectName(QStringLiteral("confounded"));
    notes_->setObjectName(QStringLiteral("notes"));
    plot_->setMinimumHeight(look.px(130));
    plot_->setMaximumHeight(look.px(190));
    column->addWidget(verdict_);
    column->addWidget(errors_);
    column->addWidget(table_, 1);
    column->addWidget(confounded_);
    column->addWidget(plot_);
    column->addWidget(notes_);
    return content;
}

void CalibrationDialog::setBusy(const QString& words) {
    result_.reset();
    verdict_->setVerdict(BadgeKind::neutral, words);
    busy_->start(words);
    renewButtons();
}

void CalibrationDialog::setFailure(const QString& sentence) {
    busy_->stop();
    result_.reset();
    model_->setParameters({});
    for (QWidget* each : {static_cast<QWidget*>(errors_), static_cast<QWidget*>(confounded_),
                          static_cast<QWidget*>(notes_), static_cast<QWidget*>(plot_)})
        each->hide();
    verdict_->setVerdict(BadgeKind::err, tr("Nothing could be fitted"), sentence);
    notes_->setText(sentence);
    notes_->show();
    renewButtons();
}

void CalibrationDialog::setResult(const LiveCalibration& calibration, const CalibrationSeries& series,
                                  const QString& name) {
    busy_->stop();
    result_ = calibration;
    saved_.clear();
    model_->setParameters(calibration.parameters);
    table_->resizeRowsToContents();
    const auto fitted = std::ranges::count_if(calibration.parameters,
                                              [](const CalibratedParameter& each) { return each.changed; });
    const auto prior = std::ranges::count_if(calibration.parameters, [](const CalibratedParameter& each) {
        return each.applied && !each.changed;
    });
    QStringList beside{counted(static_cast<int>(calibration.samples), tr("sample"), tr("samples"))};
    if (!calibration.source.empty())
        beside.append(text(calibration.source));
    verdict_->setVerdict(
        fitted > 0 ? BadgeKind::ok : BadgeKind::warn,
        fitted == 0 ? tr("This data changes none of the scenario's constants")
                    : tr("%1 changed by the data")
                          .arg(counted(static_cast<int>(fitted), tr("constant is"), tr("constants are"))),
        beside.join(QStringLiteral(", ")));
    if (prior > 0)
        verdict_->setBadges({{BadgeKind::warn, tr("%1 unchanged").arg(prior)}});
    errors_->setText(errorWords(calibration));
    errors_->show();
    confounded_->setText(pairWords(calibration));
    confounded_->setVisible(!confounded_->text().isEmpty());
    QStringList notes;
    for (const std::string& each : calibration.notes)
        notes.append(text(each));
    notes_->setText(notes.join(QLatin1Char('\n')));
    notes_->setVisible(!notes.isEmpty());
    plot_->setSeries(series, calibration.excluded);
    plot_->setVisible(!series.times.empty());
    name_->setText(name);
    renewButtons();
}

void CalibrationDialog::setRefusal(const QString& reason) {
    refusal_ = reason;
    renewButtons();
}

void CalibrationDialog::setSaved(const QString& name) {
    saved_ = name;
    message_->setInk(Role::ok);
    renewButtons();
    message_->setText(tr("Kept as %1; no scenario uses it yet.").arg(name));
}

void CalibrationDialog::setUsed(const QString& scenario) {
    message_->setInk(Role::ok);
    message_->setText(tr("%1 uses it now.").arg(scenario));
    use_->setEnabled(false);
}

QString CalibrationDialog::words() const {
    return QStringList{verdict_->sentence(), errors_->text(), confounded_->text(), notes_->text(),
                       message_->text()}
        .join(QLatin1Char('\n'));
}

void CalibrationDialog::renewButtons() {
    const bool there = result_.has_value();
    name_->setEnabled(there);
    save_->setEnabled(there && refusal_.isEmpty() && !name_->text().trimmed().isEmpty() &&
                      name_->text().trimmed() != saved_);
    use_->setEnabled(there && !saved_.isEmpty());
    if (saved_.isEmpty()) {
        message_->setInk(refusal_.isEmpty() ? Role::text2 : Role::warn);
        message_->setText(refusal_);
    }
}

} // namespace alidade::views
