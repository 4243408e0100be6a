"""Pin the base images of a release by digest: `python -m deploy.pin_images`.

A tag such as `postgres:17-bookworm` can point to another image tomorrow; a digest cannot. Run it
when a release is made, on a machine with Docker and internet, and commit the changed files.
`--check` changes nothing and fails if an image has no digest.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

FILES = ("Dockerfile", "compose.yaml")
IMAGE = re.compile(
    r"(?m)^(?P<before>FROM |    image: )(?P<name>[a-z0-9./-]+:[\w.-]+)"
    r"(?P<digest>@sha256:[0-9a-f]{64})?"
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def ask_registry(image: str) -> str:
    """The digest of the image for all platforms. Raises CalledProcessError."""
    command = ["docker", "buildx", "imagetools", "inspect", image]
    done = subprocess.run(
        [*command, "--format", "{{.Manifest.Digest}}"], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def unpinned(folder: Path) -> list[str]:
    """Images without a digest, as `file: image`."""
    return [
        f"{name}: {found['name']}"
        for name in FILES
        for found in IMAGE.finditer((folder / name).read_text())
        if not found["digest"]
    ]


def pin(folder: Path, digest_of: Callable[[str], str] = ask_registry) -> list[str]:
    """Write the current digest behind every image; returns the pinned images. Raises ValueError for
    an answer that is not a digest. Files are written only if every image was found.
    """
    pinned: dict[str, str] = {}

    def with_digest(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in pinned:
            digest = digest_of(name)
            if not DIGEST.fullmatch(digest):
                raise ValueError(f"{name}: {digest!r} is not a digest")
            pinned[name] = f"{name}@{digest}"
        return found["before"] + pinned[name]

    texts = {name: IMAGE.sub(with_digest, (folder / name).read_text()) for name in FILES}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return sorted(pinned.values())


def main(arguments: list[str]) -> int:
    folder = Path(__file__).parent
    if arguments == ["--check"]:
        missing = unpinned(folder)
        for one in missing:
            sys.stderr.write(f"{one} has no digest; run python -m deploy.pin_images\n")
        return 1 if missing else 0
    if arguments:
        sys.stderr.write("usage: python -m deploy.pin_images [--check]\n")
        return 2
    try:
        images = pin(folder)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Nothing was changed: {error}\n")
        return 1
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"Nothing was changed: {error.stderr or error}\n")
        return 1
    sys.stdout.write("".join(f"{one}\n" for one in images))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
