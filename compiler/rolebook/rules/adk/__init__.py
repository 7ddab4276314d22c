"""google-adk's own judgement of a definition file, for `runtime = "adk-python"`: what it refuses to load or to run.

One module for each part of google-adk's loader, each with a check from `File` to its refusals. The facts are those of
google-adk 2.13.0; its names and schemas are data (`rolebook.definition.adk_names`).
"""
