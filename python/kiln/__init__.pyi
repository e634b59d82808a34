"""Compute kernels, compiled at run time for the CPU, AMD GPUs and OpenCL devices."""
from os import PathLike
from types import TracebackType
from typing import (
    Any, Callable, ContextManager, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Type, Union, overload,
)

from . import arrays as arrays
from .arrays import elementwise as elementwise
from .arrays import reduce as reduce

__version__: str

_Size = Union[int, Sequence[int]]
_Options = Union[str, Sequence[str]]
_Define = Any  # str, int, float, bool, None, or a number of NumPy's
_Text = Union[str, bytes]
_Path = Union[str, bytes, PathLike[str], PathLike[bytes]]

class Error(Exception): ...
class InvalidError(Error, ValueError): ...
class CompileError(Error): ...
class NotFoundError(Error, LookupError): ...
class UnavailableError(Error): ...
class UnsupportedError(Error, NotImplementedError): ...
class OutOfMemoryError(Error, MemoryError): ...
class FileError(Error, OSError): ...
class DeviceError(Error): ...
class NotCachedError(Error): ...
class InternalError(Error): ...
class TimeoutError(Error, __builtins__.TimeoutError): ...  # type: ignore
class CancelledError(Error): ...

class ArgInfo(NamedTuple):
    name: str
    type_name: str
    kind: str
    access: str
    size: int
    align: int
    dimension: str

class KernelInfo(NamedTuple):
    name: str
    required_group_size: Optional[Tuple[int, int, int]]
    work_group_size_hint: Optional[Tuple[int, int, int]]
    local_bytes: int
    private_bytes: int
    code_bytes: int
    max_group_size: int
    vgprs: int
    sgprs: int
    spills: int
    waves_per_simd: int
    remark: str

class ProgramInfo(NamedTuple):
    cache: str
    key: str
    lookup_ms: float
    front_ms: float
    back_ms: float
    load_ms: float
    artifact_size: int
    artifact_extension: str

class DeviceInfo(NamedTuple):
    name: str
    vendor: str
    driver: str
    memory_bytes: int
    local_bytes: int
    max_group_size: int
    compute_units: int
    warp_size: int
    host_memory: bool

class CacheStats(NamedTuple):
    memory_hits: int
    disk_hits: int
    layer_hits: int
    misses: int
    misses_by: Dict[str, int]
    compiles: int
    stores: int
    store_failures: int
    quarantined: int
    waits: int
    bytes_read: int
    bytes_written: int
    evicted: int
    evicted_bytes: int
    lookup_ms: float
    front_ms: float
    back_ms: float
    degraded: bool

class Times(NamedTuple):
    enqueued_ns: int
    started_ns: int
    ended_ns: int
    seconds: float

class Stats(NamedTuple):
    launches: int
    writes: int
    reads: int
    copies: int
    fills: int
    written_bytes: int
    read_bytes: int
    copied_bytes: int
    filled_bytes: int
    streams: int
    buffers: int
    buffer_bytes: int
    peak_buffer_bytes: int
    loads: int
    load_ms: float

class WarmEvent(NamedTuple):
    done: int
    total: int
    program: str
    backend: str
    arch: str
    outcome: str
    message: str
    ms: float

class WarmResult(NamedTuple):
    programs: int
    jobs: int
    compiled: int
    cached: int
    failed: int
    damaged: int
    failures: List[WarmEvent]
    bundle: Optional[bytes]

class Context:
    def __init__(
        self,
        backend: Optional[str] = None,
        arch: Optional[str] = None,
        *,
        cache_dir: Optional[str] = None,
        cache_mode: Optional[str] = None,
        threads: int = 0,
        faults: Optional[str] = None,
        print: Optional[Callable[[str], object]] = None,
        log: Optional[Callable[[str, str], object]] = None,
    ) -> None: ...
    @property
    def backend(self) -> str: ...
    @property
    def arch(self) -> str: ...
    @property
    def features(self) -> str: ...
    @property
    def warp_size(self) -> int: ...
    @property
    def devices(self) -> List[DeviceInfo]: ...
    def compile(
        self,
        source: _Text,
        options: _Options = "",
        *,
        name: Optional[str] = None,
        headers: Optional[Dict[_Text, _Text]] = None,
        kind: str = "opencl-c",
        defines: Optional[Dict[str, _Define]] = None,
        constants: Optional[Dict[int, Union[int, float]]] = None,
    ) -> Program: ...
    def cache_stats(self) -> CacheStats: ...
    def stats(self) -> Stats: ...
    def trace(self, path: Optional[_Path]) -> None: ...
    def export_bundle(self) -> bytes: ...
    def import_bundle(self, bundle: Any) -> None: ...

class Program:
    @property
    def kernels(self) -> List[str]: ...
    @property
    def log(self) -> str: ...
    @property
    def info(self) -> ProgramInfo: ...
    @property
    def artifact(self) -> bytes: ...
    @property
    def context(self) -> Context: ...
    def stage(self, name: str) -> bytes: ...
    def __getitem__(self, name: str) -> Kernel: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Kernel:
    @property
    def name(self) -> str: ...
    @property
    def info(self) -> KernelInfo: ...
    @property
    def args(self) -> List[ArgInfo]: ...
    @property
    def program(self) -> Program: ...
    @property
    def tuned(self) -> Launch: ...
    def __getitem__(self, sizes: Any) -> Launch: ...
    @overload
    def __call__(self, queue: Queue, global_size: _Size, local_size: Optional[_Size], *args: Any, **named: Any) -> Event: ...
    @overload
    def __call__(self, graph: Graph, global_size: _Size, local_size: Optional[_Size], *args: Any, **named: Any) -> int: ...
    def bind(
        self, global_size: _Size, local_size: Optional[_Size] = None, offset: Optional[_Size] = None
    ) -> Launch: ...

