/**
 * What an executor does before it reads its program: closes the door behind itself. Given to `node --eval`; argument 2
 * is the path of isolated-vm's addon, argument 4 the time zone, argument 5 the filter of system calls, or nothing.
 */

// Names of its own would be in the way of the program's.
{
  const { readFileSync, writeSync } = require('node:fs')
  const { runInThisContext } = require('node:vm')

  const [, , addon, , zone, filter = ''] = process.argv

  // V8 takes note of the time zone when it is set. The shell has left names there, too.
  process.env.TZ = zone
  process.env = {}
  // Afterwards no file can be opened.
  const module_ = { exports: {} }
  process.dlopen(module_, addon)
  globalThis.isolatedVm = module_.exports.ivm
  if (filter !== '') forbidSystemCalls(Buffer.from(filter, 'base64'))
  runInThisContext(readFileSync(0, 'utf8'), { filename: 'executor' })

  /** Has the kernel refuse all other system calls, to all threads, for as long as the process lives. */
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
    if (result !== 0n) throw new Error('the kernel takes no filter of system calls')
    // libuv has a ring through which the kernel would take calls that no filter sees. The filter lets nobody submit to
    // it, so the loop has to be made again: it finds that it gets no ring, and does without.
    const error = functions.uv_loop_fork(ffi.getCurrentEventLoop())
    if (error !== 0) throw new Error(`the event loop cannot be made again: error ${error}`)
    // A thread of Node's has a loop like that too. It would miss its ring when it is torn down, which nobody needs.
    process.on('uncaughtExceptionMonitor', (error) => writeSync(2, String(error?.stack ?? error)))
    process.on('exit', (code) => functions._exit(code))
    // Gone for good: code that gets hold of `require` must not call into the C library by it.
    process.permission?.drop('ffi')
  }
}
