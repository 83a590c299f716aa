"""BLEURT checkpoints in the two layouts that they are published in for transformers.

Those of the BERT kind (Elron/bleurt-base-128) load as any classifier. Those that go with the package bleurt-pytorch
(lucadiliello/BLEURT-20) have a model type that transformers does not know, but under other names it is BERT, or RemBERT
where words have smaller vectors than the layers.
"""

from importlib import import_module
from typing import Any, Dict

from .hub import WEIGHTS, Pretrained, clear_errors, find_source, load_pretrained, require_torch, single_precision

WHAT = "BLEURT model"
MODEL_TYPE = "bleurt"


def load_bleurt(name: str) -> Pretrained:
    """Load a BLEURT checkpoint of either layout.

    The random state is left alone: a training may load it midway.

    name (str): A folder, an installed package that carries one, or a name on the hub; the weights as safetensors.
    RETURNS (Pretrained): The model, in single precision, and its tokenizer.
    """
    require_torch(WHAT, "transformers")
    import torch
    from transformers import PretrainedConfig

    with clear_errors(name, WHAT):
        source = find_source(name)
        config, _ = PretrainedConfig.get_config_dict(source)
        if config.get("model_type") != MODEL_TYPE:
            return load_pretrained("AutoModelForSequenceClassification", name, WHAT, trained=True)
        with torch.random.fork_rng(devices=[]):
            model = single_precision(_build(config, source))
        return Pretrained(model, _tokenizer(source))


def _build(config: Dict[str, Any], source: str) -> Any:
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForSequenceClassification, RemBertConfig, RemBertForSequenceClassification

    width = config.get("embedding_size")
    kept = {key: value for key, value in config.items() if key not in ("model_type", "architectures", "embedding_size")}
    kept = {"num_labels": 1, "layer_norm_eps": 1e-12, "pad_token_id": 0, **kept}
    model: Any
    if width is None:
        prefix, model = "bert.", BertForSequenceClassification(BertConfig(**kept))
    else:
        settings = {**kept, "input_embedding_size": width, "output_embedding_size": width}
        prefix, model = "rembert.", RemBertForSequenceClassification(RemBertConfig(**settings))
    renamed = {}
    for name, tensor in load_file(_find_file(source, WEIGHTS)).items():
        if not name.endswith("position_ids"):  # numbers in their order, which every model has by itself
            name = name.replace("encoder.embedding_projection.", "encoder.embedding_hidden_mapping_in.")
            renamed[prefix + name[len(MODEL_TYPE) + 1 :] if name.startswith(MODEL_TYPE + ".") else name] = tensor
    model.load_state_dict(renamed)
    return model


def _tokenizer(source: str) -> Any:
    from transformers import BertTokenizerFast, DebertaV2Tokenizer, __version__

    # The names of their classes are not known to transformers; the classes are these under other names.
    try:
        _find_file(source, "spm.model")
    except OSError:
        return BertTokenizerFast.from_pretrained(source)
    if int(__version__.split(".")[0]) >= 5:
        # transformers 5 reads the file with it, and asks for an unrelated package where it is missing.
        try:
            import_module("google.protobuf")
        except ImportError as error:
            raise ModuleNotFoundError("SentencePiece's file needs protobuf", name="protobuf") from error
    return DebertaV2Tokenizer.from_pretrained(source)


def _find_file(source: str, name: str) -> str:
    """A file of a checkpoint, fetched from the hub where it is not a folder; OSError if there is none."""
    from transformers.utils import cached_file

    return str(cached_file(source, name))
