// SPDX-License-Identifier: MIT
// How rankmap reports failure: a Result holds a value or an Error, with and without exceptions.
#ifndef RANKMAP_RESULT_HPP
#define RANKMAP_RESULT_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

/// One enumerator per distinct failure; docs/reference/result.md lists cause and remedy of each.
enum class Errc : std::uint8_t {
  not_a_number,        ///< text that had to be a decimal number is not
  number_too_large,    ///< a number beyond what its field can hold
  out_of_range,        ///< a number outside the range that its field or another field sets
  missing,             ///< a value without which the others mean nothing
  inconsistent,        ///< two values of one record cannot both be true
  conflict,            ///< two sources disagree, and the caller asked for strictness
  ambiguous,           ///< the environment allows more than one reading
  unknown_launcher,    ///< the launcher that the caller forced left no record
  bad_host_list,       ///< a host list that does not follow its grammar
  bad_task_counts,     ///< a tasks-per-node text that does not follow its grammar
  bad_endpoint,        ///< an address, port or endpoint that cannot be used
  bad_json,            ///< JSON outside the strict subset
  bad_file,            ///< a file that is missing or not in its format
  limit_exceeded,      ///< input larger than the stated bound
  bad_layout,          ///< ranks and nodes that do not form a layout
  duplicate_place,     ///< two ranks claim the same place
  gather_failed,       ///< the caller's collective failed or returned something impossible
  no_device,           ///< no device where one was needed
  not_enough_devices,  ///< fewer devices than local workers
  bad_device_list,     ///< a visibility variable that its vendor would not accept
  bad_axis,            ///< a mesh axis that is unknown, repeated, empty or does not divide
  bad_domain,          ///< a text that does not say which domain a node is in
  not_enough_nodes,    ///< fewer nodes, or whole segments of nodes, than are needed
  bad_sampler,         ///< sampler options or saved state that do not fit each other
  bad_launcher,        ///< a declared launcher that does not follow the form, or takes a known name
};

constexpr std::string_view name(Errc errc) {
  return detail::enumerator(
      "not_a_number\0number_too_large\0out_of_range\0missing\0inconsistent\0conflict\0ambiguous\0"
      "unknown_launcher\0bad_host_list\0bad_task_counts\0bad_endpoint\0bad_json\0bad_file\0"
      "limit_exceeded\0bad_layout\0duplicate_place\0gather_failed\0no_device\0not_enough_devices\0"
      "bad_device_list\0bad_axis\0bad_domain\0not_enough_nodes\0bad_sampler\0bad_launcher",
      errc);
}

/// What went wrong, where, and what to do about it. Trivially copyable: it can be stored, sent to
/// another process and compared; `message()` makes the sentence.
struct Error {
  Errc code = Errc::missing;
  StaticString<63> subject;    ///< the variable, field or argument: "SLURM_LOCALID", "Config::rank"
  StaticString<127> found;     ///< its text, shortened and escaped; meaningful if `has_found`
  bool has_found = false;      ///< false: the subject is not set at all
  StaticString<159> expected;  ///< what would have been right: "a decimal number in [0, 4)"
  StaticString<159> remedy;    ///< what to do: "unset it or pass Config::local_rank"
  std::int64_t position = -1;  ///< the byte of the text where it went wrong; -1: the whole text

  friend constexpr bool operator==(const Error&, const Error&) = default;
};

/// Fixed-size text that holds any message.
using Message = StaticString<639>;

/// One line: `SLURM_LOCALID="two": expected a decimal number in [0, 4); unset it or pass ...`.
/// Never longer than 639 bytes; bytes that are not printable ASCII appear as \xNN.
RANKMAP_NOINLINE constexpr Message message(const Error& error) {
  Message out;
  out.append(error.subject);
  if (error.has_found) {
    out.append("=\"").append(error.found).append('"');
    if (error.position >= 0) out.append(" at byte ").append_number(error.position);
  } else {
    out.append(" is not set");
  }
  out.append(": expected ").append(error.expected);
  if (!error.remedy.empty()) out.append("; ").append(error.remedy);
  return out;
}
/// Prints `message` to a std::ostream, and so in GoogleTest's output.
template <detail::TextStream Stream>
Stream& operator<<(Stream& out, const Error& error) {
  return out << message(error);
}
/// The same behind "rankmap: ", for an error that is printed alone: in the output of a whole job it
/// says who speaks. A program that puts its own name in front prints `message`.
constexpr Message report(const Error& error) {
  Message out("rankmap: ");
  return out.append(message(error));
}
/// The same as `message`, under the name that generic code looks for.
constexpr Message to_string(const Error& error) { return message(error); }

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
/// Thrown by `Result::value()` on an error. `what()` is `message(error())`.
class Exception : public std::exception {
 public:
  explicit Exception(const Error& error) : error_(error), message_(message(error)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  Message message_;
};
#endif

namespace detail {

/// A subject as a message shows it, without quotes: only bytes that are not printable ASCII are
/// escaped, so that text which is already escaped stays the same. What does not fit is left out.
constexpr StaticString<63> printable(std::string_view subject) {
  StaticString<63> out;
  for (std::size_t i = 0; i != subject.size(); ++i) {
    const bool plain = escaped_size(subject[i]) != 4;
    if (out.size() + (plain ? 1 : 4) > 63) break;
    if (plain) {
      out.append(subject[i]);
    } else {
      append_escaped(out, subject.substr(i, 1));
    }
  }
  return out;
}

/// An error about a subject that is not set.
RANKMAP_RARE constexpr Error error_missing(Errc code, std::string_view subject,
                                           std::string_view expected, std::string_view remedy) {
  Error error;
  error.code = code;
  error.subject = printable(subject);
  error.expected = StaticString<159>(expected);
  error.remedy = StaticString<159>(remedy);
  return error;
}

/// An error about a subject that has a text, as a whole or at a byte of it.
RANKMAP_RARE constexpr Error error_at(Errc code, std::string_view subject, std::string_view found,
                                      std::string_view expected, std::string_view remedy,
                                      std::size_t position = std::string_view::npos) {
  Error error = error_missing(code, subject, expected, remedy);
  append_escaped(error.found, found);
  error.has_found = true;
  if (position != std::string_view::npos) error.position = static_cast<std::int64_t>(position);
  return error;
}

/// An error about an argument: `found` is a number, or a text of at most 31 bytes.
template <class Found>
RANKMAP_RARE constexpr Error out_of_range(std::string_view subject, const Found& found,
                                          std::string_view expected, std::string_view remedy) {
  return error_at(Errc::out_of_range, subject, concat<31>(found), expected, remedy);
}

/// The end of a program that reads the value of a failed Result, as if there were one.
[[noreturn]] RANKMAP_RARE inline void stop(const Error& error) {
  std::fputs(report(error).append('\n').c_str(), stderr);
  std::abort();
}

[[noreturn]] inline void throw_error(const Error& error) {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
  throw Exception(error);
#else
  stop(error);
#endif
}

}  // namespace detail

/// A `T`, or the `Error` that explains why there is none. Converts from either; the accessors are
/// those of std::optional and std::expected.
template <class T>
class [[nodiscard]] Result {
  static_assert(!std::is_same_v<std::remove_cv_t<T>, Error>);

