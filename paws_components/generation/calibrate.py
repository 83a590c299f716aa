"""Which threshold gives a wanted yield, found on a sample of the input."""

import math
from dataclasses import replace
from itertools import islice
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from tqdm import tqdm

from ..engine.backends import map_chunks
from ..engine.work import Accounted
from ..errors import Errors, PawsError
from ..readers import open_texts
from .job import GenerateJob

SAMPLE = 2000


class Calibrated(NamedTuple):
    """What came of a calibration.

    setting (str): The setting that decides: "naturalness", or "threshold" where no judge does.
    value (float): What it must be.
    rows (int): How many rows were looked at.
    kept (int): How many of them have a swap with it.
    """

    setting: str
    value: float
    rows: int
    kept: int


def calibrate(
    job: GenerateJob,
    inputs: Sequence[str],
    wanted: float,
    *,
    field: str = "text",
    sample: int = SAMPLE,
    n_process: int = 1,
    gpu_id: int = -1,
    cache: Optional[str] = None,
    quiet: bool = True,
) -> Calibrated:
    """Find the threshold with which a share of the sentences gets a swap.

    job (GenerateJob): Word swapping, with its settings.
    inputs (Sequence[str]): Where the sentences are; the first rows are the sample.
    wanted (float): The share, from 0 to 1.
    field (str): Which field holds the text.
    sample (int): How many rows are looked at.
    n_process (int): How many processes work.
    gpu_id (int): The GPU that they use; -1 for none.
    cache (Optional[str]): The folder that keeps what models answer; None for none.
    quiet (bool): Show no progress.
    RETURNS (Calibrated): The setting and its value.
    """
    if job.generator != "word_swap":
        raise PawsError(Errors.P210.format(option="--yield", name=job.generator))
    if not 0 < wanted < 1:
        raise PawsError(Errors.P015.format(name="--yield", what="a share between 0 and 1", value=wanted))
    if "-" in inputs:
        raise PawsError(Errors.P027.format())
    open_job = replace(job, settings={**job.settings, "threshold": None, "naturalness": 0.0, "n_best": 1})
    open_job.check()
    rows = [text.text for text in islice(open_texts(inputs, field), sample) if text.reason is None and text.text]
    if not rows:
        raise PawsError(Errors.P019.format(paths=", ".join(inputs)))
    best: List[Dict[str, Any]] = []
    with tqdm(total=len(rows), disable=quiet, desc="calibrate", unit="rows") as bar:
        for outcomes in map_chunks(Accounted(open_job, gpu_id, cache), rows, n_process, job.chunk):
            bar.update(len(outcomes))
            # Of a text with several sentences the best swap counts.
            best += [records[0].evidence for records, _ in outcomes if records]
    judged = any("naturalness" in evidence for evidence in best)
    count = max(1, round(wanted * len(rows)))
    if judged:
        values = sorted((evidence["naturalness"] for evidence in best), reverse=True)[:count]
        return Calibrated("naturalness", values[-1] if values else 0.0, len(rows), len(values))
    values = sorted(evidence["gap"] for evidence in best)[:count]
    # Rounded up, so that the swap on the border stays in.
    return Calibrated("threshold", math.ceil(values[-1] * 1000) / 1000 if values else 0.0, len(rows), len(values))
