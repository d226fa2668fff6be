"""`python -m relrep` is the command `relrep`."""

from relrep.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
