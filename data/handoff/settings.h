// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/handoff.h"
#include "data/handoff/tables.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data::handoff {

/// An option or a key of a configuration with what follows it.
struct Setting {
    std::string name;
    std::vector<std::string> values; ///< none: the option stands alone
    int line = 0;                    ///< 1-based, of an imported text
    bool used = false;               ///< by a reader
    std::string file = {};           ///< that has the line, where the imported text names another
    const std::string& value() const;
};

/// Settings in the order of the text. Of repeated ones the last counts.
class Settings {
public:
    std::vector<Setting> all;
    std::vector<Setting> open; ///< of an imported text: their values are known to a running shell only

    void set(std::string name) { all.push_back({std::move(name), {}}); }
    void set(std::string name, std::string value) { all.push_back({std::move(name), {std::move(value)}}); }
    void set(std::string name, std::int64_t value) { set(std::move(name), std::to_string(value)); }
    void setList(std::string name, std::vector<std::string> values) {
        all.push_back({std::move(name), std::move(values)});
    }
    /// The setting that counts, marked as used; nullptr if there is none.
    Setting* use(std::string_view name);
    const Setting* find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
};

/// The value of a field as files write it: no units; lists joined with commas. Empty if absent.
std::string fieldWord(const ScenarioSpec& spec, std::string_view path);
/// The integer in a field; `absent` if it is absent.
std::int64_t fieldNumber(const ScenarioSpec& spec, std::string_view path, std::int64_t absent);

/// Adds a field once.
void leaveOut(std::vector<LeftOut>& out, std::string path, std::string value, std::string why);

/// Appends the settings that the tool's table has for the fields of the spec; a choice that the tool does not
/// have is left out, with its value.
void writeFields(const Tool& tool, const ScenarioSpec& spec, Settings& settings, std::vector<LeftOut>& left);

/// Names the written fields of a table of fields (or sections) and reasons.
void leaveOutFields(const std::map<std::string, std::string>& why, const ScenarioSpec& written,
                    std::vector<LeftOut>& left);

} // namespace alidade::data::handoff
