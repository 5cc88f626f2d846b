"""Seconds of calls on a device, as sequences.py and gradients.py measure them."""

import statistics
import time


class Clock:
    """Seconds of a call: by CUDA events on torch's current stream, or by the host's clock."""

    def __init__(self, device):
        self.is_cuda = str(device).startswith("cuda")

    def __call__(self, call):
        if not self.is_cuda:
            start = time.perf_counter()
            call()
            return time.perf_counter() - start
        import torch

        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3

    def median(self, call, rounds):
        """Of the rounds after three."""
        for _ in range(3):
            self(call)
        return statistics.median(self(call) for _ in range(rounds))

    def again(self, call):
        """Seconds of a call behind one that is not timed: the other side's leave torch's allocator without memory."""
        call()
        return self(call)

    def beside(self, ours, theirs, rounds):
        """Medians of both, whose calls take turns, and of their ratios."""
        pairs = [(self.again(ours), self.again(theirs)) for _ in range(rounds)]
        ours, theirs = (statistics.median(column) for column in zip(*pairs))
        return {"seconds": ours, "peer_seconds": theirs,
                "times": statistics.median(t / o for o, t in pairs), "rounds": rounds}
