import type { ApprovalInList } from '@tickwright/client'
import { type KeyboardEvent, useState } from 'react'
import { count } from '../../base/numbers.ts'
import { routesQuery, waitingQuery } from '../../data/approvals.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import styles from './approvals.module.css'
import { Card } from './Card.tsx'
import { withWaiting } from './seen.ts'

/** The actions and changes that wait, the oldest first. Those that are decided meanwhile stay in their places and say so. */
export function Waiting() {
  const { data: waiting, error, refetch } = useQuery(waitingQuery)
  // The cards say what each bot would do: without that, their buttons would move while a finger comes down.
  const { isPending } = useQuery(routesQuery)
  const [seen, setSeen] = useState<readonly ApprovalInList[]>([])
  const next = waiting === undefined ? seen : withWaiting(seen, waiting)
  if (next !== seen) setSeen(next)
  if (error !== null && waiting === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (waiting === undefined || isPending) return <Skeleton />
  const ids = new Set(waiting.map(({ id }) => id))
  const settled = next.length - ids.size
  return (
    <Section
      title="Waiting"
      actions={
        settled > 0 && (
          <Button look="quiet" onClick={() => setSeen(next.filter(({ id }) => ids.has(id)))}>
            Clear {settled} decided
          </Button>
        )
      }
    >
      <p role="status" className={styles.said}>
        {count(ids.size, 'request waits', 'requests wait')} for you.
      </p>
      {next.length === 0 ? (
        <NothingWaits />
      ) : (
        <>
          <p className={styles.keys}>
            <kbd>←</kbd> <kbd>→</kbd> to another card, <kbd>A</kbd> to approve, <kbd>R</kbd> to reject.
          </p>
          <ul className={styles.cards} onKeyDown={moveBetweenCards}>
            {next.map((approval) => (
              <Card key={approval.id} approval={approval} isWaiting={ids.has(approval.id)} />
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

function NothingWaits() {
  return (
    <Empty title="Nothing waits for you">
      An AI strategy whose actions need your approval asks here before it acts, and before it changes another
      strategy. The settings of the strategy say when it has to ask.
    </Empty>
  )
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** Arrow keys move the focus from card to card. */
function moveBetweenCards(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-card]')
  if (step === undefined || focused === null) return
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-card]')]
  const next = cards[cards.indexOf(focused) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
