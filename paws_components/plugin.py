"""All that a plugin's author imports. Everything else may move."""

from typing import TYPE_CHECKING

from .loading import lazily

if TYPE_CHECKING:
    from .cli.options import run_options as run_options
    from .cli.options import tell as tell
    from .curation.splitting import set_apart as set_apart
    from .curation.splitting import without_shared as without_shared
    from .curation.text import sentence_key as sentence_key
    from .engine.cache import KeptAnswers as KeptAnswers
    from .engine.cache import Memory as Memory
    from .engine.cache import use_cache as use_cache
    from .engine.frame import Run as Run
    from .engine.frame import Tally as Tally
    from .engine.store import setting_differences as setting_differences
    from .errors import Coded as Coded
    from .errors import Errors as Errors
    from .errors import Fatal as Fatal
    from .errors import PawsError as PawsError
    from .evaluation.judging import TestSet as TestSet
    from .evaluation.judging import read_test_set as read_test_set
    from .evaluation.significance import mcc_difference as mcc_difference
    from .evaluation.targets import FunctionTarget as FunctionTarget
    from .evaluation.targets import PipelineTarget as PipelineTarget
    from .evaluation.targets import Target as Target
    from .evaluation.targets import gold_score as gold_score
    from .evaluation.targets import load_target as load_target
    from .evaluation.targets import says_paraphrase as says_paraphrase
    from .generation.job import GenerateJob as GenerateJob
    from .generation.judging import Judge as Judge
    from .generation.judging import Judgement as Judgement
    from .generation.judging import Proposal as Proposal
    from .generation.judging import Question as Question
    from .generation.judging import make_judge as make_judge
    from .generation.protocol import Candidate as Candidate
    from .generation.protocol import Generator as Generator
    from .generation.protocol import Translation as Translation
    from .generation.protocol import Translator as Translator
    from .hookspecs import hookimpl as hookimpl
    from .lang import stop_words as stop_words
    from .lm.protocol import LanguageModel as LanguageModel
    from .lm.protocol import Word as Word
    from .metrics.measure import Measurer as Measurer
    from .metrics.measure import TextMetric as TextMetric
    from .metrics.measure import measure_with as measure_with
    from .metrics.sides import LemmaPairs as LemmaPairs
    from .metrics.sides import Side as Side
    from .metrics.sides import Words as Words
    from .ml.batches import run_batches as run_batches
    from .ml.hub import ForkGuard as ForkGuard
    from .ml.hub import Messages as Messages
    from .ml.hub import Pretrained as Pretrained
    from .ml.hub import batches_of_like_length as batches_of_like_length
    from .ml.hub import load_pretrained as load_pretrained
    from .ml.hub import load_tokenizer as load_tokenizer
    from .ml.hub import longest_input as longest_input
    from .ml.hub import reason_of as reason_of
    from .ml.hub import spacy_device as spacy_device
    from .ml.kept import FileAnswers as FileAnswers
    from .ml.kept import TorchAnswers as TorchAnswers
    from .ml.pair_batches import Tokens as Tokens
    from .ml.pair_batches import pad_pairs as pad_pairs
    from .ml.pair_batches import passes as passes
    from .ml.pair_batches import run_passes as run_passes
    from .models import load_pipeline as load_pipeline
    from .models import load_with as load_with
    from .models import use_gpu as use_gpu
    from .nli.mutual import MutualJudge as MutualJudge
    from .pairs import pair_spans as pair_spans
    from .pairs import pair_text as pair_text
    from .pairs import read_cats as read_cats
    from .plugins import Registration as Registration
    from .plugins import host as host
    from .plugins import make_registered as make_registered
    from .readers import Row as Row
    from .readers import Text as Text
    from .readers import open_pairs as open_pairs
    from .readers import open_texts as open_texts
    from .readers import read_pairs as read_pairs
    from .readers.names import own_name as own_name
    from .readers.names import split_name as split_name
    from .readers.row import plain as plain
    from .records import PairRecord as PairRecord
    from .records import PathLike as PathLike
    from .records import normalise as normalise
    from .records import stable_id as stable_id
    from .settings import parse_assignments as parse_assignments
    from .settings import validate as validate
    from .tables import markdown_table as markdown_table
    from .tables import text_table as text_table
    from .training.mixing import chance as chance
    from .training.mixing import check_share as check_share
    from .writers import RecordWriter as RecordWriter
    from .writers import check_outputs as check_outputs
    from .writers import file_format as file_format
    from .writers import write_text as write_text

# What each module gives; looked up when it is first asked for, so that a plugin costs nothing before it is used.
NAMES = {
    "cli.options": "run_options tell",
    "curation.splitting": "set_apart without_shared",
    "curation.text": "sentence_key",
    "engine.cache": "KeptAnswers Memory use_cache",
    "engine.frame": "Run Tally",
    "engine.store": "setting_differences",
    "errors": "Coded Errors Fatal PawsError",
    "evaluation.judging": "TestSet read_test_set",
    "evaluation.significance": "mcc_difference",
    "evaluation.targets": "FunctionTarget PipelineTarget Target gold_score load_target says_paraphrase",
    "generation.job": "GenerateJob",
    "generation.judging": "Judge Judgement Proposal Question make_judge",
    "generation.protocol": "Candidate Generator Translation Translator",
    "hookspecs": "hookimpl",
    "lang": "stop_words",
    "lm.protocol": "LanguageModel Word",
    "metrics.measure": "Measurer TextMetric measure_with",
    "metrics.sides": "LemmaPairs Side Words",
    "ml.batches": "run_batches",
    "ml.hub": "ForkGuard Messages Pretrained batches_of_like_length load_pretrained load_tokenizer longest_input "
    "reason_of spacy_device",
    "ml.kept": "FileAnswers TorchAnswers",
    "ml.pair_batches": "Tokens pad_pairs passes run_passes",
    "models": "load_pipeline load_with use_gpu",
    "nli.mutual": "MutualJudge",
    "pairs": "pair_spans pair_text read_cats",
    "plugins": "Registration host make_registered",
    "readers": "Row Text open_pairs open_texts read_pairs",
    "readers.names": "own_name split_name",
    "readers.row": "plain",
    "records": "PairRecord PathLike normalise stable_id",
    "settings": "parse_assignments validate",
    "tables": "markdown_table text_table",
    "training.mixing": "chance check_share",
    "writers": "RecordWriter check_outputs file_format write_text",
}
__getattr__, __dir__, __all__ = lazily(__name__, NAMES)
