// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_source.h"

#include "data/scenario/scenario_json.h"
#include "model/catalog/catalog.h"
#include "model/search/findings.h"
#include "model/search/plan_memory.h"
#include "views/document/workers.h"

#include <QTimer>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <utility>

namespace alidade::views {

namespace {

constexpr int firstInterval = 10;       // ms, until there is a first answer
constexpr int lookInterval = 50;        // ms, from then on
constexpr qint64 firstAsk = 120;        // ms, of a search whose plans take long
constexpr qint64 askInterval = 250;     // ms
constexpr qint64 costShare = 4;         // at least so many times as long as an answer takes
constexpr std::size_t firstPoints = 60; // that the first picture gets: the plans of the list before all
constexpr std::size_t newPoints = 200;  // that a picture on the way gets at a time

using Answer = std::shared_ptr<const CatalogSearch>;

} // namespace

struct SearchSource::Progress {
    std::atomic<std::uint64_t> tried{0};
    std::atomic<std::uint64_t> round{0}; ///< see SearchOptions
    std::mutex mutex;
    Answer soFar; ///< to be taken by the window

    void put(const Answer& answer) {
        const std::scoped_lock lock(mutex);
        soFar = answer;
    }
    Answer take() {
        const std::scoped_lock lock(mutex);
        return std::exchange(soFar, nullptr);
    }
};

struct SearchSource::Memory {
    const SearchQuestion question;
    const std::shared_ptr<const Catalog> catalog;
    const std::shared_ptr<const Profile> profile;
    PlanMemory plans{question};
    SearchPictures pictures{question, *catalog, *profile};
    std::mutex mutex;     ///< of the pictures
    bool isWhole = false; ///< its search has ended

