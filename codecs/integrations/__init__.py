"""Codecs as other libraries take them: a module for each function of `bakeoff.integrations`."""
