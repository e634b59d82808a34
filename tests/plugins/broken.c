// Plugins that go wrong, one per value of BROKEN; 0 is a good one. Each hands on to the interpreter and lies in one
// place.
#include <kiln/backend.h>
#include <stdlib.h>
#include <string.h>

enum broken {
  GOOD,
  NO_SYMBOL,
  OTHER_ABI,
  REFUSES,   // returns no table
  NULL_NAME, // in its table
  OTHER_NAME,
  SHORT_TABLE,
  LONG_TABLE,
  NO_FUNCTIONS,
  NO_DRIVER_SLOT,
  OLD_TABLE, // from before the optional members: fine
  NULL_FRAGMENTS,
  UNTERMINATED_ARCH,
  EMPTY_ARTIFACT,
  NULL_ARTIFACT,
  NO_META,
  WRONG_META,
  MUTE,
  BAD_STATUS,
  NULL_MODULE,
  NULL_DRIVER,
  NULL_INFO,
  NULL_OPTION,
};

#if BROKEN != 1 // NO_SYMBOL

#define ABI (BROKEN == OTHER_ABI ? KILN_BACKEND_ABI + 1 : KILN_BACKEND_ABI)

static struct kiln_base_backend table; // made once, on load
static struct kiln_driver driver;

static enum kiln_status make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  if (BROKEN == MUTE)
    return KILN_ERR_NOT_FOUND;
  if (BROKEN == BAD_STATUS)
    return (enum kiln_status)99;
  enum kiln_status status = kiln_interpreter()->make_target(arch, out, report);
  if (BROKEN == UNTERMINATED_ARCH && status == KILN_OK)
    memset(out->arch, 'x', sizeof out->arch);
  return status;
}

static enum kiln_status detect_target(struct kiln_target *out, struct kiln_report *report) {
  return make_target("generic", out, report);
}

static uint32_t fragments(const struct kiln_target *target, const struct kiln_options *options,
                          const struct kiln_fragment **out) {
  static const struct kiln_fragment nameless[] = {{NULL, NULL, NULL}, {"ir", NULL, NULL}};
  if (BROKEN != NULL_FRAGMENTS)
    return kiln_interpreter()->pipeline_fragments(target, options, out);
  *out = options->optimize ? nameless : NULL;
  return 2;
}

static enum kiln_status compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                struct kiln_report *report) {
  enum kiln_status status = kiln_interpreter()->compile(job, out, report);
  if (status != KILN_OK)
    return status;
  if (BROKEN == EMPTY_ARTIFACT)
    out->size = 0;
  if (BROKEN == NULL_ARTIFACT) {
    free(out->data);
    out->data = NULL;
  }
  if (BROKEN == NO_META || BROKEN == NULL_ARTIFACT) {
    free(out->meta);
    out->meta = NULL; // and says that there is some
  }
  if (BROKEN == WRONG_META)
    memset(out->meta, 0xff, out->meta_size);
  return KILN_OK;
}

static enum kiln_status load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                             struct kiln_report *report) {
  return BROKEN == NULL_MODULE ? KILN_OK : kiln_interpreter()->driver->load(drv, code, out, report);
}

static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  return BROKEN == NULL_DRIVER ? KILN_OK : kiln_interpreter()->driver->open(config, out, report);
}

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  kiln_interpreter()->driver->device_info(drv, device, out);
  if (BROKEN == NULL_INFO)
    out->name = out->vendor = out->driver = NULL;
}

__attribute__((constructor)) static void make_table(void) {
  static const struct kiln_option nameless = {NULL, KILN_OPTION_INT, "0", "", true};
  driver = *kiln_interpreter()->driver;
  driver.load = load;
  driver.open = open_driver;
  driver.device_info = device_info;
  driver.event_done = BROKEN == NO_DRIVER_SLOT ? NULL : driver.event_done;
  table = *kiln_interpreter();
  table.abi_version = ABI;
  table.name = BROKEN == NULL_NAME ? NULL : BROKEN == OTHER_NAME ? "other" : "test";
  table.tags = "";
  table.description = BROKEN == NULL_NAME ? NULL : "a plugin for tests";
  table.make_target = make_target;
  table.detect_target = detect_target;
  table.pipeline_fragments = fragments;
  table.compile = compile;
  table.driver = &driver;
  if (BROKEN == SHORT_TABLE)
    table.struct_size = 16;
  if (BROKEN == LONG_TABLE)
    table.struct_size += 8;
  if (BROKEN == OLD_TABLE) {
    table.struct_size = offsetof(struct kiln_base_backend, start_stages);
    driver.struct_size = offsetof(struct kiln_driver, runtime);
  }
  if (BROKEN == NO_FUNCTIONS)
    table.caps = NULL;
  if (BROKEN == NULL_OPTION)
    table.options = &nameless;
}

KILN_BACKEND_ENTRY(abi_version) {
  return BROKEN == REFUSES || (BROKEN != OTHER_ABI && abi_version != KILN_BACKEND_ABI) ? NULL : &table;
}

#endif
