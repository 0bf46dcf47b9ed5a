"""Wait until a site answers, as Playwright waits for its web server: `answers.py URL PID SECONDS`, run inside a container.

Ends with 0 when it does, 9 when the process PID, a child of this one, has ended before, 1 when the time is over. Standard
library only.
"""

import os
import sys
import time
import urllib.error
import urllib.request


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status < 404
    except urllib.error.HTTPError as error:
        return error.code < 404
    except OSError:
        return False


def main(url: str, pid: int, seconds: float) -> int:
    end = time.monotonic() + seconds
    while not answers(url):
        if os.waitpid(pid, os.WNOHANG) != (0, 0):
            return 9
        if time.monotonic() > end:
            return 1
        time.sleep(0.02)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
