// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/cell_text.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/catalog_table.h"
#include "data/catalog/cell_number.h"
#include "data/catalog/entry_json.h"
#include "data/catalog/user_catalog.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

using Json = nlohmann::ordered_json;

CellReading refused(std::string reason, std::string proposal = {}) {
    return {std::nullopt, std::move(reason), std::move(proposal)};
}

/// Returns a JSON value if the entry's reader accepts it for that key.
CellReading checked(CatalogKind kind, std::string_view key, const Json& value) {
    Result<std::string> right = canonical(kind, std::string(key), canonicalText(value));
    if (!right)
        return refused(right.error());
    return {*std::move(right), {}, {}};
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const CodePoint c = firstCodePoint(text);
        if (c.value == 0xFFFD && c.length == 1)
            return false;
        text.remove_prefix(c.length);
    }
    return true;
}

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

/// Returns "on_demand" for "On demand" and "on-demand".
std::string word(std::string_view text) {
    std::string out = lowered(text);
    std::ranges::replace_if(out, [](char c) { return c == ' ' || c == '-'; }, '_');
    return out;
}

bool meansUnknown(std::string_view text) {
    constexpr std::array<std::string_view, 6> words = {"", "-", "–", "?", "n/a", "unknown"};
    return std::ranges::find(words, lowered(text)) != words.end();
}

CellReading readTruth(CatalogKind kind, const CatalogKey& key, std::string_view text) {
    const std::string said = lowered(text);
    for (const std::string_view yes : {"yes", "true", "y", "on", "1"})
        if (said == yes)
            return checked(kind, key.key, true);
    for (const std::string_view no : {"no", "false", "n", "off", "0"})
        if (said == no)
            return checked(kind, key.key, false);
    const std::string near = nearestName(said, {"yes", "no", "true", "false"});
    return refused(quoted(text) + " is not yes or no; enter yes or no", near);
}

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return out;
}

CellReading readChoice(CatalogKind kind, const CatalogKey& key, std::string_view text) {
    const std::string said = word(text);
    if (std::ranges::find(key.words, said) != key.words.end())
        return checked(kind, key.key, said);
    return refused(quoted(text) + " is not a valid value; use " + listed(key.words),
                   nearestName(said, key.words));
}

CellReading readDate(CatalogKind kind, const CatalogKey& key, std::string_view text) {
    if (isDate(text))
        return checked(kind, key.key, std::string(text));
    std::string other(text);
    std::ranges::replace_if(other, [](char c) { return c == '/' || c == '.' || c == ' '; }, '-');
    constexpr std::size_t yearMonthDay = 8;
    if (other.size() == yearMonthDay && other.find('-') == std::string::npos)
        other = other.substr(0, 4) + '-' + other.substr(4, 2) + '-' + other.substr(6);
    return refused(quoted(text) + " is not a date; use the form 2026-11-20",
                   isDate(other) ? other : std::string());
}

struct Named {
    std::string id, name;
};

std::vector<Named> namesOf(const Catalog& catalog, const std::vector<CatalogKind>& kinds) {
    std::vector<Named> out;
    for (const CatalogKind kind : kinds) {
        withEntries(catalog, kind, [&](const auto& entries) {
            for (const auto& entry : entries)
                out.push_back({entry.id, entryName(catalog, entry)});
        });
    }
    return out;
}

CellReading readReference(const Catalog& catalog, CatalogKind kind, const CatalogKey& key,
                          std::string_view text) {
    const std::vector<Named> known = namesOf(catalog, key.refersTo);
    for (const Named& named : known)
        if (named.id == text)
            return checked(kind, key.key, named.id);
    const std::string said = lowered(text);
    const Named* only = nullptr;
    std::size_t matches = 0;
    for (const Named& named : known) {
        if (lowered(named.id) == said || lowered(named.name) == said) {
            only = &named;
            ++matches;
        }
    }
    if (matches == 1)
        return checked(kind, key.key, only->id);
    std::vector<std::string> ids, names;
    for (const Named& named : known) {
        ids.push_back(named.id);
        names.push_back(named.name);
    }
    std::string near = nearestName(text, ids);
    if (const std::string nearName = near.empty() ? nearestName(text, names) : std::string();
        !nearName.empty())
        near = known[static_cast<std::size_t>(std::ranges::find(names, nearName) - names.begin())].id;
    std::string where(name(key.refersTo.front()));
    for (std::size_t i = 1; i < key.refersTo.size(); ++i)
        where += " or " + std::string(name(key.refersTo[i]));
    return refused("no entry " + quoted(text) + " in " + where +
                       (near.empty() ? "; enter an existing id" : "; did you mean '" + near + "'?"),
                   near);
}

