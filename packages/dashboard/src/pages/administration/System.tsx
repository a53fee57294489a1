import { count, formatBytes, formatNumber } from '../../base/numbers.ts'
import { serviceTimeOf } from '../../base/service-time.ts'
import { formatDuration } from '../../base/times.ts'
import { useNow } from '../../base/use-now.ts'
import type { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Distance, Foreign, Time, Value } from '../../parts/Values.tsx'
import styles from './administration.module.css'
import { systemQuery } from './administration.ts'
import { isOld, missingRoles, mixedVersions, reportIntervalMs, silenceMs, silenceText } from './system.ts'

type Report = Awaited<ReturnType<typeof client.system.get>>
type Node = Report['nodes'][number]

/** The state of the installation, read every few seconds. What is old, and a node that is gone, looks so. */
export function System() {
  const { data, error, dataUpdatedAt, refetch } = useQuery(systemQuery)
  const readAt = serviceTimeOf(dataUpdatedAt)
  const now = useNow(1000)
  if (data === undefined) {
    return error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />
  }
  const isPast = isOld(readAt, now)
  return (
    <>
      {isPast && (
        <Notice tone="warning">
          The service has not answered since <Time at={readAt} />. Everything below is as it was then.
        </Notice>
      )}
      <Nodes report={data} isPast={isPast} />
      <Queues queues={data.queues} />
      <Executors report={data} />
      <Database report={data} />
      <Upkeep report={data} />
      <p className={styles.soft}>
        Read <Distance at={readAt} />, every {formatDuration(reportIntervalMs)} while the page is seen.
      </p>
    </>
  )
}

function Nodes({ report: { version, node_version, nodes }, isPast }: { report: Report; isPast: boolean }) {
  const mixed = mixedVersions(nodes)
  const missing = missingRoles(nodes)
  const columns: TableColumn<Node>[] = [
    {
      name: 'Node',
      cell: ({ id, is_this }) => (
        <span className={styles.node} title={id}>
          <Foreign text={id.slice(0, 8)} />
          {is_this && <span className={styles.soft}> answers</span>}
        </span>
      ),
    },
    {
      name: 'State',
      // Nobody knows whether a node is alive if the report is old.
      cell: ({ alive }) => <Status status={alive ? (isPast ? 'Unknown' : 'ALIVE') : 'GONE'} />,
    },
    {
      name: 'Heartbeat',
      isNumber: true,
      cell: (node) => silenceText(silenceMs(node, nodes)),
    },
    { name: 'Roles', isWide: true, cell: ({ roles }) => <Foreign text={roles?.join(', ') ?? 'unknown'} /> },
    {
      name: 'Version',
      isWide: true,
      cell: ({ version }) => <Foreign text={version ?? 'older, unknown'} />,
    },
    {
      name: 'Node.js',
      isWide: true,
      cell: ({ node_version }) => <Foreign text={node_version ?? 'unknown'} />,
    },
    {
      name: 'Memory',
      isNumber: true,
      cell: ({ memory_bytes }) => (memory_bytes === null ? '–' : formatBytes(memory_bytes)),
    },
    {
      name: 'Executors',
      isNumber: true,
      isWide: true,
      cell: ({ executors }) => (executors === null ? '–' : `${executors.alive} of ${executors.executors}`),
    },
    {
      name: 'Runs',
      isNumber: true,
      isWide: true,
      cell: ({ executors }) =>
        executors === null
          ? '–'
          : `${formatNumber(executors.running)} + ${formatNumber(executors.queued)} waiting`,
    },
    { name: 'Started', isNumber: true, isWide: true, cell: ({ started_at }) => <Time at={started_at} /> },
  ]
  return (
    <Section title="Nodes">
      <p className={styles.soft}>
        Version {version} of the service on Node.js {node_version}. A node that was alive in the last hour is
        listed.
      </p>
      {mixed.length > 0 && (
        <Notice tone="warning">
          The nodes run different versions: {mixed.join(', ')}. Update all of them to one version.
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice tone="warning">
          No living node has {missing.length === 1 ? 'the role' : 'the roles'} {missing.join(', ')}. What
          {missing.length === 1 ? ' it does' : ' they do'} waits until one starts.
        </Notice>
      )}
      <Table label="Nodes" columns={columns} items={nodes} idOf={({ id }) => id} />
    </Section>
  )
}

