#!/usr/bin/python3
"""Each quick test has the limit on its time that cmake/tests.cmake sets, and each slow one has its own.

    check_limits.py BUILD_FOLDER SECONDS
"""
import json
import subprocess
import sys

folder, limit = sys.argv[1], float(sys.argv[2])
listed = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True, capture_output=True)
wrong = 0
for test in json.loads(listed.stdout)["tests"]:
    properties = {p["name"]: p["value"] for p in test["properties"]}
    own = properties.get("TIMEOUT")
    if "slow" in properties.get("LABELS", []):
        fault = own is None and "is slow, and has no TIMEOUT"
    else:
        fault = own is not None and own > limit and f"is not slow, and may take {own:.0f} s"
    if fault:
        print(test["name"], fault)
        wrong += 1
with open(folder + "/DartConfiguration.tcl", encoding="utf-8") as file:
    if f"TimeOut: {limit:.0f}\n" not in file.read():
        print("ctest has another limit")
        wrong += 1
sys.exit(wrong != 0)
