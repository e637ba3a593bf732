// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/workspace_writer.h"

#include "data/workspace/file_place.h"

#include <QFile>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace alidade::data {

using namespace std::chrono_literals;

constexpr auto longestFarewell = 10s;

/// The thread and its jobs. The file belongs to the thread, all else of the writer to the other one.
class WorkspaceWriter::Worker {
public:
    /// \returns false: stand still, and try this job again first
    using Job = std::function<bool(Worker&)>;

    explicit Worker(WorkspaceWriter* writer)
        : results_(writer) {}

    /// In the thread, until `closing` and nothing is left that could be done.
    void run(const std::stop_token& closing);
    /// Runs `work` in the writer's thread, unless the writer is gone.
    void post(std::function<void()> work) const { results_.post(std::move(work)); }
    void close() { results_.close(); }

    void add(Job job) { put(jobs_, std::move(job)); }
    /// Before all others, and even while the queue stands still.
    void addUrgent(Job job) { put(urgent_, std::move(job)); }

    void goOn() {
        {
            const std::lock_guard lock(mutex_);
            halted_ = false;
        }
        wake_.notify_one();
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        jobs_.clear();
        halted_ = false;
    }

    std::unique_ptr<Workspace> workspace; ///< of the thread

private:
    void put(std::deque<Job>& queue, Job job) {
        {
            const std::lock_guard lock(mutex_);
            queue.push_back(std::move(job));
        }
        wake_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Job> jobs_, urgent_;
    bool halted_ = false;
    ResultBox results_;
};

void WorkspaceWriter::Worker::run(const std::stop_token& closing) {
    for (;;) {
        Job job;
        bool urgent = false;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, closing,
                            [this] { return !urgent_.empty() || (!halted_ && !jobs_.empty()); }))
                return; // closing, and nothing is left that could be done
            urgent = !urgent_.empty();
            auto& queue = urgent ? urgent_ : jobs_;
            job = std::move(queue.front());
            queue.pop_front();
        }
        if (job(*this) || urgent)
            continue;
        const std::lock_guard lock(mutex_);
        jobs_.push_front(std::move(job));
        halted_ = true;
    }
}

struct WorkspaceWriter::Opened {
    Workspace::Opening opening;
    WorkspaceOptions options;
    Done then;
};

namespace {

void tell(const WorkspaceWriter::Done& then, const std::optional<WorkspaceFault>& fault) {
    if (then)
        then(fault);
}

template <class T>
WorkspaceReply<T> nothingIsOpen() {
    return {std::nullopt, {WorkspaceFault::Kind::missing, "no workspace is open; open one"}};
}

/// All that is in memory, for a file that has nothing yet.
WorkspaceEdit wholeContent(const WorkspaceContent& content) {
    WorkspaceEdit out;
    for (const auto& [id, folder] : content.folders)
        out.changes.emplace_back(PutFolder{folder});
    for (const auto& [id, scenario] : content.scenarios) {
        out.changes.emplace_back(PutScenario{scenario});
        out.changes.emplace_back(AddVersion{{.scenario = id,
                                             .number = scenario.version,
                                             .timeMs = scenario.changedMs,
                                             .text = "Saved without its history",
                                             .name = {},
                                             .json = scenario.json}});
    }
    for (auto [id, document] : content.documents) {
        document.bodyBytes = 0;
        out.changes.emplace_back(PutDocument{document, std::nullopt});
    }
    for (const auto& [key, value] : content.settings)
        out.changes.emplace_back(PutSetting{key, value});
    return out;
}

/// A copy of the open file; if that cannot be read, a new one of what is in memory.
std::optional<WorkspaceFault> copyOrWrite(Workspace& workspace, const WorkspaceContent& content,
                                          const std::string& file) {
    if (!workspace.copyTo(file))
        return std::nullopt;
    if (QFile::exists(QString::fromStdString(file)))
        return WorkspaceFault{WorkspaceFault::Kind::refused,
                              file + ": there is a file of this name already; choose another name"};
    const Workspace::Opening fresh = Workspace::open(file);
    return fresh.fault ? fresh.fault : fresh.workspace->apply(wholeContent(content));
}

} // namespace

WorkspaceWriter::WorkspaceWriter(QObject* parent)
    : QObject(parent)
    , worker_(std::make_shared<Worker>(this))
    , thread_([worker = worker_](const std::stop_token& closing) { worker->run(closing); }) {}

/// Edits that are still on their way get there, unless the disk does not answer.
WorkspaceWriter::~WorkspaceWriter() {
    worker_->close();
    thread_.end(longestFarewell);
}

void WorkspaceWriter::post(std::function<void()> work) {
    QMetaObject::invokeMethod(this, std::move(work), Qt::QueuedConnection);
}

void WorkspaceWriter::open(const std::string& file, const WorkspaceOptions& options, Done then) {
    if (open_ && resolvedPath(file) == file_) {
        post([then = std::move(then)] { tell(then, std::nullopt); });
        return;
    }
    const auto opened = std::make_shared<Opened>(Opened{{}, options, std::move(then)});
    worker_->addUrgent([this, opened, file](Worker& worker) {
        opened->opening = Workspace::open(file, opened->options);
        worker.post([this, opened] {
            if (opened->opening.fault || fault_) {
                tell(opened->then, opened->opening.fault ? opened->opening.fault : fault_);
                return;
            }
            if (next_)
                tell(next_->then,
                     WorkspaceFault{WorkspaceFault::Kind::refused,
                                    next_->opening.workspace->file() + ": another one was opened instead"});
            next_ = opened;
            if (queue_.empty())
                take(std::exchange(next_, nullptr));
        });
        return true;
    });
}

