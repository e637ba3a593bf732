// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alidade::data {

/// How a document writes a number: `value` in the document is value x multiply / divide in SI. (Two factors,
/// so that 75 us and -35 % become the very numbers 75e-6 and -0.35.)
struct FieldUnit {
    const char* label = ""; ///< "GB/s"; empty: a plain number
    double multiply = 1;
    double divide = 1;
};

/// A field whose value is one of some words.
template <class T>
struct Choice {
    const std::vector<std::string>& words;
    std::size_t (*get)(const T&);
    void (*set)(T&, std::size_t);
};

/// One key of a catalog entry: the reader, the writer, the table and the check are all driven by lists of
/// these.
template <class T>
struct Field {
    using Member =
        std::variant<std::string T::*, bool T::*, int T::*, std::optional<bool> T::*, std::optional<int> T::*,
                     std::optional<double> T::*, Bytes T::*, BytesPerSecond T::*, DollarsPerHour T::*,
                     std::optional<Bytes> T::*, std::optional<BytesPerSecond> T::*,
                     std::optional<FlopPerSecond> T::*, std::optional<Seconds> T::*,
                     std::optional<Watts> T::*, std::vector<std::string> T::*, Choice<T>>;

    const char* key;
    const char* label; ///< for a person
    Member member;
    FieldUnit unit = {};
    double low = 0;  ///< smallest legal number, in the document's unit
    double high = 0; ///< largest; 0: the usual bound of the kind
    bool required = false;
};

/// Members that a document keeps in an object of their own: "bias": { "qkv", "o", "mlp" }.
template <class T>
struct Group {
    const char* key;
    const std::vector<Field<T>>& fields;
};

/// The keys of an entry, in the order in which they are shown.
template <class T>
const std::vector<Field<T>>& fieldsOf();

template <>
const std::vector<Field<Gpu>>& fieldsOf<Gpu>();
template <>
const std::vector<Field<Instance>>& fieldsOf<Instance>();
template <>
const std::vector<Field<NetworkCardGroup>>& fieldsOf<NetworkCardGroup>();
template <>
const std::vector<Field<UltraServer>>& fieldsOf<UltraServer>();
template <>
const std::vector<Field<EfaGeneration>>& fieldsOf<EfaGeneration>();
template <>
const std::vector<Field<StorageTier>>& fieldsOf<StorageTier>();
template <>
const std::vector<Field<Price>>& fieldsOf<Price>();
template <>
const std::vector<Field<Architecture>>& fieldsOf<Architecture>();
template <>
const std::vector<Field<MlaShape>>& fieldsOf<MlaShape>();
template <>
const std::vector<Field<MoeShape>>& fieldsOf<MoeShape>();
template <>
const std::vector<Field<SparseIndexer>>& fieldsOf<SparseIndexer>();
template <>
const std::vector<Field<Mamba2Shape>>& fieldsOf<Mamba2Shape>();
template <>
const std::vector<Field<GatedDeltaNetShape>>& fieldsOf<GatedDeltaNetShape>();
template <>
const std::vector<Field<Framework>>& fieldsOf<Framework>();

/// "bias" and "sliding_window" of an architecture.
const std::vector<Group<Architecture>>& architectureGroups();

/// Words of `Price::purchase`, in its order.
const std::vector<std::string>& purchaseWords();

} // namespace alidade::data
