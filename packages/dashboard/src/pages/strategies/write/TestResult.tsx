import type { TestRun } from '@tickwright/client'
import { formatBytes, formatNumber } from '../../../base/numbers.ts'
import { formatDuration } from '../../../base/times.ts'
import { Button } from '../../../parts/Button.tsx'
import { Code } from '../../../parts/Code.tsx'
import { classes } from '../../../parts/classes.ts'
import { Difference } from '../../../parts/editor/Difference.tsx'
import type { Place } from '../../../parts/editor/positions.ts'
import { Action, Status } from '../../../parts/Marks.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Foreign, Value } from '../../../parts/Values.tsx'
import { usedLimits } from './used-limits.ts'
import styles from './write.module.css'

/** What came of a test run: its error, action, log, calls, storage and limits, and what it ran. */
export function TestResult({
  ran: { about, result },
  isOld,
  onShow,
}: {
  ran: { about: string; result: TestRun }
  /** The code has changed since. */
  isOld: boolean
  onShow: (place: Place) => void
}) {
  const { status, duration_ms, error, violation, log, http, storage, action, stopped } = result
  return (
    <div className={styles.result}>
      <p className={styles.about}>
        <Status status={status} /> in {formatDuration(duration_ms)}
      </p>
      <p className={styles.hint}>
        Ran {about}.{isOld && ' The code has changed since.'}
      </p>
      {error !== null && <ErrorNotice error={error} onShow={onShow} />}
      {violation !== null && (
        <Notice tone="warning">
          It broke the rule <Foreign text={violation.rule} />: {formatNumber(violation.actual)} of{' '}
          {formatNumber(violation.limit)}. A real run would suspend the strategy.
        </Notice>
      )}
      <Section title="Action">
        {action === null ? <p>None.</p> : <ActionLine action={action} />}
        {stopped && <p>The strategy would have stopped itself.</p>}
      </Section>
      <Section title="Log">
        {log === '' ? <p>Nothing was logged.</p> : <Code text={log} name="Log" />}
      </Section>
      <Section title="Requests">
        {http.length === 0 ? (
          <p>None.</p>
        ) : (
          <Table
            label="Requests"
            columns={callColumns}
            items={http.map((call, at) => ({ ...call, at }))}
            idOf={({ at }) => at}
          />
        )}
      </Section>
      <Section title="Storage">
        <StorageChange {...storage} />
      </Section>
      <Section title="Limits">
        <Limits limits={result.limits} />
      </Section>
    </div>
  )
}

function ErrorNotice({
  error: { name, message, line, column },
  onShow,
}: {
  error: NonNullable<TestRun['error']>
  onShow: (place: Place) => void
}) {
  const show = line !== null && (
    <Button onClick={() => onShow({ line, column: column ?? 1 })}>Show line {line}</Button>
  )
  return (
    <Notice tone="loss" action={show}>
      <Foreign text={`${name}: ${message}`} keepLines />
    </Notice>
  )
}

function ActionLine({
  action: { action, symbols, price, options },
}: {
  action: NonNullable<TestRun['action']>
}) {
  const others = Object.entries(options).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return (
    <>
      <p>
        <Action action={action} /> <Foreign text={symbols.join(', ')} />
        {price !== null && (
          <>
            {' '}
            at <Value value={price} />
          </>
        )}
        {others.length > 0 && <Foreign text={`, ${others.join(', ')}`} />}
      </p>
      <p className={styles.hint}>Not sent: this was a test.</p>
    </>
  )
}

type Call = TestRun['http'][number] & { at: number }

const callColumns: TableColumn<Call>[] = [
  {
    name: 'Request',
    cell: ({ method, url }) => <Foreign text={`${method} ${url}`} />,
  },
  { name: 'Status', isNumber: true, cell: ({ status, cache }) => `${status}${cache ? ', cached' : ''}` },
  { name: 'Took', isNumber: true, cell: ({ ms }) => formatDuration(ms) },
]

function StorageChange({ before, after }: TestRun['storage']) {
  const [old, now] = [JSON.stringify(before, null, 2), JSON.stringify(after, null, 2)]
  if (old === now) {
    return old === 'null' ? <p>Empty, before and after.</p> : <Code text={old} name="Storage, unchanged" />
  }
  return <Difference label="Storage before and after" before={old} after={now} language="json" />
}

function Limits({ limits }: { limits: TestRun['limits'] }) {
  return (
    <dl className={styles.limits}>
      {usedLimits(limits).map(({ name, used, max, unit, share }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span className={styles.track} aria-hidden="true">
              <span
                className={classes(styles.used, share >= 0.8 && styles.near, share >= 1 && styles.full)}
                style={{ width: `${Math.min(share, 1) * 100}%` }}
              />
            </span>
            <span className={styles.figures}>{figures(used, max, unit)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function figures(used: number, max: number, unit: 'ms' | 'bytes' | undefined): string {
  const format =
    unit === 'ms' ? formatDuration : unit === 'bytes' ? formatBytes : (value: number) => formatNumber(value)
  return `${format(used)} of ${format(max)}`
}
