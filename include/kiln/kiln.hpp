// Kiln's host API in C++17: handles that release themselves, errors as exceptions, launches that are checked against
// the kernel's parameters. Header only, on top of kiln.h, whose comments hold here, too.
//
//   kiln::Context context;
//   kiln::Stream stream(context);
//   kiln::Buffer<float> x(context, std::vector<float>(1000, 1.f));
//   kiln::Kernel scale = context.compile("kernel void scale(global float *x, float a) { … }").kernel("scale");
//   scale(stream, {1000}, x, 3);
//   std::vector<float> result = x.read(stream);
//
// Every handle can be moved, not copied; one that was moved from is empty and may be destroyed or assigned to, no more.
// get() lends the C handle, release() gives it away, and a constructor takes one over.
#ifndef KILN_KILN_HPP
#define KILN_KILN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <limits>
#include <locale>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/kiln.h"

namespace kiln {

// The structs of kiln.h whose names are also those of functions.
using KernelInfo = struct ::kiln_kernel_info;
using ProgramInfo = struct ::kiln_program_info;
using DeviceInfo = struct ::kiln_device_info;
using EventTimes = struct ::kiln_event_times;

// ---- errors

// What a failed call throws. what(): the sentence of kiln_last_error, or the compiler's diagnostics.
class Error : public std::runtime_error {
public:
  Error(kiln_status status, const std::string &message) : Error(status, message, KILN_REASON_NONE, 0) {}
  Error(kiln_status status, const std::string &message, kiln_reason reason, std::uint32_t index)
      : std::runtime_error(message), status_(status), reason_(reason), index_(index) {}
  kiln_status status() const noexcept { return status_; }
  kiln_reason reason() const noexcept { return reason_; }
  std::uint32_t index() const noexcept { return index_; } // of the argument or dimension

private:
  kiln_status status_;
  kiln_reason reason_;
  std::uint32_t index_;
};

// Throws unless the status is KILN_OK.
inline void check(kiln_status status) {
  if (status == KILN_OK)
    return;
  std::uint32_t index;
  kiln_reason reason = kiln_last_reason(&index);
  throw Error(status, kiln_last_error(), reason, index);
}

// ---- handles

template <class T, void (*Release)(T *)> class Handle {
public:
  Handle() noexcept = default;
  explicit Handle(T *handle) noexcept : handle_(handle) {} // takes it over
  Handle(Handle &&other) noexcept : handle_(other.release()) {}
  Handle &operator=(Handle &&other) noexcept {
    if (this != &other)
      reset(other.release());
    return *this;
  }
  ~Handle() { reset(nullptr); }

  T *get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  T *release() noexcept { return std::exchange(handle_, nullptr); }

protected:
  void reset(T *handle) noexcept {
    Release(handle_);
    handle_ = handle;
  }

private:
  T *handle_ = nullptr;
};

// Memory that belongs to someone else: what has data() and size(), such as std::vector, std::array and std::string,
// converts to it.
template <class T> class Span {
public:
  Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *> &&
                                              std::is_convertible_v<decltype(std::declval<C &>().size()), std::size_t>>>
  Span(C &&container) noexcept : data_(container.data()), size_(container.size()) {}
  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

private:
  T *data_;
  std::size_t size_;
};

// ---- events

class Event : public Handle<kiln_event, kiln_event_release> {
public:
  using Handle::Handle;
  void wait() const { check(kiln_event_wait(get())); }
  bool done() const { return kiln_event_done(get()); }
  // Waits at most ns nanoseconds; tells whether it is done.
  bool wait_within(std::uint64_t ns) const {
    bool done;
    check(kiln_event_wait_within(get(), ns, &done));
    return done;
  }
  enum ::kiln_event_state state() const { return kiln_event_state(get(), nullptr); }
  // Waits for the event.
  EventTimes times() const {
    EventTimes out;
    check(kiln_event_times(get(), &out));
    return out;
  }
};

// ---- context

class Program;
class Object;
struct TuneOptions; // tune.hpp
struct TuneResult;

struct Options {
  std::string backend, arch;         // empty: COMPILE_BACKEND, COMPILE_ARCH, else the first there is
  std::string cache_dir, cache_mode; // empty: as the environment says
  std::uint32_t threads = 0;         // of the CPU; 0: as many as processors
  std::function<void(kiln_log_level, const char *)> log; // from any thread; must not call Kiln, or throw
  std::function<void(const char *, std::size_t)> print;  // what kernels print; must not throw
  bool report_faults = false; // faults inside of kernels on the CPU are KILN_ERR_DEVICE, not the process's end
};

struct Header { // an include file given from memory
  std::string name, text;
};

namespace detail {

// A number as the constant that has its type and value in a kernel, in every locale.
template <class T> std::string constant(T value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if constexpr (std::is_same_v<T, bool>) {
    text << (value ? 1 : 0);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value != value)
      return "NAN";
    if (value > std::numeric_limits<T>::max() || value < std::numeric_limits<T>::lowest())
      return value > 0 ? "INFINITY" : "-INFINITY";
    text << std::scientific << std::setprecision(std::numeric_limits<T>::max_digits10 - 1) << value;
    text << (std::is_same_v<T, float> ? "f" : "");
  } else if constexpr (std::is_signed_v<T>) {
    auto wide = static_cast<long long>(value); // -2147483648 would be a long, -9223372036854775808 nothing
    const char *suffix = sizeof value == 8 ? "L" : "";
    if (wide == std::numeric_limits<std::int64_t>::min() ||
        (sizeof value < 8 && wide == std::numeric_limits<std::int32_t>::min()))
      text << '(' << wide + 1 << suffix << "-1)";
    else
      text << wide << suffix;
  } else {
    text << static_cast<unsigned long long>(value) << (sizeof value == 8 ? "UL" : "U");
  }
  return text.str();
}

} // namespace detail