class TuneResult(NamedTuple):
    point: Dict[str, int]
    default_us: float
    best_us: float
    points: int
    compiles: int
    wrong: int
    failed: int
    seconds: float
    message: str

class Tuned:
    @property
    def kernel(self) -> Kernel: ...
    def __call__(self, *args: Any, **named: Any) -> None: ...
    def enqueue(self, queue: Any, *args: Any, **named: Any) -> Any: ...
    def tune(
        self,
        *args: Any,
        budget: float = 10.0,
        points: int = 0,
        seed: int = 1,
        tolerance: float = 1e-3,
        deadline: Optional[float] = None,
        all: bool = False,
        warm: bool = False,
        progress: Optional[Callable[[str, Dict[str, int], float, str], object]] = None,
    ) -> TuneResult: ...

class Launch:
    def __call__(self, *args: Any, **named: Any) -> None: ...
    @overload
    def enqueue(self, queue: Queue, *args: Any, **named: Any) -> Event: ...
    @overload
    def enqueue(self, queue: Graph, *args: Any, **named: Any) -> int: ...

class Queue:
    def __init__(self, context: Context, device: int = 0) -> None: ...
    @property
    def context(self) -> Context: ...
    def finish(self) -> None: ...
    def wait(self, event: Event) -> None: ...
    def cancel(self) -> None: ...
    def set_deadline(self, seconds: Optional[float]) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Queue: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None: ...

class Graph:
    def __init__(self, context: Context, device: int = 0, stoppable: bool = False) -> None: ...
    def run(self, queue: Queue) -> Event: ...
    def update(self, index: int, launch: Launch, *args: Any, **named: Any) -> None: ...
    def __len__(self) -> int: ...

class Event:
    @property
    def done(self) -> bool: ...
    @property
    def times(self) -> Times: ...
    @property
    def seconds(self) -> float: ...
    def wait(self) -> None: ...

class Buffer:
    def __init__(self, context: Context, size: int, device: int = 0) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def read(self, array: Any, offset: int = 0) -> None: ...
    def write(self, array: Any, offset: int = 0) -> None: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...
    def __len__(self) -> int: ...

class Image:
    def __init__(
        self,
        source: Any,
        format: Optional[str] = None,
        dimension: Optional[str] = None,
        *,
        context: Optional[Context] = None,
        device: int = 0,
    ) -> None: ...
    @property
    def format(self) -> str: ...
    @property
    def dimension(self) -> str: ...
    @property
    def shape(self) -> Tuple[int, ...]: ...
    @property
    def size(self) -> Tuple[int, ...]: ...
    @property
    def nbytes(self) -> int: ...
    def to_numpy(self) -> Any: ...
    def read(self, array: Any) -> None: ...
    def write(self, array: Any) -> None: ...
    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any: ...

class Sampler:
    def __init__(self, address: str = "none", filter: str = "nearest", normalized: bool = False) -> None: ...
    @property
    def address(self) -> str: ...
    @property
    def filter(self) -> str: ...
    @property
    def normalized(self) -> bool: ...

def context(backend: Optional[str] = None, arch: Optional[str] = None) -> Context: ...
def compile(
    source: _Text,
    options: _Options = "",
    *,
    backend: Optional[str] = None,
    arch: Optional[str] = None,
    context: Optional[Context] = None,
    name: Optional[str] = None,
    headers: Optional[Dict[_Text, _Text]] = None,
    kind: str = "opencl-c",
    defines: Optional[Dict[str, _Define]] = None,
    constants: Optional[Dict[int, Union[int, float]]] = None,
) -> Program: ...
def cache_stats() -> CacheStats: ...
def tune(
    kernel: Kernel,
    args: Sequence[Any],
    named: Optional[Dict[str, Any]] = None,
    *,
    budget: float = 10.0,
    points: int = 0,
    seed: int = 1,
    tolerance: float = 1e-3,
    deadline: Optional[float] = None,
    all: bool = False,
    warm: bool = False,
    progress: Optional[Callable[[str, Dict[str, int], float, str], object]] = None,
) -> TuneResult: ...
def tuned(
    source: _Text,
    kernel: str,
    *,
    key: Union[str, Sequence[str]] = (),
    where: Union[None, str, Callable[..., Any], Sequence[Any]] = None,
    problem: Union[str, int, Sequence[Union[str, int]]] = (),
    block: Union[str, int, Sequence[Union[str, int]]] = (),
    divisor: Union[str, int, Sequence[Union[str, int]]] = (),
    options: _Options = "",
    tune_options: Optional[Dict[str, Sequence[int]]] = None,
    sets: Optional[Dict[str, str]] = None,
    backend: Optional[str] = None,
    arch: Optional[str] = None,
    context: Optional[Context] = None,
    name: Optional[str] = None,
    headers: Optional[Dict[_Text, _Text]] = None,
    defines: Optional[Dict[str, _Define]] = None,
    **values: Sequence[int],
) -> Callable[[Callable[..., object]], Tuned]: ...
def warm(
    manifests: Union[_Path, Sequence[_Path]],
    targets: Union[None, str, Sequence[Union[str, Tuple[Optional[str], Optional[str]]]]] = None,
    *,
    threads: int = 0,
    cache_dir: Optional[_Path] = None,
    export: Union[None, bool, _Path] = None,
    cache_mode: Optional[str] = None,
    progress: Optional[Callable[[WarmEvent], object]] = None,
) -> WarmResult: ...
def profile() -> ContextManager[List[Tuple[str, Times]]]: ...
def trace(path: _Path) -> ContextManager[None]: ...
