// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"
#include "model/search/search_picture.h"

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

class QTimer;

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// The answer to a question, with what its plans are looked up in.
struct CatalogSearch : SearchAnswer {
    std::shared_ptr<const Catalog> catalog;
    std::shared_ptr<const Profile> profile;
    SearchPicture picture;
    bool goesOn = false; ///< what was found so far: the search is not at its end
    QByteArray mark;     ///< of the catalog, see SearchView::setCatalogMark()
};

/// Runs searches on separate threads. A newer one supersedes an older one. What a search has found so far
/// is an answer, too, some times a second.
class SearchSource : public QObject {
    Q_OBJECT

public:
    explicit SearchSource(QObject* parent = nullptr);
    ~SearchSource() override;

    /// Where the plans of this space are remembered, they are ranked anew without evaluating any.
    void start(const SearchQuestion& question, const std::shared_ptr<const Catalog>& catalog,
               const Profile& profile, const QByteArray& mark = {});
    /// Whether the last search has all that the answer to this question needs.
    bool remembers(const SearchQuestion& question, const std::shared_ptr<const Catalog>& catalog) const;
    /// Ends the search; what it found so far is the answer.
    void stop();
    bool busy() const { return busy_; }
    bool ranksAnew() const { return ranksAnew_; } ///< busy with what is remembered: nothing to wait for
    /// An answer from before; its picture is made again unless the catalog is another one by now.
    void restore(const std::shared_ptr<const CatalogSearch>& answer, bool withPicture);
    /// Says of an answer which published run is most like its recommended plan. Ignored if the answer is
    /// another one by now. Signals nothing.
    void note(const std::shared_ptr<const CatalogSearch>& answer, const std::string& nearest);
    /// Gives up the search and the answer: they are about another scenario.
    void forget();
    /// The newest one, perhaps of a search that goes on; null before the first.
    const std::shared_ptr<const CatalogSearch>& answer() const { return answer_; }

signals:
    /// A search begins or has ended. (After remembered plans were ranked again, false once more.)
    void busyChanged(bool busy);
    /// \param done share of the space, 0..1
    void progressed(double done);
    void answered();

private:
    struct Progress; ///< what the threads of a search and the window share
    struct Memory;   ///< what the last search is asked again with
    void rankAnew(const SearchQuestion& question, const QByteArray& mark, int generation);
    void complete(const std::shared_ptr<const CatalogSearch>& answer, std::vector<SampledPlan> sample);
    void look();
    void accept(int generation, const std::shared_ptr<const CatalogSearch>& answer);

    std::shared_ptr<const CatalogSearch> answer_;
    std::stop_source stop_;
    std::shared_ptr<Progress> progress_;
    std::shared_ptr<Memory> memory_; ///< null: of no search
    QElapsedTimer asked_;            ///< since the threads were asked what they have found so far
    qint64 next_ = 0;                ///< ms after that they are asked again
    std::uint64_t plans_ = 0;
    QTimer* watch_;
    int generation_ = 0;
    bool busy_ = false, ranksAnew_ = false;
};

} // namespace alidade::views
