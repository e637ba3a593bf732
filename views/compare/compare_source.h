// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/comparison.h"
#include "model/scenario/spec.h"
#include "views/document/compared_item.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alidade::views {

/// Scenarios side by side, in the order asked for.
struct CompareAnswer {
    std::vector<std::string> names;
    std::vector<std::shared_ptr<const ComparedItem>> items;
    Comparison comparison;
    double seconds = 0; ///< that the new estimates took
    int estimated = 0;  ///< of them
};

/// Estimates scenarios and compares them on a worker. A newer request supersedes an older one; what was
/// estimated once is not estimated again.
class CompareSource : public QObject {
    Q_OBJECT

public:
    struct Request {
        std::string name;
        ScenarioSpec spec;
        std::string error = {}; ///< not empty: there is no scenario, for this reason
    };

    explicit CompareSource(Engine engine, QObject* parent = nullptr);
    ~CompareSource() override;

    /// \param scenarios not empty
    void compare(const std::vector<Request>& scenarios, int baseline,
                 const std::shared_ptr<const Catalog>& catalog);
    void cancel();
    bool busy() const { return busy_; }
    const std::shared_ptr<const CompareAnswer>& answer() const { return answer_; } ///< null before the first

signals:
    void busyChanged(bool busy);
    void answered();

private:
    struct Private;
    using Known = std::map<std::string, std::shared_ptr<const ComparedItem>>;
    void accept(int generation, const std::shared_ptr<const CompareAnswer>& answer, const Known& known);
    void setBusy(bool busy);

    std::unique_ptr<Private> d;
    std::shared_ptr<const CompareAnswer> answer_;
    Known known_; ///< of the catalog, by the scenario as it would be written
    std::shared_ptr<const Catalog> catalog_;
    int generation_ = 0;
    bool busy_ = false;
};

} // namespace alidade::views
