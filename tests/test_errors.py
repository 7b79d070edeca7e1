"""The sentences that steadyset raises."""

import pickle

import pytest

import steadyset as st


@pytest.mark.parametrize("value", ["9" * 5_000, "a b " * 5_000], ids=["word", "text"])
def test_a_sentence_stays_readable_however_long_the_value_that_it_quotes(value):
    with pytest.raises(st.InputError) as told:
        st.get_measure(value)
    assert len(str(told.value)) < 2_500
    assert str(told.value).startswith("There is no measure called ")
    assert str(told.value).endswith("list_measures() lists them.")


def test_short_sentences_are_kept_and_arrive_whole_in_another_process():
    error = st.InputError("k must be at least 1 (got 0).")
    assert str(pickle.loads(pickle.dumps(error))) == "k must be at least 1 (got 0)."
