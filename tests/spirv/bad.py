#!/usr/bin/env python3
"""Modules that are wrong: bad.py KILN FOLDER. Each FOLDER/*.spvasm, assembled by spirv-as, must not compile, and the
message must have what the first line says after "; error: ". There, ids have the names of the text, which stand for any
numbers: "%sum" for "%12"."""
import os
import re
import subprocess
import sys
import tempfile


def assemble(text, path, version):
    command = ['spirv-as', '--target-env', 'spv' + version, '-o', path, '-']
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stderr if done.returncode else ''


def fault(kiln, source, path):
    with open(source, encoding='utf-8') as file:
        text = file.read()
    first = text.split('\n')[0]
    assert first.startswith('; error: '), source
    wrong = assemble(text, path, '1.4')
    if wrong:
        return 'spirv-as: ' + wrong
    done = subprocess.run([kiln, 'compile', path, '-b', 'interp', '--emit', 'ir', '-o', '/dev/null'],
                          capture_output=True, text=True, env=dict(os.environ, COMPILE_CACHE='off'))
    if done.returncode != 1 or 'internal' in done.stderr:
        return f'status {done.returncode}: {done.stderr}'
    expected = re.sub(r'%[a-z]\w*', lambda _: '%#', first[len('; error: '):])
    if expected not in re.sub(r'%\d+', '%#', done.stderr):
        return f'expected: {expected}\ngot: {done.stderr}'
    return ''


def main():
    kiln, folder = sys.argv[1:]
    faults = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(os.listdir(folder)):
            if not name.endswith('.spvasm'):
                continue
            count += 1
            text = fault(kiln, os.path.join(folder, name), os.path.join(scratch, 'bad.spv'))
            if text:
                faults += 1
                print(f'{name}: {text}')
    print(f'{count} modules, {faults} faults')
    return 1 if faults or count < 50 else 0


sys.exit(main())
