# SPDX-License-Identifier: BSD-2-Clause
"""Debian packages of any suite and architecture without touching the system's own apt state."""
import os
import re
import subprocess
from pathlib import Path

from .console import say

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class AptError(Exception):
    """One message for the user: what could not be had, and why."""


def capture(argv: list, what: str, cwd: Path = None) -> str:
    try:
        done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", cwd=cwd)
    except FileNotFoundError:
        raise AptError(f"{argv[0]} is not on this machine: packages come from a Debian with apt") from None
    if done.returncode:
        raise AptError(f"{what} failed (status {done.returncode}):\n{done.stderr.strip()}")
    return done.stdout


def os_release() -> dict:
    path = Path("/etc/os-release")
    pairs = (line.split("=", 1) for line in path.read_text().splitlines() if "=" in line) if path.exists() else ()
    return {key: value.strip('"') for key, value in pairs}


def host_architecture() -> str:
    return capture(["dpkg", "--print-architecture"], "dpkg").strip()


def _stanzas(path: Path):
    """Yields (types, uris, suites, components) of one apt source file in either format."""
    text = path.read_text()
    if path.suffix == ".sources":
        for block in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", text)):
            fields = {k.lower(): v.split() for k, v in re.findall(r"(?m)^([A-Za-z-]+):[ \t]*(.*)$", block)}
            yield tuple(fields.get(key, []) for key in ("types", "uris", "suites", "components"))
    else:
        for line in text.splitlines():
            match = re.match(r"\s*(deb|deb-src)\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s*(.*)", line)
            if match:
                yield [match[1]], [match[2]], [match[3]], match[4].split()


def _configured_mirror(names: tuple) -> str:
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for path in files:
        if path.suffix not in (".list", ".sources") or not path.is_file():
            continue
        for types, uris, suites, components in _stanzas(path):
            if "deb" in types and uris and "main" in components and set(names) & set(suites):
                return uris[0]
    return ""


def system_mirror(suite: str = "") -> str:
    """The Debian mirror that this machine is configured for: the one of its own release's main suite, for security
    suites that of its own release's security suite."""
    codename = os_release().get("VERSION_CODENAME", "")
    if suite.endswith("-security"):
        found = _configured_mirror((f"{codename}-security", "stable-security", "oldstable-security"))
        # By Debian's convention the security archive lies beside the main one.
        return found or system_mirror().rstrip("/") + "-security/"
    if "DAEDALUS_DEBIAN_MIRROR" in os.environ:
        return os.environ["DAEDALUS_DEBIAN_MIRROR"]
    found = _configured_mirror((codename, "stable", "oldstable"))
    if found:
        return found
    raise AptError("no Debian mirror among this machine's apt sources; name one in DAEDALUS_DEBIAN_MIRROR")


class PrivateApt:
    """An apt whose lists, cache and idea of what is installed lie in one directory of ours."""

    def __init__(self, root: Path, suite: str, arch: str, base_suite: str = None, status: Path = None,
                 types: str = "deb deb-src"):
        """base_suite: where a backports suite takes the rest from; status: what counts as installed (nothing)."""
        self.types = types
        self.root, self.suite, self.arch, self.base_suite = root, suite, arch, base_suite
        self.archives = root / "cache" / "archives"
        self._options = [
            f"-oDir::State={root}", f"-oDir::State::Lists={root}/lists",
            f"-oDir::State::status={status or root / 'status'}",
            f"-oDir::Cache={root}/cache", f"-oDir::Etc::sourcelist={root}/none", "-oDir::Etc::preferencesparts=/none",
            f"-oDir::Etc::sourceparts={root}/sources.d", f"-oAPT::Architecture={arch}",
            f"-oAPT::Architectures::={arch}", f"-oAPT::Default-Release={suite}", "-oAPT::Get::List-Cleanup=0",
            "-oDebug::NoLocking=1", "-oAcquire::Retries=3", "-oAPT::Update::Post-Invoke-Success=",
            "-oAPT::Sandbox::User=root", "-oAPT::Install-Recommends=0", "-oAcquire::Languages=none", "-qq",
        ]

    def update(self) -> None:
        if (self.root / "updated").exists():
            return
        if not Path(KEYRING).exists():
            raise AptError(f"{KEYRING} is missing: install debian-archive-keyring")
        for sub in ("lists/partial", "cache/archives/partial", "sources.d"):
            (self.root / sub).mkdir(parents=True, exist_ok=True)
        (self.root / "status").touch()
        suites = " ".join(filter(None, (self.suite, self.base_suite)))
        (self.root / "sources.d" / "suite.sources").write_text(
            f"Types: {self.types}\nURIs: {system_mirror(self.suite)}\nSuites: {suites}\nComponents: main\n"
            f"Signed-By: {KEYRING}\n")
        say(f"reading the package lists of {self.suite} ({self.arch})")
        self._get("update", "--error-on=any")
        (self.root / "updated").touch()

    def _get(self, *args, cwd=None) -> str:
        return capture(["apt-get", *self._options, *args], f"apt-get {args[0]} ({self.suite}, {self.arch})", cwd=cwd)

    def version(self, package: str) -> str:
        """The version the suite offers, or an empty string."""
        self.update()
        out = capture(["apt-cache", *self._options, "policy", f"{package}:{self.arch}"], "apt-cache policy")
        match = re.search(r"Candidate: (\S+)", out)
        return match[1] if match and match[1] != "(none)" else ""

    def download(self, packages, into: Path) -> list:
        """Fetches exactly these packages into a directory of their own; the signed index vouches for them."""
        self.update()
        into.mkdir(parents=True, exist_ok=True)
        self._get("download", *packages, cwd=into)
        return sorted(into.glob("*.deb"))

    def download_closure(self, packages) -> list:
        """Fetches the packages and all they depend on, that does not count as installed."""
        self.update()
        for old in self.archives.glob("*.deb"):
            old.unlink()
        self._get("--yes", "--download-only", "install", *(f"{p}:{self.arch}" for p in packages))
        return sorted(self.archives.glob("*.deb"))

    def _source_stanzas(self, package: str) -> list:
        self.update()
        out = capture(["apt-cache", *self._options, "showsrc", "--only-source", package], "apt-cache showsrc")
        found = [(re.search(r"(?m)^Version: (\S+)", stanza), stanza) for stanza in out.split("\n\n")]
        return [(version[1], stanza) for version, stanza in found if version]

    def _download_source(self, package: str, version: str, into: Path, *which: str) -> None:
        into.mkdir(parents=True, exist_ok=True)
        self._get("source", "--download-only", *which, f"{package}={version}", cwd=into)

    def source_files(self, package: str, version_prefix: str, into: Path) -> None:
        """Fetches the source package whose upstream version starts so (highest Debian revision)."""
        versions = [v for v, _ in self._source_stanzas(package) if v.startswith(version_prefix + "-")]
        if not versions:
            raise AptError(f"{package} {version_prefix} is not in the suite {self.suite} any more")
        self._download_source(package, versions[-1], into)

    def source_with(self, package: str, sha256: str, into: Path) -> bool:
        """Fetches the upstream tarballs of the source package that holds exactly this file; false where there is none.
        They stay in the archive when its revision is replaced, which mirrors' lists may not know yet."""
        versions = [version for version, stanza in self._source_stanzas(package) if sha256 in stanza]
        if versions:
            self._download_source(package, versions[-1], into, "--tar-only")
        return bool(versions)


def unpack(debs, root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for deb in debs:
        done = subprocess.run(["dpkg-deb", "-x", str(deb), str(root)], capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise AptError(f"cannot unpack {deb}: {done.stderr.strip()}")