void WorkspaceWriter::take(const std::shared_ptr<Opened>& opened) {
    file_ = opened->opening.workspace->file();
    readOnly_ = opened->opening.workspace->isReadOnly();
    notice_ = opened->opening.notice;
    options_ = opened->options;
    content_ = std::move(opened->opening.content);
    open_ = true;
    worker_->addUrgent([opened](Worker& worker) { // no edit waits, and what comes now is for this one
        worker.workspace = std::move(opened->opening.workspace);
        return true;
    });
    Q_EMIT this->opened();
    Q_EMIT changed();
    tell(opened->then, std::nullopt);
}

void WorkspaceWriter::reopen(Done then) {
    const auto opened = std::make_shared<Opened>(Opened{{}, options_, std::move(then)});
    worker_->forget();
    queue_.clear();
    fault_.reset();
    open_ = false;
    worker_->addUrgent([this, opened, file = file_](Worker& worker) {
        worker.workspace.reset(); // and with it the lock
        opened->opening = Workspace::open(file, opened->options);
        worker.post([this, opened] {
            if (opened->opening.fault)
                tell(opened->then, opened->opening.fault);
            else
                take(opened);
        });
        return true;
    });
}

Result<WorkspaceEdit> WorkspaceWriter::commit(const WorkspaceEdit& edit, std::function<void()> then) {
    if (!open_)
        return Error{"no workspace is open; open one"};
    if (readOnly_)
        return Error{file_ + ": was opened read-only; save a copy to change it"};
    auto undo = apply(content_, edit);
    if (!undo)
        return undo;
    const auto waiting = std::make_shared<const Waiting>(Waiting{edit, std::move(then)});
    queue_.push_back(waiting);
    worker_->add([this, waiting](Worker& worker) {
        const auto fault = worker.workspace->apply(waiting->edit);
        worker.post([this, waiting, fault] {
            if (queue_.empty() || queue_.front() != waiting)
                return; // forgotten in the meantime
            if (fault)
                halt(*fault);
            else
                acknowledge();
        });
        return !fault;
    });
    Q_EMIT changed();
    return undo;
}

void WorkspaceWriter::acknowledge() {
    const auto done = queue_.front();
    queue_.pop_front();
    Q_EMIT committed();
    if (done->then)
        done->then();
    if (!queue_.empty())
        return;
    Q_EMIT settled();
    if (next_ && queue_.empty())
        take(std::exchange(next_, nullptr));
}

void WorkspaceWriter::halt(const WorkspaceFault& fault) {
    fault_ = fault;
    if (next_)
        tell(std::exchange(next_, nullptr)->then, fault);
    Q_EMIT failed(fault);
}

void WorkspaceWriter::retry() {
    fault_.reset();
    worker_->goOn();
}

void WorkspaceWriter::readVersions(WorkspaceId scenario, Read<std::vector<ScenarioVersion>> then) {
    const auto job = [scenario, then = std::move(then)](Worker& worker) {
        auto reply = worker.workspace ? worker.workspace->versions(scenario)
                                      : nothingIsOpen<std::vector<ScenarioVersion>>();
        worker.post([then, reply = std::move(reply)] { then(reply); });
        return true;
    };
    fault_ ? worker_->addUrgent(job) : worker_->add(job);
}

void WorkspaceWriter::readBody(WorkspaceId document, Read<std::string> then) {
    const auto job = [document, then = std::move(then)](Worker& worker) {
        auto reply = worker.workspace ? worker.workspace->body(document) : nothingIsOpen<std::string>();
        worker.post([then, reply = std::move(reply)] { then(reply); });
        return true;
    };
    fault_ ? worker_->addUrgent(job) : worker_->add(job);
}

void WorkspaceWriter::copyTo(const std::string& file, Done then) { copy(file, false, std::move(then)); }

void WorkspaceWriter::moveTo(const std::string& file, Done then) { copy(file, true, std::move(then)); }

void WorkspaceWriter::copy(const std::string& file, bool goOn, Done then) {
    const auto content = std::make_shared<const WorkspaceContent>(content_);
    const auto opened = std::make_shared<Opened>(Opened{{}, options_, std::move(then)});
    opened->options.access = WorkspaceOptions::Access::write;
    const auto job = [this, content, file, goOn, opened, queue = queue_](Worker& worker) {
        auto fault =
            worker.workspace ? copyOrWrite(*worker.workspace, *content, file) : nothingIsOpen<int>().fault;
        if (!fault) {
            opened->opening = Workspace::open(file, opened->options);
            fault = opened->opening.fault;
        }
        // Some of these may have been in the file that was copied; made again they change nothing.
        for (auto each = queue.begin(); !fault && each != queue.end(); ++each)
            fault = opened->opening.workspace->apply((*each)->edit);
        const std::string name = fault ? std::string() : opened->opening.workspace->file();
        if (goOn && !fault)
            worker.workspace = std::move(opened->opening.workspace);
        else
            opened->opening.workspace.reset();
        worker.post([this, fault, goOn, opened, name] {
            if (goOn && !fault) {
                file_ = name;
                notice_.clear();
                readOnly_ = false;
                retry();
                Q_EMIT this->opened();
            }
            tell(opened->then, fault);
        });
        return true;
    };
    worker_->addUrgent(job);
}

} // namespace alidade::data
