import type { Database, PreparedStatement } from '../db/database.ts'

/** The latest versions of a strategy, which are kept whether or not a run names them. */
const latestKept = 100
const strategiesAtOnce = 1000
const rowsAtOnce = 5000

/** The next strategies, each with the newest of the versions that are not among its latest; `null` without any. */
const strategiesSql = `
select s.id, (
  select v.version from strategy_versions v where v.strategy_id = s.id
  order by v.version desc offset ${latestKept} limit 1
)
from strategies s where s.id > $1::bigint order by s.id limit ${strategiesAtOnce}`

/**
 * The next runs of a strategy: the id of the last one, and the versions that they executed. Runs execute in order, so once
 * a whole page of them executed versions after $3, so did all that follow, and there is no last one.
 */
const namedSql = `
with page as materialized (
  select id, version from runs where strategy_id = $1::bigint and id > $2::bigint
  order by id limit ${rowsAtOnce}
)
select (
  select max(id) from page
  having min(version) is null or min(version) < (
    select min(v.version) from strategy_versions v where v.strategy_id = $1::bigint and v.version > $3::bigint
  )
), (
  select json_agg(distinct (
    select v.version from strategy_versions v
    where v.strategy_id = $1::bigint and v.version <= r.version order by v.version desc limit 1
  ))
  from (select distinct version from page where version is not null) r
)`

const deleteSql = `
with gone as (
  delete from strategy_versions where strategy_id = $1::bigint and version = any(array(
    select version from strategy_versions
    where strategy_id = $1::bigint and version <= $2::bigint and not is_named and version <> all($3::bigint[])
    order by version limit ${rowsAtOnce}
  ))
  returning 1
)
select count(*) from gone`

/**
 * Notes which versions the deleted runs in `gone` executed, if a signal came from them: the signal outlives its run, and
 * names the version by it. The retention of runs adds this to the statement that deletes them.
 */
export const alongWithNamingRuns = `, named as (
  update strategy_versions v set is_named = true
  from (
    select distinct g.strategy_id, (
      select max(o.version) from strategy_versions o where o.strategy_id = g.strategy_id and o.version <= g.version
    ) as version
    from gone g join signals s on s.run_id = g.id
  ) n
  where v.strategy_id = n.strategy_id and v.version = n.version and not v.is_named
)`

/** Deletes versions of strategies, except the latest ones and those that a run or a signal came from. */
export class VersionRetention {
  #strategies: PreparedStatement
  #named: PreparedStatement
  #delete: PreparedStatement

  constructor(database: Database) {
    this.#strategies = database.prepare('strategies_with_old_versions', strategiesSql)
    this.#named = database.prepare('versions_named_by_runs', namedSql)
    this.#delete = database.prepare('purge_strategy_versions', deleteSql)
  }

  /** @param isStopped ends the work between two statements */
  async sweep(isStopped: () => boolean): Promise<void> {
    let lastId = '0'
    while (!isStopped()) {
      const rows = await this.#strategies([lastId])
      for (const [id, oldest] of rows) {
        if (oldest !== null && oldest !== undefined) await this.#sweepStrategy(id!, oldest, isStopped)
      }
      if (rows.length < strategiesAtOnce) return
      lastId = rows.at(-1)![0]!
    }
  }

  /** @param newest the newest version that may be deleted */
  async #sweepStrategy(id: string, newest: string, isStopped: () => boolean): Promise<void> {
    const named = new Set<number>()
    let lastRun: string | null | undefined = '0'
    while (lastRun !== null && lastRun !== undefined) {
      if (isStopped()) return
      const [row] = await this.#named([id, lastRun, newest])
      for (const version of JSON.parse(row?.[1] ?? '[]') as number[]) named.add(version)
      lastRun = row?.[0]
    }
    const kept = `{${[...named].join(',')}}`
    while (!isStopped()) {
      const [row] = await this.#delete([id, newest, kept])
      if (Number(row?.[0]) < rowsAtOnce) return
    }
  }
}
