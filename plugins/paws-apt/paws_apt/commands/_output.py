"""What the commands that write a model have in common."""

from pathlib import Path


def check_new(output: str, fresh: bool) -> None:
    """Our error for an output that can't be a folder, or that has a model: it may have taken days to train.

    output (str): The folder.
    fresh (bool): Whether a model in it may be replaced.
    """
    from paws_components.plugin import Errors as PawsErrors
    from paws_components.plugin import PawsError

    from ..errors import Errors

    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise PawsError(PawsErrors.P021.format(path=output, reason="it is a file"))
    if (folder / "config.json").exists() and not fresh:
        raise PawsError(Errors.A021.format(path=output))
