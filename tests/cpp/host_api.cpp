// kiln.hpp on a backend: host_api BACKEND. Each test throws, or fails an EXPECT.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <unistd.h>

#include "kiln/kiln.hpp"

static int failures;

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                      \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

// Whether the call throws an error of the status whose message contains the text.
template <class F> static bool throws(kiln_status status, const char *text, const F &call) {
  try {
    call();
  } catch (const kiln::Error &error) {
    bool right = error.status() == status && std::strstr(error.what(), text);
    if (!right)
      std::printf("thrown: %s: %s\n", kiln_status_name(error.status()), error.what());
    return right;
  }
  std::printf("nothing is thrown\n");
  return false;
}

static const char kernels[] = R"(
struct body { float4 at; float mass; };
kernel void saxpy(int n, float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
kernel void numbers(global long *o, char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul, float f) {
  o[0] = c; o[1] = uc; o[2] = s; o[3] = us; o[4] = i; o[5] = u; o[6] = l; o[7] = ul; o[8] = (long)(f * 4);
}
kernel void by_value(global float *o, struct body b, float2 v) { o[0] = b.at.z + b.mass; o[1] = v.x - v.y; }
kernel void reversed(global int *o, local int *t, global int *unused) {
  int l = get_local_id(0), n = get_local_size(0);
  t[l] = o[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = t[n - 1 - l] + (unused ? 1000 : 0);
}
kernel void places(global uint *o) { o[get_global_id(1) * 4 + get_global_id(0)] = get_global_id(0) * 10 + get_global_id(1); }
)";

static void launches(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  std::vector<float> ones(100, 1.f);
  kiln::Buffer<float> x(context, ones), y(context, 100);
  y.fill(stream, 2.f);
  kiln::Kernel saxpy = program["saxpy"];
  saxpy(stream, {100}, 100, 3, x, y); // an int for the float
  EXPECT(y.read(stream) == std::vector<float>(100, 5.f));
  kiln::Event event = saxpy.launch(stream, kiln::Range({100}).group({10}), 50L, 1.5, x, y);
  event.wait();
  EXPECT(event.done());
  EXPECT(event.times().ended_ns >= event.times().started_ns);
  kiln::Event so_far = stream.record();
  so_far.wait();
  EXPECT(so_far.state() == KILN_EVENT_DONE);
  std::array<float, 2> two;
  y.read_into(stream, two, 49);
  stream.finish();
  EXPECT(two[0] == 6.5f && two[1] == 5);
  kiln::Prepared again = saxpy.prepare(stream, {100}, 100, 1, x, y);
  for (int i = 0; i < 3; i++)
    again.run();
  again.run_with_event().wait();
  EXPECT(y.read(stream)[0] == 10.5f);
  kiln::Graph graph(context);
  y.fill(graph.stream(), 1.f);
  const std::uint32_t index = graph.size();
  saxpy(graph.stream(), {100}, 100, 2, x, y);
  graph.finalize();
  graph.run(stream);
  EXPECT(y.read(stream)[0] == 3);
  saxpy.update(graph, index, {50}, 50, 4, x, y);
  graph.run_with_event(stream).wait();
  EXPECT(y.read(stream)[49] == 5 && y.read(stream)[50] == 1);
  y.fill(stream, 10.5f);
  EXPECT(saxpy.info().arg_count == 4 && std::string(saxpy.info().args[2].name) == "x");

  kiln::Buffer<std::uint32_t> grid(context, 12);
  grid.fill(stream, 7u);
  program["places"](stream, kiln::Range({2, 2}).offset({1, 1}), grid);
  EXPECT((grid.read(stream) == std::vector<std::uint32_t>{7, 7, 7, 7, 7, 11, 21, 7, 7, 12, 22, 7}));
}

static void arguments(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  kiln::Buffer<std::int64_t> o(context, 9);
  program["numbers"](stream, {1}, o, -128, 255, -32768L, 65535u, INT32_MIN, UINT32_MAX, INT64_MIN, UINT64_MAX, 0.75);
  EXPECT(
      (o.read(stream) == std::vector<std::int64_t>{-128, 255, -32768, 65535, INT32_MIN, UINT32_MAX, INT64_MIN, -1, 3}));

  struct body {
    alignas(16) float at[4];
    float mass;
  };
  kiln::Buffer<float> f(context, 2);
  program["by_value"](stream, {1}, f, body{{1, 2, 3, 4}, 0.5f}, std::array<float, 2>{5, 3});
  EXPECT((f.read(stream) == std::vector<float>{3.5f, 2}));

  std::vector<int> order(8);
  std::iota(order.begin(), order.end(), 0);
  kiln::Buffer<int> i(context, order);
  program["reversed"](stream, kiln::Range({8}).group({4}), i, kiln::Local<int>{4}, nullptr);
  EXPECT((i.read(stream) == std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
}

static void refusals(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  kiln::Buffer<float> x(context, 4);
  kiln::Buffer<int> i(context, 4);
  kiln::Buffer<std::int64_t> o(context, 9);
  kiln::Kernel saxpy = program["saxpy"], numbers = program["numbers"], reversed = program["reversed"];
  auto invalid = [](const char *text, auto &&call) { return throws(KILN_ERR_INVALID, text, call); };
  EXPECT(invalid("takes 4 arguments, not 3", [&] { saxpy(stream, {4}, 4, 1.f, x); }));
  EXPECT(
      invalid("argument 3 'y' is float*, and the elements given are int", [&] { saxpy(stream, {4}, 4, 1.f, x, i); }));
  EXPECT(invalid("argument 2 'x' is float*, and takes a buffer", [&] { saxpy(stream, {4}, 4, 1.f, 1.f, x); }));
  EXPECT(invalid("argument 0 'n' is int, and takes no buffer", [&] { saxpy(stream, {4}, x, 1.f, x, x); }));
  EXPECT(
      invalid("argument 0 'n' is int, which the value 3000000000", [&] { saxpy(stream, {4}, 3000000000, 1.f, x, x); }));
  EXPECT(invalid("argument 0 'n' is int, which a floating", [&] { saxpy(stream, {4}, 4.5, 1.f, x, x); }));
  EXPECT(invalid("argument 2 'uc' is uchar, which the value -1",
                 [&] { numbers(stream, {1}, o, 0, -1, 0, 0, 0, 0, 0, 0, 0.f); }));
  EXPECT(invalid("argument 8 'ul' is ulong, which the value -1",
                 [&] { numbers(stream, {1}, o, 0, 0, 0, 0, 0, 0, 0, -1, 0.f); }));
  EXPECT(invalid("argument 1 't' is int*, and takes kiln::Local", [&] { reversed(stream, {4}, i, 4, nullptr); }));
  EXPECT(invalid("argument 1 'b' is struct body, of 32 bytes",
                 [&] { program["by_value"](stream, {1}, x, std::array<float, 3>{}, std::array<float, 2>{}); }));
  try {
    saxpy(stream, kiln::Range({4}).group({1 << 20}), 4, 1.f, x, x);
    EXPECT(!"nothing is thrown");
  } catch (const kiln::Error &error) {
    EXPECT(error.reason() == KILN_REASON_LOCAL_SIZE && error.index() == 0);
  }
  EXPECT(invalid("1 to 3 dimensions", [&] { saxpy(stream, {1, 1, 1, 1}, 4, 1.f, x, x); }));
  EXPECT(throws(KILN_ERR_NOT_FOUND, "saxpy", [&] { program.kernel("saxpi"); }));
  EXPECT(throws(KILN_ERR_COMPILE, "k.cl:1:", [&] { context.compile("kernel void k( {", {"", "k.cl", {}}); }));
  EXPECT(throws(KILN_ERR_NOT_FOUND, "nowhere", [] {
    kiln::Options options;
    options.backend = "nowhere";
    kiln::Context context(options);
  }));
}

static void programs(const kiln::Context &context) {
  kiln::Stream stream(context);
  kiln::Buffer<int> o(context, 1);
  kiln::Source how;
  how.options = "-DTWO=2";
  how.headers = {{"three.h", "#define THREE 3\n"}};
  kiln::Program program =
      context.compile("#include \"three.h\"\nkernel void k(global int *o) { *o = TWO + THREE; }", how);
  EXPECT(program.kernel_names() == std::vector<std::string>{"k"});
  EXPECT(program.stage("ir").find("kernel @k") != std::string::npos);
  EXPECT(context.stage("kernel void k() {}", "ir").find("kernel @k") != std::string::npos);
  kiln::Program loaded = context.load(program.save());
  program = kiln::Program(); // the kernel below does not need it
  kiln::Kernel kernel = loaded.kernel();
  loaded = kiln::Program();
  kernel(stream, {1}, o);
  EXPECT(o.read(stream)[0] == 5);

  kiln::Object add = context.compile_object("int add(int x, int y) { return x + y; }"),
               main = context.compile_object("int add(int, int);\nkernel void k(global int *o) { *o = add(*o, 4); }");
  context.link({&main, &add})["k"](stream, {1}, o);
  EXPECT(o.read(stream)[0] == 9);
  EXPECT(throws(KILN_ERR_COMPILE, "add", [&] { context.link({&main}); }));
}

static std::string text_of(const kiln::Define &define) { return define.name + '=' + define.text; }

// Each macro is the constant that has the value's type and value.
static void macros(const kiln::Context &context) {
  kiln::Source how;
  how.options = "-DBEFORE=1";
  how.defines = {{"FLAG"},
                 {"T", "unsigned int"},
                 {"TEXT", "\"a \\\\ b\""},
                 {"N", 4},
                 {"LEAST", std::numeric_limits<std::int32_t>::min()},
                 {"LEAST_LONG", std::numeric_limits<std::int64_t>::min()},
                 {"MOST", std::numeric_limits<std::uint64_t>::max()},
                 {"YES", true},
                 {"HALF", 0.5f},
                 {"TENTH", 0.1},
                 {"BIG", 3e38f},
                 {"INF", -std::numeric_limits<float>::infinity()}};
  kiln::Program program = context.compile(R"(
    kernel void k(global long *o) {
      T t = 0;
      constant char *text = TEXT;
      o[0] = FLAG + N + BEFORE + (t - 1 > 0);
      o[1] = LEAST; o[2] = sizeof(LEAST);
      o[3] = LEAST_LONG; o[4] = MOST == ULONG_MAX;
      o[5] = YES; o[6] = sizeof(HALF); o[7] = sizeof(TENTH);
      o[8] = HALF == 0.5f && TENTH == 0.1 && BIG == 3e38f && INF == -INFINITY;
      o[9] = text[0] == 'a' && text[2] == '\\' && text[5] == 0;
    })",
                                          how);
  kiln::Stream stream(context);
  kiln::Buffer<std::int64_t> out(context, std::vector<std::int64_t>(10, -1));
  program.kernel()(stream, {1}, out);
  std::vector<std::int64_t> wanted = {
      7, std::numeric_limits<std::int32_t>::min(), 4, std::numeric_limits<std::int64_t>::min(), 1, 1, 4, 8, 1, 1};
  EXPECT(out.read(stream) == wanted);
  EXPECT(text_of({"N", 3u}) == "N=3U" && text_of({"C", 'a'}) == "C=97" && text_of({"S", std::string("x")}) == "S=x");
}

static void handles(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  std::vector<float> memory(64, 1.f);
  {
    kiln::Buffer<float> wrapped = kiln::Buffer<float>::wrap(context, memory), moved(std::move(wrapped));
    EXPECT(!wrapped && moved && moved.size() == 64);
    kiln::Buffer<float> &same = moved;
    moved = std::move(same);
    program["saxpy"](stream, {64}, 64, 1, moved, moved);
    EXPECT(moved.read(stream)[63] == 2);
    kiln::Buffer<float> window = moved.sub(32, 8), copy(context, 8);
    window.fill(stream, 9.f);
    window.copy_to(stream, copy);
    EXPECT(copy.read(stream) == std::vector<float>(8, 9.f));
    EXPECT(moved.read(stream)[31] == 2 && moved.read(stream)[32] == 9 && moved.read(stream)[40] == 2);
    if (context.device_info().host_memory)
      EXPECT(moved.host() == memory.data());
    kiln_buffer *given = copy.release();
    kiln_buffer_release(given);
  }
}

static void callbacks(const char *backend) {
  std::string printed;
  kiln::Options options;
  options.backend = backend;
  options.print = [&](const char *text, std::size_t size) { printed.append(text, size); };
  kiln::Context first(options), context(std::move(first));
  first = std::move(context);
  kiln::Stream stream(first);
  first.compile("kernel void k(int n) { printf(\"n is %d\\n\", n); }").kernel()(stream, {1}, 42);
  stream.finish();
  EXPECT(printed == "n is 42\n");
}

// A NUL is a character like others: what follows is not cut off.
static void sources_with_a_nul(const kiln::Context &context) {
  std::string text = "kernel void k(global int *o) { *o = 1; }";
  EXPECT(throws(KILN_ERR_COMPILE, "'unknown'", [&] { context.compile(text + '\0' + " unknown x;"); }));
}

// A kernel that prints runs after the last handle of its context went.
static void callbacks_outlive_the_context(const char *backend) {
  std::string printed;
  kiln::Stream stream;
  kiln::Kernel kernel;
  {
    kiln::Options options;
    options.backend = backend;
    options.print = [&](const char *text, std::size_t size) { printed.append(text, size); };
    kiln::Context context(options);
    stream = kiln::Stream(context);
    kernel = context.compile("kernel void k(int n) { printf(\"n is %d\\n\", n); }").kernel();
  }
  kernel(stream, {1}, 42);
  stream.finish();
  EXPECT(printed == "n is 42\n");
}

static void traces_and_counters(const kiln::Context &context, kiln::Program &program) {
  EXPECT(throws(KILN_ERR_IO, "nowhere", [&] { context.trace("/nowhere/trace.json"); }));
  char path[] = "/tmp/kiln-cpp-trace-XXXXXX";
  close(mkstemp(path));
  struct ::kiln_context_stats before = context.stats();
  context.trace(path);
  kiln::Stream stream(context);
  kiln::Buffer<float> x(context, std::vector<float>(4, 1.f)), y(context, std::vector<float>(4, 1.f));
  program["saxpy"](stream, {4}, 4, 2, x, y);
  EXPECT(y.read(stream)[3] == 3);
  context.end_trace();
  EXPECT(context.stats().launches == before.launches + 1 && context.stats().reads == before.reads + 1);
  EXPECT(context.stats().buffers == before.buffers + 2);
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT(text.find("\"saxpy\"") != std::string::npos && text.substr(text.size() - 3) == "\n]\n");
  std::remove(path);
}

static void events_of_the_host(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  kiln::Buffer<float> x(context, std::vector<float>(4, 1.f)), y(context, std::vector<float>(4, 2.f));
  kiln::UserEvent go(context), failed(context);
  stream.wait(go);
  kiln::Event after = program["saxpy"].launch(stream, {4}, 4, 3, x, y);
  EXPECT(!go.done() && after.state() < KILN_EVENT_DONE);
  go.signal();
  after.wait();
  EXPECT(after.state() == KILN_EVENT_DONE && y.read(stream) == std::vector<float>(4, 5.f));
  EXPECT(throws(KILN_ERR_INVALID, "signalled before", [&] { go.signal(); }));
  failed.signal(KILN_ERR_IO);
  EXPECT(throws(KILN_ERR_IO, "input/output error", [&] { failed.wait(); }));
}

// Where the device follows pointers of the process.
static void pointers(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  std::vector<float> x(4, 1.f), y(4, 2.f);
  const float *from = x.data();
  std::vector<int> wrong(4);
  auto call = [&] { program["saxpy"](stream, {4}, 4, 3, from, y.data()); };
  if (context.native().runtime != KILN_RUNTIME_HOST) {
    EXPECT(throws(KILN_ERR_UNSUPPORTED, "no pointers", call));
    return;
  }
  call();
  stream.finish();
  EXPECT(y == std::vector<float>(4, 5.f));
  EXPECT(throws(KILN_ERR_INVALID, "the elements given are int",
                [&] { program["saxpy"](stream, {4}, 4, 3, wrong.data(), y.data()); }));
}

static void native_handles(const kiln::Context &context, kiln::Program &program) {
  kiln_native_context native = context.native();
  bool is_opencl = native.runtime == KILN_RUNTIME_OPENCL;
  kiln::Buffer<float> x(context, std::vector<float>(64, 1.f)), y(context, std::vector<float>(64, 1.f));
  std::pair<void *, std::size_t> memory = y.sub(32, 32).native();
  EXPECT(memory.first && memory.second == 128);
  if (!is_opencl) {
    EXPECT(throws(KILN_ERR_UNSUPPORTED, "no queues", [&] { kiln::Stream(context).native(); }));
    EXPECT(throws(KILN_ERR_INVALID, "kiln_context_open", [&] { kiln::Context::on(native); }));
    EXPECT(kiln::Buffer<float>::on(context, memory.first, 64).host() == y.host());
    return;
  }
  kiln::Context same = kiln::Context::on(native);
  EXPECT(same.native().context == native.context && same.device_count() == 1);
  kiln::Stream stream(context), again = kiln::Stream::on(same, stream.native());
  auto z = kiln::Buffer<float>::on(same, memory.first);
  EXPECT(again.native() == stream.native() && z.size() == 64 && z.native().first == memory.first);
  program["saxpy"](stream, {64}, 64, 2, x, y);
  EXPECT(z.read(again)[63] == 3); // on the same queue, after the kernel
}

static void images(const kiln::Context &context, const kiln::Program &program) {
  kiln::Stream stream(context);
  const kiln_image_format bytes = {KILN_ORDER_RG, KILN_CHANNEL_U8}, floats = {KILN_ORDER_R, KILN_CHANNEL_F32};
  std::vector<std::uint16_t> pixels(12);
  std::iota(pixels.begin(), pixels.end(), std::uint16_t{1});
  kiln::Image image(context, KILN_IMAGE_2D, bytes, {4, 3}, pixels),
      array(context, KILN_IMAGE_2D_ARRAY, bytes, {4, 3, 2});
  pixels[5] = 0; // of the image there is a copy
  image.copy_to(stream, array, nullptr, {0, 0, 1});
  const kiln_image_region part = {{1, 1, 1}, {2, 1, 1}}, layer = {{0, 0, 1}, {4, 3, 1}};
  EXPECT((array.read<std::uint16_t>(stream, &part) == std::vector<std::uint16_t>{6, 7}));
  kiln_pixel pixel = {};
  pixel.u[0] = 9;
  array.fill(stream, pixel, &part);
  std::vector<unsigned char> all = array.read<unsigned char>(stream, &layer);
  EXPECT(all.size() == 24 && all[8] == 5 && all[10] == 9 && all[11] == 0 && all[12] == 9 && all[14] == 8);
  array.write(stream, pixels, &layer);
  std::array<std::uint16_t, 12> again;
  array.read_into(stream, again, &layer);
  stream.finish();
  EXPECT(std::equal(again.begin(), again.end(), pixels.begin()));
  kiln::Buffer<float> buffer(context, std::vector<float>{1, 2, 3, 4});
  kiln::Image line = kiln::Image::of(context, buffer, KILN_IMAGE_1D_BUFFER, floats, {4});
  EXPECT((line.read<float>(stream) == std::vector<float>{1, 2, 3, 4} && line.info().buffer == buffer.get()));
  alignas(128) static std::array<float, 4> host = {5, 6, 7, 8};
  kiln::Image wrapped = kiln::Image::wrap(context, KILN_IMAGE_2D, floats, {2, 2}, host);
  EXPECT(wrapped.read<float>(stream)[3] == 8 && wrapped.info().row == 8);

  auto invalid = [](const char *text, auto &&call) { return throws(KILN_ERR_INVALID, text, call); };
  EXPECT(invalid("has 2 sizes, and 1 are", [&] { kiln::Image(context, KILN_IMAGE_2D, bytes, {4}); }));
  EXPECT(invalid("has 32 bytes, and host_bytes are 24", [&] {
    kiln::Image(context, KILN_IMAGE_2D, bytes, {4, 4}, pixels);
  }));
  EXPECT(invalid("pixels of 48 bytes, and memory of 24", [&] { array.write(stream, pixels); }));
  EXPECT(invalid("do not fit into src", [&] {
    const kiln_image_region wide = {{0, 0, 0}, {5, 1, 1}};
    image.read<char>(stream, &wide);
  }));
  kiln::Kernel saxpy = program["saxpy"];
  EXPECT(invalid("is float*, and takes no image", [&] { saxpy(stream, {1}, 1, 1, image, buffer); }));
  EXPECT(invalid("is int, and takes no sampler",
                 [&] { saxpy(stream, {1}, kiln::Sampler{KILN_SAMPLER_NEAREST}, 1, buffer, buffer); }));
}

// Kernels that ask images for their sizes, as text of the IR.
static void images_in_launches(const kiln::Context &context) {
  kiln::Program program = context.compile(
      "kiln_ir 1\nkernel @k(%o: ptr.global \"int*\" align 4, %a: image2d.read \"image2d_t\", %s: i32 \"sampler_t\" of "
      "sampler) {\n  %w = image_query.width %a : i32\n  %t = iadd %w, %s\n  store %o, %t, align 4\n  return\n}\n",
      {"", "", {}, KILN_SOURCE_IR_TEXT});
  kiln::Stream stream(context);
  kiln::Buffer<int> out(context, 1);
  kiln::Image image(context, KILN_IMAGE_2D, {KILN_ORDER_R, KILN_CHANNEL_U8}, {4, 3});
  kiln::Kernel kernel = program.kernel();
  kernel(stream, {1}, out, image, kiln::Sampler{KILN_SAMPLER_NEAREST});
  EXPECT(out.read(stream)[0] == 20);
  auto invalid = [](const char *text, auto &&call) { return throws(KILN_ERR_INVALID, text, call); };
  EXPECT(invalid("and takes kiln::Image", [&] { kernel(stream, {1}, out, 1, kiln::Sampler{16}); }));
  EXPECT(invalid("and takes kiln::Sampler", [&] { kernel(stream, {1}, out, image, 1); }));
  EXPECT(invalid("and takes no buffer", [&] { kernel(stream, {1}, out, out, kiln::Sampler{16}); }));
  EXPECT(invalid("has neither of", [&] { kernel(stream, {1}, out, image, kiln::Sampler{0}); }));
}

// Without a record the default values run: 2 numbers by each of 8 work-items of a group.
static const char *const tuned_source = R"(
#pragma kernel tune(RM = 2, 4)
#pragma kernel problem_size(n)
#pragma kernel block_size(8)
#pragma kernel grid_divisor(8 * RM)
kernel void fill(int n, global int *x) {
  for (int i = 0; i < RM; i++) {
    int at = (int)get_global_id(0) * RM + i;
    if (at < n) x[at] = RM * 100 + (int)get_local_size(0);
  }
})";
static void tuned_launches(const kiln::Context &context) {
  kiln::Program program = context.compile(tuned_source);
  kiln::Stream stream(context);
  kiln::Buffer<int> x(context, 100);
  program["fill"](stream, kiln::Range::tuned(), 100, x);
  for (int value : x.read(stream))
    EXPECT(value == 208);
}

// Its points differ in results, so that all but the default are wrong; with equal results one of them is the best.
static void tuning(const char *backend) {
  kiln::Options on;
  on.backend = backend;
  std::string folder = "/tmp/kiln-cpp-XXXXXX";
  EXPECT(mkdtemp(folder.data()));
  on.cache_dir = folder;
  on.cache_mode = "rw";
  {
    kiln::Context context(on);
    kiln::Buffer<int> x(context, std::vector<int>(100, 5));
    kiln::TuneOptions how;
    how.all = how.warm = true;
    int events = 0;
    how.progress = [&](const kiln::TuneEvent &event) {
      EXPECT(event.point.count("RM") == 1);
      EXPECT((event.kind == KILN_TUNE_EVENT_WRONG) == (event.point.at("RM") == 4));
      return ++events < 100;
    };
    kiln::TuneResult result = kiln::tune(context, tuned_source, {}, "fill", how, 100, x);
    EXPECT(events == 2 && result.points == 1 && result.wrong == 1 && result.failed == 0);
    EXPECT(result.point == kiln::Point({{"RM", 2}}));
    EXPECT(result.message.find("RM=4: its results differ") == 0);
    kiln::Stream stream(context);
    EXPECT(x.read(stream) == std::vector<int>(100, 5)); // as before
    std::vector<kiln::TuneRecord> records = kiln::tune_records(context, tuned_source);
    EXPECT(records.size() == 1 && records[0].kernel == "fill" && records[0].size_class.empty());
    EXPECT(records.size() == 1 && records[0].point == result.point && !records[0].device.empty());
    EXPECT(kiln::tune_forget(context, tuned_source, {}, "fill") == 1);
    EXPECT(kiln::tune_records(context, tuned_source).empty());
    how.progress = [](const kiln::TuneEvent &) -> bool { throw std::string("mine"); };
    bool is_mine = false;
    try {
      kiln::tune(context, tuned_source, {}, "", how, 100, x);
    } catch (const std::string &text) {
      is_mine = text == "mine";
    }
    EXPECT(is_mine);
    EXPECT(throws(KILN_ERR_INVALID, "takes 2 arguments, not 1",
                  [&] { kiln::tune(context, tuned_source, {}, "fill", {}, 100); }));
  }
  std::filesystem::remove_all(folder);
}

int main(int argc, char **argv) {
  const char *backend = argc > 1 ? argv[1] : "";
  try {
    kiln::Options options;
    options.backend = backend;
    kiln::Context context(options);
    kiln::Program program = context.compile(kernels, {"", "kernels.cl", {}});
    EXPECT(program.log().empty());
    launches(context, program);
    arguments(context, program);
    refusals(context, program);
    programs(context);
    macros(context);
    handles(context, program);
    traces_and_counters(context, program);
    native_handles(context, program);
    events_of_the_host(context, program);
    pointers(context, program);
    images(context, program);
    images_in_launches(context);
    tuned_launches(context);
    tuning(backend);
    sources_with_a_nul(context);
    callbacks(backend);
    callbacks_outlive_the_context(backend);
  } catch (const kiln::Error &error) {
    std::printf("%s: %s\n", kiln_status_name(error.status()), error.what());
    return error.status() == KILN_ERR_UNAVAILABLE ? 77 : 1;
  }
  return failures != 0;
}
