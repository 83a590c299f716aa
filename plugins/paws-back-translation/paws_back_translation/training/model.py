"""The model and the tokenizer, made as OPUS-MT's are."""

import warnings
from pathlib import Path
from typing import Any

from paws_components.plugin import PathLike, PawsError

from ..errors import Errors
from .parallel import languages
from .plan import Plan
from .vocabulary import FILES

# The positions that a model has.
POSITIONS = 512


def make_tokenizer(vocabulary: PathLike, direction: str) -> Any:
    """The tokenizer over the files that `train_vocabulary` wrote.

    vocabulary (Union[str, Path]): Their folder.
    direction (str): The two languages: "en-de".
    RETURNS (Any): A MarianTokenizer.
    """
    from transformers import MarianTokenizer

    source, target = languages(direction)
    source_spm, target_spm, vocab = files = [Path(vocabulary) / name for name in FILES]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise PawsError(Errors.B044.format(path=str(vocabulary), missing=", ".join(missing)))
    with warnings.catch_warnings():
        # It asks for sacremoses, and then never uses it.
        warnings.filterwarnings("ignore", message=".*sacremoses.*")
        return MarianTokenizer(
            source_spm=str(source_spm),
            target_spm=str(target_spm),
            vocab=str(vocab),
            source_lang=source,
            target_lang=target,
            model_max_length=POSITIONS,
        )


def make_model(tokenizer: Any, plan: Plan) -> Any:
    """A model with fresh weights: one embedding matrix for encoder, decoder and output.

    tokenizer (Any): The tokenizer: its pieces are the model's.
    plan (Plan): The sizes.
    RETURNS (Any): A MarianMTModel.
    """
    from transformers import GenerationConfig, MarianConfig, MarianMTModel

    pad, eos = tokenizer.pad_token_id, tokenizer.eos_token_id
    config = MarianConfig(
        vocab_size=len(tokenizer),
        d_model=plan.width,
        encoder_layers=plan.encoder_layers,
        decoder_layers=plan.decoder_layers,
        encoder_attention_heads=plan.heads,
        decoder_attention_heads=plan.heads,
        encoder_ffn_dim=plan.ffn,
        decoder_ffn_dim=plan.ffn,
        dropout=plan.dropout,
        activation_function="relu",
        # Glorot's for square matrices, and 1 for an embedding once it is scaled.
        init_std=plan.width**-0.5,
        scale_embedding=True,
        static_position_embeddings=True,
        max_position_embeddings=POSITIONS,
        pad_token_id=pad,
        eos_token_id=eos,
        bos_token_id=None,
        decoder_start_token_id=pad,
        forced_eos_token_id=eos,
    )
    model = MarianMTModel(config)
    model.generation_config = GenerationConfig(
        num_beams=5,
        # A small model that meets words it never saw may go round in circles: stop where training did.
        max_length=plan.max_length,
        pad_token_id=pad,
        eos_token_id=eos,
        decoder_start_token_id=pad,
        forced_eos_token_id=eos,
        # The decoder starts with <pad>, so the model must never choose it.
        bad_words_ids=[[pad]],
    )
    return model
