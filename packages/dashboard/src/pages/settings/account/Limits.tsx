import { useSuspenseQuery } from '@tanstack/react-query'
import { formatNumber } from '../../../base/numbers.ts'
import { type LimitRow, limitRows } from '../../../data/limits.ts'
import { limitsQuery } from '../../../data/limits-query.ts'
import { meQuery } from '../../../data/queries.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Section } from '../../../parts/Page.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Loaded } from '../Loaded.tsx'
import styles from '../settings.module.css'

const columns: TableColumn<LimitRow>[] = [
  { name: 'What', cell: ({ title }) => title },
  { name: 'You have', isNumber: true, cell: ({ used }) => formatNumber(used) },
  {
    name: 'At most',
    isNumber: true,
    cell: ({ limit, used }) => (
      <>
        {used >= limit && <span className={styles.reached}>Reached </span>}
        {formatNumber(limit)}
      </>
    ),
  },
]

/** How many things of each kind the user may have, and has. */
export function Limits() {
  const { data: me } = useSuspenseQuery(meQuery)
  const limits = useQuery(limitsQuery(me.id))
  return (
    <Section title="Limits">
      <p className={styles.why}>
        Where a limit is reached, delete something first, or ask an administrator for more. A new session over
        its limit ends the oldest one.
      </p>
      <Loaded query={limits}>
        {(data) => (
          <Table
            label="Limits"
            columns={columns}
            items={limitRows(data, me.role === 'admin')}
            idOf={({ name }) => name}
          />
        )}
      </Loaded>
    </Section>
  )
}
