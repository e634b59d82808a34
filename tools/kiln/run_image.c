// Images and samplers of kiln run: their ARGs, and pictures of what a kernel has written.
#include <kiln/pixel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_BYTES ((uint64_t)1 << 40)

// ---- formats -------------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  uint8_t channels;
} orders[] = {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) {text, channels},
#include <kiln/pixel.def>
};

static const struct {
  const char *name;
  enum kiln_channel_kind kind;
} types[] = {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) {text, KILN_##kind},
#include <kiln/pixel.def>
};

#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) " " text
static const char order_names[] =
#include <kiln/pixel.def>
    ;
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) " " text
static const char type_names[] =
#include <kiln/pixel.def>
    ;

// What the memory of a channel is, or of a pixel of a packed type.
static const struct value_type *element_of(struct kiln_image_format format) {
  enum kiln_channel_kind kind = types[format.type].kind;
  const char *letter = kind == KILN_FLOAT ? "f" : kind == KILN_SNORM || kind == KILN_SINT ? "i" : "u";
  unsigned bytes = kiln_image_pixel_bytes(format) / (kind == KILN_PACKED ? 1 : orders[format.order].channels);
  char name[8];
  snprintf(name, sizeof name, "%s%u", letter, 8 * bytes);
  return find_type(name, strlen(name));
}

static int find_order(const char *text, size_t size) {
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    if (strlen(orders[i].name) == size && memcmp(orders[i].name, text, size) == 0)
      return (int)i;
  return -1;
}

static int find_channel_type(const char *text, size_t size) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == size && memcmp(types[i].name, text, size) == 0)
      return (int)i;
  return -1;
}

// ---- image:ORDER:TYPE:WxH[:VALUES] ---------------------------------------------------------------------------------

static int type_field(struct arg_text *arg, enum kiln_channel_order order, struct run_arg *out) {
  const char *text = "";
  size_t size = 0;
  arg_field(arg, &text, &size);
  int type = find_channel_type(text, size);
  if (type < 0)
    return arg_bad(arg, "'%.*s' is not a type of channels; these are%s", (int)size, text, type_names);
  out->format = (struct kiln_image_format){order, (enum kiln_channel_type)type};
  if (kiln_image_pixel_bytes(out->format) == 0)
    return arg_bad(arg, "there is no format %s:%s", orders[order].name, types[type].name);
  return EXIT_FINE;
}

// One to three sizes; *pixels: their product.
static int sizes_field(struct arg_text *arg, struct run_arg *out, uint64_t *pixels) {
  const char *text = "";
  size_t size = 0;
  if (!arg_field(arg, &text, &size))
    return arg_bad(arg, "the sizes are missing: W, WxH or WxHxD");
  *pixels = 1;
  for (size_t at = 0; at <= size;) {
    size_t digits = strcspn(text + at, "x:");
    uint64_t number;
    if (out->size_count == 3 || !parse_count(text + at, digits, &number) || number == 0 || number > UINT32_MAX)
      return arg_bad(arg, "'%.*s' are no sizes, which are W, WxH or WxHxD", (int)size, text);
    out->sizes[out->size_count++] = (uint32_t)number;
    if (__builtin_mul_overflow(*pixels, number, pixels) || *pixels > MAX_BYTES / 16)
      return arg_bad(arg, "%.*s pixels are too many", (int)size, text);
    at += digits + 1;
  }
  return EXIT_FINE;
}

static int values_field(struct arg_text *arg, uint64_t pixels, struct run_arg *out) {
  static const char *const made[] = {"zero", "iota", "fill", "rand"};
  const struct value_type *type = element_of(out->format);
  uint64_t count = pixels * (kiln_image_pixel_bytes(out->format) / type->size);
  const char *values = arg->rest, *form = "";
  size_t size = 0;
  if (!arg_field(arg, &form, &size))
    return arg_make(arg, "zero", type, count, out);
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    if (strlen(made[i]) == size && memcmp(made[i], form, size) == 0)
      return arg_make(arg, made[i], type, count, out);
  bool is_list = size == 4 && memcmp(form, "list", 4) == 0;
  if (is_list && !arg->rest)
    return arg_bad(arg, "the values are missing");
  int code = arg_values(arg, type, is_list ? arg->rest : values, out);
  if (code == EXIT_FINE && out->size != count * type->size)
    return arg_bad(arg, "%zu values, but the image has %llu", out->size / type->size, (unsigned long long)count);
  return code;
}

