#!/usr/bin/env python3
"""tools/format.py names a file that is not formatted, formats it, and leaves hanging indents of comments alone.

Skipped where the pinned clang-format is not at hand: nothing is fetched for a test.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("format", ROOT / "tools" / "format.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)

CONTRACT = "//   shape   square, or the call is refused; and this line ends beyond the hundredth column, and may\n"
PLANTED = CONTRACT + "//           n of 0 is legal\nint  f( int a ){ if(a) return 1;\nelse return 2; }\n"
FORMATTED = CONTRACT + """//           n of 0 is legal
int f(int a) {
  if (a) return 1;
  else return 2;
}
"""


def run(*arguments):
    return subprocess.run([sys.executable, ROOT / "tools/format.py", *arguments], capture_output=True, text=True,
                          check=False)


def main():
    if not tool.at_hand():
        print("SKIPPED: there is no clang-format", tool.VERSION)
        return
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        planted = Path(folder) / "planted.hpp"
        planted.write_text(PLANTED, encoding="ascii")
        told = run("--check", planted)
        assert told.returncode == 1 and "planted.hpp: not formatted" in told.stdout, (told.stdout, told.stderr)
        assert planted.read_text(encoding="ascii") == PLANTED
        assert run(planted).returncode == 0
        assert planted.read_text(encoding="ascii") == FORMATTED, planted.read_text(encoding="ascii")
        told = run("--check", planted)
        assert (told.returncode, told.stdout) == (0, ""), told.stdout
        script = Path(folder) / "script.py"
        script.write_text("#!/usr/bin/env python3\n", encoding="ascii")
        told = run(script)
        assert told.returncode == 2 and "script.py: only .hpp" in told.stderr, told.stderr
        assert script.read_text(encoding="ascii") == "#!/usr/bin/env python3\n"


if __name__ == "__main__":
    main()
