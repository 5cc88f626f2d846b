"""cmake/kleene_commit.cmake: the commit of a checkout, and nothing of a folder that is none."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_COMMIT = '#define KLEENE_COMMIT ""\n'


class Commit(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)
        self.header = self.folder / "build" / "commit.hpp"

    def written(self):
        subprocess.run(["cmake", f"-DSOURCE={self.folder}", f"-DOUTPUT={self.header}", "-P",
                        ROOT / "cmake" / "kleene_commit.cmake"], check=True, capture_output=True)
        return self.header.read_text(encoding="ascii")

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.folder, "-c", "user.name=n", "-c", "user.email=e", *arguments],
                              check=True, capture_output=True, text=True).stdout.strip()

    def test_an_archive_of_the_sources(self):
        self.assertEqual(self.written(), NO_COMMIT)

    def test_a_checkout(self):
        try:
            self.git("init", "-q")
        except FileNotFoundError:
            self.skipTest("there is no git here")
        self.assertEqual(self.written(), NO_COMMIT)  # of which nothing is committed
        (self.folder / "a").write_text("1", encoding="ascii")
        self.git("add", "a")
        self.git("commit", "-q", "-m", "a")
        commit = self.git("rev-parse", "HEAD")[:10]
        self.assertEqual(self.written(), f'#define KLEENE_COMMIT "{commit}"\n')
        before = self.header.stat().st_mtime_ns
        self.written()
        self.assertEqual(self.header.stat().st_mtime_ns, before)  # so that nothing is compiled anew
        (self.folder / "a").write_text("2", encoding="ascii")
        self.assertEqual(self.written(), f'#define KLEENE_COMMIT "{commit}-dirty"\n')


if __name__ == "__main__":
    unittest.main()
