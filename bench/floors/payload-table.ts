import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { GroupCommit } from '../../packages/server/src/db/group-commit.ts'

/** A narrow table of texts, with many inserts in one statement. */
export type PayloadTable = {
  /** Resolves with the row's id when it is committed. */
  add(text: string): Promise<number>
  close(): Promise<void>
}

/** As many as the load generator has in flight. */
const rowsPerCommit = 64
const createSql = 'create table if not exists floor_payloads (id bigserial primary key, body text not null)'
const insertSql = 'insert into floor_payloads (body) select unnest($1::text[]) returning id'

/** Opens the table: on PostgreSQL if DATABASE_URL is set, or else on PGlite in the data folder. */
export async function openPayloadTable({ DATABASE_URL, DATA_DIR }: NodeJS.ProcessEnv): Promise<PayloadTable> {
  const { insert, close } = await (DATABASE_URL
    ? openPostgres(DATABASE_URL)
    : openPglite(`${DATA_DIR}/pglite`))
  const group = new GroupCommit({ commit: insert, batchLimit: rowsPerCommit, isolateFailures: false })
  return { add: (text) => group.submit(text), close }
}

type Connection = { insert: (texts: string[]) => Promise<number[]>; close: () => Promise<void> }

async function openPglite(folder: string): Promise<Connection> {
  const pglite = await PGlite.create(folder)
  await pglite.query(createSql)
  return {
    insert: async (texts) => {
      const { rows } = await pglite.query<{ id: number }>(insertSql, [texts])
      return rows.map(({ id }) => id)
    },
    close: () => pglite.close(),
  }
}

async function openPostgres(connectionString: string): Promise<Connection> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(createSql)
  return {
    insert: async (texts) => {
      const { rows } = await client.query<{ id: string }>({
        name: 'insert',
        text: insertSql,
        values: [texts],
      })
      return rows.map(({ id }) => Number(id))
    },
    close: () => client.end(),
  }
}
