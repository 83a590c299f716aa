"""The entry points that plugins come in by. Nothing here imports a plugin, pluggy or click."""

from importlib.metadata import EntryPoint

# The hooks of plugins.
GROUP = "paws_components"
# Commands have entry points of their own: `paws --help` knows their names without loading any plugin.
COMMANDS = "paws_components_commands"


def package_of(point: EntryPoint) -> str:
    """The name of the package that an entry point belongs to, or where it leads to if it belongs to none."""
    return point.dist.name if point.dist else point.value
