"""`judgebox image relock` from a clone, without installing: python judge-image/lock.py frama-c.

Needs a Debian machine; the resolver is `judgebox.imagebuild.resolve`.
"""

import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
if (root / "pyproject.toml").is_file():
    sys.path.insert(0, str(root))

from judgebox.cli.main import main  # noqa: E402  (found through the line above)

sys.argv[1:1] = ["image", "relock"]
sys.exit(main())
