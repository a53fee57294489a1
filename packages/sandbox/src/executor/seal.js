/**
 * Seals an executor before it reads its program. It runs with `node --eval`. Argument 2 is the path of isolated-vm's
 * addon, argument 4 the time zone, and argument 5 the filter of system calls, if there is one.
 */

// A block, so that its names do not collide with those of the program.
{
  const { readFileSync, writeSync } = require('node:fs')
  const { runInThisContext } = require('node:vm')

  const [, , addon, , zone, filter = ''] = process.argv

  // V8 reads the time zone when it is set. The new environment drops the names that the shell has added.
  process.env.TZ = zone
  process.env = {}
  // Loaded now, because no file can be opened later.
  const module_ = { exports: {} }
  process.dlopen(module_, addon)
  globalThis.isolatedVm = module_.exports.ivm
  if (filter !== '') forbidSystemCalls(Buffer.from(filter, 'base64'))
  runInThisContext(readFileSync(0, 'utf8'), { filename: 'executor' })

  /** Makes the kernel refuse all other system calls, for all threads and as long as the process lives. */
  function forbidSystemCalls(instructions) {
    const ffi = require('node:ffi')
    const long = 'i64'
    const { functions } = ffi.dlopen(null, {
      prctl: { arguments: [long, long, long, long, long], return: 'i32' },
      syscall: { arguments: [long, long, long, long], return: long },
      _exit: { arguments: ['i32'], return: 'void' },
      uv_loop_fork: { arguments: ['pointer'], return: 'i32' },
    })
    const setNoNewPrivileges = 38n
    functions.prctl(setNoNewPrivileges, 1n, 0n, 0n, 0n)
    const program = Buffer.alloc(16)
    program.writeUInt16LE(instructions.length / 8)
    program.writeBigUInt64LE(ffi.getRawPointer(instructions), 8)
    const seccomp = process.arch === 'x64' ? 317n : 277n
    const setModeFilter = 1n
    const allThreads = 1n
    const result = functions.syscall(seccomp, setModeFilter, allThreads, ffi.getRawPointer(program))
    if (result !== 0n) throw new Error('the kernel does not accept the filter of system calls')
    // libuv has an io_uring, through which calls bypass the filter. The filter lets nobody submit to it, so the loop must
    // be created again: it then gets no ring and works without one.
    const error = functions.uv_loop_fork(ffi.getCurrentEventLoop())
    if (error !== 0) throw new Error(`the event loop cannot be created again: error ${error}`)
    // A thread of Node has such a loop too, and would fail without its ring at the end. So the process exits at once.
    process.on('uncaughtExceptionMonitor', (error) => writeSync(2, String(error?.stack ?? error)))
    process.on('exit', (code) => functions._exit(code))
    // Dropped for good: code that gets hold of `require` must not call the C library.
    process.permission?.drop('ffi')
  }
}