 public:
  using value_type = T;

  constexpr Result(T value) : value_(std::move(value)) {}  // NOLINT
  constexpr Result(const Error& error) : error_(error) {}  // NOLINT
  // No temporary Result: g++ 12 would warn that a value which was never set is moved from it.
  constexpr Result& operator=(const Error& error) {
    error_ = error;
    value_.reset();
    return *this;
  }

  constexpr bool has_value() const { return value_.has_value(); }
  constexpr explicit operator bool() const { return has_value(); }

  /// The value; on an error, `*` and `->` print the report to stderr and abort. A temporary Result
  /// gives a value to keep: `for (const auto& host : HostList::parse(text).value())` is right.
  constexpr T& operator*() & { return checked(*this); }
  constexpr const T& operator*() const& RANKMAP_LIFETIMEBOUND { return checked(*this); }
  constexpr T operator*() && { return std::move(checked(*this)); }
  constexpr T* operator->() RANKMAP_LIFETIMEBOUND { return &checked(*this); }
  constexpr const T* operator->() const RANKMAP_LIFETIMEBOUND { return &checked(*this); }

  /// The value; on an error throws `rankmap::Exception`, or, in a program built without exceptions,
  /// prints the report to stderr and aborts.
  constexpr T& value() & { return value_of(*this); }
  constexpr const T& value() const& RANKMAP_LIFETIMEBOUND { return value_of(*this); }
  constexpr T value() && { return std::move(value_of(*this)); }
  template <class U>
  constexpr T value_or(U&& otherwise) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(otherwise));
  }

  /// The result of `function` for the value, as a Result; or the error.
  template <class Function>
  constexpr auto transform(Function&& function) const& {
    return then<Result<std::remove_cvref_t<decltype(function(*value_))>>>(*this, function);
  }
  template <class Function>
  constexpr auto transform(Function&& function) && {
    return then<Result<std::remove_cvref_t<decltype(function(std::move(*value_)))>>>(
        std::move(*this), function);
  }
  /// The same for a `function` that returns a Result.
  template <class Function>
  constexpr auto and_then(Function&& function) const& {
    return then<std::remove_cvref_t<decltype(function(*value_))>>(*this, function);
  }
  template <class Function>
  constexpr auto and_then(Function&& function) && {
    return then<std::remove_cvref_t<decltype(function(std::move(*value_)))>>(std::move(*this),
                                                                             function);
  }

  /// Equal values, or equal errors. A value or an Error may stand on one side.
  friend constexpr bool operator==(const Result& a, const Result& b) requires
      requires(const T& value) {
    bool(value == value);
  }
  {
    if (a.has_value() != b.has_value()) return false;
    return a.has_value() ? bool(*a.value_ == *b.value_) : *a.error_ == *b.error_;
  }

  /// Prints the value if it can be printed, or the message, to a std::ostream.
  template <detail::TextStream Stream>
  friend Stream& operator<<(Stream& out, const Result& result) {
    if (!result) return out << message(*result.error_);
    if constexpr (requires { out << *result.value_; }) {
      out << *result.value_;
    } else {
      out << "a value";
    }
    return out;
  }

  /// Precondition: !has_value().
  constexpr const Error& error() const& RANKMAP_LIFETIMEBOUND { return *error_; }
  constexpr Error error() && { return *error_; }

 private:
  template <class Self>
  static constexpr auto& checked(Self& self) {
    if (!self.has_value()) detail::stop(*self.error_);
    return *self.value_;
  }
  template <class Self>
  static constexpr auto& value_of(Self& self) {
    if (!self.has_value()) detail::throw_error(*self.error_);
    return *self.value_;
  }
  template <class Next, class Self, class Function>
  static constexpr Next then(Self&& self, Function& function) {
    if (!self.has_value()) return *self.error_;
    return function(*std::forward<Self>(self));
  }

  // Not in a union: success then does not write an error's 536 bytes.
  detail::Optional<T> value_;
  detail::Optional<Error> error_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_RESULT_HPP
