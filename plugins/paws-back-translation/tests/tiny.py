"""Tiny models that know a few sentences by heart, with real tokenizers, written as `save_pretrained` writes them."""

import json
from pathlib import Path
from typing import Any, List, Sequence, Tuple

PAIRS = [
    ("The dog sleeps in the old house.", "Der Hund schläft in dem alten Haus."),
    ("A man with a red hat reads a book near the river.", "Ein Mann mit einem roten Hut liest ein Buch am Fluss."),
    ("Two girls run across the street and laugh.", "Zwei Mädchen laufen über die Straße und lachen."),
    ("The cat!", "Die Katze!"),
    ("He sold the car to his neighbour.", "Er hat das Auto seinem Nachbarn verkauft."),
]
ENGLISH = [english for english, _ in PAIRS]
GERMAN = [german for _, german in PAIRS]
_SIZE = {
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 64,
    "dropout": 0.0,
    "encoder_layerdrop": 0.0,
    "decoder_layerdrop": 0.0,
}
_FAIRSEQ = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}


def learn(model: Any, sources: Sequence[List[int]], targets: Sequence[List[int]], pad: int) -> None:
    """Until it knows them by heart."""
    import torch

    torch.set_num_threads(1)
    rows = [torch.tensor(ids) for ids in sources]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    labels = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(ids) for ids in targets], batch_first=True, padding_value=-100
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for _ in range(1000):
        loss = model(input_ids=ids, attention_mask=(ids != pad).long(), labels=labels).loss
        if loss.item() < 0.01:
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            # The output layer shares these weights; as in OPUS-MT, the padding stays zero.
            model.get_input_embeddings().weight[pad] = 0.0
    else:
        raise RuntimeError(f"the tiny model did not learn its sentences: loss {loss.item():.3f}")
    model.eval()


def _train_pieces(folder: Path) -> Tuple[Path, List[str]]:
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(ENGLISH + GERMAN),
        model_prefix=str(folder / "pieces"),
        minloglevel=2,
        num_threads=1,
        vocab_size=120,
        hard_vocab_limit=False,
        character_coverage=1.0,
    )
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "pieces.model"))
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    return folder / "pieces.model", [piece for piece in pieces if piece not in ("<unk>", "<s>", "</s>")]


def _write_vocab(path: Path, tokens: Sequence[str]) -> str:
    path.write_text(json.dumps({token: number for number, token in enumerate(tokens)}), encoding="utf8")
    return str(path)


def make_marian(folder: Path, pairs: Sequence[Tuple[str, str]], languages: Sequence[str] = ()) -> Path:
    """An OPUS-MT model; with languages one for several targets, whose sentences begin with >>deu<<."""
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    spm, pieces = _train_pieces(folder / "pieces")
    tokens = ["</s>", "<unk>", *pieces, *(f">>{code}<<" for code in languages), "<pad>"]
    vocab = _write_vocab(folder / "pieces" / "vocab.json", tokens)
    tokenizer = MarianTokenizer(source_spm=str(spm), target_spm=str(spm), vocab=vocab)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    pad = len(tokens) - 1
    special = {"pad_token_id": pad, "eos_token_id": 0, "decoder_start_token_id": pad, "forced_eos_token_id": 0}
    model = MarianMTModel(MarianConfig(vocab_size=len(tokens), **special, **_SIZE))
    sources = tokenizer([source for source, _ in pairs])["input_ids"]
    learn(model, sources, tokenizer(text_target=[target for _, target in pairs])["input_ids"], pad)
    # As OPUS-MT has it: the padding is never part of a translation. Here it has no probability either: the conversion
    # to CTranslate2 removes it from the vocabulary, and scores can be compared to the last digits.
    model.generation_config.bad_words_ids = [[pad]]
    model.final_logits_bias[0, pad] = -1e4
    model.save_pretrained(folder)
    return folder


def _learn_both_ways(model: Any, tokenizer: Any, english: str, german: str) -> None:
    sources: List[List[int]] = []
    targets: List[List[int]] = []
    for source, target, texts, translations in ((english, german, ENGLISH, GERMAN), (german, english, GERMAN, ENGLISH)):
        tokenizer.src_lang, tokenizer.tgt_lang = source, target
        sources += tokenizer(texts)["input_ids"]
        targets += tokenizer(text_target=translations)["input_ids"]
    learn(model, sources, targets, tokenizer.pad_token_id)


def make_m2m100(folder: Path) -> Path:
    import torch
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    spm, pieces = _train_pieces(folder / "pieces")
    vocab = _write_vocab(folder / "pieces" / "vocab.json", ["<s>", "<pad>", "</s>", "<unk>", *pieces])
    tokenizer = M2M100Tokenizer(vocab_file=vocab, spm_file=str(spm))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    size = max(tokenizer.get_lang_id(code) for code in tokenizer.lang_code_to_token) + 1
    model = M2M100ForConditionalGeneration(M2M100Config(vocab_size=size, **_FAIRSEQ, **_SIZE))
    _learn_both_ways(model, tokenizer, "en", "de")
    model.save_pretrained(folder)
    return folder


def make_nllb(folder: Path) -> Path:
    """NLLB is M2M100 with a tokenizer of its own: byte pairs, and codes such as deu_Latn."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizerFast

    byte_pairs = Tokenizer(models.BPE(unk_token="<unk>"))
    byte_pairs.pre_tokenizer = pre_tokenizers.Metaspace()
    byte_pairs.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=120, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False)
    byte_pairs.train_from_iterator(ENGLISH + GERMAN, trainer)
    folder.mkdir(parents=True)
    parts = json.loads(byte_pairs.to_str())["model"]
    if int(transformers.__version__.split(".")[0]) < 5:
        tokenizer = NllbTokenizerFast(tokenizer_object=byte_pairs)
    else:
        tokenizer = NllbTokenizerFast(vocab=parts["vocab"], merges=[tuple(pair) for pair in parts["merges"]])
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    model = M2M100ForConditionalGeneration(M2M100Config(vocab_size=len(tokenizer), **_FAIRSEQ, **_SIZE))
    _learn_both_ways(model, tokenizer, "eng_Latn", "deu_Latn")
    model.save_pretrained(folder)
    return folder
