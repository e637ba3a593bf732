// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/base/abandonable_thread.h"
#include "data/workspace/workspace.h"

#include <QObject>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// The workspace of a window: its content in memory at once, its file on a separate thread. Nothing here
/// waits, but for the destructor. Belongs to the thread that made it (with an event loop), in which all
/// callbacks and signals arrive.
///
/// commit() changes content() at once and queues the edit; "committed" means that the disk has it. If the
/// disk fails, the queue stands still, content() stays, and retry() or copyTo() are the ways on.
///
/// Why two copies of the truth: a window must not wait for a disk, and a network disk may never answer. So
/// edits are accepted in memory and follow to the file in their order. Why a queue of edits and not whole
/// files: the database applies one edit in one transaction, so that a crash at any moment loses only the
/// edits that were still queued, never the file.
///
/// Invariants: content() is the file plus queue_; edits reach the disk in the order of commit(); after a
/// fault nothing further is written until retry(), copyTo() or moveTo().
class WorkspaceWriter : public QObject {
    Q_OBJECT

public:
    explicit WorkspaceWriter(QObject* parent = nullptr);
    /// Waits until every queued edit is on the disk or one has failed.
    ~WorkspaceWriter() override;

    using Done = std::function<void(const std::optional<WorkspaceFault>&)>;
    /// Opens a file in place of the present one, whose edits are written first. If either fails, the present
    /// one stays. The file that is open already is opened at once.
    void open(const std::string& file, const WorkspaceOptions& options, Done then = {});
    /// Forgets the edits that are not on the disk, and opens the same file as it is there now. If that fails,
    /// none is open.
    void reopen(Done then = {});

    bool isOpen() const { return open_; }
    bool isReadOnly() const { return readOnly_; }
    const std::string& file() const { return file_; }
    const std::string& notice() const { return notice_; } ///< why it is read-only, or what was migrated
    /// With every edit so far, on the disk or not.
    const WorkspaceContent& content() const { return content_; }

    /// \param then called once the disk has the edit
    /// \returns the edit that takes it back, or why it was refused (nothing was changed then)
    Result<WorkspaceEdit> commit(const WorkspaceEdit& edit, std::function<void()> then = {});
    std::size_t pending() const { return queue_.size(); } ///< edits that the disk does not have yet
    /// Why the queue stands still.
    const std::optional<WorkspaceFault>& fault() const { return fault_; }
    /// Tries again what failed, then the rest.
    void retry();

    template <class T>
    using Read = std::function<void(const WorkspaceReply<T>&)>;
    // After the edits queued so far. `then` is not called any more once the writer is gone.
    void readVersions(WorkspaceId scenario, Read<std::vector<ScenarioVersion>> then);
    void readBody(WorkspaceId document, Read<std::string> then);

    /// A copy with every edit so far, even where the file itself fails; where that cannot be read any more,
    /// histories and bodies that are only there are missing from it. There must be no file of that name.
    void copyTo(const std::string& file, Done then);
    /// The same, and goes on in the copy: the queue moves again.
    void moveTo(const std::string& file, Done then);

Q_SIGNALS:
    void opened();
    void changed();   ///< content()
    void committed(); ///< one more edit is on the disk
    void settled();   ///< nothing is pending any more
    void failed(const alidade::data::WorkspaceFault& fault);

private:
    class Worker;
    struct Waiting {
        WorkspaceEdit edit;
        std::function<void()> then;
    };
    struct Opened; // a file on its way to be the present one

    void post(std::function<void()> work);
    void take(const std::shared_ptr<Opened>& opened);
    void acknowledge();
    void halt(const WorkspaceFault& fault);
    void copy(const std::string& file, bool goOn, Done then);

    std::string file_, notice_;
    WorkspaceOptions options_;
    WorkspaceContent content_;
    std::optional<WorkspaceFault> fault_;
    std::deque<std::shared_ptr<const Waiting>> queue_; ///< what the disk does not have yet
    std::shared_ptr<Opened> next_;                     ///< waits for the queue to be empty
    bool open_ = false, readOnly_ = false;
    std::shared_ptr<Worker> worker_;
    AbandonableThread thread_;
};

} // namespace alidade::data
