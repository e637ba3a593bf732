// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace alidade {

/// Why external input was rejected: a full sentence for the user, without the location.
struct Error {
    std::string message;
};

/// A value, or the reason why it is missing. (std::expected arrives with C++23.)
template <class T>
class Result {
public:
    Result(T value)
        : value_(std::move(value)) {}
    /// Constructs the value in place, for types that are expensive to move.
    explicit Result(std::in_place_t)
        : value_(std::in_place) {}
    Result(Error error)
        : error_(std::move(error.message)) {}

    explicit operator bool() const { return value_.has_value(); }
    const T& operator*() const& {
        assert(value_);
        return *value_;
    }
    T& operator*() & {
        assert(value_);
        return *value_;
    }
    T&& operator*() && {
        assert(value_);
        return std::move(*value_);
    }
    const T* operator->() const {
        assert(value_);
        return &*value_;
    }
    /// Empty if there is a value.
    const std::string& error() const { return error_; }

private:
    std::optional<T> value_;
    std::string error_;
};

} // namespace alidade
