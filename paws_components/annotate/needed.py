"""What `[annotate]` brings, looked for before anything of it is imported."""

from importlib.util import find_spec

from ..errors import Errors, PawsError

PACKAGES = ("sqlalchemy", "alembic", "starlette", "uvicorn", "jinja2")


def need_packages() -> None:
    """Our error where a package of the extra is missing."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise PawsError(Errors.P802.format(package=", ".join(missing)))
