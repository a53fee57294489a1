/**
 * The containment of executor processes besides V8 and Node. It is probed once, and is as strong as the machine allows.
 *
 * Node's permission model is always on: no files except isolated-vm's addon, no network, no child processes, no workers.
 * Node describes it as a seat belt. Around it come the layers of `containment-chain.ts`, if the machine has the tools and
 * allows it. A layer counts only if the kernel's data shows it on a process that the same command has started.
 */

import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ContainmentLayer, chainOf, setpriv } from './containment-chain.ts'
import { innermost, unproven } from './containment-evidence.ts'
import { filesOf } from './containment-root.ts'
import { syscallFilter } from './syscall-filter.ts'

export type { ContainmentLayer } from './containment-chain.ts'

/** All layers that this machine could have, some of them, or only Node's permission model. */
export type ContainmentLevel = 'full' | 'partial' | 'permission'

export type MissingLayer = {
  layer: ContainmentLayer
  /** The error when it was tried. */
  reason: string
}

export type Containment = {
  level: ContainmentLevel
  layers: ContainmentLayer[]
  /** The layers that `full` would add. */
  missing: MissingLayer[]
}

/** The command that starts an executor, which reads its program from standard input. */
export type ExecutorCommand = Containment & {
  program: string
  args: string[]
  /** The id of the separate user that it runs as, if there is one. */
  user: number | null
}

export type ContainmentOptions = {
  jit: boolean
  /** Maximum memory of the whole process. */
  residentLimitBytes: number
}

const probeMs = 5_000
const oneThread = '--single-threaded'
const newObjectsMb = 2

/** Finds the strongest chain that starts Node and loads the addon here. Never rejects, since the weakest always works. */
export async function executorCommand(options: ContainmentOptions): Promise<ExecutorCommand> {
  const build = await builder(options)
  const { layers, missing } = await foundFor(options, build)
  const level = layers.length === 0 ? 'permission' : missing.length > 0 ? 'partial' : 'full'
  const { program, args, user } = build(new Set(layers))
  return { program, args, user, level, layers, missing }
}

type Found = { layers: ContainmentLayer[]; missing: MissingLayer[] }

const found = new Map<string, Promise<Found>>()

/** Probes once for each process: the machine does not change, and each probe starts an executor. */
function foundFor(options: ContainmentOptions, build: Build): Promise<Found> {
  const key = JSON.stringify(options)
  const known = found.get(key) ?? strongest(wantedLayers(options.jit), build)
  found.set(key, known)
  return known
}

/**
 * The same command for an executor of series, which has one isolate at work instead of many that rest. With half a megabyte
 * for new objects, as V8 chooses for small isolates, runs with some kilobytes of storage make it collect all the time, and
 * a part of what each leaves is taken for old.
 */
export function forSeries<Command extends ExecutorCommand>({ args, ...command }: Command): Command {
  const sizes = [`--min-semi-space-size=${newObjectsMb}`, `--max-semi-space-size=${newObjectsMb}`]
  return { ...command, args: args.flatMap((arg) => (arg === oneThread ? [arg, ...sizes] : [arg])) } as Command
}

/** The same command for another executor, with another user if executors have separate users. */
export function withOwnUser<Command extends ExecutorCommand>(command: Command): Command {
  const { user: old, args } = command
  if (old === null) return command
  const user = nextUser()
  const renamed = args.map((arg) => arg.replace(new RegExp(`^(--re[ug]id=)${old}$`), `$1${user}`))
  return { ...command, args: renamed, user }
}

// --- what is wanted ------------------------------------------------------------------------------------------

const isRoot = process.getuid?.() === 0

/** All layers of `full` on this machine. A layer that others depend on comes first. */
function wantedLayers(jit: boolean): ContainmentLayer[] {
  const status = readIfThere('/proc/self/status')
  const canFilter = /^Seccomp:/m.test(status) && syscallFilter(jit) !== null
  return [
    'namespaces',
    'processes',
    'root',
    'descriptors',
    'limits',
    'privileges',
    ...(isRoot && userIds() !== null ? (['user'] as const) : []),
    ...(canFilter ? (['syscalls'] as const) : []),
  ]
}

type Build = (layers: ReadonlySet<ContainmentLayer>) => Pick<ExecutorCommand, 'program' | 'args' | 'user'> & {
  files: readonly string[]
}

/** What every executor of this process finds in its root. The loader is asked once: it takes a tenth of a second. */
let mounted: Promise<string[]> | undefined

async function builder({ jit, residentLimitBytes }: ContainmentOptions): Promise<Build> {
  const addon = addonPath()
  mounted ??= filesOf([process.execPath, addon, setpriv()])
  const files = await mounted.catch(() => {
    mounted = undefined
    return [process.execPath]
  })
  const filter = syscallFilter(jit)?.toString('base64') ?? ''
  return (layers) => {
    const filters = layers.has('syscalls')
    const user = layers.has('user') ? nextUser() : null
    const chain = chainOf(layers, {
      isRoot,
      user: user ?? 0,
      // With JIT, V8 reserves a gigabyte for machine code, which would count towards the limit.
      dataLimitBytes: jit ? null : residentLimitBytes,
      files,
    })
    const [program, ...args] = [
      ...chain,
      process.execPath,
      ...(jit ? [] : ['--jitless']),
      // V8 compiles and collects garbage on the thread of the strategy that needs it. Other threads would have to be woken
      // for each small piece of work, and a strategy would not be charged for it.
      oneThread,
      '--permission',
      // The permission model does not know SQLite, which would open and create any file.
      '--no-experimental-sqlite',
      '--allow-addons',
      `--allow-fs-read=${addon}`,
      ...(filters ? ['--allow-ffi', '--disable-warning=ExperimentalWarning'] : []),
      '--disable-warning=SecurityWarning',
      '--input-type=commonjs',
      '--eval',
      seal,
      '--',
      '-',
      addon,
      // Node would look these up in the file system.
      String(availableParallelism()),
      Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(filters ? [filter] : []),
    ]
    return { program: program!, args, user, files }
  }
}

