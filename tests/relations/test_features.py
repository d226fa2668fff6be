import numpy as np
import pytest
from scipy.sparse import issparse

from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors
from tiny_model import ANIMALS, CAPITALS

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from relrep.relations.classify import LabelledPairs, classify, read_labelled_pairs
from relrep.relations.features import PairFeatures

PAIRS = [*CAPITALS.items(), *ANIMALS.items()]
LABELS = ["capital"] * 5 + ["kind"] * 5


def unit(model, word):
    vector = model.vectors[word].astype(float)
    return vector / np.linalg.norm(vector)


def test_vector_features_are_what_their_names_say(tiny_model):
    u, v = unit(tiny_model, "paris"), unit(tiny_model, "france")
    features = PairFeatures(tiny_model, kinds=("diff", "concat", "product")).fit_transform(PAIRS)
    expected = np.concatenate([u - v, u, v, u * v * np.sqrt(len(u))])
    assert features.dtype == np.float32
    np.testing.assert_allclose(features[0], expected, atol=1e-6)


def test_pattern_features_tell_the_relations_apart(tiny_model):
    transformer = PairFeatures(tiny_model, kinds=("patterns",), n_patterns=1000).fit(PAIRS)
    rows = transformer.transform(PAIRS)
    assert issparse(rows) and rows.shape == (10, len(transformer.pattern_keys_))
    cosines = (rows @ rows.T).toarray()
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-5)
    assert cosines[:5, :5].min() > 0.9 > 0.5 > cosines[:5, 5:].max()
    assert transformer.transform([("paris", "italy"), ("?", "paris")]).nnz == 0
    assert transformer.seen([("paris", "france"), ("paris", "italy")]) == 0.5


def test_the_most_joining_patterns_are_kept(tiny_model):
    few = PairFeatures(tiny_model, kinds=("patterns",), n_patterns=3).fit(PAIRS)
    many = PairFeatures(tiny_model, kinds=("patterns",), n_patterns=1000).fit(PAIRS)
    joined = np.asarray((many.transform(PAIRS) > 0).sum(axis=0)).ravel()
    kept = joined[np.isin(many.pattern_keys_, few.pattern_keys_)]
    assert len(kept) == 3 and kept.min() >= np.sort(joined)[-3]


def test_all_kinds_together_and_other_evidence(tiny_model):
    bare = WordVectors(tiny_model.vectors.index_to_key, tiny_model.vectors.vectors)
    mixed = PairFeatures(bare, evidence=tiny_model).fit_transform(np.array(PAIRS))
    whole = PairFeatures(tiny_model).fit_transform(PAIRS)
    assert mixed.shape == whole.shape and abs(mixed - whole).max() == 0
    with pytest.raises(RelrepError, match="need a model"):
        PairFeatures(bare).fit(PAIRS)


def test_it_is_a_good_citizen_of_scikit_learn(tiny_model):
    transformer = PairFeatures(tiny_model, kinds=("diff",))
    copy = clone(transformer)
    assert copy is not transformer and copy.model is tiny_model and copy.get_params() == transformer.get_params()
    pipeline = make_pipeline(transformer, LogisticRegression(C=100)).fit(PAIRS[:-1], LABELS[:-1])
    assert pipeline.predict([PAIRS[-1], PAIRS[0]]).tolist() == ["kind", "capital"]


def test_bad_settings_and_pairs_are_told(tiny_model):
    for bad in ({"kinds": ("sum",)}, {"kinds": ()}, {"n_patterns": 0}):
        with pytest.raises(RelrepError, match=next(iter(bad))):
            PairFeatures(tiny_model, **bad).fit(PAIRS)
    with pytest.raises(RelrepError, match="row 1"):
        PairFeatures(tiny_model, kinds=("diff",)).fit([("a", "b"), ("a",)])


@pytest.mark.parametrize("kinds", [("diff",), ("patterns",), ("diff", "concat", "product", "patterns")])
def test_classification_learns_and_is_compared_with_guessing(tiny_model, kinds):
    train = LabelledPairs(tuple(PAIRS[:4] + PAIRS[5:9]), tuple(LABELS[:4] + LABELS[5:9]))
    test = LabelledPairs((PAIRS[4], PAIRS[9], ("paris", "unheard")), ("capital", "kind", "kind"))
    report = classify(PairFeatures(tiny_model, kinds=kinds), train, test, validation=train)
    assert report.coverage == pytest.approx(2 / 3) and report.n_train == 8 and report.n_test == 3
    by_label = {scores.label: scores for scores in report.classes}
    assert by_label["capital"].recall == 1 and by_label["kind"].recall >= 0.5 and by_label["kind"].support == 2
    assert report.majority.accuracy == pytest.approx(1 / 3)  # the tie goes to "capital"
    assert (report.seen is None) == ("patterns" not in kinds)


def test_one_relation_is_nothing_to_learn(tiny_model):
    same = LabelledPairs(tuple(PAIRS[:5]), ("capital",) * 5)
    with pytest.raises(RelrepError, match="only one relation"):
        classify(PairFeatures(tiny_model, kinds=("diff",)), same, same)


def test_reading_pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("cat\tpet\thyper\n\ndog\tpet\thyper\n", encoding="utf-8")
    assert read_labelled_pairs(path).pairs == (("cat", "pet"), ("dog", "pet"))
    for text, told in [("cat\tpet\n", "line 1"), ("a\tb\tc\nd\t\te\n", "line 2"), ("\n", "no pairs")]:
        path.write_text(text)
        with pytest.raises(RelrepError, match=told):
            read_labelled_pairs(path)
    path.write_bytes(b"\xff\xfe\tb\tc\n")
    with pytest.raises(RelrepError, match="UTF-8"):
        read_labelled_pairs(path)
    with pytest.raises(RelrepError, match="cannot be read"):
        read_labelled_pairs(tmp_path / "nowhere")
