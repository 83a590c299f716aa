"""The model and the tokenizer, made as OPUS-MT's are."""

import argparse
import warnings
from pathlib import Path

from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer


def make_tokenizer(vocabulary: Path, direction: str) -> MarianTokenizer:
    """The tokenizer over the files that vocabulary.py wrote."""
    source, target = direction.split("-")
    with warnings.catch_warnings():
        # It asks for sacremoses, and then never uses it.
        warnings.filterwarnings("ignore", message=".*sacremoses.*")
        return MarianTokenizer(
            *(str(vocabulary / name) for name in ("source.spm", "target.spm", "vocab.json")),
            source_lang=source,
            target_lang=target,
            model_max_length=512,
        )


def make_model(tokenizer: MarianTokenizer, args: argparse.Namespace) -> MarianMTModel:
    """A model with fresh weights: one embedding matrix for encoder, decoder and output.

    tokenizer (MarianTokenizer): The tokenizer: its pieces are the model's.
    args (argparse.Namespace): The sizes and max_length, as train.py takes them.
    RETURNS (MarianMTModel): The model.
    """
    pad, eos = tokenizer.pad_token_id, tokenizer.eos_token_id
    config = MarianConfig(
        vocab_size=len(tokenizer),
        d_model=args.width,
        encoder_layers=args.encoder_layers,
        decoder_layers=args.decoder_layers,
        encoder_attention_heads=args.heads,
        decoder_attention_heads=args.heads,
        encoder_ffn_dim=args.ffn,
        decoder_ffn_dim=args.ffn,
        dropout=args.dropout,
        activation_function="relu",
        # Glorot's for square matrices, and 1 for an embedding once it is scaled.
        init_std=args.width**-0.5,
        scale_embedding=True,
        static_position_embeddings=True,
        max_position_embeddings=512,
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
        max_length=args.max_length,
        pad_token_id=pad,
        eos_token_id=eos,
        decoder_start_token_id=pad,
        forced_eos_token_id=eos,
        # The decoder starts with <pad>, so the model must never choose it.
        bad_words_ids=[[pad]],
    )
    return model
