"""The PEP 517 build backend of the package migbsp, which needs no other package.

A wheel has libmigbsp.so in it, which scripts/libmigbsp builds with Go and a C compiler. Environment:
TAGS=mpi for ranks of MPI, MPICC for the compiler wrapper of the MPI, and VERSION, as for
scripts/install. A source distribution is an archive of scripts/dist, with all Go modules.
"""

import base64
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_METADATA = """Metadata-Version: 2.1
Name: migbsp
Version: %s
Summary: BSPlib in Python: puts, gets, messages, supersteps and collective operations, on ranks of MPI
License: Apache-2.0
Requires-Python: >=3.8
Project-URL: Homepage, https://github.com/migbsp/migbsp
"""
_PROJECT = """[build-system]
requires = []
build-backend = "backend"
backend-path = ["python/packing"]
"""


def _run(*words, **options):
    try:
        return subprocess.run(words, check=True, cwd=_ROOT, universal_newlines=True, **options)
    except OSError as e:
        sys.exit("migbsp: %s: %s" % (words[0], e.strerror))
    except subprocess.CalledProcessError:
        sys.exit("migbsp: %s has failed" % " ".join(map(shlex.quote, words)))


def _said():
    """The version that VERSION or the name of an unpacked archive states, as for scripts/install."""
    name = os.path.basename(_ROOT)
    found = os.environ.get("VERSION") or (name[len("migbsp-") :] if name.startswith("migbsp-") else "")
    return found[1:] if found.startswith("v") else found


def _version():
    """The version in the form that Python packages can have."""
    found = _said()
    if not found[:1].isdigit():
        try:
            describe = ["git", "describe", "--tags", "--always", "--dirty"]
            found = subprocess.check_output(describe, cwd=_ROOT, universal_newlines=True, stderr=subprocess.DEVNULL).strip()
        except (OSError, subprocess.CalledProcessError):
            found = ""
    return normal(found)


def normal(version):
    """A version of git describe or a release in the form of PEP 440: 0.2.0-rc1 is 0.2.0rc1, and
    v0.2.0-5-gabc is 0.2.0+5.gabc."""
    found = re.match(r"v?(\d+(?:\.\d+)+)(?:-?(alpha|beta|a|b|rc)\.?(\d*)(?![a-z]))?(.*)$", version)
    if not found:
        release, rest = "0", ("g" if version else "") + version  # a commit
    else:
        release = found[1] + ({"alpha": "a", "beta": "b"}.get(found[2], found[2]) + (found[3] or "0") if found[2] else "")
        rest = found[4]
    local = ".".join(re.findall("[a-z0-9]+", rest.lower()))
    return release + ("+" + local if local else "")


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def _library(directory):
    script = os.path.join(_ROOT, "scripts", "libmigbsp")
    if not os.path.exists(script):
        sys.exit("migbsp: %s is not there: the package is built in a checkout or from its source distribution, by pip 21.3 or later" % script)
    environment = dict(os.environ, GO=_run("sh", "scripts/find-go", stdout=subprocess.PIPE).stdout.strip())
    said = _said()
    environment["LDFLAGS"] = "-s" + (" -X github.com/migbsp/migbsp/ledger.version=v" + said if said[:1].isdigit() else "")
    build = 'exec sh scripts/libmigbsp "$1"'
    if "mpi" in re.split("[ ,]+", environment.get("TAGS", "")) and not (environment.get("CGO_CFLAGS") or environment.get("CGO_LDFLAGS")):
        build = 'flags=$(sh scripts/mpi-env "${MPICC:-mpicc}") && eval "$flags" && ' + build
    _run("sh", "-c", build, "sh", directory, env=environment)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    version = _version()
    name = "migbsp-%s.dist-info" % version
    os.mkdir(os.path.join(metadata_directory, name))
    with open(os.path.join(metadata_directory, name, "METADATA"), "w") as f:
        f.write(_METADATA % version)
    return name


def _file(*path):
    with open(os.path.join(_ROOT, *path), "rb") as f:
        return f.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    tag = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
    name, info = "migbsp-%s-%s.whl" % (version, tag), "migbsp-%s.dist-info/" % version
    contents = {"migbsp/" + f: _file("python", "migbsp", f) for f in ("__init__.py", "collective.py")}
    with tempfile.TemporaryDirectory() as directory:
        _library(directory)
        contents["migbsp/libmigbsp.so"] = _file(directory, "libmigbsp.so")
    for f in ("LICENSE", "NOTICE"):
        contents[info + f] = _file(f)
    contents[info + "METADATA"] = (_METADATA % version).encode()
    contents[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: migbsp\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()
    record = ["%s,sha256=%s,%d" % (path, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data)) for path, data in contents.items()]
    contents[info + "RECORD"] = "\n".join(record + [info + "RECORD,,", ""]).encode()
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # 1980 or later
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            member = zipfile.ZipInfo(path, date)
            member.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    version = _version()
    top = "migbsp-%s/" % version
    with tempfile.TemporaryDirectory() as directory:
        _run("bash", "scripts/dist", directory, env=dict(os.environ, VERSION=version), stdout=subprocess.DEVNULL)
        name = top[:-1] + ".tar.gz"
        with tarfile.open(os.path.join(directory, name)) as packed, tarfile.open(os.path.join(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
            for member in packed:
                archive.addfile(member, packed.extractfile(member) if member.isfile() else None)
            for path, text in (("PKG-INFO", _METADATA % version), ("pyproject.toml", _PROJECT)):
                member = tarfile.TarInfo(top + path)
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
    return name
