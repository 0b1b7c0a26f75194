"""What services need: locks, installed versions, media types, migration, sampling."""
