"""Runs agent trees: sessions, agents, tools and models. `rolebook_runner.runner.Runner` is the way in."""
