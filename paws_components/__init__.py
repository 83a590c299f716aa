"""Adversarial paraphrase data inside spaCy."""

from typing import TYPE_CHECKING

from .loading import lazily

if TYPE_CHECKING:
    from .annotate.loading import add_task as add_task
    from .annotate.raters import add_rater as add_rater
    from .annotate.serving import make_app as make_app
    from .annotate.study import open_study as open_study
    from .api import audit as audit
    from .api import cards as cards
    from .api import evaluate as evaluate
    from .api import fetch as fetch
    from .api import generate as generate
    from .api import measure as measure
    from .api import write_pairs as write_pairs
    from .building.project import build as build
    from .curation.audit import count_levels as count_levels
    from .curation.audit import find_splits as find_splits
    from .curation.balancing import balance as balance
    from .curation.correct import Corrector as Corrector
    from .curation.correct import CorrectSettings as CorrectSettings
    from .curation.correct import correct_records as correct_records
    from .curation.corrections import Correction as Correction
    from .curation.corrections import apply_corrections as apply_corrections
    from .curation.corrections import read_corrections as read_corrections
    from .curation.detokenise import detokenise as detokenise
    from .curation.repair import repair as repair
    from .curation.splitting import flip_sides as flip_sides
    from .curation.splitting import split_by_source as split_by_source
    from .curation.votes import Vote as Vote
    from .curation.votes import decide as decide
    from .curation.votes import measure_agreement as measure_agreement
    from .curation.votes import read_votes as read_votes
    from .curation.votes import write_votes as write_votes
    from .engine.cache import cache_info as cache_info
    from .engine.cache import clear_cache as clear_cache
    from .engine.cache import use_cache as use_cache
    from .errors import PawsError as PawsError
    from .evaluation.beside import PaperTable as PaperTable
    from .evaluation.comparison import Comparison as Comparison
    from .evaluation.judging import TestSet as TestSet
    from .evaluation.judging import judge as judge
    from .evaluation.labelling import LabelJob as LabelJob
    from .evaluation.labelling import label_pairs as label_pairs
    from .evaluation.measures import Measure as Measure
    from .evaluation.measures import average_precision as average_precision
    from .evaluation.measures import measure_answers as measure_answers
    from .evaluation.measures import wilson as wilson
    from .evaluation.significance import mcc_difference as mcc_difference
    from .evaluation.targets import load_target as load_target
    from .generation.job import GenerateJob as GenerateJob
    from .generation.job import generate_pairs as generate_pairs
    from .generation.template import FIXED_TAGS as FIXED_TAGS
    from .hookspecs import hookimpl as hookimpl
    from .lang import rules_of as rules_of
    from .lm.embedded import embedded_lm as embedded_lm
    from .lm.protocol import LanguageModel as LanguageModel
    from .lm.protocol import score_sentences as score_sentences
    from .metrics.bleurt import Bleurt as Bleurt
    from .metrics.bow import bow_cosine as bow_cosine
    from .metrics.compared import damerau_levenshtein as damerau_levenshtein
    from .metrics.compared import rouge_l as rouge_l
    from .metrics.compared import self_bleu as self_bleu
    from .metrics.inversion import alignments as alignments
    from .metrics.inversion import inversion_rate as inversion_rate
    from .metrics.ld import ld as ld
    from .metrics.measure import TextMetric as TextMetric
    from .metrics.measure import filter_records as filter_records
    from .metrics.measure import measure_records as measure_records
    from .metrics.where import parse_where as parse_where
    from .metrics.wpd import wpd as wpd
    from .models import load_pipeline as load_pipeline
    from .models import load_with as load_with
    from .nli.making import make_entailment as make_entailment
    from .nli.mutual import mutual_implication as mutual_implication
    from .nli.protocol import Judgement as Judgement
    from .pairs import make_pair as make_pair
    from .pairs import pair_spans as pair_spans
    from .pairs import pair_text as pair_text
    from .pairs import pipe_pairs as pipe_pairs
    from .readers import LAYOUTS as LAYOUTS
    from .readers import open_pairs as open_pairs
    from .readers import open_texts as open_texts
    from .readers import read_pairs as read_pairs
    from .records import PairRecord as PairRecord
    from .training.augmenters import make_swap_augmenter as make_swap_augmenter
    from .training.batchers import make_pair_batcher as make_pair_batcher
    from .training.readers import PairCorpus as PairCorpus
    from .translation.job import TranslateJob as TranslateJob
    from .translation.job import translate_pairs as translate_pairs
    from .translation.job import translate_texts as translate_texts
    from .viz.render import render as render
    from .viz.report import ReportSettings as ReportSettings
    from .viz.report import build_report as build_report
    from .writers import RecordWriter as RecordWriter

__version__ = "0.1.0"

# The declared surface: what each module gives to it. It is looked up when it is first asked for, since importing the
# package alone must stay light: every pipeline of everybody imports it. First what people do in a notebook, one call
# each, then the plain functions and classes that the docs show.
NOTEBOOK = {
    "api": "audit cards evaluate fetch generate measure write_pairs",
    "engine.cache": "cache_info clear_cache use_cache",
    "errors": "PawsError",
    "hookspecs": "hookimpl",
    "models": "load_pipeline",
    "pairs": "make_pair pair_spans pair_text pipe_pairs",
    "readers": "open_pairs open_texts read_pairs",
    "records": "PairRecord",
    "viz.render": "render",
}
PLAIN = {
    "annotate.loading": "add_task",
    "annotate.raters": "add_rater",
    "annotate.serving": "make_app",
    "annotate.study": "open_study",
    "building.project": "build",
    "curation.audit": "count_levels find_splits",
    "curation.balancing": "balance",
    "curation.correct": "CorrectSettings Corrector correct_records",
    "curation.corrections": "Correction apply_corrections read_corrections",
    "curation.detokenise": "detokenise",
    "curation.repair": "repair",
    "curation.splitting": "flip_sides split_by_source",
    "curation.votes": "Vote decide measure_agreement read_votes write_votes",
    "evaluation.beside": "PaperTable",
    "evaluation.comparison": "Comparison",
    "evaluation.judging": "TestSet judge",
    "evaluation.labelling": "LabelJob label_pairs",
    "evaluation.measures": "Measure average_precision measure_answers wilson",
    "evaluation.significance": "mcc_difference",
    "evaluation.targets": "load_target",
    "generation.job": "GenerateJob generate_pairs",
    "generation.template": "FIXED_TAGS",
    "lang": "rules_of",
    "lm.embedded": "embedded_lm",
    "lm.protocol": "LanguageModel score_sentences",
    "metrics.bleurt": "Bleurt",
    "metrics.bow": "bow_cosine",
    "metrics.compared": "damerau_levenshtein rouge_l self_bleu",
    "metrics.inversion": "alignments inversion_rate",
    "metrics.ld": "ld",
    "metrics.measure": "TextMetric filter_records measure_records",
    "metrics.where": "parse_where",
    "metrics.wpd": "wpd",
    "models": "load_with",
    "nli.making": "make_entailment",
    "nli.mutual": "mutual_implication",
    "nli.protocol": "Judgement",
    "readers": "LAYOUTS",
    "training.augmenters": "make_swap_augmenter",
    "training.batchers": "make_pair_batcher",
    "training.readers": "PairCorpus",
    "translation.job": "TranslateJob translate_pairs translate_texts",
    "viz.report": "ReportSettings build_report",
    "writers": "RecordWriter",
}
__getattr__, __dir__, __all__ = lazily(__name__, NOTEBOOK, PLAIN, {"": "__version__"})
