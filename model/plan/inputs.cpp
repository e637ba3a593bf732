// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/inputs.h"

namespace alidade {

namespace {

constexpr std::array<InputInfo, inputCount> infos{{
#define ROW(input, name, label, dimension, family) {name, label, Dimension::dimension},
#include "model/plan/input_rows.def"
#undef ROW
}};

} // namespace

const InputInfo& inputInfo(Input input) { return infos[static_cast<std::size_t>(input)]; }

InputsT<Traced> tracedInputs(Trace& trace, const Inputs& inputs, const InputOrigins& origins) {
    InputsT<Traced> out;
    for (std::size_t i = 0; i < inputCount; ++i) {
        // Inputs that the scenario does not use become plain numbers, which explanations omit.
        out.values[i] = origins[i].source.empty()
                            ? Traced(inputs.values[i])
                            : Traced::leaf(trace, inputs.values[i], infos[i].name, infos[i].dimension,
                                           origins[i].source.str(), origins[i].kind);
    }
    return out;
}

} // namespace alidade
