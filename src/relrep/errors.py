"""The one exception that users see, and how it shows them their words."""


class RelrepError(Exception):
    """Something a user can cause and mend: one sentence saying what is wrong, where, and what to do.

    The command line prints the sentence and exits with code 2.
    """


def shown(text: str) -> str:
    """A word as an error message shows it: quoted, and cut where it is very long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
