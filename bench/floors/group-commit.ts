/**
 * The floor of ingestion: the body of a POST is in the database before the answer. It has no authentication, one narrow
 * table and no queue. Bodies that arrive during a commit go together into the next one.
 */
import { openPayloadTable } from './payload-table.ts'
import { payloadServer, serve } from './serve.ts'

const table = await openPayloadTable(process.env)

serve(await payloadServer((body) => table.add(body)), () => table.close())
