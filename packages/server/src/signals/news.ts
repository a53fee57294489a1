import { signalDataSql } from '../notifications/telling.ts'

/** What a signal that was written has to return for {@link newsOfSignalsSql}. */
export const sentColumns = 'user_id, strategy_id, action, price, options, flag'

/** The strategy of a row, as `s`. */
export const strategyOf = (row: string) =>
  `cross join lateral (select x.user_id, x.name, x.type from strategies x where x.id = ${row}.strategy_id) s`

/** What is told of signals. @param sent the name of a CTE of those that were written, with `sentColumns` and more */
export const newsOfSignalsSql = (sent: string) => `
  select g.user_id, 'signal.created' as type, ${signalDataSql('g', 's.name')} as data, g.created_at as at
  from ${sent} g ${strategyOf('g')}`
