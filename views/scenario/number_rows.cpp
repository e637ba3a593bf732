// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/number_rows.h"

#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/degree_field.h"
#include "views/kit/number_text.h"
#include "views/kit/text_label.h"
#include "views/kit/unit_field.h"
#include "views/scenario/words.h"

#include <QStackedWidget>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {

namespace {

std::optional<double> numberIn(const FieldValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* quantity = std::get_if<double>(&value))
        return *quantity;
    return std::nullopt;
}

/// Batches, lengths and machines come in multiples of powers of two, with which a plan stays legal; a round
/// number stays round.
double wholeStep(double value, double decimal) {
    const auto whole = static_cast<std::int64_t>(value);
    if (whole <= 0 || whole % static_cast<std::int64_t>(decimal) == 0)
        return decimal;
    std::int64_t step = 1;
    while (whole % (step * 2) == 0 && step * 2 * 16 <= whole)
        step *= 2;
    return static_cast<double>(step);
}

} // namespace

NumberRow::NumberRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , editor_(new UnitField(this)) {
    editor_->setFormat([this](double value) {
        const QString all = grouped(whole(value));
        const qsizetype space = all.indexOf(QLatin1Char(' '));
        return space < 0
                   ? UnitText{all, unitOf(this->field())}
                   : UnitText{
                         all.left(space),
                         QString(all.mid(space + 1) + QLatin1Char(' ') + unitOf(this->field())).trimmed()};
    });
    editor_->setParse([this](const QString& typed) -> UnitParse {
        QString number = typed.trimmed();
        const QString unit = unitOf(this->field());
        if (!unit.isEmpty() && number.endsWith(unit))
            number.chop(unit.size());
        const auto value = parseField(this->field(), number.trimmed().toStdString());
        if (!value)
            return {std::nullopt, text(value.error())};
        const std::string fault = checkField(this->field(), *value);
        return fault.empty() ? UnitParse{numberIn(*value), {}} : UnitParse{std::nullopt, text(fault)};
    });
    editor_->setStep([this](double value, int steps) {
        const bool integer = this->field().kind == FieldKind::integer;
        const double size = value > 0 ? std::pow(10, std::floor(std::log10(value)) - 1) : 1;
        const double next = value + steps * (integer ? wholeStep(value, std::max(1.0, size)) : size);
        return std::clamp(next, this->field().minimum, this->field().maximum);
    });
    const auto set = [this](double value) { editor_->setRefusal(apply(whole(value), true)); };
    connect(editor_, &UnitField::valueEdited, this, set);
    connect(editor_, &UnitField::valuePreviewed, this, set);
    connect(editor_, &UnitField::scrubStarted, this, &NumberRow::beginGesture);
    connect(editor_, &UnitField::scrubEnded, this, &NumberRow::endGesture);
    connect(editor_, &UnitField::cleared, this, [this] { apply({}); });
    connect(editor_, &UnitField::refused, this, &NumberRow::showRefusal);
    connect(editor_, &UnitField::refusalDropped, this, &NumberRow::dropRefusal);
    setEditor(editor_);
}

/// The value as text with its unit, as the document takes it.
QString NumberRow::whole(double value) const {
    if (field().kind == FieldKind::integer)
        return text(
            formatQuantity(std::round(value), Dimension::number, {.significant = 15, .trimZeros = true}));
    return text(fieldText(field(), value));
}

bool NumberRow::isTyping() const { return editor_->isModified(); }
void NumberRow::dropTyping() { editor_->setValue(editor_->value()); }

void NumberRow::showValue(const FieldValue& value, bool written) {
    const auto number = numberIn(value);
    editor_->setPlaceholderText(number && !written ? tr("%1, default").arg(grouped(whole(*number)))
                                                   : defaultText());
    if (editor_->hasFocus() && editor_->isModified())
        return; // what is being typed stays
    editor_->setFallback(number);
    const auto wanted = written ? number : std::nullopt;
    if (editor_->isScrubbed())
        return; // an estimate that comes during a drag is of an earlier value
    if (editor_->value() != wanted || !editor_->refusal().isEmpty())
        editor_->setValue(wanted);
}

DegreeRow::DegreeRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , pages_(new QStackedWidget(this))
    , degree_(new DegreeField(this))
    , derived_(new TextLabel(FontRole::body, Role::text2, {}, this))
    , follows_(field.path == "plan.data_parallel") {
    pages_->addWidget(degree_);
    pages_->addWidget(derived_);
    pages_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    degree_->spinBox()->setAccessibleName(text(field.label));
    connect(degree_, &DegreeField::valueEdited, this,
            [this](int value) { apply(QString::number(value), true); });
    connect(degree_, &DegreeField::scrubStarted, this, &DegreeRow::beginGesture);
    connect(degree_, &DegreeField::scrubEnded, this, &DegreeRow::endGesture);
    setEditor(pages_, degree_);
}

void DegreeRow::showValue(const FieldValue& value, bool written) {
    const auto number = numberIn(value);
    if (follows_ && !written) {
        derived_->setText(number ? tr("%1, follows from the rest").arg(quantity(*number, Dimension::number))
                                 : tr("follows from the rest"));
        pages_->setCurrentWidget(derived_);
        setFocusProxy(nullptr); // Tab must not go to what is not seen
        return;
    }
    pages_->setCurrentWidget(degree_);
    setFocusProxy(degree_->spinBox());
    std::string why;
    QList<int> legal;
    for (const std::int64_t each : legalDegrees(field(), document().shownSpec(), *document().catalog(), &why))
        if (each <= std::numeric_limits<int>::max())
            legal.append(static_cast<int>(each));
    degree_->setLegalValues(legal);
    degree_->setReason(text(why));
    degree_->setValue(static_cast<int>(number.value_or(1)));
}

} // namespace alidade::views