struct Define { // a macro: {"N", 4}, {"SCALE", 0.5f}, {"T", "float4"}, {"FAST"}
  std::string name, text;
  Define(std::string name) : name(std::move(name)), text("1") {}
  Define(const char *name) : Define(std::string(name)) {}
  Define(std::string name, std::string text) : name(std::move(name)), text(std::move(text)) {}
  Define(std::string name, const char *text) : name(std::move(name)), text(text) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Define(std::string name, T value) : name(std::move(name)), text(detail::constant(value)) {}
};

// A value of a specialisation constant of a SPIR-V module. A bool has one byte, as in the module.
struct SpecConstant {
  std::uint32_t id;
  std::uint32_t size;
  unsigned char value[8] = {};

  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> && sizeof(T) <= sizeof(value)>>
  SpecConstant(std::uint32_t id, T number) : id(id), size(sizeof number) {
    std::memcpy(value, &number, sizeof number);
  }
};

struct Source {
  std::string options; // "-DN=4 -I dir"
  std::string name;    // for messages; empty: "<source>"
  std::vector<Header> headers;
  kiln_source_kind kind = KILN_SOURCE_OPENCL_C;
  std::vector<Define> defines = {};
  std::vector<SpecConstant> spec_constants = {}; // of KILN_SOURCE_SPIRV
};

class Context : public Handle<kiln_context, kiln_context_close> {
public:
  using Handle::Handle;
  explicit Context(const Options &options = {}) : Context(options, nullptr) {}

private:
  Context(const Options &options, const kiln_native_context *native) {
    auto callbacks = std::make_unique<Callbacks>(Callbacks{options.log, options.print});
    kiln_context_desc desc = {};
    desc.backend = options.backend.c_str();
    desc.arch = options.arch.c_str();
    desc.cache_dir = options.cache_dir.empty() ? nullptr : options.cache_dir.c_str();
    desc.cache_mode = options.cache_mode.empty() ? nullptr : options.cache_mode.c_str();
    desc.num_threads = options.threads;
    desc.faults = options.report_faults ? "report" : nullptr;
    desc.log_user = desc.print_user = callbacks.get();
    if (options.log)
      desc.log = [](void *user, kiln_log_level level, const char *message) {
        static_cast<Callbacks *>(user)->log(level, message);
      };
    if (options.print)
      desc.print = [](void *user, const char *text, std::size_t size) {
        static_cast<Callbacks *>(user)->print(text, size);
      };
    kiln_context *context;
    check(native ? kiln_context_open_native(&desc, native, &context) : kiln_context_open(&desc, &context));
    reset(context);
    // Streams, kernels and programs may keep the context, and so its callbacks, for longer than this object.
    check(kiln_context_on_close(
        context, [](void *user) { delete static_cast<Callbacks *>(user); }, callbacks.get()));
    callbacks.release();
  }

public:
  const kiln_gpu_target &target() const { return *kiln_context_target(get()); }
  std::uint32_t device_count() const {
    std::uint32_t count;
    check(kiln_device_count(get(), &count));
    return count;
  }
  DeviceInfo device_info(std::uint32_t device = 0) const {
    DeviceInfo info;
    check(kiln_device_info(get(), device, &info));
    return info;
  }
  kiln_cache_stats cache_stats() const {
    kiln_cache_stats stats;
    kiln_context_cache_stats(get(), &stats);
    return stats;
  }
  struct ::kiln_context_stats stats() const {
    struct ::kiln_context_stats stats;
    kiln_context_stats(get(), &stats);
    return stats;
  }
  // On a device of the host's own, in the runtime that Kiln uses it by; options.backend and arch are left empty.
  static Context on(const kiln_native_context &native, const Options &options = {}) {
    return Context(options, &native);
  }
  kiln_native_context native(std::uint32_t device = 0) const {
    kiln_native_context out;
    check(kiln_context_native(get(), device, &out));
    return out;
  }
  // Writes what happens to a file that Chrome and Perfetto show, until end_trace or the end of the context.
  void trace(const std::string &path) const { check(kiln_context_trace(get(), path.c_str())); }
  void end_trace() const { check(kiln_context_trace(get(), nullptr)); }

