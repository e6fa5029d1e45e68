# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""build_collection.py SOURCE OUTPUT: build the collection that stands in SOURCE into OUTPUT: NAME.tar.gz and NAME.cdx.json.

The tarball is what `ansible-galaxy collection build` makes, with everything taken out of it that depends on the machine and the
moment: the order in which the file system lists files, times, and the name and time in the gzip header. NAME.cdx.json is its bill of
materials (CycloneDX 1.6): the packages that the controller needs, from requirements/site.txt. Hosts get no package at all.

SOURCE_DATE_EPOCH (seconds since 1970) is the time in both. Prints the paths with their SHA-256.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import uuid
from pathlib import Path

import yaml
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

MANIFEST, FILES = "MANIFEST.json", "FILES.json"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)\s*(?:;\s*([^\\]*?))?\s*\\?$")
NAMESPACE = uuid.UUID("5f5ad1c0-6a51-5a9b-8f06-0d8a2f2b7c11")  # of the serial numbers below


def built(source):
    """Return (name, bytes) of the tarball that ansible-galaxy builds from a directory."""
    with tempfile.TemporaryDirectory() as work:
        galaxy = [os.path.join(os.path.dirname(sys.executable), "ansible-galaxy"), "collection", "build", str(source), "--output-path", work]
        done = subprocess.run(galaxy, env=dict(os.environ, ANSIBLE_HOME=work), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        made = list(Path(work).glob("*.tar.gz"))
        if done.returncode != 0 or len(made) != 1:
            sys.exit("ansible-galaxy collection build failed:\n%s" % (done.stdout + done.stderr).strip())
        return made[0].name, made[0].read_bytes()


def normalized(data, epoch):
    """Return a collection's tarball (bytes) with its files in the order of their names and with epoch for every time."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        members = {member.name: (member, archive.extractfile(member).read() if member.isfile() else None) for member in archive}
    files = json.loads(members[FILES][1])
    files["files"].sort(key=lambda entry: entry["name"])
    listing = json.dumps(files, indent=1).encode("utf-8")
    manifest = json.loads(members[MANIFEST][1])
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(listing).hexdigest()
    members[FILES] = (members[FILES][0], listing)
    members[MANIFEST] = (members[MANIFEST][0], json.dumps(manifest, indent=1).encode("utf-8"))
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        # The two first, as ansible-galaxy writes them.
        for name in [MANIFEST, FILES] + sorted(set(members) - {MANIFEST, FILES}):
            member, content = members[name]
            member.mtime, member.uid, member.gid, member.uname, member.gname, member.pax_headers = epoch, 0, 0, "", "", {}
            member.size = len(content or b"")
            archive.addfile(member, io.BytesIO(content) if content is not None else None)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=epoch) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


def locked(text):
    """Return [(name, version, marker, [SHA-256 of its files])] of a requirements file that scripts/lock.sh made."""
    found = []
    for line in text.splitlines():
        match = PINNED.match(line)
        if match:
            found.append((match.group(1), match.group(2), match.group(3) or "", []))
        elif line.strip().startswith("--hash=sha256:"):
            found[-1][3].append(line.strip().rstrip("\\").strip()[len("--hash=sha256:"):])
    return found


def bill_of_materials(source, tarball, epoch):
    """Return the bill of materials of a tarball (bytes) built from a directory, as JSON text."""
    about = yaml.safe_load((source / "galaxy.yml").read_text(encoding="utf-8"))
    name, digest = "%s.%s" % (about["namespace"], about["name"]), hashlib.sha256(tarball).hexdigest()
    product = Component(
        type=ComponentType.APPLICATION, name=name, version=about["version"], bom_ref=name, description=about["description"],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
        properties=[
            Property(name="agentihooks:controller", value="Python 3.11 or newer with the components below; those that ansible-core brings included"),
            Property(name="agentihooks:hosts", value="Python 3.8 or newer and its standard library; nothing is installed from a package index"),
        ],
    )  # fmt: skip
    components = []
    for package, version, marker, hashes in locked((source / "requirements" / "site.txt").read_text(encoding="utf-8")):
        properties = [Property(name="agentihooks:file-sha256", value=value) for value in hashes]
        if marker:
            properties.append(Property(name="agentihooks:marker", value=marker))
        purl = PackageURL("pypi", name=package, version=version)
        components.append(Component(type=ComponentType.LIBRARY, name=package, version=version, purl=purl, bom_ref=purl.to_string(), properties=properties))
    bom = Bom(components=components, serial_number=uuid.uuid5(NAMESPACE, digest))
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    bom.metadata.component = product
    bom.register_dependency(product, components)
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def main(source, output):
    try:
        epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    except (KeyError, ValueError):
        sys.exit("SOURCE_DATE_EPOCH must be a whole number of seconds since 1970; scripts/build.sh sets it")
    name, data = built(source)
    tarball = normalized(data, epoch)
    for path, content in ((output / name, tarball), (output / name.replace(".tar.gz", ".cdx.json"), bill_of_materials(source, tarball, epoch).encode("utf-8"))):
        path.write_bytes(content)
        print("%s  %s" % (hashlib.sha256(content).hexdigest(), path))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: build_collection.py SOURCE OUTPUT")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
