"""The compiled codec, and the methods of every codec beyond `encode` and `decode`."""