  // Error with KILN_ERR_COMPILE: what() has the diagnostics.
  Program compile(std::string_view source, const Source &how = {}) const;
  Object compile_object(std::string_view source, const Source &how = {}) const;
  // A stage of its compilation ("ir", "ll", "s", …); nothing is compiled beyond it.
  std::string stage(std::string_view source, const std::string &name, const Source &how = {}) const;
  // What Program::save gave; compiles nothing.
  Program load(Span<const unsigned char> saved) const;
  Program link(std::initializer_list<const Object *> objects, const std::string &options = {}) const;

private:
  struct Callbacks {
    std::function<void(kiln_log_level, const char *)> log;
    std::function<void(const char *, std::size_t)> print;
  };
};

// An event that the host signals; streams and threads wait for it as for others.
class UserEvent : public Event {
public:
  using Event::Event;
  explicit UserEvent(const Context &context) {
    kiln_event *event;
    check(kiln_event_create_user(context.get(), &event));
    reset(event);
  }
  void signal(kiln_status status = KILN_OK) const { check(kiln_event_signal(get(), status)); }
};

// ---- buffers and streams

class Stream : public Handle<kiln_stream, kiln_stream_release> {
public:
  using Handle::Handle;
  explicit Stream(const Context &context, std::uint32_t device = 0) {
    kiln_stream *stream;
    check(kiln_stream_create(context.get(), device, &stream));
    reset(stream);
  }
  // Enqueues on a queue of the host's, a cl_command_queue of the context.
  static Stream on(const Context &context, void *queue, std::uint32_t device = 0) {
    kiln_stream *stream;
    check(kiln_stream_wrap_native(context.get(), device, queue, &stream));
    return Stream(stream);
  }
  void *native() const { // cl_command_queue, hsa_queue_t*
    void *queue;
    check(kiln_stream_native(get(), &queue));
    return queue;
  }
  // Waits for all that was enqueued; throws the first error since the last call.
  void finish() const { check(kiln_stream_finish(get())); }
  // Waits at most ns nanoseconds; tells whether all that was enqueued has run. Throws no errors of it.
  bool finish_within(std::uint64_t ns) const {
    bool done;
    check(kiln_stream_finish_within(get(), ns, &done));
    return done;
  }
  // What is enqueued from now on waits for the event.
  void wait(const Event &event) const { check(kiln_stream_wait(get(), event.get())); }
  // An event of all that has been enqueued so far.
  Event record() const {
    kiln_event *event;
    check(kiln_stream_record(get(), &event));
    return Event(event);
  }
  void cancel() const { check(kiln_stream_cancel(get())); }
  void set_deadline(std::uint64_t ns) const { check(kiln_stream_set_deadline(get(), ns)); }
};

// Memory of a device, size() elements of T. Offsets and counts are in elements.
template <class T> class Buffer : public Handle<kiln_buffer, kiln_buffer_release> {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "elements are copied as bytes");

public:
  using Handle::Handle;
  Buffer(const Context &context, std::size_t count, std::uint32_t device = 0) {
    create(context, count, nullptr, device);
  }
  // With a copy of the elements.
  Buffer(const Context &context, Span<const T> elements, std::uint32_t device = 0) {
    create(context, elements.size(), nullptr, device);
    Stream stream(context, device);
    write(stream, elements);
    stream.finish();
  }
  Buffer(const Context &context, const std::vector<T> &elements, std::uint32_t device = 0)
      : Buffer(context, Span<const T>(elements), device) {}
  // The memory itself where the device shares it, else a copy. It must outlive the buffer.
  static Buffer wrap(const Context &context, Span<T> memory, std::uint32_t device = 0) {
    Buffer buffer;
    buffer.create(context, memory.size(), memory.data(), device);
    return buffer;
  }

  // Memory of the host's in the context's runtime: a cl_mem, or a pointer. count 0: all, where the runtime tells.
  static Buffer on(const Context &context, void *memory, std::size_t count = 0, std::uint32_t device = 0) {
    kiln_buffer *buffer;
    check(kiln_buffer_wrap_native(context.get(), device, memory, bytes_of(count), &buffer));
    return Buffer(buffer);
  }
  // What the runtime knows the memory by, and where a window begins in it, in bytes.
  std::pair<void *, std::size_t> native() const {
    std::pair<void *, std::size_t> out;
    check(kiln_buffer_native(get(), &out.first, &out.second));
    return out;
  }

  std::size_t size() const { return kiln_buffer_size(get()) / sizeof(T); }
  // Where the elements lie if that is host memory, else null. Finish the stream first.
  T *host() const { return static_cast<T *>(kiln_buffer_host(get())); }
  // A window, which keeps the buffer alive; offset times the size of T must be a multiple of 128 bytes.
  Buffer sub(std::size_t offset, std::size_t count) const {
    kiln_buffer *buffer;
    check(kiln_buffer_sub(get(), bytes_of(offset), bytes_of(count), &buffer));
    return Buffer(buffer);
  }

  // Asynchronous: the elements must stay until the stream has come there.
  void write(const Stream &stream, Span<const T> elements, std::size_t offset = 0) const {
    check(kiln_write(stream.get(), get(), bytes_of(offset), elements.data(), elements.bytes(), nullptr));
  }
  void read_into(const Stream &stream, Span<T> elements, std::size_t offset = 0) const {
    check(kiln_read(stream.get(), get(), bytes_of(offset), elements.data(), elements.bytes(), nullptr));
  }
  void copy_to(const Stream &stream, const Buffer &to) const {
    check(kiln_copy(stream.get(), get(), 0, to.get(), 0, kiln_buffer_size(get()), nullptr));
  }
  // Waits for the stream.
  std::vector<T> read(const Stream &stream) const {
    std::vector<T> elements(size());
    read_into(stream, elements);
    stream.finish();
    return elements;
  }
  // The size of T must be a power of two, up to 128.
  void fill(const Stream &stream, const T &value) const {
    check(kiln_fill(stream.get(), get(), 0, bytes_of(size()), &value, sizeof value, nullptr));
  }

