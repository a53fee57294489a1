/**
 * The system calls that an executor may make once it runs: those that V8, libuv and the C library need to compute, to
 * wait and to use an open pipe. They were measured on real executors, with and without JIT. Calls that the libraries may
 * also need, on glibc or musl, were added from their sources.
 *
 * None of them opens, starts, signals, connects, mounts or traces. All others fail with EPERM, so that a library that
 * only tries a call continues without it.
 */

/** A test of one argument, by its low 32 bits: it passes if `argument & mask` is `value`. */
type Test = { argument: number; mask: number; value: number }

type Rule = {
  /** The number of the call on each processor; `null` if the processor does not have it. */
  x64: number | null
  arm64: number | null
  /** The call passes if one test passes. Without tests, it always passes. */
  tests?: Test[]
}

const all = 0xff_ff_ff_ff
const equals = (argument: number, ...values: number[]): Test[] =>
  values.map((value) => ({ argument, mask: all, value }))

const newThread = 0x1_00_00
const newNamespaces = 0x7e_02_00_00
const executable = 4
const emptyPath = 0x10_00
const [setName, setVma] = [15, 0x53_56_4d_41]
const [getDescriptorFlags, setDescriptorFlags, getStatusFlags, setStatusFlags] = [1, 2, 3, 4]
const [nonBlocking, closeOnExec] = [0x54_21, 0x54_51]

/** The most frequent calls come first. */
function rules(jit: boolean): Record<string, Rule> {
  // Without JIT, nothing is compiled at run time, so executable memory is not needed.
  const memory: { tests?: Test[] } = jit ? {} : { tests: [{ argument: 2, mask: executable, value: 0 }] }
  return {
    futex: { x64: 202, arm64: 98 },
    read: { x64: 0, arm64: 63 },
    write: { x64: 1, arm64: 64 },
    epoll_pwait: { x64: 281, arm64: 22 },
    epoll_wait: { x64: 232, arm64: null },
    clock_gettime: { x64: 228, arm64: 113 },
    getpid: { x64: 39, arm64: 172 },
    madvise: { x64: 28, arm64: 233 },
    mmap: { x64: 9, arm64: 222, ...memory },
    munmap: { x64: 11, arm64: 215 },
    mprotect: { x64: 10, arm64: 226, ...memory },
    pkey_mprotect: { x64: 329, arm64: 288, ...memory },
    mremap: { x64: 25, arm64: 216 },
    brk: { x64: 12, arm64: 214 },
    getrandom: { x64: 318, arm64: 278 },
    rt_sigprocmask: { x64: 14, arm64: 135 },
    rt_sigaction: { x64: 13, arm64: 134 },
    rt_sigreturn: { x64: 15, arm64: 139 },
    sigaltstack: { x64: 131, arm64: 132 },
    readv: { x64: 19, arm64: 65 },
    writev: { x64: 20, arm64: 66 },
    epoll_ctl: { x64: 233, arm64: 21 },
    epoll_create1: { x64: 291, arm64: 20 },
    epoll_pwait2: { x64: 441, arm64: 441 },
    eventfd2: { x64: 290, arm64: 19 },
    pipe2: { x64: 293, arm64: 59 },
    poll: { x64: 7, arm64: null },
    ppoll: { x64: 271, arm64: 73 },
    clone: {
      x64: 56,
      arm64: 220,
      tests: [{ argument: 0, mask: newThread | newNamespaces, value: newThread }],
    },
    set_robust_list: { x64: 273, arm64: 99 },
    set_tid_address: { x64: 218, arm64: 96 },
    rseq: { x64: 334, arm64: 293 },
    gettid: { x64: 186, arm64: 178 },
    exit: { x64: 60, arm64: 93 },
    exit_group: { x64: 231, arm64: 94 },
    restart_syscall: { x64: 219, arm64: 128 },
    sched_yield: { x64: 24, arm64: 124 },
    sched_getaffinity: { x64: 204, arm64: 123 },
    sched_getparam: { x64: 143, arm64: 121 },
    sched_getscheduler: { x64: 145, arm64: 120 },
    clock_nanosleep: { x64: 230, arm64: 115 },
    nanosleep: { x64: 35, arm64: 101 },
    clock_getres: { x64: 229, arm64: 114 },
    gettimeofday: { x64: 96, arm64: 169 },
    time: { x64: 201, arm64: null },
    times: { x64: 100, arm64: 153 },
    getrusage: { x64: 98, arm64: 165 },
    getcpu: { x64: 309, arm64: 168 },
    membarrier: { x64: 324, arm64: 283 },
    pkey_alloc: { x64: 330, arm64: 289 },
    pkey_free: { x64: 331, arm64: 290 },
    close: { x64: 3, arm64: 57 },
    fstat: { x64: 5, arm64: 80 },
    newfstatat: { x64: 262, arm64: 79, tests: equals(3, emptyPath) },
    lseek: { x64: 8, arm64: 62 },
    fcntl: {
      x64: 72,
      arm64: 25,
      tests: equals(1, getDescriptorFlags, setDescriptorFlags, getStatusFlags, setStatusFlags),
    },
    ioctl: { x64: 16, arm64: 29, tests: equals(1, nonBlocking, closeOnExec) },
    shutdown: { x64: 48, arm64: 210 },
    getsockname: { x64: 51, arm64: 204 },
    getpeername: { x64: 52, arm64: 205 },
    getsockopt: { x64: 55, arm64: 209 },
    getrlimit: { x64: 97, arm64: 163 },
    prlimit64: { x64: 302, arm64: 261, tests: equals(0, 0) },
    prctl: { x64: 157, arm64: 167, tests: equals(0, setName, setVma) },
    sysinfo: { x64: 99, arm64: 179 },
    uname: { x64: 63, arm64: 160 },
    getcwd: { x64: 79, arm64: 17 },
    getppid: { x64: 110, arm64: 173 },
    getuid: { x64: 102, arm64: 174 },
    geteuid: { x64: 107, arm64: 175 },
    getgid: { x64: 104, arm64: 176 },
    getegid: { x64: 108, arm64: 177 },
  }
}

