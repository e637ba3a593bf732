// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/accuracy_dialog.h"

#include "data/import/accuracy_file.h"
#include "model/units/parse.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

namespace alidade::views {
namespace {

constexpr int dialogWidth = 460;           // logical pixels at 10 pt
constexpr qint64 largestTable = 1'000'000; // bytes

struct ReadTable {
    QString content;
    QString fault; ///< empty: it was read
};

ReadTable readTable(const QString& fileName) {
    QFile file(fileName);
    if (!file.open(QIODevice::ReadOnly))
        return {{}, AccuracyDialog::tr("%1 cannot be read: %2").arg(fileName, file.errorString())};
    if (file.size() > largestTable)
        return {{}, AccuracyDialog::tr("%1 is too large for a table of accuracies").arg(fileName)};
    return {QString::fromUtf8(file.readAll()), {}};
}

} // namespace

AccuracyDialog::AccuracyDialog(const TypedAccuracy& present, QWidget* parent)
    : QDialog(parent)
    , typed_(present)
    , table_(new QPlainTextEdit(present.table))
    , target_(new QLineEdit(present.target))
    , error_(new TextLabel(FontRole::small, Role::err)) {
    setWindowTitle(tr("Measured Accuracies"));
    setMinimumWidth(theme().px(dialogWidth));
    auto* hint = new TextLabel(
        FontRole::body, Role::text2,
        tr("One line a point, after a line that names the columns: k,pass_at_k (or majority, or best_of_n), "
           "thinking_tokens,accuracy, or n,c with a line for each problem. Without a table no accuracy is "
           "shown."));
    hint->setWordWrap(true);
    error_->setWordWrap(true);
    table_->setPlaceholderText(QStringLiteral("k,pass_at_k\n1,0.41\n4,0.62\n16,0.78"));
    table_->setAccessibleName(tr("Table of accuracies"));
    table_->setTabChangesFocus(true);
    target_->setPlaceholderText(tr("such as 70 %"));
    target_->setAccessibleName(tr("Accuracy to reach"));
    auto* import = new QPushButton(tr("Import…"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    ok_ = buttons->button(QDialogButtonBox::Ok);
    auto* form = new QFormLayout;
    form->addRow(tr("Accuracy to reach"), target_);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(theme().px(8));
    column->addWidget(hint);
    column->addWidget(table_, 1);
    column->addWidget(import, 0, Qt::AlignLeft);
    column->addLayout(form);
    column->addWidget(error_);
    column->addWidget(buttons);
    connect(table_, &QPlainTextEdit::textChanged, this, &AccuracyDialog::check);
    connect(target_, &QLineEdit::textChanged, this, &AccuracyDialog::check);
    connect(import, &QPushButton::clicked, this, &AccuracyDialog::askFile);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    check();
}

QString AccuracyDialog::error() const { return error_->text(); }

void AccuracyDialog::askFile() {
    auto* dialog = new QFileDialog(this, tr("Import a table of accuracies"), {},
                                   tr("Tables (*.csv *.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &AccuracyDialog::importFrom);
    dialog->open();
}

void AccuracyDialog::importFrom(const QString& fileName) {
    runFor(
        this, Work::waiting, [fileName] { return readTable(fileName); },
        [this](const ReadTable& read) {
            if (read.fault.isEmpty())
                table_->setPlainText(read.content);
            else
                error_->setText(read.fault);
        });
}

void AccuracyDialog::check() {
    TypedAccuracy typed{.table = table_->toPlainText().trimmed(),
                        .target = target_->text().trimmed(),
                        .curve = {},
                        .accuracy = {}};
    QString wrong;
    if (!typed.table.isEmpty()) {
        data::AccuracyReading read = data::readAccuracy(typed.table.toStdString(), tr("table").toStdString());
        typed.curve = std::move(read.curve);
        if (!read.faults.empty())
            wrong = text(read.faults.front());
    }
    if (wrong.isEmpty() && !typed.target.isEmpty()) {
        const Result<double> target = parseQuantity(typed.target.toStdString(), Dimension::ratio);
        if (!target)
            wrong = text(target.error());
        else if (!(*target > 0 && *target <= 1))
            wrong = tr("'%1' is not a valid accuracy; use a value such as 0.9").arg(typed.target);
        else if (!typed.curve)
            wrong = tr("An accuracy to reach needs a table.");
        else
            typed.accuracy = *target;
    }
    error_->setText(wrong);
    ok_->setEnabled(wrong.isEmpty());
    if (wrong.isEmpty())
        typed_ = std::move(typed);
}

} // namespace alidade::views
