"""python -m kiln: the command kiln of the wheel."""
import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kiln-command")
    if not os.path.exists(command):
        sys.exit("kiln: the command is not part of this package; it was built or installed beside it")
    os.execv(command, ["kiln"] + sys.argv[1:])


if __name__ == "__main__":
    main()
