// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/collectives/expert_exchange.h"
#include "model/plan/inputs.h"
#include "model/validation/published.h"

#include <optional>
#include <string>

namespace alidade {

/// What a published point of a collective or an expert exchange asks of the laws of the cost model.
struct CollectiveCase {
    const Gpu* gpu = nullptr; ///< of the catalog
    std::string network;      ///< kind, as profiles name it: "efa2", "infiniband", ...
    double networkPerGpu = 0; ///< bytes/s per direction; 0: the source does not say
    int domain = 8;           ///< GPUs of one NVLink domain
    int perNode = 8;          ///< GPUs of one node
    GroupShape group;
    std::optional<CollectiveOp> op;          ///< none: an expert exchange
    std::optional<CollectiveAlgorithm> only; ///< that the library was told to take
    bool oneShot = false;                    ///< the kernel of a serving engine
    double bytes = 0;                        ///< as nccl-tests counts them
    ExchangeKind kind = ExchangeKind::fused;
    ExchangeShape<double> exchange;
    double launch = 0;   ///< s that the measurement contains besides: a script in Python starts it
    double measured = 0; ///< s; from a published bandwidth: bytes as the library counts them / bandwidth
};

/// Reads a row as such a case. \param why set if it is none, or if the row lacks something
std::optional<CollectiveCase> collectiveCase(const PublishedCollective& row, const Catalog& catalog,
                                             std::string& why);

/// The constant of a profile that represents an input in this case; nullptr if the profile has none.
const Parameter* constantOf(const CollectiveCase& which, const Profile& profile, Input input);

/// The inputs of the laws: machine and constants; what the profile lacks is taken from the catalog's own.
Inputs collectiveInputs(const CollectiveCase& which, const Catalog& catalog, const Profile& profile);

/// Seconds by the laws that estimates use, `launch` included.
double collectiveSeconds(const CollectiveCase& which, const Inputs& inputs);

} // namespace alidade
