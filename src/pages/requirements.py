"""What the checks need beyond Python, by the names of Debian's and Ubuntu's packages."""

import shutil
import sys
from importlib.util import find_spec

MODULES = {"markdown_it": "python3-markdown-it", "mdit_py_plugins": "python3-mdit-py-plugins", "yaml": "python3-yaml"}
PROGRAMS = {"codespell": "codespell", "mdl": "ruby-mdl", "gnuplot": "gnuplot-nox"}


def missing_packages():
    """Packages that the checks need and this machine lacks."""
    modules = [package for module, package in MODULES.items() if find_spec(module) is None]
    return modules + [package for program, package in PROGRAMS.items() if shutil.which(program) is None]


def require_packages():
    """Ends the program with one line and status 2 when something is missing."""
    missing = " ".join(missing_packages())
    if missing:
        print(
            f"course pages: the pages cannot be checked: not installed: {missing}; "
            f"install with: apt-get install {missing}",
            file=sys.stderr,
        )
        sys.exit(2)