    Memory(const SearchQuestion& asked, std::shared_ptr<const Catalog> ofCatalog, const Profile& ofProfile)
        : question(asked)
        , catalog(std::move(ofCatalog))
        , profile(std::make_shared<const Profile>(ofProfile)) {}
};

SearchSource::SearchSource(QObject* parent)
    : QObject(parent)
    , watch_(new QTimer(this)) {
    connect(watch_, &QTimer::timeout, this, &SearchSource::look);
}

SearchSource::~SearchSource() { stop_.request_stop(); }

void SearchSource::start(const SearchQuestion& question, const std::shared_ptr<const Catalog>& catalog,
                         const Profile& profile, const QByteArray& mark) {
    stop_.request_stop();
    stop_ = std::stop_source();
    progress_ = std::make_shared<Progress>();
    plans_ = question.plans();
    next_ = firstAsk;
    asked_.start();
    const int generation = ++generation_;
    busy_ = true;
    ranksAnew_ = remembers(question, catalog);
    if (ranksAnew_) { // done before it could be stopped
        watch_->stop();
        rankAnew(question, mark, generation);
        return;
    }
    watch_->start(firstInterval);
    emit busyChanged(true);
    memory_ = std::make_shared<Memory>(question, catalog, profile);
    runFor(
        this, Work::computing,
        [question, memory = memory_, progress = progress_, mark, stop = stop_.get_token()] {
            QElapsedTimer clock;
            clock.start();
            std::size_t points = firstPoints;
            const Catalog& catalog = *memory->catalog;
            const Profile& profile = *memory->profile;
            const auto answerOf = [&](SearchResult result, bool goesOn) {
                auto answer = std::make_shared<CatalogSearch>();
                answer->question = question;
                answer->catalog = memory->catalog;
                answer->profile = memory->profile;
                answer->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
                answer->result = std::move(result);
                answer->goesOn = goesOn;
                answer->mark = mark;
                const std::scoped_lock lock(memory->mutex);
                // One that was stopped is pictured all the same.
                answer->picture =
                    goesOn ? memory->pictures.of(answer->result, stop, std::exchange(points, newPoints))
                           : memory->pictures.of(answer->result,
                                                 answer->result.complete ? stop : std::stop_token());
                return answer;
            };
            SearchResult result = search(
                question, catalog, profile,
                {.stop = stop,
                 .progress = [progress](std::uint64_t count) { progress->tried = count; },
                 .round = &progress->round,
                 .partial =
                     [&](const SearchFindings& soFar) {
                         progress->put(answerOf(
                             searchAnswer(question, catalog, profile, soFar, {.closedForm = true}), true));
                     },
                 .memory = &memory->plans});
            return Answer(answerOf(std::move(result), false));
        },
        [this, generation](const Answer& answer) { accept(generation, answer); });
}

bool SearchSource::remembers(const SearchQuestion& question,
                             const std::shared_ptr<const Catalog>& catalog) const {
    // What a search at work has written is read only after its end. The winners of a service are simulated,
    // which takes its time and has to be stopped.
    return !question.base.workload.isServing() && memory_ && answer_ && !answer_->goesOn &&
           memory_->isWhole && memory_->catalog == catalog && memory_->plans.answers(question) &&
           data::writeScenario(memory_->question.base) == data::writeScenario(question.base);
}

/// The picture gets some points at first, so that it does not delay the answer.
void SearchSource::rankAnew(const SearchQuestion& question, const QByteArray& mark, int generation) {
    using Ranked = std::pair<Answer, std::vector<SampledPlan>>;
    runFor(
        this, Work::computing,
        [question, memory = memory_, mark]() -> Ranked {
            QElapsedTimer clock;
            clock.start();
            auto answer = std::make_shared<CatalogSearch>();
            answer->question = question;
            answer->catalog = memory->catalog;
            answer->profile = memory->profile;
            answer->mark = mark;
            answer->result =
                searchAnswer(question, *memory->catalog, *memory->profile,
                             recallFindings(memory->plans, question, *memory->catalog, *memory->profile));
            answer->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
            std::vector<SampledPlan> sample = answer->result.sample;
            const std::scoped_lock lock(memory->mutex);
            answer->picture = memory->pictures.of(answer->result, {}, firstPoints);
            return {answer, std::move(sample)};
        },
        [this, generation](const Ranked& ranked) {
            accept(generation, ranked.first);
            if (answer_ == ranked.first && ranked.first->result.sample.size() < ranked.second.size())
                complete(ranked.first, ranked.second);
        });
}

/// Pictures all points of an answer.
void SearchSource::complete(const std::shared_ptr<const CatalogSearch>& answer,
                            std::vector<SampledPlan> sample) {
    runFor(
        this, Work::computing,
        [answer, memory = memory_, sample = std::move(sample)] {
            auto pictured = std::make_shared<CatalogSearch>(*answer);
            pictured->result.sample = sample;
            const std::scoped_lock lock(memory->mutex);
            pictured->picture = memory->pictures.of(pictured->result);
            return Answer(std::move(pictured));
        },
        [this, generation = generation_](const Answer& pictured) {
            if (generation != generation_ || busy_)
                return;
            auto whole = std::make_shared<CatalogSearch>(*pictured);
            whole->nearest = answer_->nearest; // may have been found since
            answer_ = std::move(whole);
            emit answered();
        });
}

/// Tells how far the search is, takes what it has found so far, and asks for more.
void SearchSource::look() {
    if (plans_ > 0)
        emit progressed(static_cast<double>(progress_->tried) / static_cast<double>(plans_));
    if (Answer answer = progress_->take(); answer && !stop_.stop_requested()) {
        next_ = std::max(askInterval, costShare * asked_.elapsed());
        asked_.start();
        watch_->setInterval(lookInterval);
        answer_ = std::move(answer);
        emit answered();
    } else if (asked_.elapsed() >= next_) {
        next_ = std::numeric_limits<qint64>::max(); // until an answer has come
        asked_.start();
        ++progress_->round;
    }
}

void SearchSource::stop() { stop_.request_stop(); }

void SearchSource::restore(const std::shared_ptr<const CatalogSearch>& answer, bool withPicture) {
    forget();
    answer_ = answer;
    emit answered();
    if (!withPicture)
        return;
    runFor(
        this, Work::computing,
        [answer] {
            auto pictured = std::make_shared<CatalogSearch>(*answer);
            pictured->picture = SearchPictures(pictured->question, *pictured->catalog, *pictured->profile)
                                    .of(pictured->result);
            return Answer(std::move(pictured));
        },
        [this, generation = generation_](const Answer& pictured) {
            if (generation == generation_ && !busy_) {
                answer_ = pictured;
                emit answered();
            }
        });
}

void SearchSource::note(const std::shared_ptr<const CatalogSearch>& answer, const std::string& nearest) {
    if (answer_ != answer)
        return;
    auto noted = std::make_shared<CatalogSearch>(*answer);
    noted->nearest = nearest;
    answer_ = std::move(noted);
}

void SearchSource::forget() {
    stop_.request_stop();
    ++generation_;
    answer_.reset();
    memory_.reset();
    ranksAnew_ = false;
    watch_->stop();
    if (std::exchange(busy_, false))
        emit busyChanged(false);
}

void SearchSource::accept(int generation, const std::shared_ptr<const CatalogSearch>& answer) {
    if (generation != generation_)
        return;
    answer_ = answer;
    busy_ = ranksAnew_ = false;
    if (memory_)
        memory_->isWhole = true;
    watch_->stop();
    emit busyChanged(false);
    emit answered();
}

} // namespace alidade::views
