"""A data set to the hub: what would go there, and going there."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Optional, Tuple

import srsly

from ..curation.card import CARD
from ..errors import Errors, PawsError
from ..needed import import_needed
from ..records import PathLike

REPO = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
# What a message may not hold, whoever wrote it; the token itself is looked for as well.
TOKEN = re.compile(r"hf_\w+|Bearer\s+\S+")


@dataclass
class Upload:
    """What goes to the hub.

    folder (Path): The folder.
    repo (str): The data set there: USER/NAME.
    files (List[Tuple[str, int]]): The files with their sizes.
    private (bool): Whether a new data set can be seen by its owner alone.
    revision (Optional[str]): The branch; None for the main one.
    """

    folder: Path
    repo: str
    files: List[Tuple[str, int]]
    private: bool = False
    revision: Optional[str] = None

    @property
    def size(self) -> int:
        return sum(size for _, size in self.files)

    def push(self, message: str = "Upload with paws push") -> str:
        """Upload the files, in one commit.

        message (str): What the commit says.
        RETURNS (str): The address of the commit.
        """
        hub = import_hub()
        # Asked anew: the library reads the variable when it is imported.
        api = hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)
        try:
            api.create_repo(self.repo, repo_type="dataset", private=self.private, exist_ok=True)
            done = api.upload_folder(
                repo_id=self.repo,
                folder_path=str(self.folder),
                repo_type="dataset",
                commit_message=message,
                revision=self.revision,
                allow_patterns=[name for name, _ in self.files],
            )
        # The library, and what is below it, raises all kinds.
        except Exception as error:
            reason = told(error, hub.get_token())
            raise PawsError(Errors.P742.format(repo=self.repo, reason=reason)) from None
        return str(getattr(done, "commit_url", done))


def plan_upload(folder: PathLike, repo: str, *, private: bool = False, revision: Optional[str] = None) -> Upload:
    """What would go to the hub; our error for what is not a data set with a card, or not a name of one.

    folder (Union[str, Path]): The folder, as `paws build` writes it.
    repo (str): USER/NAME.
    private (bool): Whether a new data set can be seen by its owner alone.
    revision (Optional[str]): The branch.
    RETURNS (Upload): The files and where they go.
    """
    root = Path(folder)
    if not REPO.fullmatch(repo):
        raise PawsError(Errors.P015.format(name="REPO", what="USER/NAME, as the hub has it", value=repo))
    if not (root / CARD).is_file():
        raise PawsError(Errors.P741.format(folder=str(folder), reason="there is no README.md in it"))
    head = (root / CARD).read_text(encoding="utf8", errors="replace").split("---\n")
    if len(head) < 3 or head[0].strip():
        raise PawsError(Errors.P741.format(folder=str(folder), reason="its README.md does not begin with YAML"))
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and not _is_hidden(path.relative_to(root))]
    names = {path.relative_to(root).as_posix() for path in files}
    missing = [path for path in _named_files(head[1], str(folder)) if path not in names]
    if missing:
        raise PawsError(Errors.P741.format(folder=str(folder), reason=f"its card names {missing[0]}, which is missing"))
    sizes = [(path.relative_to(root).as_posix(), path.stat().st_size) for path in files]
    return Upload(root, repo, sizes, private, revision)


def import_hub() -> Any:
    """The hub's library; our error where it is not installed."""
    return import_needed("huggingface_hub", "`paws push`", "'paws-components[hub]'")


def told(error: Exception, token: Optional[str] = None) -> str:
    """What an error says, on one line and without a token."""
    text = " ".join(str(error).split())
    text = text.replace(token, "(token)") if token else text
    return TOKEN.sub("(token)", text) or type(error).__name__


def _named_files(front: str, folder: str) -> List[str]:
    """The files that the card says hold the data."""
    try:
        data = srsly.yaml_loads(front) or {}
        entries = [one for config in data.get("configs", []) for one in config["data_files"]]
        return [str(one["path"]) for one in entries]
    except Exception as error:
        raise PawsError(
            Errors.P741.format(folder=folder, reason=f"the YAML of its README.md: {told(error)}")
        ) from error


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
