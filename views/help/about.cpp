// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/help/about.h"

#include "model/catalog/catalog.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <qcustomplot.h>

#include <algorithm>

namespace alidade::views {

namespace {

struct AboutTexts {
    Q_DECLARE_TR_FUNCTIONS(About)
};

QString newestPriceDate(const Catalog& catalog) {
    std::string newest;
    for (const Price& price : catalog.prices)
        if (price.current)
            newest = std::max(newest, price.date);
    return newest.empty() ? QStringLiteral("–") : text(newest);
}

void addFact(QFormLayout* form, const QString& label, const QString& value) {
    auto* shown = new TextLabel(FontRole::body, Role::text, value);
    shown->setTextInteractionFlags(Qt::TextSelectableByMouse);
    form->addRow(new TextLabel(FontRole::body, Role::text2, label), shown);
}

} // namespace

void showAbout(QWidget* parent, const Catalog& catalog) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("about"));
    dialog->setWindowTitle(AboutTexts::tr("About Alidade"));
    auto* form = new QFormLayout(dialog);
    form->setContentsMargins(theme().px(28), theme().px(24), theme().px(28), theme().px(18));
    form->setHorizontalSpacing(theme().px(20));
    form->setVerticalSpacing(theme().px(6));
    auto* mark = new QLabel(dialog);
    mark->setPixmap(applicationIcon().pixmap(theme().px(64), theme().px(64)));
    auto* words = new QWidget(dialog);
    auto* lines = new QVBoxLayout(words);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    lines->addWidget(new TextLabel(FontRole::figure, Role::text, QStringLiteral("Alidade")));
    lines->addWidget(new TextLabel(FontRole::body, Role::text2,
                                   AboutTexts::tr("Plans GPU clusters for foundation models")));
    form->addRow(mark, words);
    form->addRow(new QLabel(dialog));
    addFact(form, AboutTexts::tr("Program"), QCoreApplication::applicationVersion());
    addFact(form, AboutTexts::tr("Catalog"), text(catalog.version));
    addFact(form, AboutTexts::tr("Newest price"), newestPriceDate(catalog));
    addFact(form, AboutTexts::tr("Constants"),
            catalog.defaultProfile.date.empty()
                ? text(catalog.defaultProfile.name)
                : AboutTexts::tr("%1, %2").arg(text(catalog.defaultProfile.name),
                                               text(catalog.defaultProfile.date)));
    addFact(form, AboutTexts::tr("Libraries"),
            AboutTexts::tr("Qt %1, QCustomPlot %2")
                .arg(QLatin1String(qVersion()), QLatin1String(QCUSTOMPLOT_VERSION_STR)));
    addFact(form, AboutTexts::tr("License"), AboutTexts::tr("GNU GPL, version 3 or later"));
    auto* note = new TextLabel(FontRole::small, Role::text2,
                               AboutTexts::tr("Double-click a figure to see its inputs and their sources.\n"
                                              "Estimates are not an offer; prices are those of their date."));
    form->addRow(note);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    form->addRow(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    dialog->open();
}

} // namespace alidade::views
