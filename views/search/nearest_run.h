// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <memory>
#include <string>

namespace alidade::views {

class ValidationSource;
struct CatalogSearch;

/// Finds the published run most like a recommended plan and says how well the model predicts it, once the
/// predictions of the published runs are there. Works on another thread; a newer answer supersedes an older
/// one.
class NearestRun : public QObject {
    Q_OBJECT

public:
    /// \param source must outlive this
    explicit NearestRun(ValidationSource* source, QObject* parent = nullptr);

    /// Looks for it, and asks for the predictions first. \pre the answer recommends a plan
    void find(const std::shared_ptr<const CatalogSearch>& answer);
    void forget();

signals:
    /// \param text a sentence
    void found(const std::shared_ptr<const alidade::views::CatalogSearch>& answer, const std::string& text);

private:
    void look();

    ValidationSource* source_;
    std::shared_ptr<const CatalogSearch> asked_; ///< null: nothing is looked for
};

} // namespace alidade::views