const sealPath = fileURLToPath(new URL('executor/seal.js', import.meta.url))
const seal = readFileSync(sealPath, 'utf8')

/** The file of isolated-vm's addon for this platform, found with the loader of the package itself. */
function addonPath(): string {
  const own = createRequire(import.meta.url)
  const entry = own.resolve('isolated-vm')
  const loader = createRequire(entry)('node-gyp-build') as { path(directory: string): string }
  return loader.path(dirname(entry))
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

// --- users ---------------------------------------------------------------------------------------------------

/**
 * User ids without an owner: a range that no system gives to users, services or containers, or, if a user namespace does
 * not map it, the range that Debian reserves. `null` if neither is available.
 */
function userIds(): { first: number; count: number } | null {
  const ranges = [
    { first: 1_900_000_000, count: 200_000_000 },
    { first: 65_000, count: 500 },
  ]
  return ranges.find((range) => ['uid_map', 'gid_map'].every((map) => isMapped(map, range))) ?? null
}

function isMapped(map: string, { first, count }: { first: number; count: number }): boolean {
  return readIfThere(`/proc/self/${map}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .some(([start, , length]) => first >= start! && first + count <= start! + length!)
}

let users = 0
let firstUser: number | undefined

/** Starts at a random id, so that two services on one machine rarely use the same one. */
function nextUser(): number {
  const { first, count } = userIds()!
  firstUser ??= randomInt(count)
  return first + ((firstUser + users++) % count)
}

// --- what works ----------------------------------------------------------------------------------------------

/** All layers if they work together; otherwise each layer that works with the previous ones. */
async function strongest(wanted: ContainmentLayer[], build: Build): Promise<Found> {
  if (process.platform !== 'linux') {
    const reason = `This layer exists only on Linux, not on ${process.platform}.`
    return { layers: [], missing: wanted.map((layer) => ({ layer, reason })) }
  }
  const missing = beyondNode(wanted)
  const possible = wanted.filter((wantedLayer) => !missing.some(({ layer }) => layer === wantedLayer))
  if ((await whyNot(possible, build)) === null) return { layers: possible, missing }
  const layers: ContainmentLayer[] = []
  for (const layer of possible) {
    const reason = await whyNot([...layers, layer], build)
    if (reason === null) layers.push(layer)
    else missing.push({ layer, reason })
  }
  return { layers, missing }
}

/** The layers that this version of Node cannot have: Node 24 has nothing with which a process could set a filter. */
function beyondNode(wanted: ContainmentLayer[]): MissingLayer[] {
  if (!wanted.includes('syscalls') || isBuiltin('node:ffi')) return []
  return [{ layer: 'syscalls', reason: `Node ${process.versions.node} has no node:ffi; Node 26 has it.` }]
}

/** A program that reports that it runs, and then runs until its pipe closes. */
const probe = `
  const pipe = new (require('node:net').Socket)({ fd: 3 })
  pipe.on('close', () => process.abort()).resume().write('.')`
/** How many descriptors the parent leaves open, so that the chain must close them. Some have two digits. */
const strays = 8

/** Starts an executor with these layers. `null` if it runs and has all of them, otherwise the reason. */
async function whyNot(layers: ContainmentLayer[], build: Build): Promise<string | null> {
  const { program, args, user, files } = build(new Set(layers))
  const stray = openSync(sealPath, 'r')
  const child = spawn(program, args, {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', ...Array<number>(strays).fill(stray)],
  })
  closeSync(stray)
  let complaint = ''
  const [stdin, , stderr, pipe] = child.stdio as unknown as [Writable, null, Readable, Readable]
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const closed = new Promise<false>((resolve) => {
    child.on('close', () => resolve(false))
    child.on('error', (error) => {
      complaint ||= error.message
      resolve(false)
    })
  })
  for (const stream of [stdin, stderr, pipe]) stream.on('error', () => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), probeMs)
  stdin.end(probe)
  try {
    const isUp = await Promise.race([
      new Promise<true>((resolve) => pipe.once('data', () => resolve(true))),
      closed,
    ])
    if (!isUp) return complaint.split('\n', 1)[0] || 'The process ended before it was ready.'
    const hadCapabilities = isRoot || layers.some((layer) => /^(namespaces|processes|root)$/.test(layer))
    const unseen = unproven(layers, innermost(child.pid!), { user: user ?? 0, files, hadCapabilities })
    return unseen.length === 0 ? null : `The process does not have: ${unseen.join(', ')}.`
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
    pipe.destroy()
    await closed
  }
}
