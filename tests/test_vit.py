"""The Vision Transformer: the published numbers of parameters, its parts in order, and what may change what."""

import pytest
import torch
from reference import fill_randomly, random, refuses, same
from test_contract import count_parameters

from attention_src.models.vit import VisionTransformer
from attention_src.patches import patchify

# For pictures of 224 × 224, patches of 16 and 1,000 classes: B is that of Dosovitskiy et al. (2020), Ti and S those of
# Touvron et al. (2020), table 1, in millions; to the last parameter they are counted in the library timm.
PUBLISHED = {
    "ViT-Ti/16": ({"d_model": 192, "num_heads": 3}, 5_717_416),
    "ViT-S/16": ({"d_model": 384, "num_heads": 6}, 22_050_664),
    "ViT-B/16": ({"d_model": 768, "num_heads": 12}, 86_567_656),
}
SIZE, P, CLASSES, D, LAYERS, HEADS, D_FF, C, BATCH = 6, 2, 5, 8, 3, 2, 7, 4, 3
PATCHES = (SIZE // P) ** 2
IMAGES = torch.tensor(random((BATCH, SIZE, SIZE, C))[0])


def make_model(**changes):
    sizes = {"image_size": SIZE, "patch_size": P, "num_classes": CLASSES, "d_model": D} | changes
    sizes = {"num_layers": LAYERS, "num_heads": HEADS, "d_ff": D_FF, "in_channels": C} | sizes
    return fill_randomly(VisionTransformer(**sizes), std=0.4)


@pytest.mark.parametrize("name", PUBLISHED)
def test_it_has_as_many_parameters_as_published(name):
    sizes, published = PUBLISHED[name]
    with torch.device("meta"):
        model = VisionTransformer(224, 16, 1000, num_layers=12, d_ff=4 * sizes["d_model"], **sizes)
    assert count_parameters(model) == published


def test_it_is_its_parts_in_order():
    model = make_model(norm_eps=1e-2)
    assert [norm.eps for block in model.blocks for norm in block.norms] == [1e-2] * 2 * LAYERS
    patches = patchify(IMAGES, P) @ model.embed.weight.T + model.embed.bias
    x = torch.stack([torch.vstack([model.class_token, picture]) for picture in patches]) + model.positions
    for block in model.blocks:
        x = block(x)[0]
    x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-2).sqrt()
    x = x * model.norm.weight + model.norm.bias
    same(model.encode(IMAGES)[0], x, 1e-10)
    same(model(IMAGES)[0], x[:, 0] @ model.head.weight.T + model.head.bias, 1e-10)


def test_one_picture_and_any_axes_before_it():
    model = make_model()
    assert model(IMAGES)[1] is None
    same(model(IMAGES[0])[0], model(IMAGES)[0][0])
    same(model(IMAGES[:, None])[0], model(IMAGES)[0][:, None])
    assert model(IMAGES[:, None], need_weights=True)[1].shape == (BATCH, 1, LAYERS, HEADS, 1 + PATCHES, 1 + PATCHES)


def test_sizes_that_do_not_fit_each_other_and_pictures_of_another_size_are_refused():
    with refuses(ValueError, "image_size is 6; expected a multiple of patch_size = 4"):
        make_model(patch_size=4)
    with refuses(ValueError, "images has shape (3, 6, 6, 3); expected (..., 6, 6, 4)"):
        make_model()(IMAGES[..., :3])
    with refuses(ValueError, "images has shape (3, 4, 6, 4); expected (..., 6, 6, 4)"):
        make_model()(IMAGES[:, :4])
    for kind in (torch.uint8, torch.float32):
        with refuses(TypeError, f"images has dtype {kind}; expected torch.float64, as the layer has"):
            make_model()(IMAGES.to(kind))
