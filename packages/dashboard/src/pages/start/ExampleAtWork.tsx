import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { type Example, stateOf } from './example.ts'
import { Parts } from './Parts.tsx'
import { exampleQuery } from './queries.ts'
import { SendPayload } from './SendPayload.tsx'
import { setUpExample } from './set-up.ts'
import styles from './start.module.css'
import { Way } from './Way.tsx'

const route = getRouteApi('/signed-in/start')

/** From a payload to a fill, with the parts that a first start or this page has made. */
export function ExampleAtWork() {
  const { data: example, error, failureReason, refetch } = useQuery(exampleQuery)
  // A query tries again many times before it fails. Its reason is said from the first time on.
  const trouble = error ?? failureReason
  const { delivery } = route.useSearch()
  const navigate = useNavigate()
  const follow = (id: number) => void navigate({ to: '/start', search: { delivery: id }, replace: true })
  return (
    <Section title="The example at work">
      <p className={styles.lead}>
        A payload arrives, a reaction decides, and a bot trades on paper at the prices of the simulated
        market. No real money is involved.
      </p>
      {trouble !== null && (
        <Failure error={trouble} onRetry={error === null ? undefined : () => void refetch()} />
      )}
      {example === undefined && trouble === null && <Skeleton lines={4} />}
      {example !== undefined && (
        <>
          <Parts example={example} />
          {stateOf(example) === 'ready' ? (
            <div className={styles.work}>
              <SendPayload example={example} onSent={follow} />
              <Way deliveryId={delivery} />
            </div>
          ) : (
            <SetUp example={example} />
          )}
        </>
      )}
    </Section>
  )
}

function SetUp({ example }: { example: Example }) {
  const queries = useQueryClient()
  const { run, isBusy, error } = useOnce(setUpExample, () =>
    Promise.all(
      ['strategies', 'bots', 'webhooks'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
    ),
  )
  const isNew = stateOf(example) === 'none'
  return (
    <div className={styles.setUp}>
      <p>
        {isNew
          ? 'Nothing of the example exists yet. One click creates its four parts, attaches them to each other and switches them on.'
          : 'Something is missing. One click creates what does not exist, attaches it, and switches on what is off.'}
      </p>
      <Button look="primary" isBusy={isBusy} onClick={run}>
        {isNew ? 'Set up the example' : 'Complete the example'}
      </Button>
      {error !== null && <Failure error={error} isChange />}
    </div>
  )
}
