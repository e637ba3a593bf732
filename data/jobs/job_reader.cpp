// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"

#include "data/topology/hostlist.h"
#include "model/scenario/fields.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace alidade::data::handoff {

namespace {

/// Lower case letters and digits alone, so that p5en-48xlarge is p5en.48xlarge.
std::string shown(const std::string& text) { return text.size() > 60 ? text.substr(0, 57) + "..." : text; }

/// "16k" is 16,000 and "16K" 16,384, as vLLM reads them.
std::string humanNumber(const std::string& text) {
    static const std::map<char, double> factors{{'k', 1e3},    {'m', 1e6},         {'g', 1e9},
                                                {'K', 1024.0}, {'M', bytesPerMib}, {'G', bytesPerGib}};
    if (text.size() < 2 || text.size() > 15)
        return text;
    const auto at = factors.find(text.back());
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (at == factors.end() || end != text.c_str() + text.size() - 1 || !(number < 1e12))
        return text;
    return std::to_string(static_cast<std::int64_t>(number * at->second));
}

/// Whether a text is a placeholder or leaves the choice to the tool.
bool isNoValue(const std::string& text) {
    return text.empty() || text == "auto" || text.find("CHANGE_ME") != std::string::npos;
}

/// Whether a setting says what a word of the table represents.
bool says(const Setting& setting, const std::string& value) {
    if (value.empty() || value == "true")
        return isOn(&setting);
    if (value == "false")
        return isOff(&setting);
    return setting.value() == value;
}

/// The fields that follow from an option which the table of fields does not have.
std::string_view countedField(const std::string& option) {
    static const std::map<std::string, std::string_view> all{
        {"--tp-size", "plan.tensor_parallel"},       {"--tp_size", "plan.tensor_parallel"},
        {"--dp-size", "plan.data_parallel"},         {"--data-parallel-size", "plan.data_parallel"},
        {"--ep-size", "plan.expert_parallel"},       {"--ep_size", "plan.expert_parallel"},
        {"--max-num-seqs", "plan.max_batch"},        {"--max_batch_size", "plan.max_batch"},
        {"--seq-length", "workload.sequence_length"}};
    const auto at = all.find(option);
    return at == all.end() ? std::string_view() : at->second;
}

} // namespace

std::string placeOf(const Setting& setting) {
    if (setting.line <= 0)
        return {};
    return "line " + std::to_string(setting.line) +
           (setting.file.empty() ? std::string() : " of " + shown(setting.file));
}

std::optional<bool> booleanWord(std::string_view word) {
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string_view each : {"true", "yes", "on", "1", "y", "t"})
        if (lower == each)
            return true;
    for (const std::string_view each : {"false", "no", "off", "0", "n", "f"})
        if (lower == each)
            return false;
    return {};
}

bool isOn(const Setting* setting) {
    return setting != nullptr && (setting->values.empty() || booleanWord(setting->value()).value_or(false));
}

bool isOff(const Setting* setting) {
    return setting != nullptr && !setting->values.empty() && !booleanWord(setting->value()).value_or(true);
}

void JobReader::note(const std::string& path, const Setting& from) {
    std::erase_if(out.understood, [&path](const ReadField& each) { return each.path == path; });
    std::erase_if(out.assumed, [&path](const ReadField& each) { return each.path == path; });
    const bool elsewhere = from.line > 0 && !from.file.empty();
    out.understood.push_back({path, fieldWord(out.spec, path),
                              from.name + (elsewhere ? " in " + shown(from.file) : std::string()),
                              from.line});
    places_[path] = placeOf(from);
}

ReadName JobReader::unread(const Setting& setting, std::string why) {
    if (setting.line > 0 && !setting.file.empty())
        why += (why.empty() ? "in " : ", in ") + shown(setting.file);
    return {setting.name, shown(setting.value()), setting.line, std::move(why)};
}

bool JobReader::set(const std::string& path, const std::string& text, const Setting& from) {
    if (text.empty() || text.find("CHANGE_ME") != std::string::npos)
        return false;
    const std::string place = placeOf(from);
    const auto next = withField(out.spec, path, text);
    if (!next) {
        warn(from, from.name + " " + shown(text) + ": " + next.error());
        return false;
    }
    const std::string before = fieldWord(out.spec, path), after = fieldWord(*next, path);
    const bool assumed =
        std::ranges::any_of(out.assumed, [&path](const ReadField& each) { return each.path == path; });
    if (!before.empty() && before != after && !assumed)
        contradict(path + ": " + from.name + (place.empty() ? "" : " in " + place) + " says " + after +
                   ", but " + (places_[path].empty() ? "the text" : places_[path]) + " says " + before);
    out.spec = *next;
    note(path, from);
    return true;
}

