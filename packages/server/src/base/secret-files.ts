import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** The largest file: no secret comes near it. */
export const secretFileLimitBytes = 16 * 1024

/** The value in a file, or why there is none, to complete “a file that …”, and what to do about it. */
export type SecretFile = { value: string } | { problem: string; remedy?: string }

/**
 * Reads a secret from a file of its own, as Docker and Kubernetes give them. Space around the value does not count, since
 * editors and `echo` end a file with a line break.
 */
export function readSecretFile(path: string): SecretFile {
  let file: number
  try {
    // A pipe without a writer would hold the start up for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return { problem: openProblems[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message }
  }
  try {
    return valueIn(file, path)
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  } finally {
    closeSync(file)
  }
}

const openProblems: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: `this process may not read (user ${process.getuid?.()}, group ${process.getgid?.()})`,
  ENXIO: 'is no file',
}

function valueIn(file: number, path: string): SecretFile {
  const status = fstatSync(file)
  if (status.isDirectory()) {
    return { problem: 'is a folder; Docker creates one if the file on the host is missing' }
  }
  if (!status.isFile()) return { problem: 'is no file' }
  if (process.platform !== 'win32' && (status.mode & 0o007) !== 0) {
    return { problem: 'every user can read or change', remedy: `chmod 640 ${path}` }
  }
  if (status.size > secretFileLimitBytes) {
    return { problem: `has ${status.size} bytes; at most ${secretFileLimitBytes} are allowed` }
  }
  const value = readFileSync(file, 'utf8').trim()
  if (value === '') return { problem: 'is empty' }
  if (/[\n\r\0]/.test(value)) return { problem: 'has more than one line; it must contain only the value' }
  return { value }
}
