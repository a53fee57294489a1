import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ApprovalInList } from '@tickwright/client'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { serviceNow } from '../../base/service-time.ts'
import { plainText } from '../../base/text.ts'
import { routesQuery, targetQuery } from '../../data/approvals.ts'
import { strategyPath } from '../../data/paths.ts'
import { isAboutMoney, targetOf } from '../../data/targets.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Untrusted } from '../../parts/Untrusted.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import styles from './approvals.module.css'
import { approvalQuery } from './approvals.ts'
import { ChangeBody, ChangeTitle, FollowersOf } from './ChangeOnCard.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { Countdown } from './Countdown.tsx'
import { Outcome } from './Outcome.tsx'
import { TargetBots } from './Target.tsx'
import { useDecision } from './use-decision.ts'

/**
 * One action or change that waits, or waited while the page was open. A and R decide while the card has the focus.
 * @param isWaiting whether the service still lists it among those that wait
 */
export function Card({ approval: listed, isWaiting }: { approval: ApprovalInList; isWaiting: boolean }) {
  const { id, strategy_id, strategy_name, strategy_type, action, symbols, change, run_id } = listed
  const { response, created_at } = listed
  const card = useRef<HTMLElement>(null)
  const titleId = useId()
  const queries = useQueryClient()
  const { data: routes } = useQuery(routesQuery)
  const { data: ofChange } = useQuery({ ...targetQuery(listed), enabled: change !== null })
  const target = change === null ? routes && targetOf(strategy_id, routes) : (ofChange ?? undefined)
  const { data: whole, error: unread } = useQuery({
    ...approvalQuery(id),
    enabled: !isWaiting || change !== null,
    staleTime: 0,
  })
  const current = whole ?? listed
  const { phase, approve, reject, confirm, cancel } = useDecision(listed)
  useExpiry(listed, isWaiting)
  useEvents('status', ({ id: changed }) => {
    if (changed === change?.strategy_id)
      void queries.invalidateQueries({ queryKey: approvalQuery(id).queryKey })
  })
  const hasEnded = current.status !== 'PENDING'
  const held = change === null ? null : whyHeld(whole?.change)
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, repeat, ctrlKey, metaKey, altKey } = event
    if (hasEnded || repeat || ctrlKey || metaKey || altKey) return
    const act = { a: held === null ? approve : undefined, r: reject }[key.toLowerCase()]
    if (act === undefined) return
    event.preventDefault()
    void act()
  }
  /** The buttons are gone after a decision, and the keys of the card go on where they were. */
  const backToCard = (act: () => void) => () => {
    act()
    card.current?.focus()
  }
  return (
    <li className={change?.status === null ? styles.wide : undefined}>
      <article
        ref={card}
        className={styles.card}
        data-money={(target !== undefined && isAboutMoney(target)) || undefined}
        data-ended={hasEnded || undefined}
        data-card
        aria-labelledby={titleId}
        aria-keyshortcuts="A R"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys A and R belong to the card that has the focus
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <header className={styles.head}>
          <h3 id={titleId}>
            <Link to={strategyPath(strategy_type, strategy_id)}>
              <Foreign text={strategy_name || `Strategy ${strategy_id}`} />
            </Link>
          </h3>
          {!hasEnded && <Countdown approval={listed} />}
        </header>
        {change === null ? (
          <>
            <p className={styles.what}>
              <Action action={action} /> <Foreign text={symbols.join(', ') || 'no symbol'} />
            </p>
            {target !== undefined && <TargetBots approval={listed} target={target} isShort />}
          </>
        ) : (
          <>
            <ChangeTitle change={change} />
            {target !== undefined && <FollowersOf target={target} />}
            {unread !== null && whole === undefined ? (
              <Failure error={unread} />
            ) : (
              <ChangeBody change={whole?.change ?? undefined} isWaiting={!hasEnded} />
            )}
          </>
        )}
        <Untrusted from="the model" what="why">
          {response === null || response === '' ? (
            <span className={styles.soft}>It has not said why.</span>
          ) : (
            <Foreign text={response} keepLines />
          )}
        </Untrusted>
        <p className={styles.asked}>
          Asked <Time at={created_at} /> in{' '}
          <Link to="/runs/$id" params={{ id: String(run_id) }}>
            run {run_id}
          </Link>
        </p>
        <div className={styles.foot}>
          {hasEnded ? (
            <Outcome approval={current} />
          ) : (
            <Buttons
              phase={phase}
              what={`the ${change === null ? 'action' : 'change'} of ${plainText(strategy_name)}`}
              held={held}
              onApprove={backToCard(() => void approve())}
              onReject={backToCard(() => void reject())}
            />
          )}
        </div>
        {phase.is === 'failed' && !hasEnded && <Failure error={phase.error} isChange />}
        {phase.is === 'reading' && (
          <Notice tone="warning">
            The answer of the service was lost. This page reads what became of the decision.
          </Notice>
        )}
        {phase.is === 'undecided' && !hasEnded && (
          <Notice tone="warning">
            The decision did not arrive: the {change === null ? 'action' : 'change'} still waits.
          </Notice>
        )}
      </article>
      {phase.is === 'confirming' && (
        <ConfirmDialog
          approval={listed}
          target={phase.target}
          onConfirm={backToCard(() => void confirm())}
          onClose={backToCard(cancel)}
        />
      )}
    </li>
  )
}

/** Nobody approves a change that they cannot have read, or that cannot be made. */
function whyHeld(change: { outdated: boolean } | null | undefined): string | null {
  if (change == null) return 'The change is being read.'
  return change.outdated ? 'The strategy was saved since.' : null
}

function Buttons({
  phase,
  what,
  held,
  onApprove,
  onReject,
}: {
  phase: ReturnType<typeof useDecision>['phase']
  what: string
  held: string | null
  onApprove: () => void
  onReject: () => void
}) {
  const isBusy = phase.is === 'busy' || phase.is === 'reading'
  return (
    <>
      <Button isBusy={isBusy} onClick={onReject} aria-label={`Reject ${what}`}>
        Reject
      </Button>
      <Button
        look="primary"
        isBusy={isBusy}
        unavailable={held}
        onClick={onApprove}
        aria-label={`Approve ${what}`}
      >
        Approve
      </Button>
    </>
  )
}

/** When the time is over by the clock of this device, the service is asked: only its clock counts. */
function useExpiry({ expires_at }: ApprovalInList, isWaiting: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isWaiting) return
    const ask = () => void queries.invalidateQueries({ queryKey: ['approvals'] })
    let timer = setTimeout(
      function again() {
        ask()
        timer = setTimeout(again, 5000)
      },
      Math.max(0, Date.parse(expires_at) - serviceNow()) + 250,
    )
    return () => clearTimeout(timer)
  }, [expires_at, isWaiting, queries])
}