// ---- image:FILE ----------------------------------------------------------------------------------------------------

static bool is_space(char c) { return c && strchr(" \t\n\v\f\r", c); }

// A number of the head of a PPM, before which comments may stand.
static bool head_number(const char **at, const char *end, uint32_t *out) {
  while (*at < end && (is_space(**at) || **at == '#')) {
    if (**at == '#')
      while (*at < end && **at != '\n')
        ++*at;
    else
      ++*at;
  }
  size_t digits = 0;
  while (*at + digits < end && (*at)[digits] >= '0' && (*at)[digits] <= '9')
    digits++;
  uint64_t number;
  if (digits > 9 || !parse_count(*at, digits, &number))
    return false;
  *at += digits;
  *out = (uint32_t)number;
  return true;
}

struct picture {
  uint32_t width, height, most, channels, bytes; // bytes: of a channel
  const unsigned char *data;
};

static int read_head(const struct arg_text *arg, const char *text, size_t size, struct picture *out) {
  const char *at = text + 2, *end = text + size;
  bool is_one = size > 2 && text[0] == 'P' && (text[1] == '5' || text[1] == '6') &&
                head_number(&at, end, &out->width) && head_number(&at, end, &out->height) &&
                head_number(&at, end, &out->most) && at < end && is_space(*at) && out->width && out->height;
  if (!is_one)
    return fail(EXIT_DATA, "argument %u ('%s'): the file is no binary PPM or PGM (P6, P5)", (unsigned)arg->index,
                arg->whole);
  if (out->most != 255 && out->most != 65535)
    return fail(EXIT_DATA, "argument %u ('%s'): the largest value is %u; 255 and 65535 are possible",
                (unsigned)arg->index, arg->whole, (unsigned)out->most);
  out->data = (const unsigned char *)at + 1;
  out->channels = text[1] == '5' ? 1 : 3;
  out->bytes = out->most == 255 ? 1 : 2;
  uint64_t pixels = (uint64_t)out->width * out->height, wanted = pixels * out->channels * out->bytes;
  if (pixels <= MAX_BYTES / 16 && (uint64_t)(end - at - 1) >= wanted)
    return EXIT_FINE;
  return fail(EXIT_DATA, "argument %u ('%s'): the file ends before its %u x %u pixels do", (unsigned)arg->index,
              arg->whole, (unsigned)out->width, (unsigned)out->height);
}

// The pixels, with an alpha of 1 where they have colours.
static void take_pixels(const struct picture *picture, struct run_arg *out) {
  uint32_t channels = picture->channels == 1 ? 1 : 4;
  const unsigned char *from = picture->data;
  size_t pixels = (size_t)picture->width * picture->height;
  for (size_t i = 0; i < pixels * channels; i++) {
    unsigned char *to = out->data + i * picture->bytes;
    bool is_alpha = channels == 4 && i % 4 == 3;
    for (uint32_t b = 0; b < picture->bytes; b++)
      to[b] = is_alpha ? 255 : from[picture->bytes - 1 - b]; // the file has the high byte first
    from += is_alpha ? 0 : picture->bytes;
  }
}

static int parse_picture(struct arg_text *arg, struct run_arg *out) {
  char *text;
  size_t size;
  struct picture picture;
  int code = read_whole_file(arg->rest, FILE_DATA, &text, &size);
  if (code != EXIT_FINE)
    return code;
  code = read_head(arg, text, size, &picture);
  if (code == EXIT_FINE) {
    out->format.order = picture.channels == 1 ? KILN_ORDER_R : KILN_ORDER_RGBA;
    out->format.type = picture.bytes == 1 ? KILN_CHANNEL_UNORM8 : KILN_CHANNEL_UNORM16;
    out->sizes[0] = picture.width;
    out->sizes[1] = picture.height;
    out->size_count = 2;
    code = arg_allocate(arg, (size_t)picture.width * picture.height * kiln_image_pixel_bytes(out->format), out);
  }
  if (code == EXIT_FINE)
    take_pixels(&picture, out);
  free(text);
  return code;
}

