import { Status } from '../../parts/Marks.tsx'
import { Table } from '../../parts/Table.tsx'
import type { Check } from './backtests.ts'

/** Doubts first: one of them can make all other figures worthless. */
const order = ['doubt', 'unknown', 'good']

/** What speaks for and against believing the report. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <Table
      label="Reasons for doubt"
      items={checks.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))}
      idOf={({ name }) => name}
      columns={[
        { name: 'Question', cell: ({ label }) => label },
        { name: 'Answer', cell: ({ verdict }) => <Status status={verdict.toUpperCase()} /> },
        { name: 'Why', cell: ({ says }) => says },
      ]}
    />
  )
}