type Count = Report['queues']['runs_waiting']
type Queue = { name: string; about: string; count: Count }

function Queues({ queues }: { queues: Report['queues'] }) {
  const items: Queue[] = [
    { name: 'Runs that wait', about: 'for an executor', count: queues.runs_waiting },
    { name: 'Runs under way', about: 'in an executor', count: queues.runs_under_way },
    { name: 'Signals for bots', about: 'that bots work on', count: queues.bot_signals_open },
    { name: 'Delayed signals', about: 'that bots will work on', count: queues.bot_signals_delayed },
    { name: 'Closes that wait', about: 'for their owners', count: queues.bot_signals_waiting },
    { name: 'Approvals', about: 'for their owners', count: queues.approvals_waiting },
    { name: 'Notifications', about: 'to be sent to endpoints', count: queues.notifications_waiting },
    { name: 'Mails', about: 'to be sent', count: queues.mails_waiting },
  ]
  return (
    <Section title="Queues of all users and nodes">
      <div className={styles.narrow}>
        <Table
          label="Queues"
          items={items}
          idOf={({ name }) => name}
          columns={[
            { name: 'Queue', cell: ({ name }) => name },
            {
              name: 'Waits',
              isWide: true,
              cell: ({ about }) => <span className={styles.soft}>{about}</span>,
            },
            {
              name: 'Number',
              isNumber: true,
              cell: ({ count }) =>
                count.is_exact ? <Value value={count.count} /> : `over ${formatNumber(count.count)}`,
            },
          ]}
        />
      </div>
    </Section>
  )
}

function Executors({ report: { executors, market } }: { report: Report }) {
  return (
    <Section title="The node that answers">
      {executors === null ? (
        <p>It runs no strategies: it does not have the role worker.</p>
      ) : (
        <>
          {executors.containment_missing.length > 0 && (
            <Notice tone="warning">
              Executors lack layers of containment: {executors.containment_missing.join(', ')}. The log of the
              service says why.
            </Notice>
          )}
          <Facts
            facts={[
              ['Executors alive', `${executors.alive} of ${executors.executors}`],
              ['Runs under way', formatNumber(executors.running)],
              ['Runs in front of them', formatNumber(executors.queued)],
              ['Warm isolates', formatNumber(executors.warm_isolates)],
              ['New isolates since the start', formatNumber(executors.cold_starts)],
              ['Executors started again', formatNumber(executors.respawns)],
              ['Containment', executors.containment],
              ['Layers', executors.containment_layers.join(', ')],
            ]}
          />
        </>
      )}
      <Facts
        facts={[
          ['Prices', marketTexts[market.kind] ?? market.kind],
          ['Symbols that it watches', formatNumber(market.watched)],
        ]}
      />
    </Section>
  )
}

const marketTexts: Record<string, string> = { live: 'Live', sim: 'Simulated', replay: 'Replayed' }

function Database({ report: { database } }: { report: Report }) {
  const { kind, version, size_bytes, connections, max_connections, migrations, latest_migration } = database
  return (
    <Section title="Database">
      <Facts
        facts={[
          ['Server', kind === 'embedded' ? 'Started by the service' : 'A server of its own'],
          ['PostgreSQL', version],
          ['Size', formatBytes(size_bytes)],
          ['Connections', `${formatNumber(connections)} of ${formatNumber(max_connections)}`],
          ['Migrations', formatNumber(migrations)],
          ['Latest migration', <Foreign key="latest" text={latest_migration ?? '–'} />],
        ]}
      />
    </Section>
  )
}

/** What the service does by itself with what is old, and with mail. */
function Upkeep({ report: { retention, mail } }: { report: Report }) {
  return (
    <Section title="Retention and mail">
      <Facts
        facts={[
          ['Runs, deliveries and refused posts', `Deleted after ${count(retention.days, 'day')}`],
          ['Audit log', `Deleted after ${count(retention.audit_days, 'day')}`],
          ['Signals, orders and fills', 'Kept for ever'],
          ['Mail', mail.is_sent ? 'Sent by your mail server' : 'Only stored: no mail server is set'],
        ]}
      />
    </Section>
  )
}
