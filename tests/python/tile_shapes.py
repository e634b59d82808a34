"""Products of matrices in tiles of many shapes. Groups of any shape do the same work for a tile, so none takes more than
so many times as long as the fastest one. Times are processor times of one thread."""
import os
import sys
import time
from array import array

os.environ["COMPILE_NUM_THREADS"] = "1"
import kiln

SIZE = 256
TIMES = 2.5  # 2, and what a busy machine adds
SOURCE = """
kernel __attribute__((reqd_work_group_size(LX, 1, 1)))
void product(int n, global const float *a, global const float *b, global float *c) {
  int column = get_group_id(0) * LX * RN + get_local_id(0), row = get_global_id(1) * RM;
  float sum[RM][RN];
  for (int i = 0; i < RM; i++)
    for (int j = 0; j < RN; j++)
      sum[i][j] = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < RM; i++)
      for (int j = 0; j < RN; j++)
        sum[i][j] += a[(row + i) * n + k] * b[k * n + column + j * LX];
  for (int i = 0; i < RM; i++)
    for (int j = 0; j < RN; j++)
      c[(row + i) * n + column + j * LX] = sum[i][j];
}
"""


def least_time(context, rows, columns, group, a, b, c):
    options = f"-cl-mad-enable -DRM={rows} -DRN={columns} -DLX={group}"
    launch = context.compile(SOURCE, options)["product"][(SIZE // columns, SIZE // rows), (group, 1)]
    least = float("inf")
    for i in range(10):  # the first launches may compile a variant
        start = time.process_time()
        launch(SIZE, a, b, c)
        least = min(least, time.process_time() - start) if i >= 3 else least
    return least


def main(arch):
    try:
        context = kiln.Context("cpu", arch)
    except kiln.Error as error:
        print(f"skipped: {error}")
        return 77
    a = array("f", (i % 7 - 3 for i in range(SIZE * SIZE)))
    b = array("f", (i % 5 - 2 for i in range(SIZE * SIZE)))
    c = array("f", bytes(4 * SIZE * SIZE))
    slow = 0
    for rows in (1, 2, 4, 8):
        for columns in (1, 2, 4, 8):
            times = {x: least_time(context, rows, columns, x, a, b, c) for x in (8, 16, 32, 64) if x * columns <= SIZE}
            for x, seconds in times.items():
                for _ in range(3):  # something else may have run
                    if seconds > TIMES * min(times.values()):
                        seconds = min(seconds, least_time(context, rows, columns, x, a, b, c))
                if seconds > TIMES * min(times.values()):
                    print(f"{rows} x {columns} per work-item, groups of {x}: {seconds * 1e3:.2f} ms; "
                          f"the fastest: {min(times.values()) * 1e3:.2f}")
                    slow += 1
    return slow > 0


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
