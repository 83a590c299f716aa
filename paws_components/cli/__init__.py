"""The `paws` command. Each command group is a file; heavy imports happen inside the commands."""

import signal
import sys

import click

from .. import __version__
from ..errors import PawsError
from .annotate import annotate
from .audit import audit
from .build import build
from .cache import cache
from .convert import convert
from .corpora import corpora
from .correct import correct
from .demo import demo
from .download import download
from .evaluate import evaluate
from .generate import generate
from .label import label
from .lm import lm
from .metrics import metrics
from .plugged import PluggedGroup
from .plugins import plugins
from .push import push
from .repair import repair
from .report import report
from .runs import runs
from .train import train
from .translate import translate


@click.group(cls=PluggedGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="paws-components")
def cli() -> None:
    """Adversarial paraphrase data inside spaCy.

    Start with `paws download en` and `paws demo`; then give `paws generate` a text of your own.
    """


COMMANDS = (
    *(
        annotate,
        audit,
        build,
        cache,
        convert,
        corpora,
        correct,
        demo,
        download,
        evaluate,
        generate,
        label,
        lm,
        metrics,
        plugins,
        push,
        repair,
        report,
        runs,
        train,
        translate,
    ),
)
for command in COMMANDS:
    cli.add_command(command)


def main() -> None:
    """Run the command; what the user can put right is told in a line, without a traceback."""
    try:
        cli.main(standalone_mode=False)
    except PawsError as error:
        click.echo(f"paws: {error}", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        # click puts an exception of its own in place of Ctrl-C.
        stopped = error.__cause__ or error
        click.echo(f"paws: {str(stopped) or 'Stopped.'}", err=True)
        sys.exit(getattr(stopped, "code", 128 + signal.SIGINT))
