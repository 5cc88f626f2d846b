"""kleene model: closures on GPUs that are not here."""

from harness import CliTest

USAGE, MEMORY = 2, 5


class Model(CliTest):
    def test_what_it_says(self):
        """512 nodes of 8: 512 steps of 33 ms in bulk (16384^2 (2048 / 16.8e12 + 8 / 4.28e12)), and 0.7 ms."""
        text = self.kleene("model", "--nodes", 512, "--gpus", 8, "--vertices", 1048576).out
        self.assertIn("in blocks of 2,048", text)
        self.assertIn("512 nodes of 8: a grid of 64 x 64", text)
        self.assertIn("33.2 ms of products in bulk", text)
        self.assertIn("hidden", text)
        self.assertIn("50 GB/s to each GPU between nodes: say what yours has (--network)", text)
        alone = self.kleene("model", "--gpus", 1, "-n", 65536).out
        self.assertNotIn("assumed", alone)
        self.assertIn("assumed     300 GB/s between GPUs of a node: say what yours has (--link)",
                      self.kleene("model", "--gpus", 2, "-n", 65536).out)
        self.assertIn("\ntime        17.4 s, 132,569 Tops, ", text)

    def test_times_are_rounded(self):
        for wanted, words in ((67.97, "1 min 8 s"), (119.7, "2 min 0 s"), (59.996, "1 min 0 s"), (59.93, "59.9 s")):
            tops = 1.0
            for _ in range(20):  # the time is nearly that of the products
                tops *= self.solve("model", "--gpus", 1, "-n", 43008, "--tops", tops)["seconds"] / wanted
            text = self.kleene("model", "--gpus", 1, "-n", 43008, "--tops", tops).out
            self.assertIn(f"\ntime        {words}, ", text)

    def test_json(self):
        got = self.solve("model", "-n", 65536, "--gpus", 4, "--block", 2048)
        self.assertEqual((got["rows"], got["cols"], got["block"], got["hidden"]), (2, 2, 2048, True))
        self.assertAlmostEqual(got["bulk_seconds"], 32768 ** 2 * (2048 / 16.8e12 + 8 / 4.28e12), places=9)
        self.assertEqual(got["bytes"], 4 * (32768 ** 2 + 4 * 2048 * 65536))
        slow = self.solve("model", "-n", 65536, "--gpus", 4, "--link", "1")
        self.assertFalse(slow["hidden"])

    def test_refusals(self):
        self.refuse(USAGE, "model", "--gpus", 4, says=["--vertices"])
        self.refuse(USAGE, "model", "-n", 0, says=["takes a whole number from 1"])
        self.refuse(USAGE, "model", "-n", 5, "--link", 0, says=["--link: takes a number above 0, not '0'"])
        self.refuse(USAGE, "model", "-n", 5, "--tops", "nan", says=["takes a number above 0, not 'nan'"])
        self.refuse(USAGE, "model", "-n", 5, "--device", "cuda")
        self.refuse(MEMORY, "model", "-n", 400000, "--gpus", 4,
                    says=["400000 vertices on a grid of 2 x 2 GPUs", "bytes on each; there are 141000000000"])
