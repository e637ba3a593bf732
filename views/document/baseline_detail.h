// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/options.h"

#include <QObject>

#include <memory>

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

class DetailSource;
class Document;

/// The shown baseline's estimate with parts that few views need. Asked for once for each baseline.
class BaselineDetail : public QObject {
    Q_OBJECT

public:
    BaselineDetail(Document& document, const EstimateOptions& parts, QObject* parent);

    /// The baseline may be another one now; changed() follows where it is.
    void renew();
    /// Null: no baseline is shown, or its parts are on their way.
    const std::shared_ptr<const Estimate>& estimate() const { return estimate_; }

signals:
    void changed();

private:
    Document& document_;
    EstimateOptions parts_;
    DetailSource* source_;
    std::shared_ptr<const Estimate> of_; ///< what is known, or asked for, is of this one
    std::shared_ptr<const Estimate> estimate_;
};

} // namespace alidade::views