bool hasSentences(const CatalogKey& key) { return key.key == "notes" || key.key == "conflicts"; }

CellReading readTexts(CatalogKind kind, const CatalogKey& key, std::string_view text) {
    const bool byLine = hasSentences(key) || text.find('\n') != std::string_view::npos;
    Json items = Json::array();
    while (!text.empty()) {
        const std::size_t end = std::min(byLine ? text.find('\n') : text.find_first_of(",;"), text.size());
        if (const std::string_view item = trimmed(text.substr(0, end)); !item.empty())
            items.push_back(std::string(item));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return items.empty() ? checked(kind, key.key, nullptr) : checked(kind, key.key, items);
}

CellReading readText(CatalogKind kind, std::string_view key, std::string_view text) {
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
        return refused("the text has line breaks or control characters; use a single line");
    return checked(kind, key, std::string(text));
}

CellReading readNumber(CatalogKind kind, const CatalogKey& key, std::string_view text) {
    const auto accepted = [&](std::string_view candidate) {
        const Result<double> number = cellNumber(key, candidate);
        return number ? checked(kind, key.key, *number) : refused(number.error());
    };
    CellReading reading = accepted(text);
    if (reading)
        return reading;
    for (const std::string& candidate : numberProposals(key, text)) {
        if (candidate != text && accepted(candidate)) {
            reading.proposal = candidate;
            break;
        }
    }
    return reading;
}

} // namespace

CellReading readCell(const Catalog& effective, CatalogKind kind, std::string_view key,
                     std::string_view text) {
    constexpr std::size_t longest = 64 * 1024; // notes are the longest texts
    if (text.size() > longest)
        return refused("the text is too long for a cell");
    if (!isUtf8(text))
        return refused("the text is not valid UTF-8");
    const CatalogKey* known = catalogKey(kind, key);
    if (known == nullptr) // a default of software, or not a key
        return readText(kind, key, trimmed(text));
    if (known->value == ValueKind::fixed)
        return refused("this value cannot be edited; import a catalog that has it");
    const bool lines = known->value == ValueKind::texts;
    const std::string_view said = trimmed(text);
    if (said.empty() || (known->value != ValueKind::text && !lines && meansUnknown(said))) {
        if (known->mayBeUnknown)
            return checked(kind, key, nullptr);
        return refused("this value cannot be unknown; enter a value");
    }
    switch (known->value) {
    case ValueKind::text:
        return readText(kind, key, said);
    case ValueKind::number:
    case ValueKind::wholeNumber:
        return readNumber(kind, *known, said);
    case ValueKind::truth:
        return readTruth(kind, *known, said);
    case ValueKind::choice:
        return readChoice(kind, *known, said);
    case ValueKind::texts:
        return readTexts(kind, *known, text);
    case ValueKind::date:
        return readDate(kind, *known, said);
    case ValueKind::reference:
        return readReference(effective, kind, *known, said);
    case ValueKind::fixed:
        break;
    }
    return refused("this value cannot be edited");
}

std::string shownValue(CatalogKind kind, std::string_view key, const std::string& value) {
    Json json = Json::parse(value, nullptr, false);
    const CatalogKey* known = catalogKey(kind, key);
    if (known != nullptr && known->value == ValueKind::fixed && json.is_array())
        return cardsShown(json);
    return shownText(json);
}

std::string editedValue(CatalogKind kind, std::string_view key, const std::string& value) {
    const Json json = Json::parse(value, nullptr, false);
    const CatalogKey* known = catalogKey(kind, key);
    if (known == nullptr || known->value == ValueKind::fixed)
        return shownValue(kind, key, value);
    if (json.is_number() && !known->unit.empty())
        return shownText(json) + ' ' + known->unit;
    if (!json.is_array())
        return shownText(json);
    std::string byLine, byComma;
    for (const Json& item : json) {
        byLine += shownText(item) + '\n';
        byComma += (byComma.empty() ? "" : ", ") + shownText(item);
    }
    if (hasSentences(*known))
        return byLine.substr(0, byLine.size() - 1);
    const bool plain = std::ranges::none_of(
        json, [](const Json& item) { return shownText(item).find_first_of(",;") != std::string::npos; });
    return plain ? byComma : byLine;
}

std::optional<double> numberOf(const std::string& value) {
    const Json json = Json::parse(value, nullptr, false);
    return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

} // namespace alidade::data
