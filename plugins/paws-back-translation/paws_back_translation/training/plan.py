"""What the training of a translation model depends on."""

from dataclasses import asdict, dataclass

from paws_components.plugin import PawsError

from ..errors import Errors


@dataclass
class Plan:
    """The settings of a training; as they are, 29,000 captions take about 45 minutes on a core.

    epochs (int): How often the pairs are gone through; the learning rate is planned by it.
    batch_tokens (int): The tokens of a batch on its longer side, with padding.
    max_length (int): Pairs with more pieces on a side are left out.
    lr (float): The highest learning rate; it falls to 0 at the end of the last epoch.
    warmup (int): The steps until it is reached.
    label_smoothing (float), dropout (float): Against overfitting.
    width (int): Of embeddings and layers.
    ffn (int): The width of the feed-forward layers.
    encoder_layers (int), decoder_layers (int): How many.
    heads (int): The attention heads of a layer.
    seed (int): Of the weights, of dropout and of the order.
    """

    epochs: int = 9
    batch_tokens: int = 1200
    max_length: int = 100
    lr: float = 1.2e-3
    warmup: int = 500
    label_smoothing: float = 0.1
    dropout: float = 0.1
    width: int = 256
    ffn: int = 512
    encoder_layers: int = 3
    decoder_layers: int = 2
    heads: int = 4
    seed: int = 0

    def check(self) -> None:
        """Our error for what can't be."""
        for name, value in asdict(self).items():
            if name in ("label_smoothing", "dropout"):
                fits, what = 0 <= value < 1, "a share from 0 to below 1"
            elif name in ("warmup", "seed"):
                fits, what = value >= 0, "0 or more"
            else:
                fits, what = value > 0, "over 0"
            if not fits:
                raise PawsError(Errors.B007.format(name=name, what=what, value=value))
        if self.width % (2 * self.heads):
            # A head needs a whole share of the width, and positions are sines and cosines, half each.
            what = f"a multiple of twice `heads` ({self.heads})"
            raise PawsError(Errors.B007.format(name="width", what=what, value=self.width))
