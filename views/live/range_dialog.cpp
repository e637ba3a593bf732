// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/range_dialog.h"

#include "model/units/constants.h"
#include "views/kit/text_label.h"

#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>

namespace alidade::views {
namespace {

constexpr double shortestSpan = 60;                   // s
constexpr double longestSpan = 366.0 * secondsPerDay; // s

double secondsOf(const QDateTimeEdit* field) {
    return static_cast<double>(field->dateTime().toSecsSinceEpoch());
}

} // namespace

RangeDialog::RangeDialog(const LiveSpan& span, double now, QWidget* parent)
    : QDialog(parent)
    , from_(new QDateTimeEdit)
    , to_(new QDateTimeEdit)
    , fault_(new TextLabel(FontRole::small, Role::err))
    , now_(now) {
    setWindowTitle(tr("Time to show"));
    auto* form = new QFormLayout(this);
    const double end = span.fixed ? span.end : now;
    const double start = span.fixed ? span.start : now - span.last;
    for (const auto& [field, time] : {std::pair{from_, start}, {to_, end}}) {
        field->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
        field->setCalendarPopup(true);
        field->setDateTime(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(time)));
        connect(field, &QDateTimeEdit::dateTimeChanged, this, &RangeDialog::check);
    }
    from_->setAccessibleName(tr("From"));
    to_->setAccessibleName(tr("To"));
    form->addRow(tr("From"), from_);
    form->addRow(tr("To"), to_);
    fault_->setWordWrap(true);
    form->addRow(fault_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    ok_ = buttons->button(QDialogButtonBox::Ok);
    ok_->setText(tr("Show"));
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen({.start = secondsOf(from_), .end = secondsOf(to_), .fixed = true});
        accept();
    });
    check();
}

void RangeDialog::check() {
    const double length = secondsOf(to_) - secondsOf(from_);
    QString fault;
    if (length < shortestSpan)
        fault = tr("The end has to be at least a minute after the beginning.");
    else if (length > longestSpan)
        fault = tr("At most a year can be shown at once.");
    else if (secondsOf(from_) >= now_)
        fault = tr("The beginning is in the future.");
    fault_->setText(fault);
    ok_->setEnabled(fault.isEmpty());
}

} // namespace alidade::views