void JobReader::assume(const std::string& path, const std::string& text, const std::string& why) {
    if (has(path))
        return;
    if (const auto next = withField(out.spec, path, text)) {
        out.spec = *next;
        out.assumed.push_back({path, fieldWord(out.spec, path), why, 0});
    }
}

bool JobReader::has(const std::string& path) const { return !fieldWord(out.spec, path).empty(); }

void JobReader::warn(const std::string& text) {
    if (out.warnings.size() < 50 && std::ranges::find(out.warnings, text) == out.warnings.end())
        out.warnings.push_back(text);
}

void JobReader::warn(const Setting& from, const std::string& text) {
    const std::string place = placeOf(from);
    warn((place.empty() ? "" : place + ": ") + text);
}

void JobReader::contradict(const std::string& text) {
    if (out.contradictions.size() < 50 &&
        std::ranges::find(out.contradictions, text) == out.contradictions.end())
        out.contradictions.push_back(text);
}

std::optional<std::string> JobReader::fileText(const std::string& name) {
    const std::string last = name.substr(name.find_last_of('/') + 1);
    for (const std::string& each : {name, last})
        if (const auto at = written_.find(each); at != written_.end())
            return at->second;
    if (files_)
        if (auto text = files_(name))
            return text;
    if (!name.empty() && std::ranges::find(out.missingFiles, name) == out.missingFiles.end() &&
        out.missingFiles.size() < 20)
        out.missingFiles.push_back(name);
    return {};
}

std::optional<Settings> JobReader::keysOf(const std::string& name, Flatten* flatten) {
    const auto text = fileText(name);
    if (!text)
        return {};
    Settings keys;
    if (const std::string fault = flatten(*text, name, keys); !fault.empty()) {
        warn(fault);
        return {};
    }
    for (Setting& each : keys.all)
        each.file = name;
    return keys;
}

void JobReader::readScriptFile(const std::string& name, const Launch& launch, const std::string& role,
                               std::int64_t replicas, const std::map<std::string, std::string>& given) {
    const auto text = fileText(name);
    if (!text)
        return;
    const std::string outer = std::exchange(script_, name);
    readShellText(*text, 1, launch, role, replicas, given);
    script_ = outer;
}

std::optional<std::int64_t> JobReader::count(const Setting* from, bool human) {
    if (from == nullptr || from->values.empty() || isNoValue(from->value()))
        return {};
    const std::string text = human ? humanNumber(from->value()) : from->value();
    const bool whole =
        text.size() < 10 && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    const std::int64_t value = whole ? std::strtoll(text.c_str(), nullptr, 10) : 0;
    if (value > 0)
        return value;
    const std::string place = placeOf(*from);
    contradict((place.empty() ? "" : place + ": ") + from->name + " " + shown(from->value()) +
               " is not a whole number above 0");
    return {};
}

void JobReader::askFor(const std::string& path) {
    if (std::ranges::find(open_, path) == open_.end())
        open_.push_back(path);
}

std::string JobReader::pool() const {
    for (const char* role : {"prefill", "decode"})
        if (script_.find(role) != std::string::npos || object.find(role) != std::string::npos)
            return role;
    return {};
}

void JobReader::noteHosts(const std::string& list, const Setting& from) {
    const auto names = expandHostlist(list);
    if (!names) {
        warn(from, from.name + " " + shown(list) + ": " + names.error());
        return;
    }
    for (const std::string& each : *names)
        addHost(each);
    if (known.nodes && *known.nodes != static_cast<std::int64_t>(out.hosts.size()))
        contradict("cluster.instances: " + from.name + " names " + std::to_string(out.hosts.size()) +
                   " hosts, but " + known.nodesFrom.name + " says " + std::to_string(*known.nodes));
}

void JobReader::addHost(const std::string& name) {
    if (!name.empty() && hosts_.insert(name).second)
        out.hosts.push_back(name);
}

void JobReader::noteDomain(const std::string& name, const std::string& list, const Setting& from) {
    const auto names = expandHostlist(list);
    if (!names) {
        warn(from, from.name + " " + shown(name) + ": " + names.error());
        return;
    }
    domainSizes_[name] = names->size();
    for (const std::string& each : *names)
        if (std::string& domain = out.domains[each]; domain.empty() || names->size() < domainSizes_[domain])
            domain = name;
    out.domainsFrom = from.name;
}

void JobReader::noteGpuType(const std::string& type, const std::string& from, int line) {
    if (type.empty() || !gpuType_.values.empty())
        return;
    gpuType_ = said(from, line);
    gpuType_.values = {type};
}