private:
  static std::size_t bytes_of(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw Error(KILN_ERR_INVALID, "more elements than memory has");
    return count * sizeof(T);
  }
  void create(const Context &context, std::size_t count, void *host, std::uint32_t device) {
    kiln_buffer_desc desc = {};
    desc.size = bytes_of(count);
    desc.host = host;
    desc.device = device;
    kiln_buffer *buffer;
    check(kiln_buffer_create(context.get(), &desc, &buffer));
    reset(buffer);
  }
};

// ---- images

// A sampler as an argument: bits of kiln_sampler, KILN_SAMPLER_LINEAR | KILN_SAMPLER_CLAMP.
struct Sampler {
  std::uint32_t bits;
};

// Pixels of a format in a buffer. Sizes are width, height, depth and layers, as many as the dimension has, in this
// order. A region that is null is all of the image.
class Image : public Handle<kiln_image, kiln_image_release> {
public:
  using Handle::Handle;
  using Sizes = std::initializer_list<std::uint32_t>;
  Image(const Context &context, const kiln_image_desc &desc) {
    kiln_image *image;
    check(kiln_image_create(context.get(), &desc, &image));
    reset(image);
  }
  Image(const Context &context, kiln_image_dimension dimension, kiln_image_format format, Sizes sizes)
      : Image(context, describe(dimension, format, sizes)) {}
  // With a copy of the pixels, which lie without gaps: a std::vector, std::array or what else has data() and size().
  template <class C, class = decltype(std::declval<const C &>().data())>
  Image(const Context &context, kiln_image_dimension dimension, kiln_image_format format, Sizes sizes, const C &pixels)
      : Image(context, with_host(describe(dimension, format, sizes), pixels, true)) {}
  // The memory itself where the device shares it, else a copy. It must outlive the image.
  template <class C>
  static Image wrap(const Context &context, kiln_image_dimension dimension, kiln_image_format format, Sizes sizes,
                    C &pixels) {
    return Image(context, with_host(describe(dimension, format, sizes), pixels, false));
  }
  // The first bytes of a buffer, which stays alive with the image.
  template <class T>
  static Image of(const Context &context, const Buffer<T> &buffer, kiln_image_dimension dimension,
                  kiln_image_format format, Sizes sizes) {
    kiln_image_desc desc = describe(dimension, format, sizes);
    desc.buffer = buffer.get();
    return Image(context, desc);
  }

  kiln_image_desc info() const {
    kiln_image_desc desc;
    kiln_image_info(get(), &desc);
    return desc;
  }

