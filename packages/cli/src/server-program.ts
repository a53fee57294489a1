import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { exitCodes, Failure } from './failures.ts'

/** The program of the server that is installed beside this one. @throws {Failure} that says how to install it */
export function serverProgram(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@tickwright/server')), 'main.ts')
  } catch {
    throw new Failure(
      'The server is not installed here. Run this in a clone of Tickwright, after npm install.',
      exitCodes.usage,
    )
  }
}
