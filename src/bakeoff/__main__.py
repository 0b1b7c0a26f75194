"""``bakeoff`` and ``python -m bakeoff``."""

from .cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