  // Asynchronous: the pixels, which lie without gaps, must stay until the stream has come there.
  template <class C>
  void write(const Stream &stream, const C &pixels, const kiln_image_region *region = nullptr) const {
    need(region, bytes_of(pixels));
    check(kiln_image_write(stream.get(), get(), region, pixels.data(), nullptr, nullptr));
  }
  template <class C> void read_into(const Stream &stream, C &pixels, const kiln_image_region *region = nullptr) const {
    need(region, bytes_of(pixels));
    check(kiln_image_read(stream.get(), get(), region, pixels.data(), nullptr, nullptr));
  }
  // Waits for the stream. T: what pixels or their channels are, or bytes.
  template <class T> std::vector<T> read(const Stream &stream, const kiln_image_region *region = nullptr) const {
    std::vector<T> pixels((bytes_of_region(region) + sizeof(T) - 1) / sizeof(T));
    read_into(stream, pixels, region);
    stream.finish();
    return pixels;
  }
  void copy_to(const Stream &stream, const Image &to, const kiln_image_region *region = nullptr,
               const std::array<std::size_t, 3> &at = {0, 0, 0}) const {
    check(kiln_image_copy(stream.get(), get(), region, to.get(), at.data(), nullptr));
  }
  void fill(const Stream &stream, const kiln_pixel &pixel, const kiln_image_region *region = nullptr) const {
    check(kiln_image_fill(stream.get(), get(), region, &pixel, nullptr));
  }

private:
  static kiln_image_desc describe(kiln_image_dimension dimension, kiln_image_format format, Sizes sizes) {
    bool has_layers =
        dimension == KILN_IMAGE_1D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
    kiln_image_desc desc = {};
    desc.dimension = dimension;
    desc.format = format;
    std::size_t plain = dimension == KILN_IMAGE_3D ? 3 : dimension < KILN_IMAGE_2D ? 1 : 2;
    if (sizes.size() != plain + has_layers)
      throw Error(KILN_ERR_INVALID, "an image of this dimension has " + std::to_string(plain + has_layers) +
                                        " sizes, and " + std::to_string(sizes.size()) + " are given");
    std::uint32_t *const places[] = {&desc.width, &desc.height, &desc.depth};
    const std::uint32_t *size = sizes.begin();
    for (std::size_t i = 0; i < plain; i++)
      *places[i] = *size++;
    if (has_layers)
      desc.layers = *size;
    return desc;
  }
  template <class C> static std::size_t bytes_of(const C &pixels) { return pixels.size() * sizeof *pixels.data(); }
  template <class C> static kiln_image_desc with_host(kiln_image_desc desc, C &pixels, bool copies) {
    if (bytes_of(pixels) == 0)
      throw Error(KILN_ERR_INVALID, "an image of no pixels");
    desc.host = const_cast<void *>(static_cast<const void *>(pixels.data()));
    desc.host_bytes = bytes_of(pixels);
    desc.copies = copies;
    return desc;
  }
  std::size_t bytes_of_region(const kiln_image_region *region) const {
    kiln_image_desc desc = info();
    std::size_t pixels = std::size_t{desc.width} * desc.height * desc.depth * desc.layers;
    if (region)
      pixels = region->size[0] * (region->size[1] ? region->size[1] : 1) * (region->size[2] ? region->size[2] : 1);
    return pixels * kiln_image_pixel_bytes(desc.format);
  }
  void need(const kiln_image_region *region, std::size_t bytes) const {
    std::size_t needed = bytes_of_region(region);
    if (bytes < needed)
      throw Error(KILN_ERR_INVALID,
                  "pixels of " + std::to_string(needed) + " bytes, and memory of " + std::to_string(bytes));
  }
};

// ---- launches

// The work-items of a launch: kernel(stream, {width, height}, …), or kiln::Range({width, height}).group({16, 16}).
class Range {
public:
  Range(std::initializer_list<std::uint64_t> global) { set(desc_.global, global); }
  Range &group(std::initializer_list<std::uint64_t> local) {
    set(desc_.local, local);
    return *this;
  }
  Range &offset(std::initializer_list<std::uint64_t> offset) {
    set(desc_.offset, offset);
    return *this;
  }
  // The sizes and values that kiln_tune found fastest: kernel(stream, kiln::Range::tuned(), …).
  static Range tuned() {
    Range range;
    range.desc_.tuned = true;
    return range;
  }
  const kiln_launch_desc &desc() const noexcept { return desc_; }

private:
  Range() = default;
  static void set(std::uint64_t *to, std::initializer_list<std::uint64_t> from) {
    if (from.size() < 1 || from.size() > 3)
      throw Error(KILN_ERR_INVALID, "a launch has 1 to 3 dimensions");
    for (std::uint64_t size : from)
      *to++ = size;
  }
  kiln_launch_desc desc_ = {};
};

// Local memory as an argument: so many elements for each work-group.
template <class T> struct Local { std::size_t count; };

namespace detail {

// How OpenCL C calls the type; "": there is no name to compare with.
template <class T> constexpr std::string_view name_of() {
  if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr std::array<std::string_view, 8> names = {"char",  "short",  "int",  "long",
                                                       "uchar", "ushort", "uint", "ulong"};
    constexpr std::size_t log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return names[log + (std::is_unsigned_v<T> ? 4 : 0)];
  } else
    return "";
}

[[noreturn]] inline void refuse(const KernelInfo &kernel, std::size_t index, const std::string &reason) {
  const kiln_arg_info &info = kernel.args[index];
  throw Error(KILN_ERR_INVALID, "kernel '" + std::string(kernel.name) + "': argument " + std::to_string(index) + " '" +
                                    info.name + "' is " + info.type_name + ", " + reason);
}

// The bytes of a number, as the parameter's type has them.
struct Number {
  alignas(8) unsigned char bytes[8];
};

