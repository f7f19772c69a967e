"""A heap of free bodies in MuJoCo, as the bench wrote it.

    heap.py FILE STEP SECONDS LOOK

FILE is a model. Printed: the version, the wall and CPU seconds of stepping, and the maximum penetration of any two
shapes that MuJoCo reports; then, every LOOK seconds, a line with the position and the quaternion (w first) of every
body.
"""

import sys
import time


def main(file, step, seconds, stride):
    import mujoco

    model = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(model)
    wall = processor = deepest = 0.0
    lines = []
    done = 0
    for number in range(1, round(seconds / stride) + 1):
        until = round(number * stride / step)
        start, used = time.perf_counter(), time.process_time()
        mujoco.mj_step(model, data, until - done)
        wall += time.perf_counter() - start
        processor += time.process_time() - used
        done = until
        # Updates the positions, which would otherwise be those before the last step.
        mujoco.mj_kinematics(model, data)
        if data.ncon:
            deepest = max(deepest, -float(data.contact.dist.min()))
        places = zip(data.xpos[1:], data.xquat[1:])
        lines.append(" ".join(repr(float(x)) for p, q in places for x in (*p, *q)))
    print(f"MuJoCo-{mujoco.__version__}", wall, processor, deepest)
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:]))
