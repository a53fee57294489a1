/**
 * What stands around an executor process beside V8 and Node: probed once, as strong as the machine allows.
 *
 * Node's permission model is always there: no files but isolated-vm's addon, no network, no child processes, no
 * workers. It is a seat belt. Where the machine has the tools and lets us, namespaces without a network, an
 * unprivileged user, no way to new privileges, and kernel limits go around it; each is a program that replaces
 * itself by the next, so that the process that is started is the one that is killed.
 */

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/**
 * - `namespaces`: a network, IPC and host-name namespace of its own; there is no interface but a dead loopback.
 * - `user`: runs as nobody, without groups and capabilities (only a privileged parent can arrange that).
 * - `privileges`: can never gain privileges, and dies with its parent.
 * - `limits`: writes no files, dumps no core, opens few descriptors; without JIT its memory is capped by the kernel.
 */
export type ContainmentLayer = 'namespaces' | 'user' | 'privileges' | 'limits'

/** All layers that this machine can have, some of them, or Node's permission model alone. */
export type ContainmentLevel = 'full' | 'partial' | 'permission'

export type Containment = { level: ContainmentLevel; layers: ContainmentLayer[] }

/** The command that starts an executor; its program text comes on standard input. */
export type ExecutorCommand = Containment & { program: string; args: string[] }

export type ContainmentOptions = {
  jit: boolean
  /** Memory that the process may have as a whole. */
  residentLimitBytes: number
}

const nobody = 65_534
const toolFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
const probeMs = 5_000

/** Finds the strongest chain that starts Node and loads the addon here. Never rejects: the weakest always works. */
export async function executorCommand(options: ContainmentOptions): Promise<ExecutorCommand> {
  const addon = addonPath()
  const node = [
    process.execPath,
    ...(options.jit ? [] : ['--jitless']),
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${addon}`,
    '--disable-warning=SecurityWarning',
  ]
  const wanted = layersFor(options)
  const layers = await strongest(wanted, [
    ...node,
    '--eval',
    'process.dlopen({ exports: {} }, process.argv[1])',
    addon,
  ])
  const [program, ...args] = [...chainOf(layers), ...node, '--input-type=commonjs', '-', addon]
  const level = layers.length === 0 ? 'permission' : layers.length === wanted.length ? 'full' : 'partial'
  return { program: program!, args, level, layers: layers.map((layer) => layer.name) }
}

/**
 * The same, but giving way to all others: with least priority, and on half of the processors. By priority alone, a
 * thread that wakes still waits for the end of another's turn, some milliseconds at each of the wake-ups of a run;
 * half of the processors have no such turns. Where the machine cannot do that, nothing changes.
 */
export async function givingWay(command: ExecutorCommand): Promise<ExecutorCommand> {
  const nice = [...tool('nice'), '-n', '19']
  const all = processors()
  const half = all.slice(all.length >> 1)
  const both = [...nice, ...tool('taskset'), '--cpu-list', half.join(',')]
  for (const prefix of [both, nice]) {
    if (!(await works([...prefix, ...tool('true')]))) continue
    const [program, ...args] = [...prefix, command.program, ...command.args]
    return { ...command, program: program!, args }
  }
  return command
}

/** The numbers of the processors that this process may use; none where that cannot be known. */
function processors(): number[] {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const ranges = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1]?.split(',') ?? []
  return ranges.flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index)
  })
}

type Layer = { name: ContainmentLayer; command: string[] }

/** The layers from the outside in, with what each needs; a tool that is not installed leaves a command of one word. */
function layersFor({ jit, residentLimitBytes }: ContainmentOptions): Layer[] {
  const isRoot = process.getuid?.() === 0
  const namespaces = [...tool('unshare'), ...(isRoot ? [] : ['--user']), '--net', '--ipc', '--uts', '--']
  const user = [
    '--clear-groups',
    `--reuid=${nobody}`,
    `--regid=${nobody}`,
    '--bounding-set=-all',
    '--inh-caps=-all',
    '--',
  ]
  // With JIT, V8 reserves a gigabyte for machine code, which the kernel would count.
  const data = jit ? [] : [`--data=${residentLimitBytes}`]
  const layers: Layer[] = [
    { name: 'namespaces', command: namespaces },
    { name: 'limits', command: [...tool('prlimit'), '--core=0', '--fsize=0', '--nofile=64', ...data, '--'] },
  ]
  if (isRoot) layers.push({ name: 'user', command: [...tool('setpriv'), ...user] })
  // Last, since a change of user would forget the signal of the parent's death.
  layers.push({
    name: 'privileges',
    command: [...tool('setpriv'), '--no-new-privs', '--pdeathsig=KILL', '--'],
  })
  return layers
}

function tool(name: string): string[] {
  return [toolFolders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? name]
}

function chainOf(layers: Layer[]): string[] {
  return layers.flatMap((layer) => layer.command)
}

/** All layers if they work together, else those that can be added one after another. */
async function strongest(wanted: Layer[], program: string[]): Promise<Layer[]> {
  if (await works([...chainOf(wanted), ...program])) return wanted
  const layers: Layer[] = []
  for (const layer of wanted) {
    if (await works([...chainOf([...layers, layer]), ...program])) layers.push(layer)
  }
  return layers
}

function works([program, ...args]: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program!, args, { cwd: '/', env: {}, timeout: probeMs, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null),
    )
  })
}

/** The file of isolated-vm's addon for this platform, found by the loader that the package itself uses. */
function addonPath(): string {
  const own = createRequire(import.meta.url)
  const entry = own.resolve('isolated-vm')
  const loader = createRequire(entry)('node-gyp-build') as { path(directory: string): string }
  return loader.path(dirname(entry))
}