template <class To, class From> bool store_as(Number &out, From value) {
  To converted = static_cast<To>(value);
  if constexpr (std::is_integral_v<To>) {
    bool is_negative = false, was_negative = false;
    if constexpr (std::is_signed_v<To>)
      is_negative = converted < 0;
    if constexpr (std::is_signed_v<From>)
      was_negative = value < 0;
    if (static_cast<From>(converted) != value || is_negative != was_negative)
      return false;
  }
  std::memcpy(out.bytes, &converted, sizeof converted);
  return true;
}

// Converts a number to the type of that name. False: it does not fit. *known: whether there is such a scalar type.
template <class From> bool convert(std::string_view name, From value, Number &out, bool *known) {
  *known = true;
  if (name == "float")
    return store_as<float>(out, value);
  if (name == "double")
    return store_as<double>(out, value);
  if constexpr (std::is_integral_v<From>) {
    if (name == "char")
      return store_as<std::int8_t>(out, value);
    if (name == "uchar")
      return store_as<std::uint8_t>(out, value);
    if (name == "short")
      return store_as<std::int16_t>(out, value);
    if (name == "ushort")
      return store_as<std::uint16_t>(out, value);
    if (name == "int")
      return store_as<std::int32_t>(out, value);
    if (name == "uint")
      return store_as<std::uint32_t>(out, value);
    if (name == "long")
      return store_as<std::int64_t>(out, value);
    if (name == "ulong" || name == "size_t")
      return store_as<std::uint64_t>(out, value);
  }
  *known = false;
  return false;
}

// What a launch keeps of an argument until the call is over.
template <class T> using Kept = std::conditional_t<std::is_arithmetic_v<T>, Number, char>;

template <class T, class K> kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, const T &value, K &kept) {
  const kiln_arg_info &info = kernel.args[index];
  if (info.kind != KILN_ARG_VALUE)
    refuse(kernel, index,
           info.kind == KILN_ARG_LOCAL     ? "and takes kiln::Local"
           : info.kind == KILN_ARG_IMAGE   ? "and takes kiln::Image"
           : info.kind == KILN_ARG_SAMPLER ? "and takes kiln::Sampler"
                                           : "and takes a buffer, not a value");
  if constexpr (std::is_arithmetic_v<T>) {
    bool known;
    if (convert(info.type_name, value, kept, &known))
      return kiln_arg_value(kept.bytes, info.size);
    if (known)
      refuse(kernel, index, "which the value " + std::to_string(value) + " does not fit");
    if (std::is_floating_point_v<T> && info.size <= 8 &&
        std::string_view(info.type_name).find_first_of("0123456789{ ") == std::string_view::npos)
      refuse(kernel, index, "which a floating-point number is not converted to");
  }
  (void)kept;
  static_assert(std::is_trivially_copyable_v<T>, "a value is passed as its bytes");
  if (sizeof(T) != info.size)
    refuse(kernel, index,
           "of " + std::to_string(info.size) + " bytes, and not a value of " + std::to_string(sizeof(T)));
  return kiln_arg_value(&value, sizeof value);
}

inline void check_pointer(const KernelInfo &kernel, std::size_t index, kiln_arg_kind kind, std::string_view name) {
  const kiln_arg_info &info = kernel.args[index];
  if (info.kind != kind)
    refuse(kernel, index, kind == KILN_ARG_LOCAL ? "and not local memory" : "and takes no buffer");
  std::string_view wanted = info.type_name;
  if (wanted.empty() || wanted.back() != '*' || name.empty())
    return;
  wanted.remove_suffix(1);
  Number unused;
  bool known;
  convert(wanted, 0, unused, &known);
  if (known && wanted != name && wanted != "size_t") // typedefs, structs and vectors have names of their own
    refuse(kernel, index, "and the elements given are " + std::string(name));
}

template <class T> kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, const Buffer<T> &buffer, char &) {
  check_pointer(kernel, index, KILN_ARG_BUFFER, name_of<T>());
  return kiln_arg_buffer(buffer.get());
}

template <class T> kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, T *const &pointer, char &) {
  check_pointer(kernel, index, KILN_ARG_BUFFER, name_of<std::remove_cv_t<T>>());
  return kiln_arg_pointer(const_cast<const std::remove_cv_t<T> *>(pointer));
}

template <class T> kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, const Local<T> &local, char &) {
  check_pointer(kernel, index, KILN_ARG_LOCAL, name_of<T>());
  return kiln_arg_local(local.count * sizeof(T));
}

inline kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, const Image &image, char &) {
  if (kernel.args[index].kind != KILN_ARG_IMAGE)
    refuse(kernel, index, "and takes no image");
  return kiln_arg_image(image.get());
}

inline kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, const Sampler &sampler, char &) {
  if (kernel.args[index].kind != KILN_ARG_SAMPLER)
    refuse(kernel, index, "and takes no sampler");
  return kiln_arg_sampler(sampler.bits);
}

