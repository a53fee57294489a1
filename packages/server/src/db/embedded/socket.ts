import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, giveTo } from './way-to-run.ts'

/** Where the server listens. */
export type Place = {
  settings: Record<string, string | number>
  /** The folder of its socket, or an address. */
  host: string
  port: number
  /** Removes what the place needed. */
  release(): Promise<void>
}

/** Its number is only a part of the socket's name. */
const socketPort = 5432
/** The kernel's limit for the path of a socket: 108 bytes with the final 0; on macOS 104. */
const pathByteLimit = process.platform === 'darwin' ? 103 : 107

/**
 * Finds a place where the server can listen and only this user can connect: a socket in `folder`; if its path is too
 * long or the file system has no sockets, one in a private folder for temporary files; or else a port on the loopback
 * address, which the password protects.
 */
export async function findPlace(folder: string, account: Account | undefined): Promise<Place> {
  if (await takesSockets(folder)) {
    // A server that was killed leaves its lock, and another process may have its number by now.
    for (const name of socketFiles) await rm(join(folder, name), { force: true })
    return socketIn(folder, async () => undefined)
  }
  const temporary = await mkdtemp(join(tmpdir(), 'tickwright-'))
  const release = () => rm(temporary, { recursive: true, force: true })
  if (await takesSockets(temporary)) {
    await giveTo(account, temporary)
    return socketIn(temporary, release)
  }
  await release()
  const port = await freePort()
  return {
    settings: { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' },
    host: '127.0.0.1',
    port,
    release: async () => undefined,
  }
}

/** The files of a socket that the server creates. */
export const socketFiles = [`.s.PGSQL.${socketPort}`, `.s.PGSQL.${socketPort}.lock`]

function socketIn(folder: string, release: Place['release']): Place {
  // The setting is a list, so a folder with a comma needs quotes.
  const quoted = `"${folder.replaceAll('"', '""')}"`
  return {
    settings: {
      listen_addresses: '',
      port: socketPort,
      unix_socket_directories: quoted,
      unix_socket_permissions: '0700',
    },
    host: folder,
    port: socketPort,
    release,
  }
}

async function takesSockets(folder: string): Promise<boolean> {
  // PostgreSQL takes a name that begins with @ for an abstract socket.
  if (Buffer.byteLength(join(folder, socketFiles[0]!)) > pathByteLimit || folder.startsWith('@')) return false
  const trial = join(folder, '.s.trial')
  await rm(trial, { force: true })
  const server = createServer()
  try {
    server.listen(trial)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    if (server.listening) {
      server.close()
      await once(server, 'close')
    }
    await rm(trial, { force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
