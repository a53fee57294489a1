import { execFile } from 'node:child_process'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from './repository.ts'

const execute = promisify(execFile)

/**
 * Chromium without what only people need, as an npm package: the same on every machine, and a quarter cheaper than a
 * whole Chromium. It has some 75 MB, so only who runs tests gets it.
 */
const packaged = '@sparticuz/chromium@153.0.0'
const cache = join(root, 'node_modules/.cache/chromium')

/** The usual names of a Chromium that is installed. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

let found: Promise<string> | undefined

/**
 * The path of a Chromium: `CHROMIUM_PATH`, or one that npm installs into a cache, or one of this machine.
 * @throws {Error} if there is none
 */
export function chromiumPath(): Promise<string> {
  found ??= find()
  return found
}

async function find(): Promise<string> {
  if (process.env.CHROMIUM_PATH !== undefined) return process.env.CHROMIUM_PATH
  try {
    return await installPackaged()
  } catch (cause) {
    const folders = (process.env.PATH ?? '').split(delimiter)
    const usual = folders.flatMap((folder) => names.map((name) => join(folder, name)))
    for (const place of [...usual, onMac]) if (await exists(place)) return place
    throw new Error('No Chromium could be installed. Install one, or set CHROMIUM_PATH.', { cause })
  }
}

/** Installs Chromium from npm. A second call finds what the first one installed. */
async function installPackaged(): Promise<string> {
  const binary = join(cache, 'chromium')
  if (!(await exists(binary))) {
    await mkdir(cache, { recursive: true })
    await writeFile(join(cache, 'package.json'), '{ "private": true }')
    const args = ['install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund', packaged]
    await execute('npm', args, { cwd: cache })
    await unpack()
  }
  return (await starts(binary)) ? binary : withLibraries(binary)
}

/** The package unpacks its files into the folder for temporary files, and libraries only where it believes to be on AWS. */
async function unpack(): Promise<void> {
  const module = pathToFileURL(join(cache, 'node_modules/@sparticuz/chromium/build/index.js')).href
  const program = `await (await import(${JSON.stringify(module)})).default.executablePath()`
  const env = { ...process.env, TMPDIR: cache, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }
  await execute(process.execPath, ['--input-type=module', '--eval', program], { env })
}

/** A program that starts Chromium with the libraries of the package, for systems that lack some. */
async function withLibraries(binary: string): Promise<string> {
  const program = join(cache, 'chromium-with-libraries')
  const libraries = join(cache, 'al2023/lib')
  const text = `#!/bin/sh\nLD_LIBRARY_PATH='${libraries}' exec '${binary}' "$@"\n`
  await writeFile(program, text, { mode: 0o755 })
  if (await starts(program)) return program
  throw new Error('The Chromium of the package does not start on this machine.')
}

const starts = (program: string) => succeeds(execute(program, ['--version']))
const exists = (path: string) => succeeds(access(path))

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

if (import.meta.main) console.log(await chromiumPath())
