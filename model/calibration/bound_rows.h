// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/map_fit.h"
#include "model/catalog/catalog.h"
#include "model/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// What is left out together: rows of one publication, of one architecture (layers, hidden size, experts),
/// whatever its releases are called, or of one software release, whoever published them; or all rows that
/// share one of the three with the row that is predicted (`together`): a model in software from a source that
/// the constants have not seen.
enum class LeftOut : std::uint8_t { source, model, release, together };

/// The word of `--leave-one-out` and reports.
constexpr std::string_view leftOutName(LeftOut by) {
    switch (by) {
    case LeftOut::source:
        return "source";
    case LeftOut::model:
        return "model";
    case LeftOut::release:
        return "release";
    case LeftOut::together:
        return "together";
    }
    return {};
}

/// One measured figure of a row and the constants that its prediction depends on.
struct BoundRow {
    std::string id;
    std::string source;                       ///< publication
    std::string release;                      ///< of the software: see softwareRelease
    std::string group;                        ///< sweep that the row belongs to
    std::string model;                        ///< key of its architecture
    double measured = 0;                      ///< > 0
    double weight = 0;                        ///< 1 / (rows of its group)
    double sd = 0;                            ///< of ln(measured / law); 0: that of the fit
    std::vector<std::size_t> parameters = {}; ///< indices in BoundRows::fitted(), ascending
    std::size_t band = 0; ///< index in the profile of the constant that gives its band; none: its size
    /// Rows with one key are predicted by one fit.
    std::string key(LeftOut by) const;
    /// True if a fit for rows of this row's kind may not use the other one.
    bool isLeftOutWith(const BoundRow& other, LeftOut by) const;
};

/// Measured figures bound to the constants of a profile: those with a prior are the ones to fit.
class BoundRows {
public:
    struct Rejected {
        std::string id, why;
    };
    virtual ~BoundRows() = default;

    const std::vector<BoundRow>& rows() const { return rows_; }
    const std::vector<Rejected>& rejected() const { return rejected_; }
    const Profile& profile() const { return profile_; }
    /// Indices of the profile's parameters.
    const std::vector<std::size_t>& fitted() const { return fitted_; }

    /// ln of the predicted figure; several threads may ask at once. \param parameters transformed values of
    /// `fitted`
    virtual double logValue(std::size_t row, const std::vector<double>& parameters) const = 0;

    /// The transformed values of a profile with the same parameters, and back.
    std::vector<double> valuesOf(const Profile& profile) const;
    double toValue(std::size_t fitted, double transformed) const;
    FitPrior priorOf(std::size_t fitted) const;
    /// d ln(value) / d(transformed).
    double logSlope(std::size_t fitted, double transformed) const;

protected:
    /// Constants of serving engines are fitted to serving rows, all others to training steps.
    BoundRows(const Profile& profile, bool serving);

    /// An input that follows a constant.
    struct Feed {
        std::size_t parameter = 0; ///< index in `fitted`
        Input input{};
        double scale = 1; ///< input = scale x parameter
    };
    /// The profile to resolve with so that each origin names its constant.
    const Profile& marked() const { return marked_; }
    std::vector<Feed> feedsOf(const Inputs& inputs, const InputOrigins& origins) const;
    /// Index in the profile of the constant behind an input; none: its size.
    std::size_t constantOf(const InputOrigin& origin) const;

    std::vector<BoundRow> rows_;
    std::vector<Rejected> rejected_;

private:
    const Parameter& parameter(std::size_t fitted) const { return profile_.parameters[fitted_[fitted]]; }

    Profile profile_, marked_;
    std::vector<std::size_t> fitted_, place_;
};

/// True for a constant that is the width of a band: it follows from left-out errors.
bool isBand(const Parameter& parameter);
bool isOfServing(const Parameter& parameter);

std::string architectureKey(const Architecture& model);

} // namespace alidade
