// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/save_question.h"

#include <QMessageBox>

namespace alidade::app {

QMessageBox* openSaveQuestion(const QString& question, QWidget& window) {
    auto* box = new QMessageBox(QMessageBox::Warning, QMessageBox::tr("Unsaved changes"), question,
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window);
    box->setInformativeText(QMessageBox::tr("Without saving they are lost."));
    box->setDefaultButton(QMessageBox::Save);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
    return box;
}

} // namespace alidade::app