int parse_image(struct arg_text *arg, struct run_arg *out) {
  out->kind = ARG_IMAGE;
  if (!arg->rest || !*arg->rest)
    return arg_bad(arg, "the file or format is missing: image:FILE or image:ORDER:TYPE:WxH[:VALUES]");
  size_t size = strcspn(arg->rest, ":");
  int order = arg->rest[size] ? find_order(arg->rest, size) : -1;
  if (order < 0 && arg->rest[size] && find_channel_type(arg->rest + size + 1, strcspn(arg->rest + size + 1, ":")) >= 0)
    return arg_bad(arg, "'%.*s' is not an order of channels; these are%s", (int)size, arg->rest, order_names);
  if (order < 0)
    return parse_picture(arg, out);
  uint64_t pixels = 0;
  arg->rest += size + 1;
  int code = type_field(arg, (enum kiln_channel_order)order, out);
  if (code == EXIT_FINE)
    code = sizes_field(arg, out, &pixels);
  return code == EXIT_FINE ? values_field(arg, pixels, out) : code;
}

// ---- sampler:WORD,WORD ---------------------------------------------------------------------------------------------

static const struct sampler_word {
  const char *name;
  uint32_t bits, mask;
} sampler_words[] = {
    {"none", 0, KILN_SAMPLER_ADDRESS},
    {"clamp_to_edge", KILN_SAMPLER_CLAMP_TO_EDGE, KILN_SAMPLER_ADDRESS},
    {"clamp", KILN_SAMPLER_CLAMP, KILN_SAMPLER_ADDRESS},
    {"repeat", KILN_SAMPLER_REPEAT, KILN_SAMPLER_ADDRESS},
    {"mirrored_repeat", KILN_SAMPLER_MIRRORED_REPEAT, KILN_SAMPLER_ADDRESS},
    {"nearest", KILN_SAMPLER_NEAREST, KILN_SAMPLER_NEAREST | KILN_SAMPLER_LINEAR},
    {"linear", KILN_SAMPLER_LINEAR, KILN_SAMPLER_NEAREST | KILN_SAMPLER_LINEAR},
    {"normalized", KILN_SAMPLER_NORMALIZED, KILN_SAMPLER_NORMALIZED},
};

static const struct sampler_word *find_sampler_word(const char *text, size_t size) {
  for (size_t i = 0; i < sizeof sampler_words / sizeof *sampler_words; i++)
    if (strlen(sampler_words[i].name) == size && memcmp(sampler_words[i].name, text, size) == 0)
      return &sampler_words[i];
  return NULL;
}

int parse_sampler(struct arg_text *arg, struct run_arg *out) {
  const char *text = arg->rest ? arg->rest : "";
  uint32_t given = 0;
  out->kind = ARG_SAMPLER;
  if (parse_value(find_type("u32", 3), text, &out->sampler))
    return EXIT_FINE;
  for (size_t size = 0;; text += size + 1) {
    size = strcspn(text, ",");
    const struct sampler_word *word = find_sampler_word(text, size);
    if (!word)
      return arg_bad(arg,
                     "'%.*s' is no word of a sampler; these are none clamp_to_edge clamp repeat mirrored_repeat, "
                     "nearest linear, normalized; or a number",
                     (int)size, text);
    if (given & word->mask)
      return arg_bad(arg, "'%s' and an earlier word exclude each other", word->name);
    given |= word->mask;
    out->sampler |= word->bits;
    if (!text[size])
      break;
  }
  if (!(given & KILN_SAMPLER_NEAREST))
    out->sampler |= KILN_SAMPLER_NEAREST;
  return EXIT_FINE;
}

// ---- the run -------------------------------------------------------------------------------------------------------

