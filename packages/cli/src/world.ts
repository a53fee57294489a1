import type { Readable, Writable } from 'node:stream'

/** Everything outside that a command can see. A stream with `isTTY` is a terminal. */
export type World = {
  env: Readonly<Record<string, string | undefined>>
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
  platform: NodeJS.Platform
  home: string
  /** The folder in which the command was given. */
  cwd: string
  hostname: string
}
