import type { SharedWebhook } from '@tickwright/client'
import { useQuery } from '../../data/use-query.ts'
import { type Kind, sharedWebhooksQuery } from '../../data/webhooks.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Secret } from '../../parts/Secret.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'

/** The webhook that another user shares; `undefined` while it is not known, `null` if nobody shares it. */
export function useShared(kind: Kind, id: number, isWanted: boolean): SharedWebhook | null | undefined {
  const { data } = useQuery({ ...sharedWebhooksQuery(kind), enabled: isWanted })
  return data && (data.find((shared) => shared.id === id) ?? null)
}

/** What is shown if the user does not own the webhook: perhaps someone shares it. */
export function NotOwn({
  shared,
  error,
  onRetry,
}: {
  shared: SharedWebhook | null | undefined
  error: Error
  onRetry: () => void
}) {
  if (shared === undefined) return <Skeleton />
  return shared === null ? <Failure error={error} onRetry={onRetry} /> : null
}

/** What a recipient knows of a webhook. */
export function AboutShared({
  kind,
  shared: { status, url, owner_id, created_at, description },
}: {
  kind: Kind
  shared: SharedWebhook
}) {
  return (
    <>
      {description !== '' && (
        <p>
          <Foreign text={description} />
        </p>
      )}
      <Facts
        facts={[
          ['Status', <Status key="status" status={status} />],
          ['Your address', <Secret key="address" text={url} name="address" />],
          ['Shared by', `User ${owner_id}`],
          ['Since', <Time key="since" at={created_at} />],
        ]}
      />
      <Notice>
        {kind === 'data'
          ? 'You can post to your address, and attach your reactions. The owner sees what you post. All attached reactions get it, of all users.'
          : 'You can post signals to your address, let your bots follow it, and let your strategies send to it. Each signal goes to all bots that follow it, of all users.'}{' '}
        If the owner asks for a password, you need it too: the owner gives it to you.
      </Notice>
    </>
  )
}
