"""Images of a release are pinned by digest."""

import shutil
from pathlib import Path

import pytest
import yaml

from deploy import pin_images

DEPLOY = Path(__file__).parents[2] / "deploy"
DIGEST = f"sha256:{'1f' * 32}"


@pytest.fixture
def folder(tmp_path):
    for name in pin_images.FILES:
        shutil.copy(DEPLOY / name, tmp_path)
    return tmp_path


def test_every_image_gets_the_digest_of_its_tag(folder):
    asked = []

    def digest_of(image):
        asked.append(image)
        return DIGEST

    pinned = pin_images.pin(folder, digest_of)
    assert pin_images.unpinned(folder) == []
    assert len(asked) == len(set(asked)) == len(pinned)
    services = yaml.safe_load((folder / "compose.yaml").read_text())["services"]
    others = {one["image"] for one in services.values() if not one["image"].startswith("comanda:")}
    assert len(others) == 3
    assert all(image.endswith(f"@{DIGEST}") for image in others)
    stages = [
        line for line in (folder / "Dockerfile").read_text().splitlines() if line.startswith("FROM")
    ]
    assert len(stages) == 2
    assert all(f"@{DIGEST}" in line for line in stages)
    assert stages[0].endswith(" AS build")


def test_a_second_time_the_digests_are_renewed(folder):
    pin_images.pin(folder, lambda _image: DIGEST)
    newer = f"sha256:{'2e' * 32}"
    pin_images.pin(folder, lambda _image: newer)
    text = "".join((folder / name).read_text() for name in pin_images.FILES)
    assert (DIGEST in text, text.count(newer)) == (False, 5)


def test_an_answer_that_is_no_digest_changes_nothing(folder):
    before = [(folder / name).read_text() for name in pin_images.FILES]
    with pytest.raises(ValueError, match="is not a digest"):
        pin_images.pin(folder, lambda image: DIGEST if "python" in image else "error")
    assert [(folder / name).read_text() for name in pin_images.FILES] == before


def test_the_check_names_what_has_no_digest(folder, monkeypatch, capsys):
    monkeypatch.setattr(pin_images, "__file__", str(folder / "pin_images.py"))
    text = (folder / "compose.yaml").read_text()
    pin_images.pin(folder, lambda _image: DIGEST)
    assert pin_images.main(["--check"]) == 0
    (folder / "compose.yaml").write_text(text)
    assert pin_images.main(["--check"]) == 1
    assert "compose.yaml: valkey/valkey:9-alpine has no digest" in capsys.readouterr().err
