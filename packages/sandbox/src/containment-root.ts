/** The root directory of an executor: a small file system in memory, with the files that Node needs mounted into it. */

import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

export type RootTools = {
  mount: string
  umount: string
  mkdir: string
  pivotRoot: string
  chroot: string[]
}

/** The folder where the new root is built. Every Linux has it, and the executor needs nothing in it. */
const site = '/sys'
/** The folder for the machine's root within the new root, until it is unmounted. */
const before = 'old'
const options = 'bind,ro,nosuid,nodev'

/**
 * The shell script that leaves the machine's file system for good. It runs in a separate mount namespace, with the right
 * to mount.
 *
 * Node starts after it. So `files` must contain everything that Node and the rest of the chain load.
 */
export function newRootScript(files: readonly string[], tools: RootTools): string {
  const folders = [...new Set([before, ...files.map((file) => dirname(file).slice(1))])].filter(Boolean)
  const lines = files.map((file) => `${escaped(file)} ${escaped(site + file)} none ${options} 0 0`)
  const { mount, umount, mkdir, pivotRoot, chroot } = tools
  const [program, ...applet] = chroot
  // The table of mounts is in a place that the first mount covers.
  const table = quoted(files[0]!.slice(1))
  return `${mount} -t tmpfs -o size=256k,nr_inodes=256,mode=755,nosuid,nodev none ${site}
cd ${site}
${mkdir} -p -- ${folders.map(quoted).join(' ')}
${files.map((file) => `: > ${quoted(file.slice(1))}`).join('\n')}
printf '%s\\n' ${lines.map(quoted).join(' ')} > ${table}
${mount} -a -T ${table}
${mount} -o remount,bind,ro,nosuid,nodev ${site}
${pivotRoot} . ${before}
cd /
${quoted(`/${before}${program}`)} ${[...applet, `/${before}`].map(quoted).join(' ')} ${umount} -l /`
}

/**
 * All files of these programs and libraries: the files themselves, the loader, and the libraries that it finds for them.
 */
export async function filesOf(programs: readonly string[]): Promise<string[]> {
  const report = process.report.getReport() as unknown as { sharedObjects: string[] }
  const loader = report.sharedObjects.find((path) => /\/ld-(linux|musl)[^/]*$/.test(path))
  if (loader === undefined) throw new Error('The loader of Node is unknown.')
  const lists = await Promise.all(programs.map((program) => librariesOf(loader, program)))
  return [...new Set([loader, ...programs, ...lists.flat()])]
}

/** Asks the loader itself, which lists the libraries without starting the program. */
async function librariesOf(loader: string, program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(loader, ['--list', program], { cwd: '/', env: {} })
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/.*) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path!)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Escapes a path for a line of fstab. */
function escaped(path: string): string {
  return path.replaceAll(
    /[\s\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
}
