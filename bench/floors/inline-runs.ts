/**
 * The floor of a run: it stores the body of a POST, runs the code at CODE_FILE in this same process, and answers when
 * the outcome is stored too. It has no authentication, no queue and no sandbox: anything safe costs more.
 */
import { readFile } from 'node:fs/promises'
import * as ta from 'trading-signals'
import { openPayloadTable } from './payload-table.ts'
import { payloadServer, serve } from './serve.ts'

type Guest = (dollar: object) => Promise<unknown>

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Guest
const guest = new AsyncFunction('$', await readFile(process.env.CODE_FILE!, 'utf8'))
const table = await openPayloadTable(process.env)
/** The storage of each path, as JSON text. */
const storage = new Map<string, string>()

serve(
  await payloadServer(async (body, path) => {
    const id = await table.add(body)
    await guest({
      Request: { data: body },
      Ta: ta,
      Storage: {
        get: async () => JSON.parse(storage.get(path) ?? 'null'),
        set: async (value: unknown) => storage.set(path, JSON.stringify(value)),
      },
    })
    await table.add(storage.get(path)!)
    return id
  }),
  () => table.close(),
)
