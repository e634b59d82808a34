// Arena and vectors.
#include "base/arena.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/vec.h"

Test(arena, alignment_and_contents) {
  jmp_buf exhausted;
  struct kiln_arena arena;
  kiln_arena_init(&arena, &exhausted);
  cr_assert(setjmp(exhausted) == 0);
  unsigned char *blocks[2000];
  size_t sizes[2000];
  for (size_t i = 0; i < 2000; i++) {
    size_t align = (size_t)1 << i % 7;
    sizes[i] = i * 37 % 611 + (i % 97 == 0 ? 50000 : 0);
    blocks[i] = kiln_arena_alloc(&arena, sizes[i], align);
    cr_assert((uintptr_t)blocks[i] % align == 0, "block %zu, alignment %zu", i, align);
    memset(blocks[i], (int)(i & 255), sizes[i]);
  }
  for (size_t i = 0; i < 2000; i++) {
    for (size_t j = 0; j < sizes[i]; j++) {
      cr_assert(blocks[i][j] == (i & 255), "block %zu was overwritten at %zu", i, j);
    }
  }
  kiln_arena_free(&arena);
  cr_assert(arena.used == 0);
}

Test(arena, zalloc_is_zero_and_arena_can_be_reused) {
  jmp_buf exhausted;
  struct kiln_arena arena;
  kiln_arena_init(&arena, &exhausted);
  cr_assert(setjmp(exhausted) == 0);
  for (int turn = 0; turn < 3; turn++) {
    memset(kiln_arena_alloc(&arena, 20000, 8), 0xff, 20000);
    kiln_arena_free(&arena);
    unsigned char *block = kiln_arena_zalloc(&arena, 20000, 8);
    for (int i = 0; i < 20000; i++) {
      cr_assert(block[i] == 0, "turn %d, byte %d", turn, i);
    }
  }
  kiln_arena_free(&arena);
}

Test(arena, grow_keeps_contents) {
  jmp_buf exhausted;
  struct kiln_arena arena;
  kiln_arena_init(&arena, &exhausted);
  cr_assert(setjmp(exhausted) == 0);
  KILN_VEC(uint32_t) a = {0};
  KILN_VEC(uint64_t) b = {0};
  for (uint32_t i = 0; i < 100000; i++) {
    KILN_VEC_PUSH(&arena, &a, i);
    if (i % 3 == 0) {
      KILN_VEC_PUSH(&arena, &b, ~(uint64_t)i);
    }
  }
  for (uint32_t i = 0; i < a.count; i++) {
    cr_assert(a.items[i] == i, "item %u", i);
  }
  for (uint32_t i = 0; i < b.count; i++) {
    cr_assert(b.items[i] == ~(uint64_t)(i * 3), "item %u", i);
  }
  kiln_arena_free(&arena);
}

Test(arena, limit_jumps_to_the_owner) {
  jmp_buf exhausted;
  struct kiln_arena arena;
  kiln_arena_init(&arena, &exhausted);
  arena.limit = 200000;
  volatile int served = 0;
  if (setjmp(exhausted) == 0) {
    for (;;) {
      memset(kiln_arena_alloc(&arena, 1000, 8), 1, 1000);
      served++;
    }
  }
  cr_assert(served > 50 && served <= 200, "%d blocks", served);
  kiln_arena_free(&arena);

  volatile int jumps = 0;
  size_t absurd[] = {SIZE_MAX, SIZE_MAX - 8, SIZE_MAX / 2, (size_t)1 << 62};
  for (volatile size_t i = 0; i < 4; i++) {
    arena.limit = 0;
    if (setjmp(exhausted) == 0) {
      kiln_arena_alloc(&arena, absurd[i], 16);
    } else {
      jumps++;
    }
  }
  cr_assert(jumps == 4, "%d of 4 absurd sizes were refused", jumps);
  kiln_arena_free(&arena);
}

// What one arena gave back serves the next; what is more than a pool keeps goes to the system.
Test(arena, pool) {
  jmp_buf exhausted;
  struct kiln_arena_pool pool;
  kiln_arena_pool_init(&pool);
  size_t kept[3];
  for (volatile int round = 0; round < 3; round++) {
    struct kiln_arena arena;
    kiln_arena_init(&arena, &exhausted);
    arena.pool = &pool;
    cr_assert(setjmp(exhausted) == 0);
    volatile size_t blocks = round == 1 ? 8000 : 800; // of 12,000 bytes
    for (size_t i = 0; i < blocks; i++) {
      memset(kiln_arena_alloc(&arena, 12000, 16), (int)i, 12000);
    }
    kiln_arena_free(&arena);
    kept[round] = pool.bytes;
  }
#ifdef KILN_ARENA_ASAN
  cr_assert(kept[0] == 0 && kept[1] == 0 && kept[2] == 0);
#else
  cr_assert(kept[0] >= 4 << 20, "%zu bytes kept", kept[0]);
  cr_assert(kept[1] > kept[0] && kept[1] <= 64 << 20, "%zu bytes kept", kept[1]);
  cr_assert(kept[2] == kept[1], "%zu bytes kept behind %zu", kept[2], kept[1]);
#endif
  kiln_arena_pool_free(&pool);
}

Test(arena, text) {
  jmp_buf exhausted;
  struct kiln_arena arena;
  kiln_arena_init(&arena, &exhausted);
  cr_assert(setjmp(exhausted) == 0);
  cr_assert_str_eq(kiln_arena_strndup(&arena, "abcdef", 3), "abc");
  cr_assert_str_eq(kiln_arena_strndup(&arena, NULL, 0), "");
  cr_assert_str_eq(kiln_arena_printf(&arena, "%d-%s", 42, "x"), "42-x");
  char *text = kiln_arena_printf(&arena, "%1000d", 7);
  cr_assert(strlen(text) == 1000 && text[999] == '7');
  kiln_arena_free(&arena);
}
