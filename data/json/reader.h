// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data {

/// One fault of a document, with its place: "/entries/3/hbm_capacity_gb".
struct JsonFault {
    std::string pointer;  ///< JSON pointer (RFC 6901); empty: the whole document
    std::string message;  ///< "what is wrong; how to fix it"
    std::size_t more = 0; ///< in the last entry of a long list: the number of further faults
};

/// The most faults of one file that are described; one more line counts the rest.
inline constexpr std::size_t mostFaults = 20;

/// Adds a fault while there is room for it, else counts it in the last entry, so that a million faults take
/// no more memory than twenty. Text from the file is made printable and cut where it is long.
void addFault(std::vector<JsonFault>& faults, JsonFault fault);
/// The same for whole lines, "PLACE: what is wrong; how to fix it".
void addFault(std::vector<std::string>& lines, std::string_view line);
/// Adds the faults of a document as lines, "FILE:/json/pointer: ...".
void addFaults(std::vector<std::string>& lines, const std::string& file,
               const std::vector<JsonFault>& faults);
/// Returns whether further faults are only counted and need no message.
template <class T>
bool isFull(const std::vector<T>& faults) {
    return faults.size() >= mostFaults;
}

/// Returns the number of all faults, including those that are only counted; grows with each addition.
std::size_t faultCount(const std::vector<JsonFault>& faults);
std::size_t faultCount(const std::vector<std::string>& lines);

/// Returns "FILE:/json/pointer: what is wrong; how to fix it".
std::string text(const std::string& file, const JsonFault& fault);

/// The range of a number. The unit is that of the document, for messages only.
struct NumberRange {
    double low = -std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::max();
    std::string_view unit = {};
};

/// Returns `pointer` with one more step, escaped: "/a" + "b/c" is "/a/b~1c".
std::string below(std::string_view pointer, std::string_view key);
std::string below(std::string_view pointer, std::size_t index);

/// Reads the members of one JSON object by name and kind. Faults are added to a list and reading continues,
/// so that all of them are reported at once. A member that is absent or null gives nullopt (or an empty
/// list). The requested keys are the known ones: `finish()` reports every other key with the nearest known
/// name. Refers to the JSON value and to the list of faults; both must outlive it.
class ObjectReader {
public:
    /// Reports a value that is not an object and then reads as an empty one.
    ObjectReader(const nlohmann::json& value, std::string pointer, std::vector<JsonFault>& faults);

    const std::string& pointer() const { return pointer_; }
    std::vector<JsonFault>& faults() const { return *faults_; }
    bool isObject() const { return object_ != nullptr; }
    /// Returns whether the key is present, even if its value is null.
    bool has(std::string_view key) const;
    /// Returns whether the key is present and null.
    bool isNull(std::string_view key) const;
    std::vector<std::string> keys() const;

    /// Reports required keys that are absent or null.
    void require(std::initializer_list<std::string_view> keys);
    /// Makes a key known that is read in another way (or not at all).
    void allow(std::string_view key) { asked_.emplace(key); }

    std::optional<double> number(std::string_view key, const NumberRange& range = {});
    /// Whole numbers; 8.0 counts, 8.5 does not.
    std::optional<int> integer(std::string_view key, int low, int high, std::string_view unit = {});
    std::optional<bool> boolean(std::string_view key);
    std::optional<std::string> text(std::string_view key);
    /// Returns the index of the text in the list of valid ones.
    std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string>& legal);
    std::vector<std::string> texts(std::string_view key);
    std::optional<ObjectReader> object(std::string_view key);
    std::vector<ObjectReader> objects(std::string_view key);
    /// Returns the value itself, whatever its kind; nullptr if absent or null.
    const nlohmann::json* value(std::string_view key);

    /// Adds a fault at a key, or at the object itself if the key is empty.
    void fault(std::string_view key, std::string message);
    /// Reports the keys that were not requested.
    void finish();

private:
    const nlohmann::json* object_ = nullptr;
    std::string pointer_;
    std::vector<JsonFault>* faults_;
    std::set<std::string, std::less<>> asked_;
};

/// Returns a description for messages: "a number", "a string", ..., with the value itself if it is short.
std::string describe(const nlohmann::json& value);

/// Returns "; did you mean 'x'?", or the list of all known words if none is near (at most a dozen).
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// Returns the shortest decimal text that reads back as the same number ("0.1", "100000", "1e+18").
std::string numberText(double value);

} // namespace alidade::data
