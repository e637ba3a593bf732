// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/scenario.h"

#include <memory>
#include <string_view>

namespace alidade {

/// resolve() for many training specs in a row. Where a spec differs from the one before only in how the model
/// is laid out on the same machines, what does not depend on that (catalog look-ups, prices, constants) is
/// kept, which takes a fraction of the time.
class LayoutResolver {
public:
    LayoutResolver(const Catalog& catalog, const Profile& profile);
    ~LayoutResolver();

    /// The same as resolve(spec) for a legal plan; of an illegal one only the first rule that it breaks.
    /// Valid until the next call.
    /// \param layoutOnly the spec differs from that of the last call at most in fields with isLayoutField()
    const Result<Scenario>& resolve(const ScenarioSpec& spec, bool layoutOnly);

private:
    struct State;

    const Catalog& catalog_;
    const Profile& profile_;
    std::unique_ptr<State> state_;
};

/// Degrees, schedule, sharding, micro-batch and recomputation: the fields of a training plan that neither the
/// machines nor the constants depend on.
bool isLayoutField(std::string_view path);

} // namespace alidade
