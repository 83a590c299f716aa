"""`python -m paws_components` is `paws`."""

from .cli import main

main()
