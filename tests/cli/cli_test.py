"""Tests of the command line: cli_test.py KLEENE DATA [unittest arguments...]."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402  (its neighbours are found through the path above)
from answers_test import *  # noqa: E402,F401,F403
from convert_test import *  # noqa: E402,F401,F403
from doubts_test import *  # noqa: E402,F401,F403
from cookbook_test import *  # noqa: E402,F401,F403
from edge_lists_test import *  # noqa: E402,F401,F403
from formats_test import *  # noqa: E402,F401,F403
from generators_test import *  # noqa: E402,F401,F403
from inputs_test import *  # noqa: E402,F401,F403
from kill_test import *  # noqa: E402,F401,F403
from lists_test import *  # noqa: E402,F401,F403
from model_test import *  # noqa: E402,F401,F403
from outputs_test import *  # noqa: E402,F401,F403
from parquet_test import *  # noqa: E402,F401,F403
from pictures_test import *  # noqa: E402,F401,F403
from plans_test import *  # noqa: E402,F401,F403
from questions_test import *  # noqa: E402,F401,F403
from refusals_test import *  # noqa: E402,F401,F403
from processes_test import *  # noqa: E402,F401,F403
from results_test import *  # noqa: E402,F401,F403
from solve_peers_test import *  # noqa: E402,F401,F403
from saved_test import *  # noqa: E402,F401,F403
from solve_test import *  # noqa: E402,F401,F403
from terminal_test import *  # noqa: E402,F401,F403
from verify_test import *  # noqa: E402,F401,F403
from words_test import *  # noqa: E402,F401,F403

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    harness.PROGRAM, harness.DATA = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
