import { createHash } from 'node:crypto'
import { mkdir, realpath, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A socket's path may have 104 bytes on the strictest of our systems, the closing NUL included. */
const socketPathLimit = 100

/**
 * Takes the data folder for this process alone: two processes on one embedded database would destroy it. The
 * lock is a listening socket, which the system closes with its process, however that ends; a file with a
 * process id would outlive a SIGKILL, and its number could be somebody else's by then.
 * @returns gives the folder back
 * @throws when another process has it
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = await socketPath(folder)
  for (let attempt = 1; ; attempt++) {
    try {
      return await holdSocket(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      if (attempt > 3 || (await answers(path))) {
        throw new Error(
          `Another Tickwright works on the data folder ${folder}. Stop it, or set DATA_DIR to another folder.`,
        )
      }
      await unlink(path).catch(() => undefined)
    }
  }
}

async function socketPath(folder: string): Promise<string> {
  const real = await realpath(folder)
  const inside = join(real, 'lock.socket')
  if (Buffer.byteLength(inside) <= socketPathLimit) return inside
  return join(tmpdir(), `tickwright-${createHash('sha256').update(real).digest('hex').slice(0, 32)}.socket`)
}

function holdSocket(path: string): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(path, () => {
      server.unref()
      resolve(() => new Promise((closed) => server.close(() => closed())))
    })
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
