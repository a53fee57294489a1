/**
 * Simulates the service: it has a key, a data folder, sockets and an executor. It runs `program.js` in the containment of
 * an executor, in the same without the filter of system calls, and outside. It prints the result of each.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type ListenOptions } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutorCommand, executorCommand, withOwnUser } from '../../src/containment.ts'
import { innermost } from '../../src/containment-evidence.ts'

export type Report = {
  level: string
  layers: string[]
  missing: unknown[]
  contained: Record<string, string>
  unfiltered: Record<string, string>
  outside: Record<string, string>
}

const folder = mkdtempSync(join(tmpdir(), 'tickwright-escape-'))
const key = join(folder, 'master.key')
const mountPoint = join(folder, 'mount')
writeFileSync(key, 'secret', { mode: 0o600 })
mkdirSync(mountPoint)
const keyDescriptor = openSync(key, 'r')
const descriptor = 30

/** Node as an executor starts it, but without the permission model, which does not affect native code. */
function native({ program, args }: ExecutorCommand): [string, string[]] {
  return [program, args.filter((arg) => !/^--(permission|allow-)/.test(arg))]
}

/** The same without the filter, which is the last argument, to test the other layers alone. */
function unfiltered(command: ExecutorCommand): [string, string[]] {
  const [program, args] = native(command)
  return [program, command.layers.includes('syscalls') ? args.slice(0, -1) : args]
}

async function outcomes([program, args]: [string, string[]]): Promise<Record<string, string>> {
  const child = spawn(program, args, {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit', 'pipe', ...Array(descriptor - 4).fill('ignore'), keyDescriptor],
  })
  child.stdin!.end(`const target = ${JSON.stringify(target)}\n${text}`)
  let printed = ''
  child.stdout!.setEncoding('utf8').on('data', (part) => {
    printed += part
  })
  const ended = await once(child, 'close')
  if (printed === '') console.error(program, ended)
  return JSON.parse(printed)
}

async function listening(options: ListenOptions): Promise<AddressInfo> {
  const server = createServer((socket) => socket.destroy()).unref()
  server.listen(options)
  await once(server, 'listening')
  return server.address() as AddressInfo
}

/** An address in the process with readable content. */
function memoryOf(pid: number): { pid: number; address: string } {
  return { pid, address: `0x${readFileSync(`/proc/${pid}/maps`, 'latin1').split('-', 1)[0]}` }
}

const text = readFileSync(new URL('program.js', import.meta.url), 'utf8')
const command = await executorCommand({ jit: true, residentLimitBytes: 1024 ** 3 })
const neighbour = spawn(command.program, command.args, {
  cwd: '/',
  env: {},
  stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
})
neighbour.stdin!.end(`require('node:fs').writeSync(3, '.'); setInterval(() => {}, 1e6)`)
await once(neighbour.stdio[3]!, 'data')

const abstract = `tickwright-escape-${process.pid}`
const { port } = await listening({ port: 0, host: '127.0.0.1' })
await listening({ path: join(folder, 'socket') })
await listening({ path: `\0${abstract}` })

const target = {
  key,
  folder,
  mountPoint,
  descriptor,
  port,
  abstract,
  service: memoryOf(process.pid),
  neighbour: memoryOf(innermost(neighbour.pid!)),
}

const outsideProgram = `require('node:vm').runInThisContext(require('node:fs').readFileSync(0, 'utf8'))`
const report: Report = {
  level: command.level,
  layers: command.layers,
  missing: command.missing,
  contained: await outcomes(native(withOwnUser(command))),
  unfiltered: await outcomes(unfiltered(withOwnUser(command))),
  outside: await outcomes([process.execPath, ['--input-type=commonjs', '--eval', outsideProgram]]),
}
neighbour.kill('SIGKILL')
rmSync(folder, { recursive: true })
console.log(JSON.stringify(report))
process.exit()
