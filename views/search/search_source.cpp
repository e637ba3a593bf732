// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_source.h"

#include "model/catalog/catalog.h"
#include "views/document/workers.h"

#include <QElapsedTimer>
#include <QTimer>

namespace alidade::views {

namespace {

constexpr int progressInterval = 100; // ms

} // namespace

SearchSource::SearchSource(QObject* parent)
    : QObject(parent)
    , watch_(new QTimer(this)) {
    watch_->setInterval(progressInterval);
    connect(watch_, &QTimer::timeout, this, [this] {
        if (plans_ > 0)
            emit progressed(static_cast<double>(*tried_) / static_cast<double>(plans_));
    });
}

SearchSource::~SearchSource() { stop_.request_stop(); }

void SearchSource::start(const SearchQuestion& question, const std::shared_ptr<const Catalog>& catalog,
                         const Profile& profile) {
    stop_.request_stop();
    stop_ = std::stop_source();
    tried_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    plans_ = question.plans();
    const int generation = ++generation_;
    busy_ = true;
    watch_->start();
    emit busyChanged(true);
    runFor(
        this, Work::computing,
        [question, catalog, profile = std::make_shared<const Profile>(profile), tried = tried_,
         stop = stop_.get_token()] {
            QElapsedTimer clock;
            clock.start();
            auto answer = std::make_shared<CatalogSearch>();
            answer->question = question;
            answer->catalog = catalog;
            answer->result =
                search(question, *catalog, *profile,
                       {.stop = stop, .progress = [tried](std::uint64_t count) { *tried = count; }});
            answer->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
            // A partial answer is pictured all the same.
            answer->picture = searchPicture(question, answer->result, *catalog, *profile,
                                            answer->result.complete ? stop : std::stop_token());
            return std::shared_ptr<const CatalogSearch>(std::move(answer));
        },
        [this, generation](const std::shared_ptr<const CatalogSearch>& answer) {
            accept(generation, answer);
        });
}

void SearchSource::stop() { stop_.request_stop(); }

void SearchSource::accept(int generation, const std::shared_ptr<const CatalogSearch>& answer) {
    if (generation != generation_)
        return;
    answer_ = answer;
    busy_ = false;
    watch_->stop();
    emit busyChanged(false);
    emit answered();
}

} // namespace alidade::views