const Architecture* JobReader::model() const { return catalog.model(out.spec.workload.model.value_or("")); }

const Tool& JobReader::toolFor(std::string_view id, const std::vector<std::string>& names) {
    const Tool& found = tools_.fitting(id, names);
    if (&found != &tools_.tool(id))
        warn("read as " + found.name + " " + found.version + ", which has more of its options than " +
             tools_.tool(id).version);
    return found;
}

const Tool& JobReader::toolFor(std::string_view id, const std::vector<ShellWord>& words) {
    std::vector<std::string> names;
    for (const ShellWord& word : words)
        if (word.text.starts_with("--"))
            names.push_back(word.text.substr(0, word.text.find('=')));
        else if (const std::size_t equals = word.text.find('='); equals != std::string::npos)
            names.push_back(word.text.substr(0, equals)); // an override
    return toolFor(id, names);
}

const Tool& JobReader::toolFor(std::string_view id, const Settings& settings) {
    std::vector<std::string> names;
    for (const Setting& each : settings.all)
        names.push_back(each.name);
    return toolFor(id, names);
}

void JobReader::readFields(const Tool& tool, Settings& settings) {
    for (const FieldSpelling& field : tool.fields) {
        if (!field.option.empty()) {
            Setting* setting = settings.use(field.option);
            const bool named =
                std::ranges::any_of(field.values, [](const auto& each) { return each.second == "auto"; });
            if (setting == nullptr || (setting->value() == "auto" && !named))
                continue;
            std::string word =
                tool.human.contains(field.option) ? humanNumber(setting->value()) : setting->value();
            if (!field.values.empty()) {
                const auto at =
                    std::ranges::find_if(field.values, [&](const auto& each) { return each.second == word; });
                const auto other = field.also.find(word);
                if (at == field.values.end() && other == field.also.end()) {
                    warn(*setting,
                         setting->name + " " + shown(word) + " has no counterpart in " + field.path);
                    continue;
                }
                word = at == field.values.end() ? other->second : at->first;
            }
            set(field.path, word, *setting);
            continue;
        }
        const std::pair<const std::string, WordSettings>* best = nullptr;
        for (const auto& each : field.words) {
            const bool all = std::ranges::all_of(each.second, [&settings](const auto& needed) {
                const Setting* setting = settings.find(needed.first);
                return setting != nullptr && says(*setting, needed.second);
            });
            if (all && !each.second.empty() && (best == nullptr || each.second.size() > best->second.size()))
                best = &each;
        }
        for (const auto& [word, needed] : field.words)
            for (const auto& [name, value] : needed)
                settings.use(name);
        if (best != nullptr)
            if (const Setting* setting = settings.find(best->second.back().first))
                set(field.path, best->first, *setting);
    }
}

void JobReader::nameTheOpen(const Tool& tool, const Settings& settings) {
    for (const Setting& each : settings.open) {
        if (settings.has(each.name))
            continue; // said a second time
        warn(each, each.name + " is known to a running shell only");
        const auto field = std::ranges::find(tool.fields, each.name, &FieldSpelling::option);
        if (field != tool.fields.end())
            askFor(field->path);
        else if (const std::string_view path = countedField(each.name); !path.empty())
            askFor(std::string(path));
    }
}

void JobReader::nameTheRest(const Tool& tool, const Settings& settings) {
    nameTheOpen(tool, settings);
    std::set<std::string> told;
    for (const Setting& each : settings.all) {
        if (!told.insert(each.name).second || told.size() > 2000)
            continue;
        std::string positive = each.name.starts_with("--no-") ? "--" + each.name.substr(5) : each.name;
        const auto other = tool.otherVersions.find(each.name);
        if (other != tool.otherVersions.end()) {
            out.otherVersions.push_back(unread(each, other->second));
        } else if (!each.used && !tool.options.contains(each.name) && !tool.options.contains(positive) &&
                   !tool.trainer.contains(each.name) && !tool.knowsKey(each.name) &&
                   !tool.keys.contains(each.name.substr(each.name.find_first_not_of('-') == std::string::npos
                                                            ? 0
                                                            : each.name.find_first_not_of('-')))) {
            out.unknown.push_back(unread(each));
        } else if (!each.used) {
            out.noField.push_back(unread(each));
        }
    }
}

