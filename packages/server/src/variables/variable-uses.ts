import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, PreparedStatement } from '../db/database.ts'
import type { CodeType } from '../db/schema.ts'
import { readVariables } from './named-variables.ts'
import type { Variable } from './variables.ts'

/** The code that one request reads, in bytes. It ends with the strategy that reaches this. */
const readLimit = 2 * 1024 * 1024
/** The strategies that one request reads. */
const strategyLimit = 1000

/**
 * The strategies with code to which a variable applies: those in its folder and the folders in it, or all, except those
 * with a variable of the same name in a nearer folder. As in `sealedVariablesSql`, the path of a folder begins with the
 * outermost one. `octet_length` knows the size of stored code without reading it.
 */
const applyingSql = `
select json_agg(json_build_array(a.id, a.type, a.name, a.folder_id, a.status, a.code, a.next_id) order by a.id)
from (
  select s.id, s.type, s.name, s.folder_id, s.status, s.code, lead(s.id) over (order by s.id) as next_id,
    sum(octet_length(s.code)) over (order by s.id) - octet_length(s.code) as read_before
  from strategies s
  left join folders f on f.id = s.folder_id
  cross join lateral (select f.ancestors || f.id as folders) path
  where s.user_id = $1::bigint and s.type in ('code-strategy', 'code-reaction') and s.id > $4::bigint
    and ($3::bigint is null or $3::bigint = any(path.folders))
    and not exists (
      select from variables v
      where v.user_id = $1::bigint and v.name = $2 and v.folder_id = any(path.folders)
        and array_position(path.folders, v.folder_id) > coalesce(array_position(path.folders, $3::bigint), 0)
    )
  order by s.id
  limit ${strategyLimit}
) a
where a.read_before < ${readLimit}`

type Row = [
  id: number,
  type: CodeType,
  name: string,
  folderId: number | null,
  status: 'ACTIVE' | 'INACTIVE',
  code: string,
  nextId: number | null,
]

/** `isCertain`: the code names the variable. Otherwise, it reads `$.Env` in a way that may include it. */
export type VariableUse = {
  id: number
  type: CodeType
  name: string
  folderId: number | null
  status: 'ACTIVE' | 'INACTIVE'
  isCertain: boolean
}

/** Finds the strategies whose code reads a variable. */
export class VariableUses {
  #read: PreparedStatement

  constructor(database: Database) {
    this.#read = database.prepare('read_code_of_variable', applyingSql)
  }

  /**
   * In order of id. `nextAfter` is `null` if all strategies were read; otherwise, the next request goes on after it.
   * @param after reads only strategies with a higher id
   */
  async of(
    { userId, name, folderId }: Variable,
    after: number,
  ): Promise<{ uses: VariableUse[]; nextAfter: number | null }> {
    const [row] = await this.#read([userId, name, folderId, after])
    const rows = JSON.parse(row?.[0] ?? '[]') as Row[]
    const uses: VariableUse[] = []
    for (const [id, type, title, folder, status, code] of rows) {
      // Nobody else waits for all of this code.
      await nextTurn()
      const { names, isDynamic } = readVariables(code)
      const isCertain = names.has(name)
      if (isCertain || isDynamic) uses.push({ id, type, name: title, folderId: folder, status, isCertain })
    }
    const last = rows.at(-1)
    return { uses, nextAfter: last === undefined || last[6] === null ? null : last[0] }
  }
}
