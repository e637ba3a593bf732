// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"
#include "model/search/search_picture.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <memory>
#include <stop_token>

class QTimer;

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// The answer to a question, with what its plans are looked up in.
struct CatalogSearch : SearchAnswer {
    std::shared_ptr<const Catalog> catalog;
    SearchPicture picture;
};

/// Runs searches on threads of their own. A newer one supersedes an older one.
class SearchSource : public QObject {
    Q_OBJECT

public:
    explicit SearchSource(QObject* parent = nullptr);
    ~SearchSource() override;

    void start(const SearchQuestion& question, const std::shared_ptr<const Catalog>& catalog,
               const Profile& profile);
    /// Ends the search; what it found so far is the answer.
    void stop();
    bool busy() const { return busy_; }
    /// The newest one; null before the first.
    const std::shared_ptr<const CatalogSearch>& answer() const { return answer_; }

signals:
    void busyChanged(bool busy);
    /// \param done share of the space, 0..1
    void progressed(double done);
    void answered();

private:
    void accept(int generation, const std::shared_ptr<const CatalogSearch>& answer);

    std::shared_ptr<const CatalogSearch> answer_;
    std::stop_source stop_;
    std::shared_ptr<std::atomic<std::uint64_t>> tried_;
    std::uint64_t plans_ = 0;
    QTimer* watch_;
    int generation_ = 0;
    bool busy_ = false;
};

} // namespace alidade::views
