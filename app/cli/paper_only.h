// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGuiApplication>

namespace alidade::cli {

/// Fonts and pages come from Qt's GUI library, which here never looks for a display, even if there is one.
/// What Qt says on the way is not a message for the caller.
class PaperOnly {
public:
    PaperOnly() = default;

private:
    static int prepare() {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        QHashSeed::setDeterministicGlobalSeed(); // QPdfWriter writes its fonts in the order of a hash
        qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
        return 1;
    }

    int argc_ = prepare(); // before the application is made
    char name_[8] = "alidade";
    char* argv_[2] = {name_, nullptr};
    QGuiApplication application_{argc_, argv_};
};

} // namespace alidade::cli
