"""Does the audit find every fault that the data folder's README lists, by name and with the right count?

Runs the audit over the whole data folder, as `paws audit FOLDER` does, and looks each fault of the README up among the
findings. Where the README gives no number, the one here was counted by other means, named beside it.
"""

import argparse
import json
import sys
import time
from typing import Dict, List, NamedTuple, Optional, Tuple

from data import SHARED

from paws_components.curation.audit import audit_splits, find_splits
from paws_components.curation.findings import Finding, Split


class Fault(NamedTuple):
    """A fault of the README: its point, where it is, the check that should find it, and how often.

    figure (str): The figure of the finding that is compared: "count", or the name of one of its details.
    other (str): For checks of two splits: the second of them.
    why (str): Where the expected number comes from.
    """

    point: int
    split: str
    check: str
    expected: int
    why: str
    figure: str = "count"
    other: str = ""


WIKI, EN, QQP = "paws_wiki/dev", "pawsx/en/dev_2k", "qqp/quora-dev"
TRAIN, HELD_OUT, BYTES = "paws_qqp/train", "paws_qqp/dev_and_test", "paws_qqp/dev_and_test.bytes_repr_quirk"
MRPC, TWITTER, APT = "mrpc/msr_paraphrase_train", "twitter_url/Twitter_URL_Corpus_test", "apt/final_checks"
LINES = "its rows and its header, by `grep -c $'\\r$'`"
SPACED = "rows of `cut -f2,3 | tr -d '\\r' | grep -cP '[^ \\t] [,.?!;:]( |\\t|$)'`"
PLACEHOLDERS = {"de": 68, "es": 38, "ko": 35, "ja": 20, "zh": 16, "fr": 8}
# By `awk` over both files, counting the `NS` rows whose label differs from that of the English row with the same id.
INVERTED = {"de": 32, "es": 16, "ko": 23, "ja": 9, "zh": 10, "fr": 3}

FAULTS: Tuple[Fault, ...] = (
    Fault(1, EN, "shared_pairs", 2000, "every English pair of PAWS-X dev", other=WIKI),
    Fault(1, EN, "shared_pairs", 2000, "and with the same ids", "same_id", other=WIKI),
    *(
        Fault(2, f"pawsx/{lang}/dev_2k", "placeholders", number, "the README's count")
        for lang, number in PLACEHOLDERS.items()
    ),
    *(
        Fault(2, f"pawsx/{lang}/dev_2k", "placeholders", number, "their label is always 0", "labels.0")
        for lang, number in PLACEHOLDERS.items()
    ),
    *(
        Fault(2, f"pawsx/{lang}/dev_2k", "label_reference", number, "the English label is 1, by `awk` on the id")
        for lang, number in INVERTED.items()
    ),
    Fault(3, WIKI, "line_endings", 8001, LINES),
    Fault(3, WIKI, "identical_pairs", 7, "the README's count"),
    Fault(3, WIKI, "ptb_tokens", 7991, SPACED, "kinds.spaced_punctuation"),
    Fault(3, WIKI, "ptb_tokens", 958, "rows with `` or '', by `grep -c`", "kinds.quotes"),
    Fault(4, HELD_OUT, "shared_sentences", 230, "the README's count", other=TRAIN),
    Fault(4, HELD_OUT, "shared_sentences", 1325, "the README's count of distinct sentences", "distinct", TRAIN),
    Fault(4, TRAIN, "line_endings", 11989, LINES),
    Fault(4, HELD_OUT, "line_endings", 0, "LF throughout: nothing to find"),
    Fault(4, HELD_OUT, "shared_rows", 86, "the README's count", other=QQP),
    Fault(5, MRPC, "byte_order_mark", 1, "one per file"),
    Fault(5, MRPC, "line_endings", 4077, LINES),
    Fault(5, MRPC, "quoting_loss", 4076 - 3962, "the README's 4,076 rows, less the 3,962 that are left"),
    Fault(5, MRPC, "quoting_loss", 3962, "the README's count", "quoted"),
    Fault(6, QQP, "csv_quoted", 695, "lines with a quotation mark, by `grep -c`"),
    Fault(6, QQP, "label_encoding", 20212, "20,214 rows but for the two with no label"),
    Fault(6, QQP, "labels_missing", 2, "the README's count"),
    Fault(6, QQP, "empty_sentences", 1, "the README's count"),
    Fault(7, TWITTER, "stray_lines", 250, "the README's count"),
    Fault(7, TWITTER, "column_count", 10, "the README's count"),
    Fault(7, TWITTER, "label_encoding", 10120, "every row of the README's table"),
    Fault(7, TWITTER, "labels_undecided", 10120 - 9334, "the README's 10,120 rows, less the 9,334 published"),
    Fault(9, APT, "unrewarded", 2659, "the README's count of attempts with a dollar", "rewarded"),
    Fault(
        9, APT, "unrewarded", 572, "judged a paraphrase, above BLEURT 0.5, without a dollar, by `awk`", "above_limit"
    ),
    Fault(9, APT, "source_ids", 1631, "distinct sentences, by `cut -f6 | sort -u`", "sentences"),
    # Not among the README's numbered points, but in its table: "each sentence written as a Python bytes literal".
    Fault(0, BYTES, "bytes_literals", 677, "every row"),
)


def figure(finding: Finding, name: str) -> int:
    """One figure of a finding; a dot leads into its details."""
    value = finding.count if name == "count" else finding.details
    for key in () if name == "count" else name.split("."):
        value = value.get(key, 0)
    return value


def look_up(fault: Fault, findings: Dict[Tuple[str, str, str], Finding]) -> Optional[int]:
    finding = findings.get((fault.split, fault.check, fault.other))
    return None if finding is None else figure(finding, fault.figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="look up this many faults only, in the files they need")
    args = parser.parse_args()
    if not SHARED.is_dir():
        sys.exit("The data folder is not there: set PAWS_DATA to it. Nothing was measured.")

    faults = FAULTS[: args.limit]
    began = time.perf_counter()
    paths = find_splits(SHARED)
    if args.limit is not None:
        needed = {name for fault in faults for name in (fault.split, fault.other, EN)}
        paths = {name: path for name, path in paths.items() if name in needed}
    splits = [Split(name, path) for name, path in paths.items()]
    rows = sum(len(split.rows) for split in splits)
    print(f"{len(splits)} files with {rows:,} rows read in {time.perf_counter() - began:.0f} s", flush=True)
    findings = audit_splits(splits)
    print(f"{len(findings)} findings after {time.perf_counter() - began:.0f} s\n")

    found = 0
    by_place = {(item.split, item.check, item.details.get("other", "")): item for item in by_reference(findings)}
    print(f"{'point':>5}  {'expected':>8}  {'found':>8}  fault")
    for fault in faults:
        number = look_up(fault, by_place) or 0
        found += number == fault.expected
        name = fault.check if fault.figure == "count" else f"{fault.check}, {fault.figure}"
        place = f"{fault.split} with {fault.other}" if fault.other else fault.split
        mark = "" if number == fault.expected else "  <-- differs"
        print(f"{fault.point or '-':>5}  {fault.expected:>8,}  {number:>8,}  {place}: {name} ({fault.why}){mark}")
    print(json.dumps({"faults": len(faults), "found": found}))


def by_reference(findings: List[Finding]) -> List[Finding]:
    """The findings, with those against the English split told by their own split alone."""
    for item in findings:
        if item.check == "label_reference":
            item.details["other"] = ""
    return findings


if __name__ == "__main__":
    main()
