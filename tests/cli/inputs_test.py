"""Inputs that are no plain files, or not what they promise: pipes, gzip bombs."""

import bz2
import gzip
import lzma
import os
import subprocess
import zipfile

import numpy as np

import harness
from formats_test import ZSTD_START, zstd_blocks
from harness import CliTest


class Pipes(CliTest):
    def matrices(self):
        a = np.arange(12, dtype=np.float64).reshape(3, 4)
        np.save(self.path("a.npy"), a)
        np.save(self.path("b.npy"), a.T)
        return a

    def piped(self, command):
        """A run by a shell in which $K is the program; a minute is a hang."""
        done = subprocess.run(["timeout", "60", "bash", "-c", command], capture_output=True, text=True, check=False,
                              cwd=self.folder, env={**os.environ, "K": harness.PROGRAM})
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def test_standard_input(self):
        np.save(self.path("a.npy"), np.array([[0, 1.5, 9], [9, 0, 2], [9, 9, 0]]))
        with open(self.path("m.mtx"), "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix array real general\n2 2\n0\n3\n4\n0\n")
        graph = self.graph([(1, 2, 3)] * 100000 + [(2, 3, 4)], 3)
        self.piped("cat a.npy | $K closure /dev/stdin --quiet --out c.npy")
        self.assertEqual(np.load(self.path("c.npy"))[0].tolist(), [0, 1.5, 3.5])
        self.piped("gzip -c a.npy | $K closure - --quiet --out d.npy")
        np.testing.assert_array_equal(np.load(self.path("d.npy")), np.load(self.path("c.npy")))
        self.piped("cat m.mtx | $K closure /dev/stdin --quiet --out m.npy")
        self.assertEqual(np.load(self.path("m.npy")).tolist(), [[0, 4], [3, 0]])
        for zip_it in ("cat", "gzip -c"):
            self.piped(f"{zip_it} {graph} | $K apsp /dev/stdin --quiet --out e.npy")
            self.assertEqual(np.load(self.path("e.npy"))[0].tolist(), [0, 3, 7])

    def test_two_pipes(self):
        a = self.matrices()
        self.piped("$K gemm <(cat a.npy) <(cat b.npy) --algebra plus_times --quiet --out c.npy")
        np.testing.assert_array_equal(np.load(self.path("c.npy")), a @ a.T)
        piped = self.piped("$K gemm <(cat a.npy) <(gzip -c b.npy) --algebra plus_times --quiet --out /dev/stdout"
                           " | cat > d.npy")
        self.assertEqual(piped, "")
        np.testing.assert_array_equal(np.load(self.path("d.npy")), a @ a.T)

    def test_two_named_pipes(self):
        """Opened once each: a second time nobody writes any more, and it waits for ever."""
        a = self.matrices()
        self.piped("mkfifo e f; cat a.npy > e & cat b.npy > f & $K gemm e f --algebra plus_times --quiet --out c.npy")
        np.testing.assert_array_equal(np.load(self.path("c.npy")), a @ a.T)


class GzipBombs(CliTest):
    """A megabyte that inflates to a gigabyte is refused where its first line is wrong, in little memory."""

    # MiB. A sanitizer keeps a byte for eight, of memory that nobody has written to as well.
    LITTLE = 200 if not os.environ.get("KLEENE_SANITIZE") else 1000

    def refused_in(self, *arguments, says):
        command = [harness.PROGRAM, *arguments, "--threads", "1", "--device", "cpu"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            err = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn(says, err)
        return usage.ru_maxrss / 1024

    def bomb(self, name, start, piece):
        with open(self.path(name), "wb") as file:
            file.write(gzip.compress(start))
            member = gzip.compress(piece * ((1 << 24) // len(piece)), 1)
            file.write(member * 64)
        return self.path(name)

    def test_other_compressions(self):
        known = self.solve("info")["compressions"].split(", ")
        start, zeros = b"p sp 2 1\na 1 2 3\n", b"\0" * (1 << 24)  # little: a child starts with the size of this process
        bombs = {
            "xz": lambda: lzma.compress(start, preset=0) + lzma.compress(zeros, preset=0) * 64,
            "zstd": lambda: ZSTD_START + zstd_blocks(start, False) + zstd_blocks(zeros[:1 << 17], False) * 8192,
            "bzip2": lambda: bz2.compress(start) + bz2.compress(zeros, 1) * 64,
        }
        for kind in known[1:]:
            with open(self.path("zeros.gr"), "wb") as file:
                file.write(bombs[kind]())
            self.assertLess(self.refused_in("apsp", self.path("zeros.gr"), says="zeros.gr:3: "), self.LITTLE, kind)

    def test_wrong_lines(self):
        zeros = self.bomb("zeros.gr.gz", b"p sp 2 1\na 1 2 3\n", b"\0")
        self.assertLess(self.refused_in("apsp", zeros, says="zeros.gr.gz:3: "), self.LITTLE)
        lines = self.bomb("lines.mtx.gz", b"%%MatrixMarket matrix array real general\n20000 20000\n1\nx\n", b"1 \n")
        self.assertLess(self.refused_in("closure", lines, says="lines.mtx.gz:4: "), self.LITTLE)
        lies = self.bomb("lies.gr.gz", b"p sp 2 100000000\na 1 x 1\n", b"a 1 2 3\n")
        self.assertLess(self.refused_in("apsp", lies, says="lies.gr.gz:2: "), self.LITTLE)

    def test_archives(self):
        """A megabyte of .npz that would become a gigabyte is refused by what it says of itself."""
        parts = {"indptr": np.zeros(4), "format": np.bytes_(b"csr"), "shape": np.array([3, 3]), "data": np.zeros(3)}
        with zipfile.ZipFile(self.path("bomb.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, value in parts.items():
                with archive.open(name + ".npy", "w") as member:
                    np.lib.format.write_array(member, value)
            with archive.open("indices.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array_header_1_0(member, {"descr": "<i4", "fortran_order": False,
                                                              "shape": (1 << 28,)})
                for _ in range(64):
                    member.write(bytes(1 << 24))
        says = "indices.npy has 268435456 elements, and data.npy has 3"
        self.assertLess(self.refused_in("apsp", self.path("bomb.npz"), says=says), self.LITTLE)