int make_image(struct kiln_context *ctx, struct run_arg *arg, uint32_t index, const struct kiln_arg_info *info) {
  static const uint8_t counts[] = {
      [KILN_IMAGE_1D] = 1,       [KILN_IMAGE_1D_BUFFER] = 1, [KILN_IMAGE_1D_ARRAY] = 2, [KILN_IMAGE_2D] = 2,
      [KILN_IMAGE_2D_ARRAY] = 3, [KILN_IMAGE_3D] = 3,        [KILN_IMAGE_2D_DEPTH] = 2, [KILN_IMAGE_2D_ARRAY_DEPTH] = 3,
  };
  static const uint8_t by_count[] = {0, KILN_IMAGE_1D, KILN_IMAGE_2D, KILN_IMAGE_3D};
  const struct arg_text text = {arg->text, NULL, index};
  // Where the parameter is no image, any dimension will do: the launch reports it.
  uint8_t dimension = info->kind == KILN_ARG_IMAGE ? info->image : by_count[arg->size_count];
  if (arg->size_count != counts[dimension]) {
    arg_bad(&text, "%u size%s given, but '%s' is of type %s, which has %u", (unsigned)arg->size_count,
            arg->size_count == 1 ? "" : "s", info->name, info->type_name, (unsigned)counts[dimension]);
    return EXIT_DATA;
  }
  struct kiln_image_desc desc = {.dimension = (enum kiln_image_dimension)dimension,
                                 .format = arg->format,
                                 .width = arg->sizes[0],
                                 .buffer = arg->buffer};
  bool has_layers =
      dimension == KILN_IMAGE_1D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
  if (has_layers) {
    desc.layers = arg->sizes[arg->size_count - 1];
    desc.height = arg->size_count == 3 ? arg->sizes[1] : 0;
  } else {
    desc.height = arg->sizes[1];
    desc.depth = arg->sizes[2];
  }
  if (kiln_image_create(ctx, &desc, &arg->image) == KILN_OK)
    return EXIT_FINE;
  arg_bad(&text, "%s", kiln_last_error());
  return EXIT_DATA;
}

// ---- pictures of images --------------------------------------------------------------------------------------------

static uint32_t whole(float value, uint32_t most) {
  return value >= 1 ? most : value > 0 ? (uint32_t)lrintf(value * (float)most) : 0; // a NaN is 0
}

// The colours of a pixel, or its only channel: count numbers from 0 to most.
static void colours_of(struct kiln_image_format format, const unsigned char *pixel, uint32_t most, uint32_t count,
                       uint32_t *out) {
  union kiln_pixel value = kiln_pixel_load(format, pixel);
  uint32_t first = format.order == KILN_ORDER_A ? 3 : 0;
  for (uint32_t c = 0; c < count; c++)
    out[c] = types[format.type].kind == KILN_UINT ? value.u[first + c] : whole(value.f[first + c], most);
}

int make_picture(const struct run_arg *arg, struct run_output *output) {
  struct kiln_image_format format = arg->format;
  enum kiln_channel_kind kind = types[format.type].kind;
  bool is_wide = format.type == KILN_CHANNEL_UNORM16 || format.type == KILN_CHANNEL_U16;
  if (kind == KILN_SINT || (kind == KILN_UINT && format.type == KILN_CHANNEL_U32))
    return fail(EXIT_DATA, "-o %u: pixels of %s:%s are no colours; a FILE whose name ends with .raw gets their bytes",
                (unsigned)output->index, orders[format.order].name, types[format.type].name);
  if (format.order == KILN_ORDER_SRGBA || format.order == KILN_ORDER_SBGRA) // the file has them as they are
    format.order = format.order == KILN_ORDER_SRGBA ? KILN_ORDER_RGBA : KILN_ORDER_BGRA;
  uint32_t count = orders[format.order].channels == 1 ? 1 : 3, most = is_wide ? 65535 : 255, bytes = is_wide ? 2 : 1;
  size_t pixel = kiln_image_pixel_bytes(format), pixels = output->size / pixel;
  char head[64];
  int head_size = snprintf(head, sizeof head, "P%c\n%u %llu\n%u\n", count == 1 ? '5' : '6', (unsigned)arg->sizes[0],
                           (unsigned long long)(pixels / arg->sizes[0]), (unsigned)most);
  unsigned char *picture = malloc((size_t)head_size + pixels * count * bytes), *to = picture;
  if (!picture)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  memcpy(to, head, (size_t)head_size);
  to += head_size;
  for (size_t i = 0; i < pixels; i++) {
    uint32_t colours[3];
    colours_of(format, output->data + i * pixel, most, count, colours);
    for (uint32_t c = 0; c < count; c++) {
      if (bytes == 2)
        *to++ = (unsigned char)(colours[c] >> 8);
      *to++ = (unsigned char)colours[c];
    }
  }
  free(output->data);
  output->data = picture;
  output->size = (size_t)(to - picture);
  return EXIT_FINE;
}
