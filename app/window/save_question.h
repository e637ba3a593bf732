// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QMessageBox;
class QWidget;

namespace alidade::app {

/// Opens the question whether to save changes before they are lost: Save, Discard or Cancel. It deletes
/// itself when it is answered. \param question as in "Save the changes to plan.json?"
QMessageBox* openSaveQuestion(const QString& question, QWidget& window);

} // namespace alidade::app
