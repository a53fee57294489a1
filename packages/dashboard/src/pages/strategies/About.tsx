import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action, Mode, Status } from '../../parts/Marks.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Distance, Foreign, Time, Value } from '../../parts/Values.tsx'
import { webhookChoicesQuery } from './choices.ts'
import { type CodeKind, kindTexts } from './kinds.ts'
import { NextRun } from './NextRun.tsx'
import { ScheduleWords } from './ScheduleWords.tsx'
import styles from './strategies.module.css'
import type { Strategy } from './strategies.ts'
import { brokenRule } from './suspension.ts'
import { useSwitchOn } from './use-switch-on.tsx'

/** The state of a strategy: what triggers it, what it did last, and what came of its signals. */
export function About({ kind, strategy }: { kind: CodeKind; strategy: Strategy }) {
  const { id, status, last_trigger: last, send_signal, webhook_id, symbol } = strategy
  return (
    <>
      {status === 'SUSPENDED' && <Suspended kind={kind} strategy={strategy} />}
      <Facts
        facts={[
          ['Status', <Status key="status" status={status} />],
          ['Kind', kindTexts[kind]],
          [
            'Runs',
            strategy.type === 'code-strategy' ? (
              <ScheduleWords key="times" interval={strategy.cron_interval} timezone={strategy.timezone} />
            ) : (
              <WebhookLink
                key="trigger"
                kind="data"
                id={strategy.data_webhook_id}
                none="No data webhook: nothing triggers it"
              />
            ),
          ],
          ['Next run', <NextRun key="next" strategy={strategy} />],
          ['Last run', <Time key="last" at={strategy.last_run_at} />],
          [
            'Last action',
            <span key="action" className={styles.inline}>
              <Action action={last.action} />
              {last.price !== null && <Value value={last.price} />}
              {last.at !== null && <Time at={last.at} />}
            </span>,
          ],
          [
            'Signals to',
            send_signal ? (
              <WebhookLink key="signals" kind="bot" id={webhook_id} none="No bot webhook: no bot gets them" />
            ) : (
              'Nobody: it sends none'
            ),
          ],
          ...(symbol === null ? [] : ([['Symbols', <Foreign key="symbols" text={symbol} />]] as const)),
          ...useResults(id),
        ]}
      />
    </>
  )
}

/** What the trades earned that its signals opened. Modes and currencies are never added up. */
function useResults(id: number): (readonly [string, ReactNode])[] {
  const { data } = useQuery({
    queryKey: ['stats', 'strategy', id],
    queryFn: () => client.stats.get({ strategy_id: id }),
  })
  const groups = data?.groups ?? []
  return groups.map(({ mode, demo, currency, realised }) => [
    groups.length === 1 ? 'Realised' : `Realised, ${modeText(mode, demo)}, ${currency ?? 'unknown currency'}`,
    <span key="realised" className={styles.inline}>
      {mode === null ? 'deleted bots' : <Mode mode={mode} demo={demo} />}
      <Value value={realised} digits={2} isResult {...(currency === null ? {} : { unit: currency })} />
    </span>,
  ])
}

function modeText(mode: string | null, demo: boolean | null): string {
  if (mode === null) return 'deleted bots'
  return mode === 'live' && demo ? 'demo' : mode
}

/** A webhook by its name. Those that others share have no page here. */
function WebhookLink({ kind, id, none }: { kind: 'data' | 'bot'; id: number | null; none: string }) {
  const { data } = useQuery({ ...webhookChoicesQuery(kind), enabled: id !== null })
  if (id === null) return <span className={styles.soft}>{none}</span>
  const webhook = data?.find((each) => each.id === id)
  const name = <Foreign text={webhook?.name || `Webhook ${id}`} />
  if (webhook?.isShared) return name
  return (
    <Link to="/webhooks/$kind/$id" params={{ kind, id: String(id) }}>
      {name}
    </Link>
  )
}

/** Why a strategy is suspended, with the figure, until when, and the button that ends it. */
function Suspended({ kind, strategy }: { kind: CodeKind; strategy: Strategy }) {
  const { suspension_reason: reason, suspended_until: until } = strategy
  const { begin, isBusy, error, dialog } = useSwitchOn(kind, strategy)
  return (
    <>
      <Notice
        tone="warning"
        action={
          <Button isBusy={isBusy} onClick={begin}>
            Resume
          </Button>
        }
      >
        <p>
          The strategy is suspended
          {reason !== null && (
            <>
              {': '}
              <Link to="/runs/$id" params={{ id: String(reason.run_id) }}>
                run {reason.run_id}
              </Link>{' '}
              {brokenRule(reason)}
            </>
          )}
          .
        </p>
        {until !== null && (
          <p>
            It goes on by itself at <Time at={until} />, <Distance at={until} />. Nothing triggers it until
            then.
          </p>
        )}
      </Notice>
      {error !== null && <Failure error={error} isChange />}
      {dialog}
    </>
  )
}
