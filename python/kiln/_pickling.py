"""How contexts, programs and kernels come out of a pickle, in another process or on another machine.

A program is pickled as what it is made of. Where it arrives it is found in the cache, or compiled for what is there.
"""
import kiln

_contexts = {}  # by description: those that the process does not share anyway


def context(*description):
    """The context of a description, the arguments of kiln.Context: one for all that arrive."""
    backend, arch, *others = description
    if not any(others):
        return kiln.context(backend, arch)
    found = _contexts.get(description)
    if found is None:
        cache_dir, cache_mode, threads, faults, print, log = others
        found = _contexts[description] = kiln.Context(backend, arch, cache_dir=cache_dir, cache_mode=cache_mode,
                                                      threads=threads, faults=faults, print=print, log=log)
    return found


def program(context, recipe):
    source, options, name, headers, kind = recipe
    return context.compile(source, options.decode(), name=name, headers=headers, kind=kind)


def kernel(program, name):
    return program[name]


def sampler(address, filter, normalized):
    return kiln.Sampler(address, filter, normalized)


def tuned(kernel):
    return kernel.tuned


def launch(kernel, *sizes):
    return kernel.bind(*sizes)
