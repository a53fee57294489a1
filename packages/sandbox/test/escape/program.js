/**
 * A hostile native program. It calls the C library and the kernel directly, as an exploit of V8 could. It runs in the
 * process of an executor instead of the executor's own program, and outside for comparison.
 *
 * `target`, which precedes its text, lists its goals. It prints the result of each attempt: `done`, or an errno.
 */

const ffi = require('node:ffi')
const { writeSync } = require('node:fs')
const { errno: errnos } = require('node:os').constants

const long = 'i64'
const call = (...types) => ({ arguments: types, return: long })
const { functions: c } = ffi.dlopen(null, {
  syscall: call(long, long, long, long, long, long, long),
  // One name for each C library is enough.
  __errno_location: { arguments: [], return: 'pointer' },
})
const x64 = {
  read: 0,
  open: 257,
  socket: 41,
  connect: 42,
  fork: 56,
  exit: 60,
  kill: 62,
  ptrace: 101,
  setuid: 105,
  mount: 165,
  umount: 166,
  vmRead: 310,
  pidfdOpen: 434,
}
const arm64 = {
  read: 63,
  open: 56,
  socket: 198,
  connect: 203,
  fork: 220,
  exit: 93,
  kill: 129,
  ptrace: 117,
  setuid: 146,
  mount: 40,
  umount: 39,
  vmRead: 270,
  pidfdOpen: 434,
}
const numbers = process.arch === 'x64' ? x64 : arm64

const kept = []
/** The address of bytes, or of a text that ends in a null byte. */
function at(value) {
  const bytes = typeof value === 'string' ? Buffer.from(`${value}\0`) : value
  kept.push(bytes)
  return ffi.getRawPointer(bytes)
}

/** Makes a system call. Returns its result, or throws the name of its error. */
function kernel(name, ...args) {
  const six = [...args, 0, 0, 0, 0, 0, 0].slice(0, 6).map(BigInt)
  const result = c.syscall(BigInt(numbers[name]), ...six)
  if (result >= 0n) return result
  const number = ffi.getInt32(c.__errno_location())
  throw Object.keys(errnos).find((key) => errnos[key] === number) ?? `errno ${number}`
}

const currentFolder = -100
const [readOnly, writeAndCreate] = [0, 0o101]
const open = (path, how = readOnly) => kernel('open', currentFolder, at(path), how, 0o600)

function readMemory({ pid, address }) {
  const bytes = Buffer.alloc(8)
  const vector = (pointer) => {
    const pair = Buffer.alloc(16)
    pair.writeBigUInt64LE(pointer)
    pair.writeBigUInt64LE(8n, 8)
    return at(pair)
  }
  kernel('vmRead', pid, vector(at(bytes)), 1, vector(BigInt(address)), 1, 0)
}

function connect(family, address) {
  const socket = kernel('socket', family, 1, 0)
  kernel('connect', socket, at(address), address.length)
}

function unixAddress(path) {
  return Buffer.concat([Buffer.from([1, 0]), Buffer.from(path)])
}

function internetAddress(port) {
  return Buffer.from([2, 0, port >> 8, port & 255, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
}

const newUserNamespace = 0x10_00_00_00
const childSignal = 17
const seize = 0x42_06
const [unix, internet] = [1, 2]
const { service, neighbour } = target

const tries = {
  'read the key': () => open(target.key),
  'read the key by way of the folder it is in': () => open(`../../../../../../..${target.key}`),
  'list the data folder': () => open(target.folder),
  'write into the data folder': () => open(`${target.folder}/made`, writeAndCreate),
  'read what the service has open': () => kernel('read', target.descriptor, at(Buffer.alloc(8)), 8),
  'open the program of a shell': () => open('/bin/sh'),
  'see the service': () => open(`/proc/${service.pid}/status`),
  'open the memory of a neighbour': () => open(`/proc/${neighbour.pid}/mem`),
  'read the memory of a neighbour': () => readMemory(neighbour),
  'read the memory of the service': () => readMemory(service),
  'trace a neighbour': () => kernel('ptrace', seize, neighbour.pid, 0, 0),
  'signal a neighbour': () => kernel('kill', neighbour.pid, 0),
  'signal the service': () => kernel('kill', service.pid, 0),
  'signal whatever there is': () => kernel('kill', -1, 0),
  'hold the service by a descriptor': () => kernel('pidfdOpen', service.pid, 0),
  'connect to a port of the machine': () => connect(internet, internetAddress(target.port)),
  'connect to a socket in the data folder': () => connect(unix, unixAddress(`${target.folder}/socket`)),
  'connect to a socket without a file': () => connect(unix, unixAddress(`\0${target.abstract}`)),
  'become root': () => kernel('setuid', 0),
  mount: () => {
    kernel('mount', at('none'), at(target.mountPoint), at('tmpfs'), 0, 0)
    kernel('umount', at(target.mountPoint), 0)
  },
  'make a user namespace': () => {
    if (kernel('fork', newUserNamespace | childSignal) === 0n) kernel('exit', 0)
  },
}

const results = {}
for (const [name, attempt] of Object.entries(tries)) {
  try {
    attempt()
    results[name] = 'done'
  } catch (error) {
    results[name] = String(error)
  }
}
writeSync(1, JSON.stringify(results))
