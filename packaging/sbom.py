#!/usr/bin/env python3
"""Writes OUT/pprofc-VERSION.spdx.json, the parts of a release in SPDX 2.3: sbom.py OUT VERSION COMMIT. OUT/.parts/FILE
has the parts of each file: lines "static|dynamic|source NAME VERSION SOURCE". The time is SOURCE_DATE_EPOCH."""
import hashlib
import json
import os
import re
import sys
import time

KINDS = {"static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK"}


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def artifact(out, name, version):
    """Returns a file of the release as a package."""
    return {"SPDXID": spdx_id("File", name), "name": "pprofc", "versionInfo": version, "packageFileName": name,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(os.path.join(out, name))}]}


def part(name, version, source):
    """Returns a library as its Debian package."""
    return {"SPDXID": spdx_id("Package", name, version), "name": name, "versionInfo": version,
            "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "sourceInfo": f"built from the Debian source package {source}",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}"}]}


def relation(first, kind, second):
    return {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}


def main():
    out, version, commit = sys.argv[1:4]
    packages, relations = {}, []
    for name in sorted(os.listdir(os.path.join(out, ".parts"))):
        made = artifact(out, name, version)
        packages[made["SPDXID"]] = made
        relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", made["SPDXID"]))
        with open(os.path.join(out, ".parts", name), encoding="utf-8") as file:
            for kind, *words in sorted(set(tuple(line.split()) for line in file)):
                library = part(*words)
                packages[library["SPDXID"]] = library
                relations.append(relation(made["SPDXID"], KINDS[kind], library["SPDXID"]))
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"pprofc-{version}",
                "documentNamespace": f"https://spdx.org/spdxdocs/pprofc-{version}-{commit}",
                "creationInfo": {"created": created, "creators": ["Tool: pprofc-release"]},
                "packages": list(packages.values()), "relationships": relations}
    with open(os.path.join(out, f"pprofc-{version}.spdx.json"), "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


main()
