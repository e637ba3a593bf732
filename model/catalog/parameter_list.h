// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/parameter.h"

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace alidade {

/// The parameters of a profile as a vector, plus one value derived from their names and scopes (an index),
/// created on first use and dropped when the list is modified. Reading is safe from several threads.
class ParameterList {
public:
    using value_type = Parameter;
    using iterator = std::vector<Parameter>::iterator;
    using const_iterator = std::vector<Parameter>::const_iterator;

    ParameterList() = default;
    ParameterList(std::vector<Parameter> all)
        : all_(std::move(all)) {}
    ParameterList(std::initializer_list<Parameter> all)
        : all_(all) {}
    ParameterList(const ParameterList& other)
        : all_(other.all_)
        , derived_(other.derived_.load()) {}
    ParameterList(ParameterList&& other) noexcept
        : all_(std::move(other.all_))
        , derived_(other.derived_.exchange({})) {}
    ParameterList& operator=(ParameterList other) noexcept {
        all_ = std::move(other.all_);
        derived_ = other.derived_.exchange({});
        return *this;
    }
    ~ParameterList() = default;

    std::size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    const_iterator begin() const { return all_.begin(); }
    const_iterator end() const { return all_.end(); }
    const Parameter* data() const { return all_.data(); }
    const Parameter& operator[](std::size_t i) const { return all_[i]; }
    const Parameter& front() const { return all_.front(); }
    const Parameter& back() const { return all_.back(); }

    // Mutable access drops the derived value. Do not rename a parameter through a stored reference after
    // reading the list again.
    iterator begin() { return touched().begin(); }
    iterator end() { return touched().end(); }
    Parameter& operator[](std::size_t i) { return touched()[i]; }
    Parameter& front() { return touched().front(); }
    Parameter& back() { return touched().back(); }
    void push_back(Parameter parameter) { touched().push_back(std::move(parameter)); }
    template <class... Arguments>
    Parameter& emplace_back(Arguments&&... arguments) {
        return touched().emplace_back(std::forward<Arguments>(arguments)...);
    }
    iterator erase(const_iterator first, const_iterator last) { return touched().erase(first, last); }
    iterator erase(const_iterator at) { return touched().erase(at); }
    void clear() { touched().clear(); }
    void reserve(std::size_t count) { all_.reserve(count); }

    /// make(*this), cached until the list is modified. It may depend on names, scopes and positions, not on
    /// values. All callers must use the same T.
    template <class T, class Make>
    std::shared_ptr<const T> derived(Make make) const {
        if (std::shared_ptr<const void> known = derived_.load())
            return std::static_pointer_cast<const T>(std::move(known));
        std::shared_ptr<const T> made = std::make_shared<const T>(make(*this));
        derived_ = made;
        return made;
    }

private:
    std::vector<Parameter>& touched() {
        derived_ = std::shared_ptr<const void>();
        return all_;
    }

    std::vector<Parameter> all_;
    mutable std::atomic<std::shared_ptr<const void>> derived_;
};

} // namespace alidade
