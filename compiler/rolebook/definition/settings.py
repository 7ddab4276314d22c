"""The settings of a model: `generate_content_config` has the fields of google-genai 3.6's `GenerateContentConfig`."""

from __future__ import annotations

from rolebook.definition.shapes import Anything, Bool, Fields, Key, ListOf, MapOf, Number, Shape, Str


def _settings(what: str, *rows: tuple[str, Shape, str], instead: dict[str, str] | None = None) -> Fields:
    """Settings by name. Each is also known by its camelCase name, and null counts as not set."""
    keys = []
    for name, shape, doc in rows:
        aliases = (_camel(name),) if "_" in name else ()
        keys.append(Key(name, shape, doc, aliases=aliases, null=True, instead=(instead or {}).get(name, "")))
    return Fields(what, tuple(keys))


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


_TEXT, _NUMBER, _COUNT, _FLAG, _ANYTHING = Str(), Number(), Number(whole=True, least=1), Bool(), Anything()

_SAFETY = _settings(
    "safety setting",
    ("category", _TEXT, "The kind of harm, such as `HARM_CATEGORY_DANGEROUS_CONTENT`."),
    ("threshold", _TEXT, "From when on to block, such as `BLOCK_ONLY_HIGH`. Write `'OFF'` in quotes."),
    ("method", _TEXT, "Whether probability or severity counts."),
)
_THINKING = _settings(
    "thinking config",
    ("thinking_budget", Number(whole=True), "Tokens for thinking; 0 for none, -1 where the model decides."),
    ("thinking_level", _TEXT, "How much the model thinks, such as `low` or `high`."),
    ("include_thoughts", _FLAG, "Whether thoughts come back beside the answer."),
)

GENERATE_CONTENT_CONFIG = _settings(
    "generation config",
    ("temperature", Number(least=0), "How freely the model chooses its words; 0 is the most predictable."),
    ("top_p", Number(least=0, most=1), "Choose among the likeliest tokens that together reach this probability."),
    ("top_k", Number(least=0), "Choose among this many of the likeliest tokens."),
    ("max_output_tokens", _COUNT, "How many tokens an answer may have."),
    ("stop_sequences", ListOf(_TEXT), "The answer ends before any of these texts."),
    ("seed", Number(whole=True), "The same seed gives the same answer, as far as the provider can."),
    ("candidate_count", _COUNT, "How many answers to make."),
    ("presence_penalty", _NUMBER, "Above 0, tokens that have come once become less likely."),
    ("frequency_penalty", _NUMBER, "Above 0, tokens become less likely each time they come."),
    ("response_logprobs", _FLAG, "Whether the log probabilities of the chosen tokens come back."),
    ("logprobs", Number(whole=True), "For how many of the likeliest tokens log probabilities come back."),
    ("response_mime_type", _TEXT, "`text/plain` or `application/json`."),
    ("response_schema", _ANYTHING, "The answer's schema in Gemini's own form; `output_schema` serves every provider."),
    ("response_json_schema", _ANYTHING, "The answer's JSON Schema, where the agent has no `output_schema`."),
    ("thinking_config", _THINKING, "How much the model thinks before it answers."),
    ("safety_settings", ListOf(_SAFETY), "What Gemini blocks."),
    ("tool_config", _ANYTHING, "Whether the model may, must or must not call a tool (`function_calling_config`)."),
    ("response_modalities", ListOf(_TEXT), "What the answer may be made of: `TEXT`, `IMAGE`, `AUDIO`."),
    ("media_resolution", _TEXT, "How finely images and videos are read, such as `MEDIA_RESOLUTION_LOW`."),
    ("speech_config", _ANYTHING, "The voice of a spoken answer."),
    ("image_config", _ANYTHING, "The size and shape of images that are made."),
    ("labels", MapOf(_TEXT), "Labels for the provider's bill."),
    ("service_tier", _TEXT, "The provider's service tier, such as `flex`."),
    ("cached_content", _TEXT, "The name of a cache entry of your own."),
    ("audio_timestamp", _FLAG, "Whether the model sees when things are said in audio."),
    ("audio_transcription_config", _ANYTHING, "How speech is transcribed."),
    ("routing_config", _ANYTHING, "How Gemini chooses a model for the request."),
    ("model_selection_config", _ANYTHING, "What matters when Gemini chooses a model."),
    ("model_armor_config", _ANYTHING, "Templates of Model Armor for prompts and answers."),
    ("enable_enhanced_civic_answers", _FLAG, "Enhanced answers on civic matters."),
    ("enable_affective_dialog", _FLAG, "Whether the model adapts its answers to the speaker's mood."),
    ("generation_output_config", _ANYTHING, "Where what was made is stored."),
    ("automatic_function_calling", _ANYTHING, "Settings of google-genai's own tool loop."),
    ("automatic_continuation", _FLAG, "Whether google-genai goes on with an answer that was cut."),
    ("continuation_token", _TEXT, "Where an answer that was cut goes on."),
    ("http_options", _ANYTHING, "Settings of google-genai's HTTP client."),
    ("should_return_http_response", _FLAG, "Whether google-genai gives the raw HTTP response as well."),
    ("store", _FLAG, "Whether the provider logs the request."),
    ("system_instruction", _ANYTHING, "Not here: this is the agent's `instruction`."),
    ("tools", _ANYTHING, "Not here: these are the agent's `tools`."),
    instead={"system_instruction": "instruction", "tools": "tools"},
)
