"""One file per wire format; each declares the format's codecs."""
