"""Every kernel that Python calls has a slow twin, and a test that holds it to that twin."""

import ast
import importlib
from pathlib import Path

import pytest

import relrep

SOURCE = Path(relrep.__file__).parent
TESTS = Path(__file__).parent.parent
_COUNTS, _MINE = "baselines/test_glove_counts.py", "mining/test_mine.py"
_ENCODE, _SEARCH = "text/test_encode.py", "analogy/test_search.py"
_STEPS, _PROFILES = "coherence/test_training.py", "coherence/test_profiles.py"
TWINS = {
    "analogy._kernels.fill_bounds": ("analogy.ranking", _SEARCH),
    "analogy._kernels.search_block": ("analogy.ranking", _SEARCH),
    "baselines._kernels.glove.count_neighbours": ("baselines.cooccurrences", _COUNTS),
    "baselines._kernels.glove.fill_positions": ("baselines.cooccurrences", _COUNTS),
    "baselines._kernels.glove.train_block": ("baselines.glove_step", "baselines/test_glove_baseline.py"),
    "baselines._kernels.ivlbl.apply_round": ("paper.adagrad_step", "baselines/test_ivlbl_baseline.py"),
    "baselines._kernels.ivlbl.cut_segments": ("arrays.segments", "baselines/test_ivlbl_baseline.py"),
    "baselines._kernels.ivlbl.round_gradients": ("baselines.ivlbl_loss", "baselines/test_ivlbl_baseline.py"),
    "coherence._kernels.add_steps": ("coherence.step", _STEPS),
    "coherence._kernels.agree": ("coherence.agreement", _STEPS),
    "coherence._kernels.keep_best": ("coherence.neighbours", _STEPS),
    "coherence._kernels.split_by_direction": ("coherence.weighted", _PROFILES),
    "core.csr.multiply_rows": ("arrays.multiply", "core/test_csr.py"),
    "core.csr.transpose": ("arrays.transpose", "core/test_csr.py"),
    "evidence._kernels.meetings": ("paper.occurrences", "evidence/test_occurrences.py"),
    "evidence._kernels.meetings_of_pairs": ("coherence.profile", "evidence/test_measures.py"),
    "evidence._kernels.patterns_of_meetings": ("coherence.profile", "evidence/test_measures.py"),
    "evidence._kernels.sentence_around": ("arrays.sentence_around", "evidence/test_occurrences.py"),
    "evidence._kernels.sparse_cosines": ("coherence.profile", "evidence/test_measures.py"),
    "mining._kernels.count_extensions": ("paper.select_patterns", _MINE),
    "mining._kernels.count_pairs": ("paper.select_pairs", _MINE),
    "mining._kernels.count_triples": ("paper.count_patterns", _MINE),
    "mining._kernels.mark_selected": ("paper.count_patterns", _MINE),
    "mining._kernels.merge_rows": ("paper.select_pairs", _MINE),
    "mining._kernels.total_inner": ("paper.select_patterns", _MINE),
    "mining._kernels.write_extensions": ("paper.select_patterns", _MINE),
    "mining.bound._both_orders": ("coherence.profile", _MINE),
    "paper._kernels.adagrad_step": ("paper.algorithm_1", "paper/test_training.py"),
    "paper._kernels.compare_patterns": ("paper.similarities", "paper/test_instances.py"),
    "paper._kernels.forward_loss": ("paper.algorithm_1", "paper/test_training.py"),
    "paper._kernels.pattern_gradient": ("paper.algorithm_1", "paper/test_training.py"),
    "paper._kernels.sgd_pass": ("paper.algorithm_1", "paper/test_training.py"),
    "paper._kernels.transposed_rows": ("paper.pattern_matrix", "paper/test_pattern_matrix.py"),
    "paper._kernels.weigh": ("paper.association", "paper/test_association.py"),
    "text._kernels.tokenise.tokenise": ("text.sentences", "text/test_tokenizer.py"),
    "text._kernels.words.fill_table": ("text.sentences", _ENCODE),
    "text._kernels.words.find": ("text.sentences", _ENCODE),
    "text._kernels.words.keys_of": ("text.sentences", _ENCODE),
    "text._kernels.words.prefixes": ("text.sentences", _ENCODE),
    "text._kernels.words.renumber": ("text.sentences", _ENCODE),
    "text._kernels.words.unite": ("text.sentences", _ENCODE),
    "text._kernels.words.word_key": ("text.sentences", "text/test_tokenizer.py"),
    "text.fingerprint.hash_lines": ("arrays.fingerprint", "text/test_fingerprint.py"),
    "text.index.count_words": ("arrays.positions", "text/test_index.py"),
    "text.index.place_words": ("arrays.positions", "text/test_index.py"),
}
"""From a kernel (in relrep) to its twin (in relrep.reference), and the test (in tests) that holds it to that."""


def kernels() -> dict[str, set[str]]:
    """By module the functions that numba compiles."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(each) for each in node.decorator_list):
                found.setdefault(_module(path), set()).add(node.name)
    return found


def _module(path: Path) -> str:
    return ".".join(["relrep", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


def doors() -> set[str]:
    """Kernels that plain Python functions use: imported by name, as an attribute of their module, or beside it."""
    compiled, used = kernels(), set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        homes = {}  # what a name stands for here
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for name in node.names:
                    homes[name.asname or name.name] = f"{node.module}.{name.name}"
        homes |= {name: f"{_module(path)}.{name}" for name in compiled.get(_module(path), ())}
        plain = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.FunctionDef) and n.name not in compiled.get(_module(path), ())
        ]
        for function in plain:
            for node in ast.walk(function):
                if isinstance(node, ast.Name):
                    used.add(homes.get(node.id, ""))
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    used.add(f"{homes.get(node.value.id, '')}.{node.attr}")
    return {f"{module}.{name}".removeprefix("relrep.") for module in compiled for name in compiled[module]
            if f"{module}.{name}" in used}  # fmt: skip


@pytest.mark.parametrize("kernel", sorted(doors()))
def test_a_kernel_has_a_twin_and_a_test_that_uses_it(kernel: str) -> None:
    assert kernel in TWINS, f"{kernel} has no twin; write one in relrep.reference, test it, and name both here"
    twin, test = TWINS[kernel]
    module, _, name = twin.rpartition(".")
    assert callable(getattr(importlib.import_module(f"relrep.reference.{module}"), name))
    text = (TESTS / test).read_text(encoding="utf-8")
    assert name in text and "relrep.reference" in text


def test_no_twin_is_of_a_kernel_that_is_gone() -> None:
    assert TWINS.keys() <= doors()
