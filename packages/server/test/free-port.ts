import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A TCP port on 127.0.0.1 that was free a moment ago, for programs that cannot choose one themselves. It is below the
 * ports that the system assigns, so that no other test's server gets it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Neither `fetch` nor a browser connects to 10080.
    const port = randomInt(10_081, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
