# ruff: noqa
# fmt: off
"""Docstrings of every style."""


def google(city: str, days: int = 1, *, unit: str = "c"):
    """Get the forecast.

    It covers a week.

    Note:
        Not for the sea.

    Args:
        city: The city's name,
            in English: no others.

            A second paragraph.
        days (int, optional): How many days.
          - one
        unit (Literal["c", "f"]): The unit.

    Returns:
        The forecast.

    Raises:
        ValueError: where days is negative.
    """


def google_prose(args: str, city: str):
    """Args: this is no section.

    Example:
        city: Paris

    Arguments:
      city: The city.
    """


def numpy(city: str, days: int = 1, low=0, high=1):
    """Get the forecast.

    It covers a week.

    Parameters
    ----------
    city : str
        The city's name,
        in English.
    days : int, optional
        How many days.
    low, high : float
        The range.

    Returns
    -------
    str
        The forecast.
    city
        Not this one.
    """


def sphinx(city: str, days: int = 1):
    """Get the forecast.

    It covers a week.

    :param city: The city's name,
        in English.
    :param int days: How many days.
    :type city: str
    :returns: The forecast.
    :raises ValueError: never
    """


def epytext(city: str):
    """Get the forecast.

    @param city: The city's name.
    @return: The forecast.
    """


def indented(city: str):
    """
        Get the forecast.

          Args: not here
        Args:
            city: The city's name.
    """


def raw(city: str):
    r"""Match \d+ and \n."""


def joined(city: str):
    "One, " "two " 'and "three".'


def commented(city: str):
    # A comment goes before it.
    """After a comment."""


def formatted(city: str):
    f"""Not a docstring."""


def empty(city: str):
    """ """


def only_sections(city: str):
    """
    Args:
        city: The city.
    """
