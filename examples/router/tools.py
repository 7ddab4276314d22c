"""Tools of the router's specialists, with a fixed world so that every run is the same."""

from typing import Literal

WEATHER = {"nyc": (72, "sunny"), "oslo": (41, "rain"), "lisbon": (79, "clear")}
NEWS = {
    "tech": ["Chip maker announces a smaller node", "Browser drops an old protocol"],
    "sports": ["Home team wins again"],
}


def get_weather(city: str, unit: Literal["F", "C"] = "F") -> dict:
    """Get the weather of a city.

    Args:
        city: The city's name.
        unit: Degrees Fahrenheit or Celsius.
    """
    if city.lower() not in WEATHER:
        raise ValueError(f"no weather station in {city}")
    degrees, sky = WEATHER[city.lower()]
    if unit == "C":
        return {"temp_c": round((degrees - 32) / 1.8), "sky": sky}
    return {"temp_f": degrees, "sky": sky}


def get_news(topic: str) -> list[str]:
    """Get the latest headlines on a topic.

    Args:
        topic: Such as tech or sports.
    """
    return NEWS.get(topic.lower(), [])
