"""What chapter 12 says of its model and sentences and holds for any of them, by algebra or by construction."""

import pytest
import torch

from attention_course.interventions import replace_attribute
from attention_course.tasks import two_senses

USES = ("model", "vectors_of", "nearer", "careless", "sentence")


@pytest.mark.parametrize(("seed", "word"), [(0, "bank"), (1, "bat"), (2, "match")])
def test_before_the_first_block_both_means_are_equally_near_unless_the_openings_differ(book, seed, word):
    fair = two_senses(word, openings=3, endings=4, seed=seed)
    assert book.nearer(book.vectors_of(word, fair[0])[:, 0], *fair[1:]) == 0.5
    if word == "bank":
        careless = book.careless(*fair)
        assert book.nearer(book.vectors_of(word, careless[0])[:, 0], *careless[1:]) > 0.5


def test_with_all_positions_alike_the_order_of_the_words_changes_nothing(book):
    texts = "the dog chased the old cat", "cat the old the chased dog"
    alike = torch.nn.Parameter(book.model.positions.weight[:1].repeat(512, 1))
    assert book.sentence(texts[0]) @ book.sentence(texts[1]) < 0.999
    with replace_attribute([book.model.positions], "weight", alike):
        torch.testing.assert_close(*map(book.sentence, texts), rtol=0, atol=1e-5)
