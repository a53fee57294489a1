import { queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatDuration } from '../../base/times.ts'
import { client } from '../../data/client.ts'
import { type StrategyType, strategyPath } from '../../data/paths.ts'
import { triggerText } from '../../data/run-result.ts'
import { useQuery } from '../../data/use-query.ts'
import { Conversation } from '../../parts/Conversation.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Receipt } from '../../parts/Receipt.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import type { Trace } from '../../parts/waterfall.ts'
import { ErrorInCode } from './ErrorInCode.tsx'

function traceQuery(id: number) {
  return queryOptions({ queryKey: ['traces', 'run', id], queryFn: () => client.runs.trace(id) })
}

function runQuery(id: number) {
  return queryOptions({ queryKey: ['runs', id], queryFn: () => client.runs.get(id) })
}

/** One run: what it was, what came of it, and everything that happened on the way. */
export function RunView({ id }: { id: number }) {
  const { data: trace, error, isPending, refetch } = useQuery(traceQuery(id))
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && error === null && <Skeleton lines={10} />}
      {trace !== undefined && <RunReceipt id={id} trace={trace} />}
    </>
  )
}

function RunReceipt({ id, trace: { run, steps, outcome } }: { id: number; trace: Trace }) {
  return (
    <>
      <Facts
        facts={[
          ['Outcome', <Status key="status" status={run.status} />],
          [
            'Strategy',
            <Link key="strategy" to={strategyPath(run.strategy_type as StrategyType, run.strategy_id)}>
              <Foreign text={run.strategy_name || `Strategy ${run.strategy_id}`} />
            </Link>,
          ],
          ['Version', run.version ?? '–'],
          ['Trigger', triggerText(run.trigger)],
          [
            'Delivery',
            run.delivery_id === null ? (
              '–'
            ) : (
              <Link key="delivery" to="/deliveries/$id" params={{ id: String(run.delivery_id) }}>
                {run.delivery_id}
              </Link>
            ),
          ],
          [
            'Signal',
            run.signal_id === null ? (
              '–'
            ) : (
              <Link key="signal" to="/signals/$id" params={{ id: String(run.signal_id) }}>
                {run.signal_id}
              </Link>
            ),
          ],
        ]}
      />
      <TryAgain run={run} />
      <Receipt outcome={outcome} steps={steps} />
      <Record id={id} kind={kindOf(run)} />
    </>
  )
}

const approvalFact = [
  'Approval',
  <Link key="approval" to="/approvals">
    Asked for yours
  </Link>,
] as const

/** Models have no code, so their runs have no editor. */
function kindOf({ strategy_type: type }: Trace['run']): 'code' | 'reaction' | null {
  return type === 'code-strategy' ? 'code' : type === 'code-reaction' ? 'reaction' : null
}

function TryAgain({ run }: { run: Trace['run'] }) {
  const { id, strategy_id } = run
  const kind = kindOf(run)
  if (kind === null) return null
  return (
    <p>
      <Link to="/strategies/$kind/$id/code" params={{ kind, id: String(strategy_id) }} search={{ run: id }}>
        Try again in the editor
      </Link>
    </p>
  )
}

/** What the record of the run has besides its trace: the error, and the log as it was written. */
function Record({ id, kind }: { id: number; kind: ReturnType<typeof kindOf> }) {
  const { data: run, error } = useQuery(runQuery(id))
  if (error !== null) return <Failure error={error} />
  if (run === undefined) return <Skeleton lines={3} />
  return (
    <>
      {kind !== null && <ErrorInCode kind={kind} run={run} />}
      <Section title="Times">
        <Facts
          facts={[
            ['Queued', <Time key="queued" at={run.queued_at} />],
            ['Started', <Time key="started" at={run.started_at} />],
            ['Ended', <Time key="ended" at={run.finished_at} />],
            ['Took', run.duration_ms === null ? '–' : formatDuration(run.duration_ms)],
            ...(run.approval_id === null ? [] : [approvalFact]),
          ]}
        />
      </Section>
      {run.transcript !== null && run.transcript.length > 0 && (
        <Section title="Conversation with the model">
          <Conversation entries={run.transcript} />
        </Section>
      )}
      {run.log !== null && run.log !== '' && (
        <Section title="Log">
          <pre>
            <Foreign text={run.log} keepLines />
          </pre>
        </Section>
      )}
    </>
  )
}
