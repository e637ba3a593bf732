// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/grab.h"

#include "app/window/file_session.h"
#include "app/window/library_desk.h"
#include "app/window/live_desk.h"
#include "app/window/main_window.h"
#include "app/window/notice_bar.h"
#include "data/file/write_file.h"
#include "views/document/document.h"
#include "views/explore/explore_source.h"
#include "views/explore/explore_view.h"
#include "views/fleet/fleet_view.h"
#include "views/help/guide_window.h"
#include "views/library/item_figures.h"
#include "views/library/library_model.h"
#include "views/library/library_view.h"
#include "views/run/run_view.h"
#include "views/scaling/budget_form.h"
#include "views/scaling/scaling_view.h"
#include "views/search/search_source.h"
#include "views/search/search_view.h"
#include "views/validation/validation_source.h"

#include <QApplication>
#include <QBuffer>
#include <QDialog>
#include <QPixmap>
#include <QPushButton>
#include <QTextStream>

namespace alidade::app {

namespace {

constexpr int tickMilliseconds = 100;
constexpr int quietTicks = 8;
constexpr int mostTicks = 300;

} // namespace

std::optional<GrabRequest> grabRequest(const QStringList& arguments) {
    GrabRequest request;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString name = arguments[i].section(QLatin1Char('='), 0, 0);
        const QString value = arguments[i].contains(QLatin1Char('='))
                                  ? arguments[i].section(QLatin1Char('='), 1)
                                  : arguments.value(i + 1);
        if (name == QLatin1String("--grab"))
            request.file = value;
        else if (name == QLatin1String("--theme"))
            request.theme = value;
        else if (name == QLatin1String("--view"))
            request.view = value;
        else if (name == QLatin1String("--snapshot"))
            request.snapshot = value;
        else if (name == QLatin1String("--size"))
            request.size = QSize(value.section(QLatin1Char('x'), 0, 0).toInt(),
                                 value.section(QLatin1Char('x'), 1, 1).toInt());
    }
    if (request.file.isEmpty())
        return std::nullopt;
    return request;
}

Grabber::Grabber(MainWindow& window, const GrabRequest& request)
    : QObject(&window)
    , window_(window)
    , request_(request) {
    window.resize(request.size);
    if (!request.snapshot.isEmpty())
        window.live().snapshots().openFile(request.snapshot);
    startTimer(tickMilliseconds);
}

void Grabber::timerEvent(QTimerEvent*) {
    if (++ticks_ == 1 && !request_.view.isEmpty()) {
        if (!window_.showView(request_.view)) {
            QTextStream(stderr) << "alidade: there is no view '" << request_.view << "'\n";
            QApplication::exit(1);
            return;
        }
        page_ = window_.page();
    }
    // The explanation is of an estimate: ask again once it is there. And a file that has been read meanwhile
    // has brought its own page.
    const views::Document& document = window_.document();
    if (quiet_ == 1 && !request_.view.isEmpty() &&
        (request_.view == QLatin1String("explain") || window_.page() != page_))
        window_.showView(request_.view);
    auto* search = window_.findChild<views::SearchView*>();
    if (request_.view == search->objectName() && quiet_ == 1 && !search->source()->answer())
        search->search(); // a page without an answer shows nothing
    auto* scaling = window_.findChild<views::ScalingView*>();
    if (request_.view == scaling->objectName() && quiet_ == 1 && !scaling->answer())
        scaling->form()->button()->click();
    auto* fleet = window_.findChild<views::FleetView*>();
    if (request_.view == fleet->objectName() && quiet_ == 1 && !fleet->answer())
        fleet->openSample();
    const bool works = search->source()->busy() || scaling->isBusy() || fleet->isBusy() ||
                       window_.findChild<views::ExploreView*>()->source()->anyBusy() || document.busy() ||
                       document.suggestionsPending() || window_.findChild<views::RunView*>()->isBusy() ||
                       window_.validation().busy() || window_.library().session().isOpening() ||
                       window_.files().isBusy() || window_.library().imports().isBusy() ||
                       window_.live().isBusy() || window_.library().page()->model()->figures()->isBusy();
    quiet_ = works ? 0 : quiet_ + 1;
    if (quiet_ < quietTicks && ticks_ < mostTicks)
        return;
    save();
}

void Grabber::save() {
    QWidget* subject = &window_;
    if (request_.view == QLatin1String("guide"))
        subject = window_.findChild<views::GuideWindow*>();
    else if (auto* dialog = window_.findChild<QDialog*>(); dialog != nullptr && dialog->isVisible())
        subject = dialog;
    QBuffer picture;
    picture.open(QIODevice::WriteOnly);
    const bool drawn = subject->grab().save(&picture, "PNG");
    const QString fault = drawn ? data::writeFile(request_.file, picture.data())
                                : QStringLiteral("the picture could not be made");
    // A script that asked for a picture of a file should learn what became of it.
    if (const NoticeBar& notice = window_.notice();
        notice.isVisible() && notice.kind() != views::BadgeKind::neutral)
        QTextStream(stderr) << "alidade: " << notice.sentence()
                            << (notice.detail().isEmpty() ? QString()
                                                          : QStringLiteral(": ") + notice.detail())
                            << "\n";
    if (!fault.isEmpty())
        QTextStream(stderr) << "alidade: " << request_.file << ": " << fault << "\n";
    QApplication::exit(fault.isEmpty() ? 0 : 1);
}

} // namespace alidade::app
