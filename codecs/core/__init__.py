"""The compiled codec, and what every codec offers beyond `encode` and `decode`."""
