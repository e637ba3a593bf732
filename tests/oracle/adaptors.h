// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/architecture.h"

#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>
#include <string>

namespace alidade::oracle {

using Json = nlohmann::json;

/// Calls one function of the model with the named arguments of a case and returns its result in the words of
/// the cases. Throws Refused where the model refuses the arguments.
using Adaptor = Json (*)(const Json& arguments);

/// Name of a function in the cases to the adaptor that calls ours.
using Adaptors = std::map<std::string, Adaptor, std::less<>>;

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Everything that the model has. A new formula is covered by one entry in the function of its room.
const Adaptors& adaptors();

/// Functions, or single cases by their id, that run a formula of `reference/` because the program has none
/// that its inputs reduce to the formula of the case; with the reason. All others fail if a factor of the
/// formula that ships changes.
const std::map<std::string, std::string>& onReference();

void addKernels(Adaptors& table);
void addMemory(Adaptors& table);
void addCollectives(Adaptors& table);
void addSchedules(Adaptors& table);
void addReliability(Adaptors& table);
void addCost(Adaptors& table);
void addServing(Adaptors& table);
void addWorkload(Adaptors& table);
void addPostTraining(Adaptors& table);
void addReferenceStep(Adaptors& table);
void addCalibration(Adaptors& table);

/// A number or flag of a case, as a number.
double number(const Json& arguments, const char* key);
double number(const Json& arguments, const char* key, double otherwise);
int whole(const Json& arguments, const char* key, int otherwise);
std::string word(const Json& arguments, const char* key, const char* otherwise);

/// The enumerator of a word; throws Refused if the table has none.
template <class E>
E choose(const std::map<std::string, E>& words, const std::string& text) {
    const auto found = words.find(text);
    if (found == words.end())
        throw Refused("unknown word " + text);
    return found->second;
}

/// The architecture that the short notation of the cases describes.
Architecture architecture(const Json& model);
/// Attention of that notation alone: {"type": "gqa", "a": 64, "g": 8, "d": 128}.
void readAttention(const Json& attention, Architecture& into);
MoeShape moeShape(const Json& moe);

} // namespace alidade::oracle