/** The same number on both processors. A filter cannot read its flags, which are in memory. The C library falls back to `clone`. */
const clone3 = 435

// Offsets into `struct seccomp_data`, whose numbers are little-endian on both processors.
const numberAt = 0
const architectureAt = 4
const argumentAt = (index: number) => 16 + 8 * index

const auditArchitectures = { x64: 0xc0_00_00_3e, arm64: 0xc0_00_00_b7 }
const allow = 0x7f_ff_00_00
const killProcess = 0x80_00_00_00
const fail = (errno: number) => 0x00_05_00_00 + errno
const [operationNotPermitted, notImplemented] = [1, 38]

/**
 * The filter in the form that the kernel expects: an array of `struct sock_filter`.
 * @returns `null` for a processor whose system calls are not listed here
 */
export function syscallFilter(jit: boolean, processor: string = process.arch): Buffer | null {
  if (processor !== 'x64' && processor !== 'arm64') return null
  const program: Buffer[] = [
    load(architectureAt),
    jumpIfEqual(auditArchitectures[processor], 1, 0),
    answer(killProcess),
    load(numberAt),
  ]
  for (const rule of Object.values(rules(jit))) {
    const number = rule[processor]
    if (number === null) continue
    const verdict = verdictOf(rule.tests)
    program.push(jumpIfEqual(number, 0, verdict.length), ...verdict)
  }
  program.push(jumpIfEqual(clone3, 0, 1), answer(fail(notImplemented)), answer(fail(operationNotPermitted)))
  return Buffer.concat(program)
}

/** Instructions that always end the program. */
function verdictOf(tests: Test[] | undefined): Buffer[] {
  if (tests === undefined) return [answer(allow)]
  const each = tests.flatMap(({ argument, mask, value }) => [
    load(argumentAt(argument)),
    instruction(0x54, 0, 0, mask),
    jumpIfEqual(value, 0, 1),
    answer(allow),
  ])
  return [...each, answer(fail(operationNotPermitted))]
}

const load = (offset: number) => instruction(0x20, 0, 0, offset)
const answer = (verdict: number) => instruction(0x06, 0, 0, verdict)
const jumpIfEqual = (value: number, skipIfSo: number, skipIfNot: number) =>
  instruction(0x15, skipIfSo, skipIfNot, value)

function instruction(code: number, jumpIfTrue: number, jumpIfFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(jumpIfTrue, 2)
  bytes.writeUInt8(jumpIfFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
