// Tuning from C++: kiln::tune searches for the fastest values of a kernel's parameters (docs/tune.md). Part of
// kiln.hpp, which includes it.
#ifndef KILN_TUNE_HPP
#define KILN_TUNE_HPP

#include <chrono>
#include <exception>
#include <map>

#include "kiln.hpp"

namespace kiln {

using Point = std::map<std::string, std::int64_t>; // a value of each parameter

struct TuneEvent { // of one point
  kiln_tune_event_kind kind;
  Point point;
  double us, best_us;   // microseconds; 0: not known
  std::uint64_t points; // measured so far
  std::string message;  // of one that is wrong or fails
};

struct TuneOptions {
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::uint64_t points = 0; // 0: as many as the budget allows
  std::uint64_t seed = 1;
  double tolerance = 1e-3;              // of floating-point results, relative to the largest of a buffer
  std::chrono::nanoseconds deadline{0}; // a launch that runs longer is stopped; 0: none
  bool all = false;                     // measure every point, whatever time that takes
  bool warm = false;                    // caches of the device are not emptied
  std::function<bool(const TuneEvent &)> progress = {}; // false: the search ends, and what it has found is stored
};

struct TuneResult {
  Point point; // the best one
  double default_us, best_us;
  std::uint64_t points, compiles, wrong, failed;
  double seconds;
  std::string message; // of the first point that was wrong or failed
  bool stored;         // tuned launches of other processes find it
};

struct TuneRecord { // what is known of a kernel for launches of one size class, on one device
  std::string kernel, size_class, device;
  Point point;
  double default_us, best_us;
  std::uint64_t points;
};

namespace detail {

inline Point to_point(const kiln_tune_value *values, std::uint32_t count) {
  Point point;
  for (std::uint32_t i = 0; i < count; i++)
    point[values[i].name] = values[i].value;
  return point;
}

// An exception of the callback waits here until the search has ended.
struct Tuning {
  const TuneOptions &options;
  std::exception_ptr thrown;
  static bool tell(void *user, const kiln_tune_event *event) {
    Tuning *self = static_cast<Tuning *>(user);
    try {
      return self->options.progress({event->kind, to_point(event->point, event->value_count), event->us, event->best_us,
                                     event->points, event->message});
    } catch (...) {
      self->thrown = std::current_exception();
      return false;
    }
  }
};

struct Records {
  std::vector<TuneRecord> list;
  std::exception_ptr thrown;
  static bool add(void *user, const kiln_tune_record_info *info) {
    Records *self = static_cast<Records *>(user);
    try {
      self->list.push_back({info->kernel, info->size_class, info->device, to_point(info->point, info->value_count),
                            info->default_us, info->best_us, info->points});
      return true;
    } catch (...) {
      self->thrown = std::current_exception();
      return false;
    }
  }
};

} // namespace detail

// Searches for the fastest point for launches with these arguments, as kiln_tune does, and stores what it finds, where
// launches with Range::tuned() find it. kernel empty: the only one. Buffers have the same contents afterwards.
template <class... Args>
TuneResult tune(const Context &context, std::string_view source, const Source &how, const std::string &kernel,
                const TuneOptions &options, const Args &...args) {
  Kernel described = context.compile(source, how).kernel(kernel);
  detail::Tuning tuning{options, nullptr};
  kiln_tune_result result = {};
  detail::with_source(source, how, [&](const kiln_program_desc &program) {
    described.with_args(
        Range::tuned(),
        [&](const kiln_launch_desc &launch) {
          kiln_tune_desc desc = {};
          desc.program = program;
          desc.kernel = described.info().name;
          desc.launch = launch;
          desc.budget_ns = static_cast<std::uint64_t>(options.budget.count());
          desc.max_points = options.points;
          desc.seed = options.seed;
          desc.tolerance = options.tolerance;
          desc.deadline_ns = static_cast<std::uint64_t>(options.deadline.count());
          desc.flags = options.all * std::uint32_t{KILN_TUNE_ALL} | options.warm * std::uint32_t{KILN_TUNE_WARM};
          desc.progress = options.progress ? detail::Tuning::tell : nullptr;
          desc.user = &tuning;
          kiln_status status = kiln_tune(context.get(), &desc, &result);
          if (tuning.thrown)
            std::rethrow_exception(tuning.thrown);
          check(status);
        },
        args...);
  });
  return {detail::to_point(result.point, result.value_count),
          result.default_us,
          result.best_us,
          result.points,
          result.compiles,
          result.wrong,
          result.failed,
          result.seconds,
          result.message,
          result.stored};
}

// The records of a program's kernels (kernel empty: all of them) for the context's target, of any device.
inline std::vector<TuneRecord> tune_records(const Context &context, std::string_view source, const Source &how = {},
                                            const std::string &kernel = {}) {
  detail::Records records;
  kiln_status status = detail::with_source(source, how, [&](const kiln_program_desc &program) {
    return kiln_tune_list(context.get(), &program, kernel.empty() ? nullptr : kernel.c_str(), detail::Records::add,
                          &records);
  });
  if (records.thrown)
    std::rethrow_exception(records.thrown);
  check(status);
  return std::move(records.list);
}

// Removes them from the cache folder, and returns how many.
inline std::uint64_t tune_forget(const Context &context, std::string_view source, const Source &how = {},
                                 const std::string &kernel = {}) {
  std::uint64_t removed = 0;
  check(detail::with_source(source, how, [&](const kiln_program_desc &program) {
    return kiln_tune_forget(context.get(), &program, kernel.empty() ? nullptr : kernel.c_str(), &removed);
  }));
  return removed;
}

} // namespace kiln

#endif
