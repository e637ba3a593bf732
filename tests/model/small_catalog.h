// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

namespace alidade::test {

/// A made-up catalog with round numbers, so that tests of what is built on whole scenarios need no file:
/// - "a.8": 8 GPUs "a" (1 PFLOP/s in 16 bits, 2 in FP8, 80 GB), $40 an hour on demand and $30 in a Capacity
///   Block in us-east-2, $44 on demand in us-west-2; "a.1": one of them without a network, $5;
/// - "b.8": 8 slower GPUs "b" (a third of the rate, no FP8, 40 GB), $16;
/// - "u-a.16": an UltraServer of 4 instances "a.4u" with 4 GPUs each in one NVLink domain, $100;
/// - models "dense" (about 8 B parameters), "small" (about 1 B) and "moe" (16 experts, 2 of them per token);
/// - framework "trainer", engine "engine", a file system, and each constant of the calibration for all
///   machines, formats and software.
const Catalog& smallCatalog();

/// Training "dense" on 2 x "a.8": tensor parallel 4, 16 GPUs, 64 sequences of 4,096 tokens a step.
ScenarioSpec trainingSpec();
/// Serving "dense" on one "a.8" with 1,000 tokens in and 100 out.
ScenarioSpec servingSpec(double requestsPerSecond = 4);
/// GRPO of "dense" on 2 x "a.8", both roles on the same GPUs.
ScenarioSpec reinforcementSpec();

} // namespace alidade::test
