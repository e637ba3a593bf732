// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/uncertain_dialog.h"

#include "model/units/format.h"
#include "views/document/text.h"
#include "views/explore/pick_combo.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"
#include "views/theme/theme_controller.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// In the order of Shape.
constexpr std::array shapeWords{"uniform", "normal", "lognormal", "triangular"};

QString typed(const Variable& variable, double value) {
    return variable.field() ? text(fieldText(*variable.field(), variable.valueOf(value)))
                            : text(editText(value, variable.dimension()));
}

} // namespace

UncertainDialog::UncertainDialog(const Scenario& scenario, const QList<NamedPath>& variables,
                                 const QStringList& texts, QWidget* parent)
    : QDialog(parent)
    , scenario_(scenario)
    , variables_(variables)
    , grid_(new QGridLayout)
    , none_(new TextLabel(FontRole::body, Role::text2,
                          tr("No inputs added. The constants of the calibration are always drawn.")))
    , error_(new TextLabel(FontRole::small, Role::err))
    , add_(new QPushButton(tr("Add an Input"))) {
    setWindowTitle(tr("Uncertain Inputs"));
    setMinimumWidth(theme().px(660));
    error_->setWordWrap(true);
    none_->setWordWrap(true);
    grid_->setHorizontalSpacing(theme().px(8));
    grid_->setVerticalSpacing(theme().px(6));
    grid_->setColumnStretch(0, 2);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    ok_ = buttons->button(QDialogButtonBox::Ok);
    auto* below = new QHBoxLayout;
    below->addWidget(add_);
    below->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(theme().px(8));
    column->addWidget(none_);
    column->addLayout(grid_);
    column->addLayout(below);
    column->addWidget(error_);
    column->addStretch(1);
    column->addWidget(buttons);
    connect(add_, &QPushButton::clicked, this, [this] {
        addLine();
        lines_.last().variable->setFocus(Qt::OtherFocusReason);
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (const QString& each : texts)
        addLine(each);
    check();
}

void UncertainDialog::addLine(const QString& words) {
    Line line{new PickCombo(tr("Uncertain input")), new QComboBox, {}, new QToolButton};
    line.variable->setChoices(variables_);
    line.shape->addItems({tr("Uniform"), tr("Normal"), tr("Log-normal"), tr("Triangular")});
    line.shape->setAccessibleName(tr("Distribution"));
    WheelGuard::install(line.shape);
    line.remove->setText(tr("Remove"));
    line.remove->setAutoRaise(true);
    int column = 0;
    grid_->addWidget(line.variable, row_, column++);
    grid_->addWidget(line.shape, row_, column++);
    for (QLineEdit*& field : line.fields) {
        field = new QLineEdit;
        field->setMinimumWidth(theme().px(90));
        grid_->addWidget(field, row_, column++);
        connect(field, &QLineEdit::textEdited, this, &UncertainDialog::check);
    }
    grid_->addWidget(line.remove, row_++, column);
    const Result<Uncertain> known = uncertainOf(words.toStdString(), scenario_);
    if (known) {
        line.variable->setPath(text(known->variable.path()));
        fill(line, *known);
    } else {
        line.shape->setCurrentIndex(static_cast<int>(Shape::triangular));
        line.variable->setPath(variables_.isEmpty() ? QString() : variables_.first().path);
        suggest(line);
    }
    renewFields(line);
    const auto self = [this, button = line.remove] {
        return std::ranges::find(lines_, button, &Line::remove);
    };
    connect(line.variable, &PickCombo::picked, this, [this, self] {
        suggest(*self());
        check();
    });
    connect(line.shape, &QComboBox::activated, this, [this, self] {
        suggest(*self());
        renewFields(*self());
        check();
    });
    connect(line.remove, &QToolButton::clicked, this, [this, button = line.remove] { removeLine(button); });
    lines_.append(line);
    check();
}

void UncertainDialog::removeLine(QWidget* button) {
    const auto found = std::ranges::find(lines_, button, &Line::remove);
    for (QWidget* each : {static_cast<QWidget*>(found->variable), static_cast<QWidget*>(found->shape),
                          static_cast<QWidget*>(found->fields[0]), static_cast<QWidget*>(found->fields[1]),
                          static_cast<QWidget*>(found->fields[2]), button}) {
        each->hide();
        each->deleteLater();
    }
    lines_.erase(found);
    check();
}

void UncertainDialog::fill(Line& line, const Uncertain& uncertain) const {
    line.shape->setCurrentIndex(static_cast<int>(uncertain.shape));
    const bool ranged = uncertain.shape == Shape::uniform || uncertain.shape == Shape::triangular;
    line.fields[0]->setText(typed(uncertain.variable, uncertain.first));
    line.fields[1]->setText(ranged || uncertain.shape == Shape::normal
                                ? typed(uncertain.variable, uncertain.second)
                                : text(editText(uncertain.second, Dimension::ratio)));
    line.fields[2]->setText(uncertain.shape == Shape::triangular ? typed(uncertain.variable, uncertain.third)
                                                                 : QString());
}

/// Around the present value, so that a person only has to correct.
void UncertainDialog::suggest(Line& line) const {
    const Result<Variable> variable = Variable::named(line.variable->path().toStdString(), scenario_);
    const auto now = variable ? numberOf(variable->value(scenario_)) : std::nullopt;
    if (!now)
        return;
    const auto shape = static_cast<Shape>(line.shape->currentIndex());
    const double low = std::max(variable->minimum(), *now * 0.8),
                 high = std::min(variable->maximum(), *now * 1.2);
    switch (shape) {
    case Shape::uniform:
        return fill(line, {.variable = *variable, .shape = shape, .first = low, .second = high});
    case Shape::triangular:
        return fill(line,
                    {.variable = *variable, .shape = shape, .first = low, .second = *now, .third = high});
    case Shape::normal:
        return fill(line, {.variable = *variable, .shape = shape, .first = *now, .second = *now * 0.1});
    case Shape::logNormal:
        return fill(line, {.variable = *variable, .shape = shape, .first = *now, .second = 0.1});
    }
}

void UncertainDialog::renewFields(const Line& line) const {
    const auto shape = static_cast<Shape>(line.shape->currentIndex());
    const bool ranged = shape == Shape::uniform || shape == Shape::triangular;
    const std::array names = {ranged                      ? tr("least")
                              : shape == Shape::logNormal ? tr("median")
                                                          : tr("mean"),
                              shape == Shape::triangular ? tr("most likely")
                              : ranged                   ? tr("greatest")
                                                         : tr("spread, one standard deviation"),
                              tr("greatest")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        line.fields[i]->setPlaceholderText(names[i]);
        line.fields[i]->setToolTip(names[i]);
        line.fields[i]->setAccessibleName(names[i]);
    }
    line.fields[2]->setVisible(shape == Shape::triangular);
}

QString UncertainDialog::textOf(const Line& line) const {
    const auto shape = static_cast<Shape>(line.shape->currentIndex());
    const bool ranged = shape == Shape::uniform || shape == Shape::triangular;
    QString inside = line.fields[0]->text() + (ranged ? QStringLiteral("..") : QStringLiteral(" +- ")) +
                     line.fields[1]->text();
    if (shape == Shape::triangular)
        inside += QStringLiteral("..") + line.fields[2]->text();
    return line.variable->path() + u'=' + QLatin1StringView(shapeWords[static_cast<std::size_t>(shape)]) +
           u'(' + inside + u')';
}

QStringList UncertainDialog::texts() const {
    QStringList out;
    for (const Line& each : lines_)
        out.append(textOf(each));
    return out;
}

void UncertainDialog::check() {
    QString wrong;
    QStringList seen;
    for (const Line& each : std::as_const(lines_)) {
        const Result<Uncertain> read = uncertainOf(textOf(each).toStdString(), scenario_);
        if (!read && wrong.isEmpty())
            wrong = text(read.error());
        if (seen.contains(each.variable->path()))
            wrong = tr("%1 is listed twice").arg(each.variable->currentText());
        seen.append(each.variable->path());
    }
    none_->setVisible(lines_.isEmpty());
    error_->setText(wrong);
    error_->setVisible(!wrong.isEmpty());
    ok_->setEnabled(wrong.isEmpty());
}

QString UncertainDialog::error() const { return error_->text(); }

} // namespace alidade::views
