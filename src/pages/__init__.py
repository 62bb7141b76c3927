"""Checks of the course's pages, and what is written into them from files. `./course pages --help`."""
