// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/question_form.h"

#include "views/kit/column_scroll.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace alidade::views {

QuestionForm::QuestionForm(const QString& ask, int width, QWidget* parent)
    : QWidget(parent)
    , ask_(ask)
    , width_(width)
    , error_(new TextLabel(FontRole::small, Role::err))
    , button_(new QPushButton(ask)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* holder = new QWidget;
    holder->setAutoFillBackground(true);
    holder->setBackgroundRole(QPalette::Base);
    const int side = theme().px(14);
    rows_ = new QVBoxLayout(holder);
    rows_->setContentsMargins(side, theme().px(12), side, theme().px(8));
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(side, theme().px(8), side, theme().px(12));
    error_->setWordWrap(true);
    error_->hide();
    button_->setProperty(primaryProperty, true);
    button_->setAccessibleName(button_->text());
    foot->addWidget(error_);
    foot->addWidget(button_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new ColumnScroll(holder), 1);
    column->addLayout(foot);
    connect(button_, &QPushButton::clicked, this, [this] {
        if (busy_)
            emit stopRequested();
        else
            emit asked();
    });
}

QFormLayout* QuestionForm::newForm(int spacing) {
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setVerticalSpacing(theme().px(spacing));
    return form;
}

QLineEdit* QuestionForm::addField(QFormLayout& form, const QString& name, const QString& label,
                                  const QString& value, const QString& placeholder, const QString& help) {
    auto* field = new QLineEdit(value);
    field->setObjectName(name);
    field->setAccessibleName(label);
    field->setPlaceholderText(placeholder);
    field->setToolTip(help);
    form.addRow(label, field);
    connect(field, &QLineEdit::returnPressed, this, [this] {
        if (!busy_)
            emit asked();
    });
    return field;
}

QSize QuestionForm::sizeHint() const { return {theme().px(width_), theme().px(420)}; }

void QuestionForm::setError(const QString& why) {
    error_->setText(why);
    error_->setVisible(!why.isEmpty());
}

QString QuestionForm::error() const { return error_->isHidden() ? QString() : error_->text(); }

void QuestionForm::setBusy(bool busy) {
    busy_ = busy;
    button_->setText(busy ? tr("Stop") : ask_);
    button_->setAccessibleName(button_->text());
}

QLineEdit* QuestionForm::field(const QString& name) const { return findChild<QLineEdit*>(name); }

} // namespace alidade::views
