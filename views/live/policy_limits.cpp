// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/policy_limits.h"

#include "views/kit/wheel_guard.h"
#include "views/theme/theme_controller.h"

#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>

#include <array>
#include <cmath>

namespace alidade::views {

namespace {

/// What a person sees of a limit: the value times a factor.
struct LimitField {
    double HealthLimits::* member;
    const char* label;
    const char* suffix;
    double low, high, step, factor;
    int decimals;
};

constexpr std::array limitFields{
    LimitField{&HealthLimits::stragglerTime,
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", "Straggler from"),
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", " × median"), 1.001, 10, 0.01, 1, 3},
    LimitField{&HealthLimits::stragglerClock,
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", "Clock is low below"),
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", " × median"), 0.1, 1, 0.01, 1, 2},
    LimitField{&HealthLimits::retransmitShare,
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", "EFA retransmits above"),
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", " per million"), 0.1, 1e6, 10, 1e6, 1},
    LimitField{&HealthLimits::singleBitErrors,
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", "Corrected errors from"),
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", " per hour"), 1, 1e6, 1, 1, 0},
    LimitField{&HealthLimits::singleBitGrowth,
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", "and growing by"),
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", " ×"), 1, 100, 0.5, 1, 1},
    LimitField{&HealthLimits::stallSteps, QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", "Hang after"),
               QT_TRANSLATE_NOOP("alidade::views::PolicyLimits", " step times"), 1, 1000, 1, 1, 1}};

} // namespace

PolicyLimits::PolicyLimits(QWidget* parent)
    : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme().px(10));
    const auto add = [&](const QString& words, const QString& suffix) {
        auto* field = new QDoubleSpinBox;
        const int n = static_cast<int>(fields_.size());
        auto* label = new QLabel(words);
        label->setBuddy(field);
        field->setAccessibleName(words);
        field->setSuffix(suffix);
        grid->addWidget(label, n / 3, n % 3 * 2, Qt::AlignRight);
        grid->addWidget(field, n / 3, n % 3 * 2 + 1);
        fields_.append(field);
        connect(field, &QDoubleSpinBox::valueChanged, this, &PolicyLimits::edited);
        return field;
    };
    for (const LimitField& each : limitFields) {
        QDoubleSpinBox* field = add(tr(each.label), tr(each.suffix));
        field->setDecimals(each.decimals);
        field->setRange(each.low, each.high);
        field->setSingleStep(each.step);
    }
    QDoubleSpinBox* gpus = add(tr("GPUs that answer"), tr(" per node"));
    gpus->setDecimals(0);
    gpus->setRange(0, 1024);
    gpus->setSpecialValueText(tr("as on most nodes"));
    for (int column = 1; column < 6; column += 2)
        grid->setColumnStretch(column, 1);
}

void PolicyLimits::setLimits(const HealthLimits& limits, bool editable) {
    const QSignalBlocker quiet(this);
    for (std::size_t i = 0; i < limitFields.size(); ++i)
        fields_[static_cast<qsizetype>(i)]->setValue(limits.*limitFields[i].member * limitFields[i].factor);
    fields_.last()->setValue(limits.gpusPerNode);
    for (QDoubleSpinBox* each : std::as_const(fields_)) {
        each->setReadOnly(!editable);
        each->setButtonSymbols(editable ? QAbstractSpinBox::UpDownArrows : QAbstractSpinBox::NoButtons);
    }
}

HealthLimits PolicyLimits::limits() const {
    HealthLimits out;
    for (std::size_t i = 0; i < limitFields.size(); ++i)
        out.*limitFields[i].member = fields_[static_cast<qsizetype>(i)]->value() / limitFields[i].factor;
    out.gpusPerNode = static_cast<int>(std::lround(fields_.last()->value()));
    return out;
}

} // namespace alidade::views
