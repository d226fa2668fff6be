"""The one exception that users see."""


class RelrepError(Exception):
    """Something a user can cause and mend: one sentence saying what is wrong, where, and what to do.

    The command line prints the sentence and exits with code 2.
    """
