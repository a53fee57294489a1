import { sql } from 'drizzle-orm'
import type { Database, PreparedStatement } from '../db/database.ts'

/** The most hits of each kind. One more is read, to know whether there are more. */
export const hitLimit = 20

/** One thing of a user. `text` is its description, or the model of an AI connection. */
export type Hit = { id: number; type: string | null; name: string; text: string | null }

type Columns = { table: string; name?: string; type?: string; text?: string }

/** The kinds of things, in the order of the statement. */
const tables = {
  strategies: { table: 'strategies', type: 'type' },
  data_webhooks: { table: 'data_webhooks', text: 'description' },
  bot_webhooks: { table: 'bot_webhooks', text: 'description' },
  bots: { table: 'bots', type: 'mode' },
  bots_without_venue: { table: 'stored_bots', type: 'type' },
  variables: { table: 'variables' },
  folders: { table: 'folders', type: 'type' },
  exchange_connections: { table: 'exchange_connections' },
  ai_connections: { table: 'ai_connections', text: 'model' },
  api_keys: { table: 'api_keys' },
  notification_endpoints: { table: 'notification_endpoints', name: 'description' },
} as const satisfies Record<string, Columns>

export type SearchedKind = keyof typeof tables
export type Found = Record<SearchedKind, Hit[]>

/**
 * The hits in one table, as JSON. An index finds the user's rows, of which there are few enough to look at each:
 * `offset 0` keeps PostgreSQL from reading everyone's rows in the order of ids instead. `position` takes the text
 * literally.
 */
function hitsSql(
  { table, name = 'name', type = 'null', text = 'null::text' }: Columns,
  collation: string,
): string {
  const has = (value: string) => `position(lower($2 ${collation}) in lower(${value} ${collation})) > 0`
  return `(
  select coalesce(json_agg(json_build_array(h.id, h.type, h.name, h.text) order by h.id), '[]')
  from (
    select t.id, t.type, t.name, t.text
    from (
      select id, ${type} as type, ${name} as name, ${text} as text from ${table}
      where user_id between $1::bigint and $1::bigint offset 0
    ) t
    where ${has('t.name')} or ${has('t.text')} or t.id::text = $2
    order by t.id
    limit ${hitLimit + 1}
  ) h
)`
}

/** @param collation SQL for a collation that knows upper and lower case of all letters, if the server has one */
export const searchSql = (collation: string) =>
  `select ${Object.values(tables)
    .map((kind) => hitsSql(kind, collation))
    .join(', ')}`

/** Collations of PostgreSQL 17 and later, and of older servers with ICU. Without a locale, only ASCII letters have two cases. */
const collationsSql = sql`
select collname as name from pg_collation
where collname in ('pg_c_utf8', 'und-x-icu') and collencoding in (-1, 6) and getdatabaseencoding() = 'UTF8'
order by collname limit 1`

/** Finds things of a user by their names, descriptions and ids. */
export class Search {
  #database: Database
  #prepared: Promise<PreparedStatement> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** @param text is looked for as it is, except for upper and lower case */
  async find(userId: number, text: string): Promise<Found> {
    this.#prepared ??= this.#prepare().catch((error) => {
      this.#prepared = undefined
      throw error
    })
    const search = await this.#prepared
    const [row] = await search([userId, text])
    const lists = row!.map((json) =>
      (JSON.parse(json!) as [number, string | null, string, string | null][]).map(
        ([id, type, name, text]) => ({ id, type, name, text }),
      ),
    )
    const kinds = Object.keys(tables) as SearchedKind[]
    return Object.fromEntries(kinds.map((kind, index) => [kind, lists[index]!])) as Found
  }

  async #prepare(): Promise<PreparedStatement> {
    const { rows } = (await this.#database.db.execute(collationsSql)) as unknown as {
      rows: { name: string }[]
    }
    const [known] = rows
    return this.#database.prepare('search', searchSql(known === undefined ? '' : `collate "${known.name}"`))
  }
}
