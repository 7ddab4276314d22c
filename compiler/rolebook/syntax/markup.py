"""The names of tags that are markup wherever they stand."""

from __future__ import annotations

_HTML = """
a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col colgroup
data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head
header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript object
ol optgroup option output p param picture pre progress q rp rt ruby s samp script search section select slot small
source span strong style sub summary sup table tbody td template textarea tfoot th thead time title tr track u ul var
video wbr
acronym applet basefont big center dir font frame frameset marquee nobr noframes strike tt
svg circle clippath defs ellipse g line lineargradient path polygon polyline rect stop text tspan use
math mfrac mi mn mo mrow msqrt msub msup mtext
"""
ELEMENTS = frozenset(_HTML.split())
"""HTML's elements, living and obsolete, with those of SVG and MathML that prompts show; in small letters."""

_BARE = "br hr wbr img p b i u em strong li ul ol tr td th div span h1 h2 h3 h4 h5 h6"
BARE = frozenset(_BARE.split())
"""Elements that prompts name alone, without their closing tags, and that are no names for what a session holds."""

_KEYS = """
alt backspace bs cmd command control cr ctrl del delete down end enter esc escape f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12
fn home insert leader left meta pagedown pageup return right shift space super tab up win
"""
KEYS = frozenset(_KEYS.split())
"""Keys of a keyboard, as instructions for pressing them are written."""

_MODEL_TAGS = "bos cls end eos eot fim_middle fim_prefix fim_suffix image mask pad sep think thinking unk"
MODEL_TAGS = frozenset(_MODEL_TAGS.split())
"""What models and their tokenizers write between `<` and `>`."""