inline kiln_arg make_arg(const KernelInfo &kernel, std::size_t index, std::nullptr_t, char &) {
  check_pointer(kernel, index, KILN_ARG_BUFFER, "");
  return kiln_arg_buffer(nullptr);
}

// Bytes that a call gives, which are freed with kiln_free.
template <class F> std::vector<unsigned char> take(const F &call) {
  void *data;
  std::size_t size;
  check(call(&data, &size));
  std::unique_ptr<void, void (*)(void *)> owner(data, kiln_free);
  const unsigned char *bytes = static_cast<const unsigned char *>(data);
  return std::vector<unsigned char>(bytes, bytes + size);
}

} // namespace detail

// A launch that was checked once. Running it again looks nothing up and allocates nothing.
class Prepared : public Handle<kiln_prepared, kiln_prepared_release> {
public:
  using Handle::Handle;
  void run() const { check(kiln_run_prepared(get(), nullptr)); }
  Event run_with_event() const {
    kiln_event *event;
    check(kiln_run_prepared(get(), &event));
    return Event(event);
  }
};

// Commands that are recorded once and run many times. Kernels and copies that are enqueued on its stream are recorded.
class Graph : public Handle<kiln_graph, kiln_graph_release> {
public:
  using Handle::Handle;
  explicit Graph(const Context &context, std::uint32_t device = 0) {
    kiln_graph *graph;
    check(kiln_graph_create(context.get(), device, &graph));
    reset(graph);
  }
  Stream stream() const {
    kiln_stream *stream = kiln_graph_stream(get());
    kiln_stream_retain(stream);
    return Stream(stream);
  }
  std::uint32_t size() const { return kiln_graph_size(get()); } // the index of the next command
  void finalize() const { check(kiln_graph_finalize(get())); }
  void run(const Stream &stream) const { check(kiln_graph_run(get(), stream.get(), nullptr)); }
  Event run_with_event(const Stream &stream) const {
    kiln_event *event;
    check(kiln_graph_run(get(), stream.get(), &event));
    return Event(event);
  }
};

// Arguments of a launch are kiln::Buffer, kiln::Local, kiln::Image, kiln::Sampler, nullptr, numbers, and what can be
// copied as bytes (structs, and std::array for vectors). Numbers are converted to the parameter's type if their value
// fits; all others must have the parameter's size. What does not fit is an Error with KILN_ERR_INVALID that names the
// parameter.
class Kernel : public Handle<kiln_kernel, kiln_kernel_release> {
public:
  using Handle::Handle;
  const KernelInfo &info() const { return *kiln_kernel_info(get()); }

  template <class... Args> void operator()(const Stream &stream, const Range &range, const Args &...args) const {
    with_args(
        range, [&](const kiln_launch_desc &desc) { check(kiln_launch(stream.get(), get(), &desc, nullptr)); }, args...);
  }
  template <class... Args> Event launch(const Stream &stream, const Range &range, const Args &...args) const {
    kiln_event *event = nullptr;
    with_args(
        range, [&](const kiln_launch_desc &desc) { check(kiln_launch(stream.get(), get(), &desc, &event)); }, args...);
    return Event(event);
  }
  template <class... Args> Prepared prepare(const Stream &stream, const Range &range, const Args &...args) const {
    kiln_prepared *prepared = nullptr;
    with_args(
        range, [&](const kiln_launch_desc &desc) { check(kiln_prepare(stream.get(), get(), &desc, &prepared)); },
        args...);
    return Prepared(prepared);
  }
  // This kernel's launch at index of the graph gets other sizes and arguments, for later runs.
  template <class... Args>
  void update(const Graph &graph, std::uint32_t index, const Range &range, const Args &...args) const {
    with_args(
        range, [&](const kiln_launch_desc &desc) { check(kiln_graph_update(graph.get(), index, &desc)); }, args...);
  }

private:
  template <class... Args>
  friend TuneResult tune(const Context &, std::string_view, const Source &, const std::string &, const TuneOptions &,
                         const Args &...);
  template <class F, class... Args> void with_args(const Range &range, const F &call, const Args &...args) const {
    const KernelInfo &kernel = info();
    if (sizeof...(Args) != kernel.arg_count)
      throw Error(KILN_ERR_INVALID, "kernel '" + std::string(kernel.name) + "' takes " +
                                        std::to_string(kernel.arg_count) + " arguments, not " +
                                        std::to_string(sizeof...(Args)));
    call_with(kernel, range, call, std::index_sequence_for<Args...>(), args...);
  }
  template <class F, std::size_t... I, class... Args>
  static void call_with(const KernelInfo &kernel, const Range &range, const F &call, std::index_sequence<I...>,
                        const Args &...args) {
    std::tuple<detail::Kept<Args>...> kept; // until the call is over
    std::array<kiln_arg, sizeof...(Args)> list = {detail::make_arg(kernel, I, args, std::get<I>(kept))...};
    kiln_launch_desc desc = range.desc();
    desc.args = list.data();
    desc.arg_count = sizeof...(Args);
    call(desc);
    (void)kernel, (void)kept;
  }
};

