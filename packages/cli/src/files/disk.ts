/** Reads and writes the files of a project, and follows no link out of it. */
import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure, wrongUse } from '../failures.ts'
import { replaceFile } from '../replace-file.ts'

/** More than the service accepts of any text. */
const mostBytes = 2 * 1024 * 1024

/** The names in a folder; none if there is no such folder. @throws {Failure} if it is a link or no folder */
export async function namesIn(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(ifAbsent)
  if (found === undefined) return []
  if (!found.isDirectory())
    throw wrongUse(`${folder} is a link or a file. It has to be a folder of this project.`)
  return (await readdir(folder)).sort()
}

/**
 * The text of a file, byte for byte; `undefined` if there is none.
 * @throws {Failure} for a link, anything else that is no file, a file that is too large, and bytes that are not UTF-8
 */
export async function readText(path: string): Promise<string | undefined> {
  // Windows has no such flag. There, making a link takes a right that users do not have.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') throw wrongUse(`${path} is a link. Files of a project have to be in it.`)
    return ifAbsent(error)
  })
  if (file === undefined) return undefined
  try {
    const { size, ...kind } = await file.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }))
    if (!kind.isFile) throw wrongUse(`${path} is no file.`)
    if (size > mostBytes) throw new Failure(`${path} has ${size} bytes. At most ${mostBytes} are allowed.`)
    const bytes = await file.readFile()
    if (!isUtf8(bytes)) throw new Failure(`${path} is not in UTF-8.`)
    return bytes.toString('utf8')
  } finally {
    await file.close()
  }
}

/** Replaces a file as a whole, and makes its folder, which may not be a link. */
export async function writeText(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  if (!(await lstat(folder)).isDirectory()) throw wrongUse(`${folder} is a link. It has to be a folder.`)
  await replaceFile(path, text, 0o666)
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
