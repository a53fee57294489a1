import { once } from 'node:events'
import { freePort } from '../packages/server/test/free-port.ts'

/** The heap of a service process. */
export type WatchedHeap = {
  /** Start the process with these. */
  settings: { NODE_OPTIONS: string }
  /** What it uses after a garbage collection, buffers included. */
  usedBytes(): Promise<number>
}

/** Asks a process through its inspector, which can collect garbage first: memory of a process alone says little. */
export async function watchHeap(): Promise<WatchedHeap> {
  const address = `127.0.0.1:${await freePort()}`
  return {
    settings: { NODE_OPTIONS: `--inspect=${address}` },
    usedBytes: async () => {
      const targets = (await (await fetch(`http://${address}/json/list`)).json()) as {
        webSocketDebuggerUrl: string
      }[]
      const socket = new WebSocket(targets[0]!.webSocketDebuggerUrl)
      await once(socket, 'open')
      const ask = async (id: number, method: string) => {
        socket.send(JSON.stringify({ id, method }))
        const [{ data }] = (await once(socket, 'message')) as [{ data: string }]
        const answer = JSON.parse(data) as { id: number; result: Record<string, number> }
        if (answer.id !== id) throw new Error(`The inspector answered ${data}.`)
        return answer.result
      }
      // The first collection runs what frees the rest.
      await ask(1, 'HeapProfiler.collectGarbage')
      await ask(2, 'HeapProfiler.collectGarbage')
      const { usedSize, backingStorageSize } = await ask(3, 'Runtime.getHeapUsage')
      socket.close()
      return usedSize! + (backingStorageSize ?? 0)
    },
  }
}
