// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/user_catalog_apply.h"

#include "data/catalog/architecture_json.h"
#include "data/catalog/references.h"
#include "data/catalog/user_catalog_fold.h"
#include "data/json/reader.h"

#include <algorithm>
#include <map>
#include <set>

namespace alidade::data {
namespace {

using SortedJson = nlohmann::json;
using Indices = std::vector<std::size_t>;

/// Dates a custom rate by the day on which it was entered, unless the user gives a date.
template <class T>
void dateRate(T&, const std::string&, const std::string&) {}
void dateRate(Price& entry, const std::string& key, const std::string& day) {
    if (key == "usd_per_hour" && !day.empty())
        entry.date = day;
}

template <class T>
void checkWhole(const T&, std::vector<JsonFault>&) {}
void checkWhole(const Architecture& entry, std::vector<JsonFault>& faults) {
    checkArchitecture(entry, {}, faults);
}

/// Faults in some changes of one entry, and the changes that cause them.
struct Misfit {
    Indices changes;
    std::string message;
};

class Application {
public:
    Application(const Catalog& shipped, const UserCatalog& user)
        : catalog_(shipped)
        , user_(user)
        , entries_(folded(user)) {}

    /// \param excluded changes that are already set aside
    void run(const std::set<std::size_t>& excluded) {
        excluded_ = &excluded;
        for (const EntryChanges& entry : entries_)
            withEntries(catalog_, entry.kind, [&](auto& list) { changeEntry(list, entry); });
    }

    /// Sets aside changes that cause dangling references; returns false if there are none.
    bool blameReferences(std::set<std::size_t>& excluded) {
        bool any = false;
        for (const Reference& reference : referencesOf(catalog_)) {
            if (reference.found)
                continue;
            if (const auto change = culprit(reference)) {
                setAside(*change, "no entry '" + reference.id + "' in " +
                                      std::string(name(reference.target)) + ", which " + *reference.entry +
                                      " (" + std::string(name(reference.kind)) + ") refers to in " +
                                      reference.key);
                any = excluded.insert(*change).second || any;
            }
        }
        return any;
    }

    Catalog take() { return std::move(catalog_); }
    const std::map<std::size_t, std::string>& setAside() const { return setAside_; }

private:
    const CatalogChange& change(std::size_t index) const { return user_.changes[index]; }
    bool counts(std::optional<std::size_t> index) const { return index && !excluded_->contains(*index); }
    void setAside(std::size_t index, std::string message) {
        setAside_.try_emplace(index, std::move(message));
    }

    template <class T>
    void changeEntry(std::vector<T>& list, const EntryChanges& plan) {
        auto place = std::ranges::find(list, plan.id, &T::id);
        if (counts(plan.added)) {
            std::optional<T> entry = added<T>(*plan.added);
            if (entry && place == list.end()) {
                list.push_back(std::move(*entry));
                place = list.end() - 1;
            } else if (entry) {
                *place = std::move(*entry);
            }
        }
        if (place == list.end())
            return missing<T>(list, plan);
        if (counts(plan.removed)) {
            list.erase(place);
            return;
        }
        Indices sets;
        for (const auto& [key, index] : plan.values)
            if (counts(index))
                sets.push_back(index);
        if (!sets.empty())
            changeValues(*place, std::move(sets));
    }

    template <class T>
    void missing(const std::vector<T>& list, const EntryChanges& plan) {
        std::vector<std::string> known;
        const auto say = [&](std::size_t index) {
            if (known.empty())
                for (const T& entry : list)
                    known.push_back(entry.id);
            setAside(index, "no entry '" + plan.id + "' in " + std::string(name(plan.kind)) +
                                suggestion(plan.id, known));
        };
        if (counts(plan.removed))
            say(*plan.removed);
        for (const auto& [key, index] : plan.values)
            if (counts(index))
                say(index);
    }

    template <class T>
    std::optional<T> added(std::size_t index) {
        std::vector<JsonFault> faults;
        std::optional<T> entry = wholeEntry<T>(change(index).value, change(index).entry, faults);
        if (!faults.empty()) {
            setAside(index, (faults.front().pointer.empty() ? "" : faults.front().pointer + ": ") +
                                faults.front().message);
            return std::nullopt;
        }
        entry->provenance.sources.push_back(userSource(change(index), {}));
        entry->provenance.user = true;
        return entry;
    }

    /// Reads values into an entry; the faults name the invalid ones.
    template <class T>
    std::vector<JsonFault> read(T& entry, const Indices& sets) const {
        // Values within a part of the entry are read after the part as a whole.
        SortedJson whole = SortedJson::object(), inner = SortedJson::object();
        std::vector<JsonFault> faults;
        for (const std::size_t index : sets) {
            const KeyPath path = keyPath(change(index).key);
            SortedJson value = SortedJson::parse(change(index).value, nullptr, false);
            if (value.is_discarded())
                addFault(faults,
                         {below({}, change(index).key), "'" + change(index).value + "' is not a JSON value"});
            else if (path.inner.empty())
                whole[std::string(path.top)] = std::move(value);
            else
                inner[std::string(path.top)][std::string(path.inner)] = std::move(value);
        }
        for (const SortedJson* json : {&whole, &inner})
            if (faults.empty() && !json->empty())
                readValues(*json, entry, faults);
        return faults;
    }

