import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { exitCodes, Failure } from './failures.ts'

/** The program of the server that is installed beside this one. @throws {Failure} that says how to install it */
export function serverProgram(): string {
  try {
    const service = createRequire(import.meta.url).resolve('@tickwright/server')
    // The npm package has JavaScript.
    return join(dirname(service), `main${extname(service)}`)
  } catch {
    throw new Failure(
      'The server is not installed here. In a clone of Tickwright: npm install. Elsewhere: npm install --global tickwright @tickwright/server',
      exitCodes.usage,
    )
  }
}
