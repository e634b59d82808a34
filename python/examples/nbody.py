#!/usr/bin/env python3
"""Two galaxies that meet: n bodies that attract each other, in queues of launches.

    nbody.py [--bodies N] [--steps N] [--picture FILE.png]     the picture needs matplotlib

Checks the forces of some bodies against NumPy, and that momentum is kept; exits with 1 where that fails.
"""
import argparse
import sys

import numpy as np

import kiln

SOURCE = """
// pos: x, y, z and mass. Each group takes the bodies through local memory, tile by tile.
kernel void attract(global const float4 *pos, global float4 *force, local float4 *tile, uint n) {
  size_t i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  float4 me = pos[i], sum = 0;
  for (uint start = 0; start < n; start += size) {
    tile[l] = pos[start + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < size; j++) {
      float4 d = tile[j] - me;
      float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 1e-3f;
      sum += d * (tile[j].w / (r2 * sqrt(r2)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sum.w = 0;
  force[i] = sum;
}

kernel void move(global float4 *pos, global float4 *speed, global const float4 *force, float dt) {
  size_t i = get_global_id(0);
  speed[i] += dt * force[i];
  pos[i] += dt * speed[i];
}
"""
GROUP = 64


def galaxies(bodies):
    """Two discs, each turning round its middle."""
    random = np.random.default_rng(2)
    radius, angle = np.sqrt(random.uniform(0.01, 1, bodies)), random.uniform(0, 2 * np.pi, bodies)
    pos, speed = np.zeros((bodies, 4), np.float32), np.zeros((bodies, 4), np.float32)
    pos[:, 0], pos[:, 1], pos[:, 3] = radius * np.cos(angle), radius * np.sin(angle), 1 / bodies
    pos[:, 2] = random.normal(0, 0.02, bodies)
    speed[:, 0], speed[:, 1] = -0.7 * np.sin(angle) * radius, 0.7 * np.cos(angle) * radius
    side = np.where(np.arange(bodies) % 2, 1, -1)
    pos[:, 0] += 1.5 * side
    pos[:, 1] += 0.5 * side
    speed[:, 0] -= 0.3 * side
    return pos, speed


def want_force(pos, i):
    d = (pos - pos[i]).astype(np.float64)
    r2 = (d[:, :3] ** 2).sum(axis=1) + 1e-3
    return (d[:, :3] * (pos[:, 3] / r2 ** 1.5)[:, None]).sum(axis=0)


def draw(path, frames):
    try:
        import matplotlib
    except ImportError:
        print("no picture: there is no matplotlib")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(frames), figsize=(4 * len(frames), 4), facecolor="black")
    for axis, (step, pos) in zip(axes, frames):
        axis.scatter(pos[:, 0], pos[:, 1], s=0.5, c=np.arange(len(pos)) % 2, cmap="cool")
        axis.set_title(f"step {step}", color="white")
        axis.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, bbox_inches="tight")
    print("picture:", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bodies", type=int, default=4096, help=f"a multiple of {GROUP}")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--picture", help="a PNG file to write")
    options = parser.parse_args()
    n = options.bodies
    if n < GROUP or n % GROUP:
        parser.error(f"--bodies is a multiple of {GROUP}")
    program = kiln.compile(SOURCE, name="nbody.cl")
    attract, move = program["attract"], program["move"]
    pos, speed = galaxies(n)
    force = np.empty_like(pos)
    attract[n, GROUP](pos, force, GROUP * 16, n)
    some = range(0, n, max(1, n // 16))
    error = max(abs(force[i, :3] - want_force(pos, i)).max() / abs(want_force(pos, i)).max() for i in some)
    before = (speed[:, :3] * pos[:, 3:]).sum(axis=0)
    frames, seconds = [(0, pos.copy())], 0
    with kiln.Queue(program.context) as queue:
        for step in range(1, options.steps + 1):
            event = attract(queue, n, GROUP, pos, force, GROUP * 16, n)
            move(queue, n, None, pos, speed, force, 0.01)
            if step % max(1, options.steps // 3) == 0:
                queue.finish()
                seconds = event.seconds
                frames.append((step, pos.copy()))
    drift = abs((speed[:, :3] * pos[:, 3:]).sum(axis=0) - before).max()
    print(f"{n} bodies, {options.steps} steps: {n * n / max(seconds, 1e-9) / 1e9:.2f} pairs per ns, "
          f"largest error of a force {error:.1e}, drift of the momentum {drift:.1e}")
    if options.picture:
        draw(options.picture, frames)
    if not (error < 1e-3 and drift < 1e-3):
        sys.exit("nbody: WRONG")


if __name__ == "__main__":
    main()
