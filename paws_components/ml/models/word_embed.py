"""`paws.WordEmbed.v1` and `v2`: words as vectors, without their context."""

from typing import List, Tuple, cast

from spacy.ml.featureextractor import FeatureExtractor
from spacy.tokens import Doc
from thinc.api import HashEmbed, Model, add, chain, list2ragged, ragged2list, with_array
from thinc.types import Floats2d, Ragged

from ...errors import Errors, PawsError
from ..layers.add_ragged import add_ragged
from ..layers.vectors_or_hashes import vectors_or_hashes
from ..layers.word_vectors import word_vectors

# The seeds of the hashes are fixed: a table means the same words in every run.
SEEDS = {"NORM": 8, "PREFIX": 9, "SUFFIX": 10, "SHAPE": 11}


def build_word_embed(
    width: int = 128,
    include_static_vectors: bool = False,
    trainable_vectors: bool = False,
    rows: int = 5000,
    subwords: bool = True,
) -> Model[List[Doc], List[Floats2d]]:
    """`paws.WordEmbed.v1`: the pipeline's vectors, trained hash embeddings, or the sum of both.

    width (int): The width of a word's vector. The pipeline's vectors are mapped to it by a learned matrix.
    include_static_vectors (bool): Whether to use the pipeline's vectors; a word that has none is zero.
    trainable_vectors (bool): Whether those vectors are trained too; if not, they stay as they are.
    rows (int): The rows of the hash table of words; 0 does without hash embeddings.
    subwords (bool): Whether prefix, suffix and shape have tables too, half as long.
    """
    _check_least(width=(width, 1), rows=(rows, 0))
    parts: List[Model[List[Doc], Ragged]] = []
    if include_static_vectors:
        parts.append(word_vectors(width, trainable_vectors))
    elif trainable_vectors:
        raise PawsError(Errors.P326)
    if rows:
        parts.append(hash_embed(width, rows, subwords))
    if not parts:
        raise PawsError(Errors.P327)
    model: Model[List[Doc], List[Floats2d]] = chain(add_ragged(*parts), cast(Model, ragged2list()))
    model.set_dim("nO", width)
    return model


def build_word_embed_v2(
    width: int = 128, trainable_vectors: bool = False, rows: int = 5000, subwords: bool = True
) -> Model[List[Doc], List[Floats2d]]:
    """`paws.WordEmbed.v2`: the pipeline's vectors alone where it has any (PAWS, section 6.1), else trained hash
    embeddings. So one config is for both, and `[initialize] vectors` decides.

    width (int): The width of a word's vector. The pipeline's vectors are mapped to it by a learned matrix.
    trainable_vectors (bool): Whether those vectors are trained too; if not, they stay as they are.
    rows (int): The rows of the hash table of words, where there are no vectors.
    subwords (bool): Whether prefix, suffix and shape have tables too, half as long.
    """
    _check_least(width=(width, 1), rows=(rows, 1))
    embed = vectors_or_hashes(word_vectors(width, trainable_vectors), hash_embed(width, rows, subwords))
    model: Model[List[Doc], List[Floats2d]] = chain(embed, cast(Model, ragged2list()))
    model.set_dim("nO", width)
    return model


def _check_least(**values: Tuple[int, int]) -> None:
    for name, (value, least) in values.items():
        if value < least:
            raise PawsError(Errors.P015.format(name=name, what=f"{least} or more", value=value))


def hash_embed(width: int, rows: int, subwords: bool) -> Model[List[Doc], Ragged]:
    """The sum of a table of words and, with subwords, of tables of what they begin with, end in and look like."""
    columns = list(SEEDS) if subwords else ["NORM"]
    tables: List[Model] = [
        HashEmbed(width, rows if name == "NORM" else max(1, rows // 2), column=i, seed=SEEDS[name])
        for i, name in enumerate(columns)
    ]
    embed = add(*tables) if len(tables) > 1 else tables[0]
    return chain(FeatureExtractor(columns), cast(Model, list2ragged()), with_array(embed))
