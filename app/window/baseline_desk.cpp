// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/baseline_desk.h"

#include "app/window/library_desk.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/scenario_pen.h"
#include "views/theme/theme_controller.h"

#include <QActionGroup>
#include <QInputDialog>
#include <QMenu>
#include <QScopedValueRollback>
#include <QToolButton>

namespace alidade::app {

using views::text;

namespace {

constexpr int mostName = 24; // characters of a name in the tool bar

} // namespace

BaselineDesk::BaselineDesk(views::Document& document, LibraryDesk& library, QWidget& window)
    : QObject(&window)
    , document_(document)
    , library_(library)
    , window_(window)
    , menu_(new QMenu(tr("&Baseline"), &window))
    , chosen_(new QActionGroup(this)) {
    menu_->setIcon(views::icon(QLatin1StringView("pin")));
    show_ = menu_->addAction(tr("Show &Differences from the Baseline"));
    show_->setShortcut(Qt::Key_B);
    show_->setCheckable(true);
    connect(show_, &QAction::triggered, this, &BaselineDesk::show);
    pin_ = menu_->addAction(tr("&Pin This Plan as Baseline"), this, &BaselineDesk::pin);
    pin_->setShortcut(Qt::SHIFT | Qt::Key_B);
    menu_->addSeparator();
    end_ = menu_->addSeparator();
    rename_ = menu_->addAction(tr("&Rename the Baseline…"), this, &BaselineDesk::rename);
    remove_ = menu_->addAction(tr("Remo&ve the Baseline"), this,
                               [this] { document_.baselines().remove(document_.baselines().current()); });
    views::Baselines& baselines = document.baselines();
    connect(&baselines, &views::Baselines::listChanged, this, &BaselineDesk::renew);
    connect(&views::ThemeController::instance(), &views::ThemeController::changed, this,
            &BaselineDesk::renew);
    WorkspaceSession& session = library.session();
    connect(&session, &WorkspaceSession::opened, this, [this] {
        const QScopedValueRollback guard(restoring_, true);
        document_.baselines().restore(library_.session().setting(data::setting::baselines));
    });
    connect(&baselines, &views::Baselines::listChanged, this, [this] {
        if (!restoring_ && library_.session().isWritable())
            library_.session().keepSetting(data::setting::baselines, document_.baselines().saved());
    });
    renew();
}

QToolButton* BaselineDesk::makeButton() {
    button_ = new QToolButton;
    button_->setIcon(views::icon(QLatin1StringView("pin")));
    button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button_->setAccessibleName(tr("Baseline"));
    button_->setPopupMode(QToolButton::InstantPopup);
    button_->setMenu(menu_);
    button_->setFocusPolicy(Qt::TabFocus);
    renew();
    return button_;
}

/// The plan as it is shown, also while a change is tried.
void BaselineDesk::pin() {
    if (document_.estimate())
        document_.baselines().pin(document_.shownSpec(), document_.displayName());
}

/// With nothing to show yet the key pins what is there.
void BaselineDesk::show(bool shown) {
    if (document_.baselines().list().empty())
        pin();
    else
        document_.baselines().setShown(shown);
    renew();
}

void BaselineDesk::renew() {
    const views::Baselines& baselines = document_.baselines();
    show_->setChecked(baselines.isShown());
    renewItems();
    for (QAction* action : {rename_, remove_})
        action->setEnabled(baselines.current() >= 0);
    if (button_ == nullptr)
        return;
    QString name = baselines.current() >= 0
                       ? text(baselines.list()[static_cast<std::size_t>(baselines.current())].name)
                       : QString();
    if (name.size() > mostName)
        name = name.left(mostName - 1) + u'…';
    button_->setText(baselines.isShown() ? tr("Baseline: %1").arg(name) : tr("Baseline"));
    button_->setToolTip(baselines.isShown() ? tr("Every view shows its difference from this plan (B)")
                                            : tr("Pin the plan as it is, and see what changes (Shift+B)"));
}

/// Items stay where they can: the one that is being triggered renews them.
void BaselineDesk::renewItems() {
    const views::Baselines& baselines = document_.baselines();
    const auto count = static_cast<qsizetype>(baselines.list().size());
    while (items_.size() > count) {
        QAction* item = items_.takeLast();
        menu_->removeAction(item);
        chosen_->removeAction(item);
        item->deleteLater();
    }
    while (items_.size() < count) {
        auto* item = new QAction(menu_);
        item->setCheckable(true);
        chosen_->addAction(item);
        connect(item, &QAction::triggered, this, [this, place = static_cast<int>(items_.size())] {
            document_.baselines().choose(place);
            document_.baselines().setShown(true);
        });
        items_.append(item);
        menu_->insertAction(end_, item);
    }
    for (int place = 0; place < static_cast<int>(count); ++place) {
        QAction* item = items_[place];
        item->setText(text(baselines.list()[static_cast<std::size_t>(place)].name));
        item->setIcon(views::scenarioLine(place, false, views::theme()));
        item->setChecked(place == baselines.current());
    }
}

void BaselineDesk::rename() {
    const int current = document_.baselines().current();
    if (current < 0)
        return;
    auto* dialog = new QInputDialog(&window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename the Baseline"));
    dialog->setLabelText(tr("Name:"));
    dialog->setTextValue(text(document_.baselines().list()[static_cast<std::size_t>(current)].name));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, current](const QString& name) { document_.baselines().rename(current, name); });
    dialog->open();
}

} // namespace alidade::app
