import { Link } from '@tanstack/react-router'
import { Check, Circle, CircleDashed, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { formatDuration } from '../../base/times.ts'
import { useQuery } from '../../data/use-query.ts'
import { classes } from '../../parts/classes.ts'
import { Failure } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { traceQuery } from './queries.ts'
import { type DeliveryTrace, type Stage, stagesOf, timeToFill } from './stages.ts'
import styles from './start.module.css'

/** What has become of the payload, stage by stage as each is stored. */
export function Way({ deliveryId }: { deliveryId: number | undefined }) {
  const { data, error, failureReason, refetch } = useQuery({
    ...traceQuery(deliveryId ?? 0),
    enabled: deliveryId !== undefined,
  })
  const way = useRef<HTMLDivElement>(null)
  const shown = useRef(deliveryId)
  useEffect(() => {
    // On a phone, it may be below what can be seen.
    if (deliveryId !== shown.current) way.current?.scrollIntoView({ block: 'nearest' })
    shown.current = deliveryId
  }, [deliveryId])
  return (
    <div className={styles.way} ref={way}>
      {(error ?? failureReason) !== null && (
        <Failure error={error ?? failureReason} onRetry={error === null ? undefined : () => void refetch()} />
      )}
      <ol className={styles.stages} aria-label="Way to the fill">
        {stagesOf(data).map((stage) => (
          <StageRow key={stage.name} stage={stage} isSent={deliveryId !== undefined} />
        ))}
      </ol>
      <p role="status" className={styles.summary}>
        {summaryOf(deliveryId, data)}
      </p>
    </div>
  )
}

function summaryOf(deliveryId: number | undefined, trace: DeliveryTrace | undefined): string {
  if (deliveryId === undefined) return 'Press Send. Each stage appears here once the service has stored it.'
  const ms = timeToFill(trace)
  if (ms !== null) return `From the payload to the fill in ${formatDuration(ms)}.`
  if (trace === undefined || trace.outcome.status === 'OPEN') return 'Under way.'
  return 'This payload led to no fill. The first stage that is missing says why.'
}

const icons = { done: Check, missing: X, waiting: CircleDashed }

function StageRow({ stage, isSent }: { stage: Stage; isSent: boolean }) {
  const { title, state, text, afterMs, reason } = stage
  const Icon = isSent ? icons[state] : Circle
  return (
    <li className={classes(styles.stage, styles[state])} data-state={state}>
      <Icon aria-hidden className={styles.icon} />
      <span className={styles.stageTitle}>
        {title}
        <span className={styles.unseen}>{isSent ? `: ${words[state]}` : ''}</span>
      </span>
      <span className={styles.after}>{afterMs !== null && `+${formatDuration(afterMs)}`}</span>
      <div className={styles.stageText}>
        <Foreign text={text} />
        {reason !== null && (
          <div className={styles.reason}>
            <Foreign text={reason} keepLines />
          </div>
        )}
      </div>
      <span className={styles.receipt}>
        <StageLink stage={stage} />
      </span>
    </li>
  )
}

const words = { done: 'done', missing: 'did not happen', waiting: 'not yet' }

function StageLink({ stage: { name, id, botId } }: { stage: Stage }) {
  if (id === null) return null
  if (name === 'delivery')
    return (
      <Link to="/deliveries/$id" params={{ id: String(id) }}>
        Receipt
      </Link>
    )
  if (name === 'run')
    return (
      <Link to="/runs/$id" params={{ id: String(id) }}>
        Run {id}
      </Link>
    )
  if (botId === null) return null
  return (
    <Link to="/bots/$id" params={{ id: String(botId) }} search={{ tab: `${name}s` }}>
      {nouns[name]} {id}
    </Link>
  )
}

const nouns = { signal: 'Signal', order: 'Order', fill: 'Fill' }
