// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alidade::data {

/// The unit of a number in a document: `value` in the document is value x multiply / divide in SI. (Two
/// factors, so that 75 us and -35 % become exactly 75e-6 and -0.35.)
struct FieldUnit {
    const char* label = ""; ///< "GB/s"; empty: dimensionless
    double multiply = 1;
    double divide = 1;
};

/// A field whose value is one of several keywords.
template <class T>
struct Choice {
    const std::vector<std::string>& words;
    std::size_t (*get)(const T&);
    void (*set)(T&, std::size_t);
};

/// What a key of a catalog entry is, whatever the kind of the entry.
struct FieldInfo {
    const char* key;
    const char* label; ///< for display
    FieldUnit unit;
    double low;  ///< smallest valid number, in the document's unit
    double high; ///< largest; 0: the default limit of the kind
    bool required;
};

/// One key of a catalog entry. The reader, the writer, the table and the check all use lists of these.
template <class T>
struct Field : FieldInfo {
    using Member =
        std::variant<std::string T::*, bool T::*, int T::*, std::optional<bool> T::*, std::optional<int> T::*,
                     std::optional<double> T::*, Bytes T::*, BytesPerSecond T::*, DollarsPerHour T::*,
                     std::optional<Bytes> T::*, std::optional<BytesPerSecond> T::*,
                     std::optional<FlopPerSecond> T::*, std::optional<Seconds> T::*,
                     std::optional<Watts> T::*, std::vector<std::string> T::*, Choice<T>>;

    Member member;

    Field(const char* key, const char* label, Member member, FieldUnit unit = {}, double low = 0,
          double high = 0, bool required = false)
        : FieldInfo{key, label, unit, low, high, required}
        , member(member) {}
};

/// Members that a document groups in an object: "bias": { "qkv", "o", "mlp" }.
template <class T>
struct Group {
    const char* key;
    const std::vector<Field<T>>& fields;
};

/// Returns the keys of an entry in display order.
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

/// Returns "bias" and "sliding_window" of an architecture.
const std::vector<Group<Architecture>>& architectureGroups();

/// Returns the keywords of `Price::purchase`, in its order.
const std::vector<std::string>& purchaseWords();

} // namespace alidade::data