bool JobReader::readModelName(const std::string& name, const Setting& from, const std::string& path) {
    if (name.empty() || name.find("CHANGE_ME") != std::string::npos)
        return false;
    std::string stem =
        name.substr(name.find_last_of('/') == std::string::npos ? 0 : name.find_last_of('/') + 1);
    std::string weights;
    const std::string whole = bare(stem);
    const auto find = [this](const std::string& wanted) {
        for (const ModelNames& each : modelNames())
            if (catalog.model(each.model) != nullptr)
                for (const std::string& repository : each.huggingFace)
                    if (bare(repository.substr(repository.find('/') + 1)) == wanted)
                        return each.model;
        return std::string();
    };
    std::string found = find(whole);
    const bool ofMaker = name.starts_with("deepseek-ai/") || name.starts_with("zai-org/");
    for (const auto& [suffix, format] : weightSuffixes()) {
        const std::string ending = bare(suffix);
        for (const std::string& tail : {ending, ending + "v2", ending + "v1"})
            if (weights.empty() && whole.size() > tail.size() && whole.ends_with(tail)) {
                weights = format;
                if (found.empty())
                    found = find(whole.substr(0, whole.size() - tail.size()));
            }
    }
    if (found.empty())
        for (const char* tail : {"instruct", "chat", "base", "it", "hf"})
            if (std::string_view wanted = tail; found.empty() && whole.ends_with(wanted))
                found = find(whole.substr(0, whole.size() - wanted.size()));
    if (found.empty() && catalog.model(stem) != nullptr)
        found = stem;
    if (found.empty()) {
        warn("the catalog has no model '" + shown(name) +
             "'; import its config.json with 'alidade import model'");
        return false;
    }
    set(path, found, from);
    if (!weights.empty() && !ofMaker && out.spec.workload.isServing())
        set("plan.weights", weights, from);
    return true;
}

void JobReader::readInstance(const std::string& text, const std::string& from, int line) {
    const std::string wanted = bare(text);
    std::string best;
    for (const Instance& each : catalog.instances)
        if (each.gpus > 0 &&
            (wanted == bare(each.id) || wanted.ends_with("ml" + bare(each.id)) ||
             wanted.find(bare(each.id)) != std::string::npos) &&
            each.id.size() > best.size())
            best = each.id;
    if (!best.empty())
        set("cluster.instance", best, from, line);
}

std::string bare(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

Settings parseArguments(const std::vector<ShellWord>& words, const Tool& tool, std::vector<ShellWord>& rest,
                        const std::map<std::string, Takes, std::less<>>* more) {
    Settings out;
    const auto kindOf = [&](const std::string& name) -> std::optional<Takes> {
        if (more != nullptr)
            if (const auto at = more->find(name); at != more->end())
                return at->second;
        if (const auto at = tool.options.find(name); at != tool.options.end())
            return at->second;
        if (name.starts_with("--no-"))
            if (const auto at = tool.options.find("--" + name.substr(5));
                at != tool.options.end() && at->second == Takes::maybe)
                return Takes::nothing;
        return {};
    };
    const bool underscores = tool.id == "vllm";
    const auto isOption = [&](const std::string& text) {
        if (text.starts_with("--") && text.size() > 2)
            return true;
        return text.starts_with('-') && text.size() > 1 &&
               std::isalpha(static_cast<unsigned char>(text[1])) != 0;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const ShellWord& word = words[i];
        if (!isOption(word.text)) {
            rest.push_back(word);
            continue;
        }
        const std::size_t equals = word.text.find('=');
        std::string name = word.text.substr(0, equals);
        if (underscores && name.starts_with("--"))
            std::ranges::replace(name.begin() + 2, name.end(), '_', '-');
        if (const auto at = tool.aliases.find(name); at != tool.aliases.end())
            name = at->second;
        std::optional<Takes> kind = kindOf(name);
        if (!kind && tool.abbreviations && name.size() > 3) {
            const auto at = tool.options.lower_bound(name);
            const auto next = at == tool.options.end() ? at : std::next(at);
            if (at != tool.options.end() && at->first.starts_with(name) &&
                (next == tool.options.end() || !next->first.starts_with(name))) {
                name = at->first;
                kind = at->second;
            }
        }
        Setting setting{name, {}, word.line};
        bool open = word.open;
        if (equals != std::string::npos) {
            setting.values.push_back(word.text.substr(equals + 1));
        } else {
            const Takes takes = kind.value_or(Takes::maybe);
            const bool many = takes == Takes::many;
            while (takes != Takes::nothing && i + 1 < words.size() && !isOption(words[i + 1].text) &&
                   (many || setting.values.empty())) {
                const std::string& next = words[i + 1].text;
                if (takes == Takes::maybe && kind && !booleanWord(next))
                    break;
                open = open || words[i + 1].open;
                setting.values.push_back(next);
                ++i;
            }
        }
        (open ? out.open : out.all).push_back(std::move(setting));
    }
    return out;
}

} // namespace alidade::data::handoff
