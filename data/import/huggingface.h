// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/workload/architecture.h"

#include <string>
#include <string_view>

namespace alidade::data {

/// Reads the config.json of a Hugging Face model of the families Llama, Mistral, Mixtral, Qwen2, Qwen3 (dense
/// and MoE), DeepSeek V2 and V3, and gpt-oss; keys that are absent take the defaults of the family's
/// configuration class. Another family is refused by its name, and so is what the architecture cannot express
/// (a vision part, other layers). The error is one line a fault: "FILE:/json/pointer: what is wrong; what
/// would be right".
/// \param fileName stands in messages and in the source of the result; its folder or stem becomes the id
/// where the
///        document does not name the model
Result<Architecture> importHuggingFaceConfig(std::string_view text, const std::string& fileName);

} // namespace alidade::data