// ---- programs and objects

class Program : public Handle<kiln_program, kiln_program_release> {
public:
  using Handle::Handle;
  // name empty: the only kernel.
  Kernel kernel(const std::string &name = {}) const {
    kiln_kernel *kernel;
    check(kiln_kernel_create(get(), name.empty() ? nullptr : name.c_str(), &kernel));
    return Kernel(kernel);
  }
  Kernel operator[](const std::string &name) const { return kernel(name); }
  std::vector<std::string> kernel_names() const {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < info().kernel_count; i++)
      names.emplace_back(kiln_program_kernel_name(get(), i));
    return names;
  }
  // Warnings of the compile.
  std::string log() const { return kiln_program_log(get()); }
  ProgramInfo info() const {
    ProgramInfo info;
    kiln_program_info(get(), &info);
    return info;
  }
  // The program as bytes, for Context::load.
  std::vector<unsigned char> save() const {
    return detail::take([&](void **data, std::size_t *size) { return kiln_program_save(get(), data, size); });
  }
  // A stage of the compilation: "ir", "ll", "s", …
  std::string stage(const std::string &name) const {
    auto bytes = detail::take(
        [&](void **data, std::size_t *size) { return kiln_program_stage(get(), name.c_str(), data, size); });
    return std::string(bytes.begin(), bytes.end());
  }
};

// A source that is compiled on its own and linked with others by Context::link.
class Object : public Handle<kiln_object, kiln_object_release> {
public:
  using Handle::Handle;
  std::string log() const { return kiln_object_log(get()); }
};

namespace detail {

// The options with the macros, each as one word in quotes.
inline std::string all_options(const Source &how) {
  std::string line = how.options;
  for (const Define &define : how.defines) {
    line += " \"-D";
    for (char c : define.name + '=' + define.text) {
      if (c == '"' || c == '\\')
        line += '\\';
      line += c;
    }
    line += '"';
  }
  return line;
}

// Calls make with the descriptor that a source and its options give.
template <class F> auto with_source(std::string_view source, const Source &how, const F &make) {
  std::vector<kiln_header> headers;
  for (const Header &header : how.headers)
    headers.push_back({header.name.c_str(), header.text.c_str(), header.text.size()});
  std::string text(source), options = all_options(how); // text ends with a NUL, which an empty source needs
  kiln_program_desc desc = {};
  desc.source = text.c_str();
  desc.size = text.size();
  desc.name = how.name.empty() ? nullptr : how.name.c_str();
  desc.kind = how.kind;
  desc.options = options.c_str();
  desc.headers = headers.data();
  desc.header_count = static_cast<std::uint32_t>(headers.size());
  std::vector<kiln_spec_constant> constants;
  for (const SpecConstant &constant : how.spec_constants)
    constants.push_back({constant.id, constant.size, constant.value});
  desc.spec_constants = constants.data();
  desc.spec_constant_count = static_cast<std::uint32_t>(constants.size());
  return make(desc);
}

} // namespace detail

inline Program Context::compile(std::string_view source, const Source &how) const {
  return detail::with_source(source, how, [&](const kiln_program_desc &desc) {
    kiln_program *program;
    check(kiln_program_create(get(), &desc, &program));
    return Program(program);
  });
}

inline Object Context::compile_object(std::string_view source, const Source &how) const {
  return detail::with_source(source, how, [&](const kiln_program_desc &desc) {
    kiln_object *object;
    check(kiln_object_create(get(), &desc, &object));
    return Object(object);
  });
}

inline std::string Context::stage(std::string_view source, const std::string &name, const Source &how) const {
  return detail::with_source(source, how, [&](const kiln_program_desc &desc) {
    auto bytes = detail::take([&](void **data, std::size_t *size) {
      return kiln_compile_stage(get(), &desc, name.c_str(), data, size, nullptr);
    });
    return std::string(bytes.begin(), bytes.end());
  });
}

inline Program Context::load(Span<const unsigned char> saved) const {
  kiln_program *program;
  check(kiln_program_load(get(), saved.data(), saved.size(), &program));
  return Program(program);
}

inline Program Context::link(std::initializer_list<const Object *> objects, const std::string &options) const {
  std::vector<kiln_object *> list;
  for (const Object *object : objects)
    list.push_back(object->get());
  kiln_link_desc desc = {};
  desc.objects = list.data();
  desc.object_count = static_cast<std::uint32_t>(list.size());
  desc.options = options.c_str();
  kiln_program *program;
  check(kiln_program_link(get(), &desc, &program));
  return Program(program);
}

} // namespace kiln

#include "tune.hpp"

#endif
