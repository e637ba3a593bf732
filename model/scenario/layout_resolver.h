// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/layout_fields.h"
#include "model/scenario/scenario.h"

#include <memory>
#include <optional>

namespace alidade {

/// resolve() for many training specs in a row. Where a spec differs from the one before only in how the model
/// is laid out on the same machines, what does not depend on that (catalog look-ups, prices, constants) is
/// kept, which takes a fraction of the time.
class LayoutResolver {
public:
    LayoutResolver(const Catalog& catalog, const Profile& profile);
    ~LayoutResolver();

    /// The same as resolve(spec) without `changed`. With it a legal plan has the same plan, inputs and
    /// figures, but no warnings, and an illegal one only the first rule that it breaks; what the spec leaves
    /// to the software, and where figures come from, is as the last call without `changed` had it. Valid
    /// until the next call.
    /// \param changed the spec differs from that of the last call at most in these layout fields
    const Result<Scenario>& resolve(const ScenarioSpec& spec,
                                    std::optional<LayoutFields> changed = std::nullopt);

    /// The layout fields that decide that the last plan is illegal, and which rule it is said to break: plans
    /// that differ from it in other layout fields only are illegal for the same reason. All of them where
    /// that is not known. \pre it is illegal
    LayoutFields illegalBy() const;

private:
    struct State;

    const Catalog& catalog_;
    const Profile& profile_;
    std::unique_ptr<State> state_;
};

} // namespace alidade
