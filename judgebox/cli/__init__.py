"""The `judgebox` command; thin over the library."""
