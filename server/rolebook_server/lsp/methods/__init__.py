"""One module for each method of the protocol, or for a few that belong together: parameters in, a result out.

Each finds what it is asked about, calls a feature in `ide`, and converts what that gives.
"""