    template <class T>
    void changeValues(T& entry, Indices sets) {
        while (!sets.empty()) {
            T candidate = entry;
            std::vector<JsonFault> faults = read(candidate, sets);
            const bool readable = faults.empty();
            if (readable)
                checkWhole(candidate, faults);
            if (faults.empty()) {
                lay(candidate, sets);
                entry = std::move(candidate);
                return;
            }
            Misfit misfit{readable ? Indices{} : blamed(faults.front(), sets), faults.front().message};
            if (misfit.changes.empty())
                misfit.changes = {oneTooMany(entry, sets)};
            for (const std::size_t index : misfit.changes) {
                setAside(index, misfit.message);
                std::erase(sets, index);
            }
        }
    }

    /// Returns the changes that a fault's place refers to.
    Indices blamed(const JsonFault& fault, const Indices& sets) const {
        Indices exact, around;
        for (const std::size_t index : sets) {
            const KeyPath path = keyPath(change(index).key);
            const std::string top = below({}, path.top);
            const std::string whole = path.inner.empty() ? top : below(top, path.inner);
            if (fault.pointer == whole || fault.pointer == below({}, change(index).key))
                exact.push_back(index);
            else if (fault.pointer == top || fault.pointer.starts_with(top + '/'))
                around.push_back(index);
        }
        return exact.empty() ? around : exact;
    }

    /// Returns the latest change without which the others are consistent; else the latest of all.
    template <class T>
    std::size_t oneTooMany(const T& entry, const Indices& sets) const {
        for (std::size_t i = sets.size(); i-- > 0;) {
            Indices others = sets;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            T candidate = entry;
            std::vector<JsonFault> faults = read(candidate, others);
            if (faults.empty())
                checkWhole(candidate, faults);
            if (faults.empty())
                return sets[i];
        }
        return *std::ranges::max_element(sets);
    }

    /// Adds the sources of the changes, the latest first, before those of the entry.
    template <class T>
    void lay(T& entry, const Indices& sets) const {
        std::vector<Source> sources;
        const bool dated =
            std::ranges::any_of(sets, [this](std::size_t index) { return change(index).key == "date"; });
        for (auto index = sets.rbegin(); index != sets.rend(); ++index) {
            sources.push_back(userSource(change(*index), std::string(keyPath(change(*index).key).top)));
            if (!dated)
                dateRate(entry, change(*index).key, sources.back().date);
        }
        std::vector<Source>& all = entry.provenance.sources;
        all.insert(all.begin(), std::make_move_iterator(sources.begin()),
                   std::make_move_iterator(sources.end()));
        entry.provenance.user = true;
    }

    const EntryChanges* planOf(CatalogKind kind, std::string_view id) const {
        const auto found = std::ranges::find_if(
            entries_, [&](const EntryChanges& entry) { return entry.kind == kind && entry.id == id; });
        return found == entries_.end() ? nullptr : &*found;
    }

    /// Returns the latest change that causes a dangling reference.
    std::optional<std::size_t> culprit(const Reference& reference) const {
        std::optional<std::size_t> latest;
        const auto consider = [&](std::optional<std::size_t> index) {
            if (counts(index) && (!latest || *index > *latest))
                latest = index;
        };
        if (const EntryChanges* plan = planOf(reference.kind, *reference.entry)) {
            const auto value = plan->valueChange(reference.key);
            consider(value ? value : plan->added);
        }
        for (const EntryChanges& plan : entries_) {
            const bool target = plan.kind == reference.target || (reference.kind == CatalogKind::prices &&
                                                                  plan.kind == CatalogKind::ultraservers);
            // An EFA generation is referenced by its version, which is unknown once its entry is gone.
            if (target && (reference.target == CatalogKind::efa || plan.id == reference.id))
                consider(plan.removed);
            if (target && reference.target == CatalogKind::efa)
                consider(plan.valueChange("version"));
        }
        return latest;
    }

    Catalog catalog_;
    const UserCatalog& user_;
    std::vector<EntryChanges> entries_;
    const std::set<std::size_t>* excluded_ = nullptr;
    std::map<std::size_t, std::string> setAside_;
};

} // namespace

Source userSource(const CatalogChange& change, std::string key) {
    Source out = change.source.value_or(Source{});
    if (out.title.empty()) {
        const std::string by = change.who.empty() ? "User catalog" : change.who;
        out.title = change.note.empty() ? by : by + ": " + change.note;
    }
    if (out.date.empty())
        out.date = change.when.substr(0, 10);
    if (out.authority.empty())
        out.authority = "user";
    out.fields.clear();
    if (!key.empty())
        out.fields.push_back(std::move(key));
    return out;
}

const SetAside* AppliedCatalog::setAsideOf(std::size_t change) const {
    const auto found = std::ranges::lower_bound(setAside, change, {}, &SetAside::change);
    return found == setAside.end() || found->change != change ? nullptr : &*found;
}

AppliedCatalog applyChanges(const std::shared_ptr<const Catalog>& shipped, const UserCatalog& user) {
    if (user.changes.empty())
        return {shipped, {}};
    std::set<std::size_t> excluded;
    std::map<std::size_t, std::string> reasons;
    for (;;) {
        Application application(*shipped, user);
        application.run(excluded);
        const bool again = application.blameReferences(excluded);
        for (const auto& [index, message] : application.setAside())
            reasons.try_emplace(index, message);
        if (again)
            continue; // setting a change aside may leave other references dangling
        AppliedCatalog out;
        out.catalog = std::make_shared<const Catalog>(application.take());
        for (const auto& [index, message] : reasons)
            out.setAside.push_back({index, message});
        return out;
    }
}

} // namespace alidade::data
